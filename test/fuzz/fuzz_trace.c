/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader, and file content behind it, on arbitrary bytes.  The first byte of the input chooses how the rest is
 * used:
 *
 *   0  the rest is trace/0000.bo as it is
 *   1  the rest is event bytes: they are put into one sound chunk, because no fuzzer guesses a checksum
 *   2  as 1, but compressed
 *   3  as 1, but the chunk is left open
 *   4  as 1, in a recording of three processes, which share the rest
 *
 * What must hold besides not crashing: every id of a delivered event is defined, its data and path are there, an error
 * names the file, and what could be read can be sealed and then gives as many events as before. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/err.h"
#include "expression/evaluation.h"
#include "image/content.h"
#include "invariants/invariants.h"
#include "races/races.h"
#include "trace/decode.h"
#include "trace/seal.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum mode { MODE_FILE, MODE_RAW, MODE_ZSTD, MODE_OPEN, MODE_PROCESSES, MODE_COUNT };

#define PROCESSES 3u
#define INPUT_MOST (256u * 1024)
#define SPACE 100u /* zeros behind an open chunk */

static char dir[64];

/* The recording's directory, in memory where there is such a place: it is written thousands of times a second. */

static void file_path(char path[128], unsigned number)
{
	snprintf(path, 128, "%s/trace/%04u.bo", dir, number);
}

