// SPDX-License-Identifier: GPL-2.0-or-later
// teller.c - a plug-in that prints what it is told, in the words of `blackout dump --no-source`, to the file TELLER_OUT,
// so that the two can be compared.  TELLER_CALLS are patterns of functions, with commas between them.

#include <blackout/oracle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static const char *calls[17];

static const char *base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static void head(const struct blackout_event *ev, const char *word)
{
	fprintf(out, "#%llu t%u %s", (unsigned long long)ev->number, ev->thread, word);
}

static void place(struct blackout *b, const struct blackout_event *ev)
{
	if (ev->file)
		fprintf(out, " %s+0x%llx", base_name(b->file_path(b, ev->file)), (unsigned long long)ev->offset);
	else
		fprintf(out, " 0x%llx", (unsigned long long)ev->address);
}

static void on_begin(struct blackout *b)
{
	(void)b;
	out = fopen(getenv("TELLER_OUT"), "w");
	if (!out)
		abort();
}

static void value(const uint8_t *data, uint64_t size)
{
	unsigned long long number = 0;

	if (size <= 8) {
		memcpy(&number, data, size);
		fprintf(out, " 0x%llx", number);
		return;
	}
	fputc(' ', out);
	for (uint64_t i = 0; i < size && i < 64; i++)
		fprintf(out, "%02x", data[i]);
	if (size > 64)
		fputs("..", out);
}

static void on_store(struct blackout *b, const struct blackout_event *ev)
{
	static const char *const words[] = {"store", "ntstore", "lockstore", "repstore", "sysstore"};
	struct blackout_variable variable;
	uint8_t now[1 << 16];
	uint32_t file;
	uint64_t offset;

	head(ev, words[ev->what - BLACKOUT_STORE_PLAIN]);
	place(b, ev);
	fprintf(out, " %llu", (unsigned long long)ev->size);
	value(ev->data, ev->size);
	fputc('\n', out);
	if (getenv("TELLER_VARIABLES") && b->variable(b, ev->place, &variable))
		fprintf(out, "variable %s of %s %llu %llu\n", variable.name, variable.type ? variable.type : "-",
			(unsigned long long)variable.offset, (unsigned long long)variable.size);
	// The answers agree with the event.
	if (ev->size < sizeof(now) &&
	    (b->read(b, ev->file, ev->offset, now, ev->size) != ev->size || memcmp(now, ev->data, ev->size)))
		fprintf(out, "read: other bytes\n");
	if (ev->changes != (memcmp(ev->before, ev->data, ev->size) != 0))
		fprintf(out, "changes: %u\n", ev->changes);
	if (!b->locate(b, ev->process, ev->address, &file, &offset) || file != ev->file || offset != ev->offset)
		fprintf(out, "locate: another place\n");
}

static void on_load(struct blackout *b, const struct blackout_event *ev)
{
	head(ev, "load");
	place(b, ev);
	fprintf(out, " %llu\n", (unsigned long long)ev->size);
}

static void on_flush(struct blackout *b, const struct blackout_event *ev)
{
	static const char *const words[] = {"clflush", "clflushopt", "clwb"};

	head(ev, words[ev->what - BLACKOUT_CLFLUSH]);
	place(b, ev);
	fputc('\n', out);
}

static void on_fence(struct blackout *b, const struct blackout_event *ev)
{
	static const char *const words[] = {"sfence", "mfence", "locked"};

	(void)b;
	head(ev, words[ev->what - BLACKOUT_SFENCE]);
	fputc('\n', out);
}

static void on_sync(struct blackout *b, const struct blackout_event *ev)
{
	head(ev, ev->what == BLACKOUT_MSYNC ? "msync" : "fsync");
	place(b, ev);
	fprintf(out, " %llu\n", (unsigned long long)ev->size);
}

static void on_call(struct blackout *b, const struct blackout_event *ev)
{
	static const char *const words[] = {"call", "return", "left"};
	struct blackout_frame frame = {0};

	b->stack(b, ev->place, &frame, 1);
	head(ev, words[ev->what - BLACKOUT_CALL]);
	fprintf(out, " %s:%s", frame.module, ev->function);
	for (int i = 0; ev->what == BLACKOUT_CALL && i < 6; i++)
		fprintf(out, " 0x%llx", (unsigned long long)ev->arguments[i]);
	if (ev->what == BLACKOUT_RETURN)
		fprintf(out, " 0x%llx", (unsigned long long)ev->result);
	fputc('\n', out);
}

static void on_operation(struct blackout *b, const struct blackout_event *ev)
{
	(void)b;
	head(ev, ev->what == BLACKOUT_OPERATION_BEGIN ? "op-begin" : "op-end");
	fprintf(out, " %llu %s\n", (unsigned long long)ev->index, ev->text ? ev->text : "");
}

static void on_map(struct blackout *b, const struct blackout_event *ev)
{
	head(ev, ev->what == BLACKOUT_MAP ? "map" : "unmap");
	if (ev->what == BLACKOUT_MAP)
		place(b, ev);
	fprintf(out, " at=0x%llx %llu\n", (unsigned long long)ev->address, (unsigned long long)ev->size);
}

static void on_transaction(struct blackout *b, const struct blackout_event *ev)
{
	static const char *const words[] = {"begin", "add", "alloc", "free", "commit", "abort", "end"};

	if (!getenv("TELLER_TRANSACTIONS"))
		return;
	fprintf(out, "tx %u %s", ev->depth, words[ev->what - BLACKOUT_TX_BEGIN]);
	if (ev->what >= BLACKOUT_TX_ADD && ev->what <= BLACKOUT_TX_FREE)
		fprintf(out, " %s %llu", b->file_path(b, ev->file) ? "pool" : "nowhere", (unsigned long long)ev->size);
	fputc('\n', out);
}

static void on_end(struct blackout *b)
{
	fprintf(out, "end on %s\n", b->platform);
	fclose(out);
}

static const struct blackout_kind kinds[] = {{"told", "never reported", "none", BLACKOUT_WARNING, NULL}};

static struct blackout_oracle oracle = {
	.version = BLACKOUT_ORACLE_VERSION,
	.name = "teller",
	.kinds = kinds,
	.kind_count = 1,
	.calls = calls,
	.begin = on_begin,
	.store = on_store,
	.flush = on_flush,
	.fence = on_fence,
	.sync = on_sync,
	.call = on_call,
	.operation = on_operation,
	.map = on_map,
	.transaction = on_transaction,
	.end = on_end,
};

const struct blackout_oracle *blackout_oracle(void)
{
	char *list = getenv("TELLER_CALLS") ? strdup(getenv("TELLER_CALLS")) : NULL;

	for (size_t i = 0; list && i < 16; i++, list = NULL)
		for (char *call = strtok(list, ","); call && i < 16; call = strtok(NULL, ","))
			calls[i++] = call;
	if (getenv("TELLER_LOADS"))
		oracle.load = on_load;
	return &oracle;
}
