/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings of crash states: made out of contexts and stores, told apart, reported, read back, and kept in folders. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builder.h"
#include "crash/folder.h"
#include "finding/crash.h"
#include "finding/suppress.h"
#include "report/reader.h"
#include "report/report.h"
#include "scratch.h"

/* Contexts of the trace below: all in one program without symbols, so that a place is "kv+0x10". */
enum { AT_CALLER = 1, AT_STORE, AT_OTHER, AT_FLUSH, AT_FENCE };

static struct trace *trace_make(const char *dir)
{
	struct builder b;

	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_DEF_MODULE, 0x400000, 4096, 0, 1, 1, BUILDER_P("/nowhere/kv"));
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0x10);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x20);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x30);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x40);
	builder_put(&b, BO_OP_DEF_CONTEXT, AT_CALLER, 1, 0x50);
	builder_put(&b, BO_OP_DEF_FILE, 7, 8, 1 << 20, 0, BUILDER_P("/pm/pool"));
	builder_put(&b, BO_OP_MAP, 0, 1, 0x10000000, 1 << 20, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);

	struct trace *trace = scratch_open(dir);
	struct event ev;
	struct err err;
	while (trace_next(trace, &ev, &err) > 0)
		;
	return trace;
}

static const uint8_t number[8] = {0x2a};

static struct crash_store store_at(uint32_t context, uint32_t flush, uint64_t offset)
{
	return (struct crash_store){context, flush, 1, 8, offset, number, offset == 0x80 ? 17 : 18, false, false};
}

/* One lost store, one that is on media, and a recovery that died. */
static struct crash_sighting sighting_make(const struct crash_store *persisted, const struct crash_store *lost)
{
	static const struct finding_frame frames[] = {
		{.function = "memcpy", .module = "libc.so.6"},
		{.function = "kv_check", .file = "kv.c", .path = "/src/kv.c", .line = 402, .module = "kv"},
	};

	return (struct crash_sighting){
		.kind = KIND_RECOVERY_CRASH,
		.by_inject = true,
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
		.outcome = OUTCOME_IS_SIGNAL,
		.value = 11,
		.err = "walking\nitem 3 has no name\n",
		.frames = frames,
		.frame_count = 2,
		.states = 12,
		.mode = "fork server",
		.folder = ".0001",
	};
}

struct setting {
	struct trace *trace;
	struct symbols *symbols;
	struct findings *findings;
	struct crash_findings *crash;
};

static struct setting setting_make(const char *dir)
{
	struct setting s = {.trace = trace_make(dir), .symbols = symbols_open(NULL), .findings = findings_new()};

	s.crash = crash_begin(s.findings, s.trace, s.symbols, NULL);
	return s;
}

static void setting_free(struct setting *s)
{
	findings_free(s->findings);
	symbols_close(s->symbols);
	trace_close(s->trace);
}

static char *report_make(enum report_format format, const struct findings *f)
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

/* ---- making ---- */

static void test_made(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store kept = store_at(AT_OTHER, AT_FLUSH, 0x40), lost = store_at(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = sighting_make(&kept, &lost);

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 1);
	const struct finding *f = &s.findings->at[0];
	assert_string_equal(f->id, "F1");
	assert_int_equal(f->severity, SEVERITY_ERROR);
	assert_string_equal(class_name(kind_get(f->kind)->class), "crash consistency");
	assert_int_equal(f->count, 12);
	assert_int_equal(stack_location(&f->stack)->offset, 0x20);
	assert_string_equal(f->pool, "/pm/pool");
	assert_int_equal(f->first.event, 17);
	assert_int_equal(f->related_count, 2);
	assert_string_equal(f->message,
			    "what kv+0x30 stores can be on media while what is stored here is not: both are "
			    "flushed, but no fence separates them");
	assert_string_equal(f->fix, "fence after the flush at kv+0x40, before the store at kv+0x30");
	assert_int_equal(strlen(f->fingerprint), FINGERPRINT_CHARS);
	assert_int_equal(f->crash->recovery.stack.location, 1); /* libc is folded there too */
	setting_free(&s);
}