static void directory_remove(void)
{
	char path[128];

	for (unsigned i = 0; i < PROCESSES; i++) {
		file_path(path, i);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/trace", dir);
	rmdir(path);
	rmdir(dir);
}

static void directory_make(void)
{
	char path[128];

	snprintf(dir, sizeof(dir), "/dev/shm/blackout-fuzz-XXXXXX");
	if (!mkdtemp(dir)) {
		snprintf(dir, sizeof(dir), "/tmp/blackout-fuzz-XXXXXX");
		BUG_ON(!mkdtemp(dir));
	}
	snprintf(path, sizeof(path), "%s/trace", dir);
	BUG_ON(mkdir(path, 0777) < 0);
	atexit(directory_remove);
}

static void file_write(unsigned number, const void *bytes, size_t size)
{
	char path[128];
	int fd;

	file_path(path, number);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	BUG_ON(fd < 0 || write(fd, bytes, size) != (ssize_t)size);
	close(fd);
}

/* Sound headers around event bytes. */

static uint32_t events_count(const uint8_t *payload, size_t size)
{
	struct decoder decoder = decoder_at(payload, size);
	struct record record;
	uint32_t events = 0;

	while (decode_next(&decoder, &record) > 0)
		events++;
	return events;
}

static void file_wrap(unsigned number, uint32_t layers, enum bo_codec codec, const uint8_t *payload, size_t size)
{
	static uint8_t bytes[INPUT_MOST * 2];
	struct bo_file_header file = {.magic = BO_TRACE_MAGIC,
				      .version = BO_TRACE_VERSION,
				      .header_bytes = sizeof(file),
				      .layers = layers,
				      .process = number};
	struct bo_chunk_header chunk = {.magic = BO_CHUNK_MAGIC,
					.codec = codec,
					.stored_bytes = (uint32_t)size,
					.raw_bytes = (uint32_t)size,
					.events = events_count(payload, size),
					.thread = 1};
	uint8_t *stored = bytes + sizeof(file) + sizeof(chunk);

	if (codec == BO_CHUNK_ZSTD)
		chunk.stored_bytes = (uint32_t)ZSTD_compress(stored, INPUT_MOST + INPUT_MOST / 2, payload, size, 1);
	else
		memcpy(stored, payload, size);
	chunk.span = (uint32_t)sizeof(chunk) + chunk.stored_bytes;
	if (codec != BO_CHUNK_OPEN)
		chunk.checksum = XXH3_64bits_withSeed(&chunk, offsetof(struct bo_chunk_header, checksum),
						      XXH3_64bits(stored, chunk.stored_bytes));
	memset(stored + chunk.stored_bytes, 0, SPACE);
	file.checksum = XXH3_64bits(&file, offsetof(struct bo_file_header, checksum));
	memcpy(bytes, &file, sizeof(file));
	memcpy(bytes + sizeof(file), &chunk, sizeof(chunk));
	file_write(number, bytes, sizeof(file) + chunk.span + (codec == BO_CHUNK_OPEN ? SPACE : 0));
}

static void recording_write(enum mode mode, const uint8_t *data, size_t size)
{
	static const enum bo_codec codecs[] = {
		[MODE_RAW] = BO_CHUNK_RAW, [MODE_ZSTD] = BO_CHUNK_ZSTD, [MODE_OPEN] = BO_CHUNK_OPEN};

	if (mode == MODE_FILE) {
		file_write(0, data, size);
	} else if (mode == MODE_PROCESSES) {
		for (unsigned i = 0; i < PROCESSES; i++)
			file_wrap(i, BO_LAYER_FOLLOW, BO_CHUNK_RAW, data + size / PROCESSES * i, size / PROCESSES);
	} else {
		file_wrap(0, BO_LAYER_LOADS | BO_LAYER_CODE, codecs[mode], data, size);
	}
}

/* What must hold. */

static void label_check(const struct trace *t, uint32_t id)
{
	struct trace_label label = trace_label(t, id);

	BUG_ON(id > trace_label_count(t));
	for (size_t i = 0; i < label.count; i++) {
		BUG_ON(!trace_read(t, label.reads[i]));
		BUG_ON(i && label.reads[i] <= label.reads[i - 1]);
	}
}

/* Every expression can be printed, and has a value of its width for any input. */
static void expression_check(const struct trace *t, uint32_t id)
{
	const struct expressions *x = trace_expressions(t);
	struct assignment empty = {0};
	char text[64];

	BUG_ON(!id || id > expressions_count(x));
	expression_print(x, id, text, sizeof(text));
	BUG_ON(expressions_evaluate(x, id, &empty) & ~bo_width_mask(expressions_at(x, id)->width));
}

static void input_check(const struct trace *t, const struct event *ev)
{
	if (ev->type == EVENT_BRANCH || ev->type == EVENT_VALUE)
		expression_check(t, ev->expression);
	if (ev->type == EVENT_BRANCH) {
		BUG_ON(expressions_at(trace_expressions(t), ev->expression)->width != 1 || ev->value > 1);
		BUG_ON(ev->flags >= BO_BRANCH_COUNT || (ev->module && !trace_module(t, ev->module)));
	}
	BUG_ON(ev->type == EVENT_INPUT && !expressions_source(trace_expressions(t), ev->source));
}

static void event_check(const struct trace *t, const struct event *ev)
{
	uint64_t sum = 0;
	bool has_data = ev->type == EVENT_STORE || ev->type == EVENT_CONTENT || ev->type == EVENT_FILE_WRITE;
	bool has_file = ev->type == EVENT_FILE || ev->type == EVENT_MAP || ev->type == EVENT_CONTENT ||
			(ev->type >= EVENT_FILE_WRITE && ev->type <= EVENT_FILE_UNLINK);
	bool has_path = ev->type == EVENT_FILE || ev->type == EVENT_FILE_RENAME || ev->type == EVENT_EXEC;

	BUG_ON(ev->type >= EVENT_TYPE_COUNT);
	BUG_ON(ev->kind >= BO_STORE_KIND_COUNT);
	BUG_ON(!ev->thread || ev->thread > trace_thread_count(t));
	BUG_ON(ev->context && !trace_context(t, ev->context));
	BUG_ON(ev->file && !trace_file(t, ev->file));
	BUG_ON(has_file && !ev->file);
	BUG_ON(has_path && !ev->path);
	label_check(t, ev->data_label);
	label_check(t, ev->control_label);
	input_check(t, ev);
	for (uint64_t i = 0; has_data && i < ev->size; i++)
		sum += ev->data[i]; /* all of them must be readable */
	BUG_ON(has_data && sum / 255 > ev->size);
}

static void reads_check(const struct trace *t)
{
	for (uint32_t i = 1; i <= trace_read_count(t); i++) {
		const struct trace_read *read = trace_read(t, i);

		BUG_ON(read->context && !trace_context(t, read->context));
		BUG_ON(read->branch && !trace_context(t, read->branch));
		BUG_ON(read->file && !trace_file(t, read->file));
		BUG_ON(!read->size);
	}
}

static void definitions_check(const struct trace *t)
{
	for (uint32_t i = 1; i <= trace_context_count(t); i++) {
		const struct trace_context *context = trace_context(t, i);

		BUG_ON(context->parent >= i);
		BUG_ON(context->module && !trace_module(t, context->module));
	}
	for (uint32_t i = 1; i <= trace_module_count(t); i++)
		BUG_ON(!trace_module(t, i)->path);
}

static void content_check(const struct content *content, const struct trace *t)
{
	uint8_t buffer[100];

	for (uint32_t i = 1; i <= trace_file_count(t); i++) {
		uint64_t size = content_size(content, i);

		BUG_ON(size > INT64_MAX);
		BUG_ON(content_read(content, i, size, buffer, sizeof(buffer)) != 0);
		content_read(content, i, size / 2, buffer, sizeof(buffer));
	}
}

/* Two stores are not ordered with themselves, and an invariant has a rule, code and reasons. */
static void invariants_check(const struct invariants *inv, const struct store_place *place)
{
	struct invariant_match matches[INVARIANT_ORDERINGS], guardian;

	BUG_ON(invariants_orders(inv, place, place, matches));
	invariants_guardian(inv, place, &guardian);
	for (size_t i = 0; i < invariants_count(inv); i++) {
		const struct invariant *invariant = invariants_at(inv, i);

		BUG_ON(invariant->rule >= INVARIANT_RULE_COUNT || !invariant->seen);
		BUG_ON(!invariant->anywhere && !invariant->distance_count);
		BUG_ON(invariant->because_count > INVARIANT_REASONS);
	}
}

static void race_check(void *arg, const struct race *race)
{
	const struct trace *t = arg;

	BUG_ON(race->context && !trace_context(t, race->context));
	BUG_ON(!trace_file(t, race->file));
	BUG_ON(race->from < race->offset || race->to > race->offset + race->size || race->from >= race->to);
	BUG_ON(!race->units || race->thread > trace_thread_count(t));
}

/* Recovery reads the beginning of each file. */
static void races_check(const struct race_history *history, struct trace *t)
{
	struct race_reader *reader = race_reader_new(history, race_check, t);

	for (uint32_t i = 1; i <= trace_file_count(t); i++)
		race_reader_load(reader, &(struct race_load){.file = i, .size = 1u << 20, .context = 1});
	race_reader_free(reader);
}

/* The number of events, or -1. */
static long recording_read(void)
{
	struct race_history *history;
	struct content *content;
	struct invariants *inv;
	struct store_place place = {0};
	struct trace *t;
	struct event ev;
	struct err err;
	long events = 0;
	int r;

	if (trace_open(&t, dir, &err) < 0) {
		BUG_ON(strncmp(err.sentence, "trace/0", 7) && !strstr(err.sentence, "holds no recording"));
		return -1;
	}
	content = content_new();
	inv = invariants_new();
	history = race_history_new(platform_find("adr"), NULL, NULL);
	invariants_begin(inv, t);
	while ((r = trace_next(t, &ev, &err)) > 0) {
		event_check(t, &ev);
		content_apply(content, &ev);
		invariants_event(inv, &ev);
		if (ev.type == EVENT_STORE)
			place = invariants_place(inv, &ev);
		race_history_event(history, &ev, (uint64_t)++events);
	}
	BUG_ON(r < 0 && (strncmp(err.sentence, "trace/0", 7) || !strstr(err.sentence, " at offset ")));
	definitions_check(t);
	reads_check(t);
	invariants_check(inv, &place);
	invariants_free(inv);
	races_check(history, t);
	race_history_free(history);
	content_check(content, t);
	content_free(content);
	trace_close(t);
	return r < 0 ? -1 : events;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seal_options options = {.metas = &(struct seal_meta){"outcome", "exit 0"}, .meta_count = 1};
	struct err err;
	long events;

	if (!size || size > INPUT_MOST || data[0] >= MODE_COUNT)
		return -1;
	if (!dir[0])
		directory_make();
	recording_write((enum mode)data[0], data + 1, size - 1);
	events = recording_read();
	if (events >= 0) {
		options.compress = size % 4 == 0;
		BUG_ON(trace_seal(dir, &options, &err) < 0);
		BUG_ON(recording_read() != events);
	}
	if (data[0] == MODE_PROCESSES)
		for (unsigned i = 1; i < PROCESSES; i++) {
			char path[128];

			file_path(path, i);
			unlink(path);
		}
	return 0;
}
