/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_sample.c - see crash_sample.h. */
#include "crash_sample.h"

#include <sys/mman.h>

#include "builder.h"
#include "scratch.h"

static struct trace *trace_make(const char *dir)
{
	struct builder b;

	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_DEF_MODULE, 0x400000, 4096, 0, 1, 1, BUILDER_P("/nowhere/kv"));
	builder_put(&b, BO_OP_DEF_MODULE, 0x500000, 4096, 0, 1, 1, BUILDER_P("/nowhere/libpmemobj.so.1"));
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0x10);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x20);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x30);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x40);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x50);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 2, 0x60);
	builder_put(&b, BO_OP_DEF_FILE, 7, 8, 1 << 20, 0, BUILDER_P("/pm/pool"));
	builder_put(&b, BO_OP_MAP, 0, 1, 0x10000000, 1 << 20, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
	return scratch_read(dir);
}

const uint8_t crash_sample_value[8] = {0x2a};

struct crash_store crash_sample_store(uint32_t context, uint32_t flush, uint64_t offset)
{
	return (struct crash_store){
		.context = context,
		.flush = flush,
		.flush_event = flush ? 18 : 0,
		.file = 1,
		.size = 8,
		.offset = offset,
		.value = crash_sample_value,
		.event = offset == 0x80 ? 17 : 19,
	};
}

struct crash_sighting crash_sample_sighting(const struct crash_store *persisted, const struct crash_store *lost)
{
	static const struct finding_frame frames[] = {
		{.function = "memcpy", .module = "libc.so.6"},
		{.function = "kv_check", .file = "kv.c", .path = "/src/kv.c", .line = 402, .module = "kv"},
	};

	static const char *const detectors[] = {"inject"};

	return (struct crash_sighting){
		.kind = KIND_RECOVERY_CRASH,
		.detectors = detectors,
		.detector_count = 1,
		.platform = "adr",
		.cause = CAUSE_UNORDERED,
		.blamed = lost ? lost->context : 0,
		.point = AT_FENCE,
		.point_op = "sfence",
		.point_event = 23,
		.persisted = persisted,
		.persisted_count = persisted ? 1 : 0,
		.lost = lost,
		.lost_count = lost ? 1 : 0,
		.ending = {ENDING_SIGNAL, 11},
		.err = "walking\nitem 3 has no name\n",
		.frames = frames,
		.frame_count = 2,
		.states = 12,
		.mode = "fork server",
		.folder = ".0001",
	};
}

struct crash_sighting crash_sample_mismatch(const struct crash_store *persisted, const struct crash_store *lost)
{
	static const struct finding_expected expected[] = {
		{.line = "v3", .history = "if the operation happened"},
		{.line = OUTPUT_ENDS, .history = "if the operation did not happen"},
	};
	struct crash_sighting sighting = crash_sample_sighting(persisted, lost);

	sighting.kind = KIND_OUTPUT_MISMATCH;
	sighting.ending = (struct ending){ENDING_OUTPUT, 0};
	sighting.frame_count = 0;
	sighting.err = NULL;
	sighting.out = "v0\nv1\n";
	sighting.operation = (struct finding_operation){
		.known = true,
		.inside = true,
		.index = 17,
		.text = "insert k7 v3",
	};
	sighting.mismatch = (struct finding_mismatch){
		.expected = expected,
		.expected_count = 2,
		.got = "v1",
		.line = 2,
		.query = "get k7",
	};
	return sighting;
}

struct crash_sample crash_sample_make(const char *dir)
{
	struct crash_sample s = {.trace = trace_make(dir), .symbols = symbols_open(NULL), .findings = findings_new()};

	s.crash = crash_begin(s.findings, s.trace, s.symbols, NULL);
	return s;
}

void crash_sample_free(struct crash_sample *s)
{
	findings_free(s->findings);
	symbols_close(s->symbols);
	trace_close(s->trace);
}

char *crash_sample_report(enum report_format format, const struct findings *f)
{
	const struct report_options options = {.width = 100, .dir = "it's out"};
	char *text = NULL;
	size_t size = 0;
	struct err err;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(report_write(format, f, &options, out, &err), 0);
	fclose(out);
	return text;
}