/* Every cause has a sentence, whatever is known beside it; none of them leaves a place unknown. */
static void test_sentences(void **state)
{
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++) {
		for (unsigned known = 0; known < 8; known++) {
			struct setting s = setting_make(*state);
			const struct crash_store kept = store_at(AT_OTHER, AT_FLUSH, 0x40);
			const struct crash_store lost = store_at(AT_STORE, known & 4 ? AT_FLUSH : 0, 0x80);
			struct crash_sighting sighting =
				sighting_make(known & 1 ? &kept : NULL, known & 2 ? &lost : NULL);

			sighting.cause = (enum crash_cause)cause;
			crash_add(s.crash, &sighting);
			crash_end(s.crash);
			assert_null(strstr(s.findings->at[0].message, "unknown place"));
			assert_null(strpbrk(s.findings->at[0].message, "{}"));
			if (s.findings->at[0].fix)
				assert_null(strstr(s.findings->at[0].fix, "unknown place"));
			setting_free(&s);
		}
	}
}

static void test_joined(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store kept = store_at(AT_OTHER, AT_FLUSH, 0x40), lost = store_at(AT_STORE, AT_FLUSH, 0x80);
	struct crash_sighting sighting = sighting_make(&kept, &lost);

	crash_add(s.crash, &sighting);
	sighting.point = AT_FLUSH; /* elsewhere, but the same store is lost and recovery fails in the same place */
	sighting.states = 3;
	crash_add(s.crash, &sighting);
	sighting.platform = "eadr"; /* another platform adds its name, not its states */
	crash_add(s.crash, &sighting);
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->count, 1);
	assert_int_equal(s.findings->at[0].count, 15);
	assert_int_equal(s.findings->at[0].crash->states, 15);
	assert_int_equal(s.findings->at[0].platform_count, 2);
	sighting.platform = "adr";
	sighting.value = 6; /* another failure */
	crash_add(s.crash, &sighting);
	sighting.frame_count = 0; /* in another place */
	crash_add(s.crash, &sighting);
	sighting.nested = true;
	crash_add(s.crash, &sighting);
	sighting.lost = &kept; /* another loss */
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 5);
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(s.findings->at[i].fingerprint, s.findings->at[j].fingerprint);
	setting_free(&s);
}

/* Stores beyond the limit are counted; output beyond it is cut at a line. */
static void test_limits(void **state)
{
	struct setting s = setting_make(*state);
	struct crash_store lost[CRASH_STORES_MAX + 5];
	struct crash_sighting sighting = sighting_make(NULL, lost);
	char *printed = mem_alloc(10000);

	for (size_t i = 0; i < CRASH_STORES_MAX + 5; i++)
		lost[i] = store_at(AT_STORE, 0, 64 * i);
	for (size_t i = 0; i < 9999; i++)
		printed[i] = i % 10 == 9 ? '\n' : 'x';
	sighting.lost_count = CRASH_STORES_MAX + 5;
	sighting.err = printed;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(s.findings->at[0].crash->lost_count, CRASH_STORES_MAX);
	assert_int_equal(s.findings->at[0].crash->lost_total, CRASH_STORES_MAX + 5);
	assert_in_range(strlen(s.findings->at[0].crash->recovery.err), CRASH_TAIL_MAX - 10, CRASH_TAIL_MAX);
	assert_int_equal(strncmp(s.findings->at[0].crash->recovery.err, "xxxxxxxxx\n", 10), 0);
	free(printed);
	setting_free(&s);
}

/* On media, but of no interest: what a later store to the same place covers, and the rest of a store that is lost in part. */
static void test_idle(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store lost = {AT_STORE, 0, 1, 8, 0x7d, number, 17, false, false};
	const struct crash_store kept[] = {
		{AT_STORE, 0, 1, 8, 0x7d, number, 17, false, false},
		{AT_OTHER, 0, 1, 8, 0x40, number, 3, false, false},
		{AT_OTHER, 0, 1, 8, 0x40, number, 9, false, false},
		{AT_OTHER, 0, 1, 4, 0x40, number, 5, false, false},
	};
	struct crash_sighting sighting = sighting_make(kept, &lost);

	sighting.persisted_count = 4;
	crash_add(s.crash, &sighting);
	sighting.cause = CAUSE_TORN; /* here the rest is the point */
	sighting.value = 6;
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->at[0].crash->persisted_total, 2);
	assert_int_equal(s.findings->at[0].crash->persisted[0].event, 9);
	assert_int_equal(s.findings->at[0].crash->persisted[1].event, 5);
	assert_int_equal(s.findings->at[0].crash->telling_count,
			 0); /* they were pending before what is lost was stored */
	assert_int_equal(s.findings->at[1].crash->persisted_total, 3);
	crash_end(s.crash);
	setting_free(&s);
}

