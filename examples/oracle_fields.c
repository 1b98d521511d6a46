// SPDX-License-Identifier: 0BSD
// oracle_fields.c - a plug-in: the fields of a struct change only between the calls of two functions.
//
//     build: cc -O2 -Wall -fPIC -shared -Iinclude examples/oracle_fields.c -o oracle_fields.so
//     use:   FIELDS=8:8 FIELDS_BEGIN=kv_put FIELDS_END=kv_put blackout run --oracle ./oracle_fields.so -- ./kv fill pool 9
//
// Variables of the environment, with numbers in decimal or as 0x...:
//     FIELDS        fields of the struct, OFFSET:BYTES, with commas between them
//     FIELDS_AT     offset of the struct in the pool (default: 0)
//     FIELDS_COUNT  how many such structs follow each other there (default: 1)
//     FIELDS_EVERY  bytes from one of them to the next
//     FIELDS_POOL   only pools whose path ends with this (default: all pools)
//     FIELDS_BEGIN  the function after whose call they may change, and
//     FIELDS_END    the function after whose return they may not; it may be the same one
//
// Calls count in each thread alone, and may be nested.  A store that changes nothing is not reported.

#include <blackout/oracle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64, THREADS_MAX = 4096 };

static struct field {
	uint64_t offset, bytes;
} fields[FIELDS_MAX];
static size_t field_count;
static uint64_t at, count, every;
static const char *pool, *calls[3]; // calls: begin, end
static char message[300];
static unsigned open_calls[THREADS_MAX]; // by thread: calls of begin without end

static const char *text(const char *name, const char *fallback)
{
	return getenv(name) ? getenv(name) : fallback;
}

static void configure(void)
{
	char *c = (char *)text("FIELDS", "");

	for (field_count = 0; *c && field_count < FIELDS_MAX; field_count++, c += strcspn(c, ","), c += *c == ',') {
		fields[field_count].offset = strtoull(c, &c, 0);
		fields[field_count].bytes = *c == ':' ? strtoull(c + 1, &c, 0) : 8;
	}
	at = strtoull(text("FIELDS_AT", "0"), NULL, 0);
	count = strtoull(text("FIELDS_COUNT", "1"), NULL, 0);
	every = strtoull(text("FIELDS_EVERY", "0"), NULL, 0);
	pool = text("FIELDS_POOL", "");
	calls[0] = text("FIELDS_BEGIN", NULL);
	calls[1] = text("FIELDS_END", calls[0]);
	if (!field_count || !calls[0])
		fprintf(stderr, "oracle_fields: set FIELDS and FIELDS_BEGIN\n");
	else
		snprintf(message, sizeof(message),
			 "{bytes} of a field, at {offset} in {pool}, {are} changed outside of %s%s%s", calls[0],
			 strcmp(calls[0], calls[1]) ? " and " : "", strcmp(calls[0], calls[1]) ? calls[1] : "");
}

static void on_call(struct blackout *b, const struct blackout_event *ev)
{
	unsigned *open_here = &open_calls[ev->thread % THREADS_MAX], end = strcmp(calls[0], calls[1]) ? 1 : 0;

	(void)b;
	if (ev->what == BLACKOUT_CALL)
		*open_here += ev->pattern == 0;
	else if (ev->pattern == end && *open_here)
		--*open_here;
}

static int is_watched(const char *path)
{
	return strlen(path) >= strlen(pool) && !strcmp(path + strlen(path) - strlen(pool), pool);
}

// The bytes of this field, in the struct that begins at `start`, that the store changes.
static void field_check(struct blackout *b, const struct blackout_event *ev, const struct field *field, uint64_t start)
{
	struct blackout_report report = {.place = ev->place, .message = message, .file = ev->file};

	for (uint64_t i = 0; i < ev->size; i++)
		if (ev->offset + i - start - field->offset < field->bytes && ev->data[i] != ev->before[i]) {
			report.offset = report.size ? report.offset : ev->offset + i;
			report.size = ev->offset + i + 1 - report.offset;
		}
	if (report.size)
		b->report(b, &report);
}

static void on_store(struct blackout *b, const struct blackout_event *ev)
{
	uint64_t i = every && ev->offset > at ? (ev->offset - at) / every : 0;

	if (!ev->changes || !message[0] || open_calls[ev->thread % THREADS_MAX] ||
	    !is_watched(b->file_path(b, ev->file)))
		return;
	for (; i < count && at + i * every < ev->offset + ev->size; i++)
		for (size_t k = 0; k < field_count; k++)
			field_check(b, ev, &fields[k], at + i * every);
}

static const struct blackout_kind kinds[] = {{"field-outside",
					      "a field changes outside of the calls that should enclose it",
					      "transaction", BLACKOUT_ERROR, NULL}};

static const struct blackout_oracle oracle = {.version = BLACKOUT_ORACLE_VERSION,
					      .name = "fields",
					      .kinds = kinds,
					      .kind_count = 1,
					      .calls = calls,
					      .store = on_store,
					      .call = on_call};

const struct blackout_oracle *blackout_oracle(void)
{
	configure();
	return &oracle;
}