/* What was stored before the loss tells something only if it is guaranteed. */
static void test_telling(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store lost = {AT_STORE, 0, 1, 8, 0x80, number, 17, false, false};
	const struct crash_store kept[] = {
		{AT_FLUSH, 0, 1, 8, 0x100, number, 3, false, false},
		{AT_OTHER, 0, 1, 8, 0x40, number, 9, true, false},
	};
	struct crash_sighting sighting = sighting_make(kept, &lost);

	sighting.cause = CAUSE_UNFLUSHED;
	sighting.persisted_count = 2;
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->at[0].crash->telling_count, 1);
	assert_int_equal(s.findings->at[0].crash->persisted[0].event, 9);
	assert_string_equal(
		s.findings->at[0].message,
		"what kv+0x30 stored is on media already if the power fails before the sfence at kv+0x50, and "
		"what is stored here is not: it is not flushed yet");
	crash_end(s.crash);
	setting_free(&s);
}

/* A store that came early, and the loss of what it needs, are one finding; but not if recovery fails in another way. */
static void test_united(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store lost = {AT_STORE, 0, 1, 8, 0x80, number, 17, false, false};
	const struct crash_store kept = {AT_OTHER, 0, 1, 8, 0x40, number, 9, true, false};
	struct crash_sighting sighting = sighting_make(&kept, NULL);

	sighting.cause = CAUSE_EARLY;
	sighting.blamed = AT_OTHER;
	crash_add(s.crash, &sighting);
	sighting.value = 6;
	crash_add(s.crash, &sighting);
	sighting = sighting_make(&kept, &lost);
	sighting.cause = CAUSE_UNFLUSHED;
	crash_add(s.crash, &sighting);
	assert_int_equal(s.findings->count, 3);
	crash_end(s.crash);
	assert_int_equal(s.findings->count, 2);
	assert_int_equal(s.findings->at[0].crash->cause, CAUSE_UNFLUSHED);
	assert_int_equal(s.findings->at[0].count, 24);
	assert_int_equal(s.findings->at[1].crash->cause, CAUSE_EARLY);
	assert_int_equal(s.findings->at[1].crash->recovery.value, 6);
	setting_free(&s);
}

/* Both stores in one place: the sentence does not name it twice. */
static void test_one_place(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store kept = store_at(AT_STORE, 0, 0x40), lost = store_at(AT_STORE, 0, 0x80);
	struct crash_sighting sighting = sighting_make(&kept, &lost);

	sighting.cause = CAUSE_UNFLUSHED;
	crash_add(s.crash, &sighting);
	assert_string_equal(
		s.findings->at[0].message,
		"if the power fails before the sfence at kv+0x50, what is stored here is not on media yet, but something that needs it is");
	crash_end(s.crash);
	setting_free(&s);
}

/* ---- reports ---- */

static void test_text(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store kept = store_at(AT_OTHER, 0, 0x40), lost = store_at(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = sighting_make(&kept, &lost);

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	s.findings->target.recover = "./kv check";
	s.findings->stats.crash_states.tested = (struct findings_figure){.value = 4117, .known = true};
	s.findings->stats.failure_points.unique = (struct findings_figure){.value = 61, .known = true};
	s.findings->stats.stores = s.findings->stats.flushes = s.findings->stats.fences =
		(struct findings_figure){.value = 2, .known = true};
	s.findings->stats.threads = (struct findings_figure){.value = 1, .known = true};
	s.findings->stats.seconds.recover = 2;
	s.findings->stats.complete = (struct findings_figure){.value = 1, .known = true};
	char *text = report_make(REPORT_TEXT, s.findings);
	assert_string_equal(
		text,
		"recorded 2 PM stores, 2 flushes, 2 fences in 1 thread\n"
		"tested 4 117 crash states at 61 failure points, 2 058/s                2.0 s\n"
		"\n"
		"F1  recovery-crash     kv+0x20  (error, 12 states)\n"
		"    what kv+0x30 stores can be on media while what is stored here is not: both are flushed, but no\n"
		"    fence separates them\n"
		"    power fails: before the sfence at kv+0x50\n"
		"    on media: 8 bytes at pool+0x40 = 0x2a (kv+0x30)\n"
		"    lost: 8 bytes at pool+0x80 = 0x2a (kv+0x20), flushed at kv+0x40\n"
		"    recovery: SIGSEGV in kv_check (kv.c:402) on 12 crash states\n"
		"    it printed: item 3 has no name\n"
		"    from: kv+0x10\n"
		"    fix: fence after the flush at kv+0x40, before the store at kv+0x30\n"
		"    replay: blackout replay 'it'\\''s out' .0001\n"
		"\n"
		"1 error, 0 performance, 0 warnings, 0 suppressed. Every failure point was tested. Report: it's\n"
		"out/report.html\n");
	free(text);
	setting_free(&s);
}

/* Written, read and written again it is the same, in every format. */
static void test_read_back(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store kept = store_at(AT_OTHER, 0, 0x40), lost = store_at(AT_STORE, AT_FLUSH, 0x80);
	struct crash_sighting sighting = sighting_make(&kept, &lost);
	struct findings *again;
	struct err err;

	crash_add(s.crash, &sighting);
	sighting = sighting_make(NULL, NULL);
	sighting.kind = KIND_RECOVERY_HANG;
	sighting.outcome = OUTCOME_IS_TIMEOUT;
	sighting.cause = CAUSE_MOMENT;
	sighting.point = 0;
	sighting.point_op = NULL;
	sighting.value = sighting.frame_count = 0;
	sighting.nested = true;
	sighting.out = "\x1b[31m\xff odd <output>";
	sighting.mode = sighting.folder = NULL;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	s.findings->target.client = "./client";
	s.findings->target.mode = "namespace";
#define X(name) s.findings->stats.crash_states.name = (struct findings_figure){.value = 7, .known = true};
	FINDINGS_STATES(X)
#undef X
#define X(name) s.findings->stats.failure_points.name = (struct findings_figure){.value = 8, .known = true};
	FINDINGS_POINTS(X)
#undef X
	char *json = report_make(REPORT_JSON, s.findings);
	if (findings_parse(&again, "x.json", json, strlen(json), &err) < 0)
		fail_msg("%s", err.sentence);
	free(json);
	findings_free(s.findings);
	s.findings = again; /* what is not UTF-8 is gone now */
	json = report_make(REPORT_JSON, s.findings);
	if (findings_parse(&again, "x.json", json, strlen(json), &err) < 0)
		fail_msg("%s", err.sentence);
	free(json);
	for (unsigned format = 0; format < REPORT_COUNT; format++) {
		char *first = report_make((enum report_format)format, s.findings);
		char *second = report_make((enum report_format)format, again);

		assert_string_equal(first, second);
		free(first);
		free(second);
	}
	assert_true(again->at[1].crash->nested || again->at[0].crash->nested);
	findings_free(again);
	setting_free(&s);
}

static void test_suppressed(void **state)
{
	static const char entries[] = "[recovery-*]\nreason: known\nmodule:kv\n...\n";
	struct setting s = setting_make(*state);
	const struct crash_store lost = store_at(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = sighting_make(NULL, &lost);
	struct suppress *suppress;
	struct err err;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	assert_int_equal(suppress_parse(&suppress, "x", entries, strlen(entries), &err), 0);
	suppress_apply(suppress, s.findings);
	assert_int_equal(s.findings->at[0].state, FINDING_SUPPRESSED);
	suppress_free(suppress);
	setting_free(&s);
}

/* ---- folders ---- */

static const struct folder_facts facts = {
	.recover = "./kv check \xff pool", /* as a shell would take it, but not as JSON does */
	.client = "./client",
	.ready = "7777",
	.cwd = "/somewhere",
	.timeout = 2.5,
	.memory = 1 << 30,
	.pmem_force = true,
};

static void folder_make(const char *dir, const char *name)
{
	char path[PATH_MAX], image[PATH_MAX + 16];
	struct err err;

	assert_int_equal(folder_new(path, dir, name, &err), 0);
	snprintf(image, sizeof(image), "%s/" FOLDER_STATE, path);
	int fd = open(image, O_CREAT | O_WRONLY, 0666);
	assert_true(fd >= 0);
	close(fd);
}

static void test_folders(void **state)
{
	struct setting s = setting_make(*state);
	const struct crash_store lost = store_at(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = sighting_make(NULL, &lost);
	char path[PATH_MAX];
	struct folder *f;
	struct err err;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	folder_make(*state, "0001");
	folder_make(*state, "0002");
	assert_int_equal(folders_finish(s.findings, *state, &facts, &err), 0);
	assert_string_equal(s.findings->at[0].crash->folder, "F1");
	snprintf(path, sizeof(path), "%s/crash/.0002", (const char *)*state);
	assert_int_equal(access(path, F_OK), -1); /* nobody has it */
	snprintf(path, sizeof(path), "%s/crash/F1", (const char *)*state);
	if (folder_read(&f, path, &err) < 0)
		fail_msg("%s", err.sentence);
	assert_int_equal(access(f->state, F_OK), 0);
	assert_string_equal(f->id, "F1");
	assert_string_equal(f->kind, "recovery-crash");
	assert_string_equal(f->fingerprint, s.findings->at[0].fingerprint);
	assert_string_equal(f->location, "kv+0x20");
	assert_string_equal(f->facts.recover, facts.recover);
	assert_string_equal(f->facts.client, "./client");
	assert_string_equal(f->facts.ready, "7777");
	assert_string_equal(f->facts.cwd, "/somewhere");
	assert_true(f->facts.timeout == 2.5 && f->facts.memory == 1 << 30 && f->facts.pmem_force);
	assert_int_equal(f->outcome, OUTCOME_IS_SIGNAL);
	assert_int_equal(f->value, 11);
	folder_free(f);
	assert_int_equal(folders_clear(*state, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	setting_free(&s);
}

static void folder_refuse(const char *text, const char *sentence)
{
	struct folder *f = NULL;
	struct err err;

	assert_int_equal(folder_parse(&f, "x", text, strlen(text), &err), -1);
	assert_string_equal(err.sentence, sentence);
	assert_null(f);
}

#define HEAD "{\"schema\":\"blackout/replay/1\",\"version\":\"1\""
#define ABOUT \
	HEAD ",\"finding\":{\"id\":\"F1\",\"kind\":\"k\",\"message\":\"m\",\"location\":\"l\",\"fingerprint\":\"f\"}"
#define HOW ABOUT ",\"recovery\":{\"command\":\"c\",\"cwd\":\"/\",\"timeout\":1}"

static void test_folders_refused(void **state)
{
	struct folder *f;
	struct err err;

	folder_refuse("", "x is not JSON: line 1, column 0: '[' or '{' expected near end of file");
	folder_refuse("[]", "x is not a replay.json: it names no schema");
	folder_refuse(
		"{\"schema\":\"blackout/replay/2\"}",
		"x has the schema 'blackout/replay/2', and this version of Blackout reads 'blackout/replay/1' alone");
	folder_refuse(HEAD "}", "x is not a replay.json of this version: finding is not an object");
	folder_refuse(ABOUT "}", "x is not a replay.json of this version: recovery is not an object");
	folder_refuse(ABOUT ",\"recovery\":{\"command\":\"c\",\"cwd\":\"/\",\"timeout\":0}}",
		      "x is not a replay.json of this version: timeout is no time");
	folder_refuse(ABOUT ",\"recovery\":{\"command_hex\":\"6g\",\"cwd\":\"/\",\"timeout\":1}}",
		      "x is not a replay.json of this version: command_hex is not in hexadecimal");
	folder_refuse(ABOUT ",\"recovery\":{\"command_hex\":\"6100\",\"cwd\":\"/\",\"timeout\":1}}",
		      "x is not a replay.json of this version: command_hex is not in hexadecimal");
	folder_refuse(HOW "}", "x is not a replay.json of this version: expect is not an object");
	folder_refuse(HOW ",\"expect\":{\"outcome\":\"joy\",\"value\":0}}",
		      "x is not a replay.json of this version: outcome is not known to this version");
	folder_refuse(HOW ",\"expect\":{\"outcome\":\"exit\",\"value\":-1}}",
		      "x is not a replay.json of this version: value is not a number that can be");
	assert_int_equal(folder_read(&f, *state, &err), -1);
	assert_non_null(strstr(err.sentence, "replay.json: No such file or directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_made),
		scratch_test(test_sentences),
		scratch_test(test_joined),
		scratch_test(test_limits),
		scratch_test(test_idle),
		scratch_test(test_telling),
		scratch_test(test_united),
		scratch_test(test_one_place),
		scratch_test(test_text),
		scratch_test(test_read_back),
		scratch_test(test_suppressed),
		scratch_test(test_folders),
		scratch_test(test_folders_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
