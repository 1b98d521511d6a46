/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_shard.c - campaigns in shards (crash/shard.h), put together, find what one campaign finds, and test nothing twice;
 * the files of parts (run/part.h, explore/flights.h), whole and damaged.  Recovery is a function (engine.h). */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "engine.h"
#include "explore/flights.h"
#include "run/part.h"

enum { SHARDS_MAX = 7 };

/* Many visits of the same places, and moments with several pending stores. */
#define PROGRAM \
	"a b <b | c d e <c | A <a | a b c <b | d e f g <d <e | <a <c | a b <b | a b <b | a b <b | a b <b | a b <b | f <f | $"

static uint64_t seed;
static bool hangs;

/* Passes, or fails in one of several ways; always passes without a crash, on what the program leaves. */
static struct ending some_fail(void *arg, const uint8_t *pool, unsigned patience)
{
	uint64_t hash = XXH3_64bits_withSeed(pool, 64 * 26, seed);

	(void)arg;
	(void)patience;
	if (pool_at(pool, 'f') == 2)
		return FAKE_PASS;
	if (pool_at(pool, 'b') > pool_at(pool, 'a'))
		return hangs ? FAKE_HANG : FAKE_FAIL;
	return hash % 5 == 0 ? FAKE_KILLED : FAKE_PASS;
}

/* All that a campaign found. */
static char *found_text(const struct engine *e)
{
	const struct campaign *c = e->campaign;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "complete %d distinct %llu tested %llu failed %llu left out %llu\n", campaign_complete(c),
		(unsigned long long)c->found.distinct, (unsigned long long)c->found.tested,
		(unsigned long long)c->found.failed, (unsigned long long)hangs_figures(c).left_out);
	for (size_t i = 0; i < c->results.all.count; i++) {
		const struct crash_sighting *s = &c->results.all.at[i].sighting;

		fprintf(out, "kind %d by %u states %llu lost %zu persisted %zu point %u strategies %llx\n", s->kind,
			s->blamed, (unsigned long long)s->states, s->lost_count, s->persisted_count, s->point,
			(unsigned long long)c->results.all.at[i].strategies);
	}
	fclose(out);
	return text;
}

struct shards {
	struct engine engine;
	char dirs[SHARDS_MAX][600];
	const char *pointers[SHARDS_MAX];
	size_t submitted;
	struct contents seen; /* contents that were submitted in some shard */
};

static void shards_make(struct shards *s, const char *dir)
{
	*s = (struct shards){0};
	engine_make(&s->engine, dir, PROGRAM);
	s->engine.fake.recover = some_fail;
	s->engine.options.visits = 9;
	for (size_t i = 0; i < SHARDS_MAX; i++) {
		snprintf(s->dirs[i], sizeof(s->dirs[i]), "%s.part%zu", s->engine.out, i);
		mkdir(s->dirs[i], 0777);
		s->pointers[i] = s->dirs[i];
	}
}

static void shards_free(struct shards *s)
{
	contents_free(&s->seen);
	engine_free(&s->engine);
}

/* Run all shards.  `once`: no content may be tested by two of them. */
static void shards_run(struct shards *s, uint32_t total, bool once)
{
	struct engine *e = &s->engine;

	contents_free(&s->seen);
	s->submitted = 0;
	for (uint32_t i = 0; i < total; i++) {
		e->options.out = s->dirs[i];
		e->options.shard = (struct shard){.index = i + 1, .total = total};
		engine_run(e);
		assert_true(campaign_complete(e->campaign));
		assert_int_equal(e->campaign->results.all.count, 0);
		for (size_t k = 0; k < e->fake.runs.count; k++) {
			const struct fake_run *run = &e->fake.runs.at[k];

			s->submitted += run->submitted;
			if (run->submitted && !contents_add(&s->seen, run->digest) && once)
				fail_msg("shard %u tests a content that another shard has tested", i + 1);
		}
	}
	e->options.shard = (struct shard){0};
}

static void shards_merge(struct shards *s, size_t count, bool whole)
{
	struct engine *e = &s->engine;
	const struct shard_parts parts = {.dirs = s->pointers,
					  .count = count,
					  .total = (uint32_t)count,
					  .whole = whole};

	e->options.out = e->out;
	e->options.parts = &parts;
	engine_run(e);
	e->options.parts = NULL;
}

static void expect_merged(struct shards *s, uint32_t total, bool once)
{
	struct engine *e = &s->engine;
	char *whole, *merged;

	e->options.out = e->out;
	engine_run(e);
	whole = found_text(e);
	size_t submitted = engine_submitted(e);
	shards_run(s, total, once);
	/* One campaign knows some verdicts already from the causes of earlier failures. */
	if (once)
		assert_true(s->submitted >= submitted);
	shards_merge(s, total, true);
	merged = found_text(e);
	assert_string_equal(merged, whole);
	if (once)
		assert_int_equal(engine_submitted(e), 0);
	free(whole);
	free(merged);
}

static void test_inject(void **state)
{
	struct shards s;

	shards_make(&s, *state);
	hangs = false;
	for (seed = 1; seed <= 4; seed++)
		for (uint32_t total = 1; total <= SHARDS_MAX; total++)
			expect_merged(&s, total, true);
	shards_free(&s);
}

/* A shard does not know what hangs in others, so it may test more; the result is the same. */
static void test_hangs(void **state)
{
	struct shards s;

	shards_make(&s, *state);
	hangs = true;
	for (seed = 1; seed <= 4; seed++)
		for (uint32_t total = 1; total <= SHARDS_MAX; total += 2)
			expect_merged(&s, total, false);
	shards_free(&s);
}

/* State by state, states are shared by content. */
static void test_each(void **state)
{
	struct shards s;

	shards_make(&s, *state);
	hangs = false;
	engine_use(&s.engine, ENGINE_BOTH);
	for (seed = 1; seed <= 3; seed++)
		for (uint32_t total = 1; total <= SHARDS_MAX; total += 3)
			expect_merged(&s, total, true);
	shards_free(&s);
}

/* Line by line, moments are shared by name, and the merge gets their leaves from the parts. */
static void test_lazy(void **state)
{
	static const uint64_t reads[] = {3, 1, 0, 5, 2};
	struct shards s;

	shards_make(&s, *state);
	hangs = false;
	engine_use(&s.engine, ENGINE_EXPLORE);
	s.engine.options.prune_reads = true;
	s.engine.fake.reads = reads;
	s.engine.fake.read_count = sizeof(reads) / sizeof(*reads);
	for (seed = 1; seed <= 3; seed++) {
		for (uint32_t total = 1; total <= SHARDS_MAX; total += 2) {
			expect_merged(&s, total, false);
			for (size_t i = 0; i < s.engine.fake.runs.count; i++)
				assert_false(s.engine.fake.runs.at[i].lazy);
		}
	}
	shards_free(&s);
}

/* Without some parts the rest is judged, and nothing else is tested. */
static void test_missing(void **state)
{
	struct shards s;

	shards_make(&s, *state);
	hangs = false;
	engine_use(&s.engine, ENGINE_BOTH);
	shards_run(&s, 3, true);
	shards_merge(&s, 2, false);
	assert_false(campaign_complete(s.engine.campaign));
	assert_int_equal(engine_submitted(&s.engine), 0);
	assert_true(s.engine.campaign->found.tested > 0);
	assert_true(s.engine.campaign->found.tested < s.engine.campaign->found.distinct);
	/* All parts are there, but one has lost its journal: what is not known is tested. */
	char path[700];
	snprintf(path, sizeof(path), "%s/" OUTCOMES_JOURNAL, s.dirs[2]);
	assert_int_equal(remove(path), 0);
	shards_merge(&s, 3, true);
	assert_true(campaign_complete(s.engine.campaign));
	assert_true(engine_submitted(&s.engine) > 0);
	assert_int_equal(s.engine.campaign->found.tested, s.engine.campaign->found.distinct);
	shards_free(&s);
}

/* Other options: the journal of the part does not apply. */
static void test_other_options(void **state)
{
	const char *dir;
	struct shards s;

	shards_make(&s, *state);
	hangs = false;
	shards_run(&s, 1, true);
	dir = s.dirs[0];
	const struct shard_parts parts = {.dirs = &dir, .count = 1, .total = 1, .whole = true};

	s.engine.options.parts = &parts;
	s.engine.options.depends = "something else";
	assert_int_equal(engine_try(&s.engine), -1);
	assert_int_equal(s.engine.err.status, ERR_USAGE);
	shards_free(&s);
}

/* Files */

static void test_part(void **state)
{
	struct part part = {.index = 2, .total = 7, .complete = true, .identity = 0x123, .budget = "5m"}, read;
	char dir[600], text[2048];
	struct err err;
	size_t size;
	FILE *in;

	snprintf(dir, sizeof(dir), "%s", (const char *)*state);
	strcpy(part.recording, "/some where/with\na line");
	assert_int_equal(part_write(&part, dir, &err), 0);
	assert_int_equal(part_read(&read, dir, &err), 0);
	assert_memory_equal(&read, &part, sizeof(part));
	strcat(dir, "/shard");
	in = fopen(dir, "re");
	size = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	/* Up to the path, no beginning of the file is a file. */
	for (size_t cut = 0; cut < size - strlen(part.recording) + 1; cut++) {
		char *copy = memcpy(mem_alloc(cut + 1), text, cut);

		copy[cut] = 0;
		assert_false(part_parse(&read, copy, cut));
		free(copy);
	}
}

enum { UNITS = 11, LINES = 3 };

static void flights_some(const char *dir, bool resume, uint64_t depends, uint64_t key)
{
	static const uint8_t taken[UNITS] = {1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1}, decided[LINES] = {1, 0, 1};
	const struct flights_options options = {.depends = depends, .resume = resume};
	struct flight_log log = {0};
	struct flights *flights;
	struct err err;

	assert_int_equal(flights_open(&flights, dir, &options, &err), 0);
	flight_log_leaf(&log, &(struct flight_leaf){.name = {1, 2}, .is_all = true}, UNITS, LINES);
	flight_log_leaf(&log, &(struct flight_leaf){.refused = "threads"}, UNITS, LINES);
	flight_log_leaf(&log, &(struct flight_leaf){.is_branch = true}, UNITS, LINES);
	flight_log_leaf(&log, &(struct flight_leaf){.name = {3, 4}, .taken = taken, .decided = decided}, UNITS, LINES);
	flights_put(flights, (struct digest){key, 9}, &log, &(struct flight_end){.left_out = 5});
	flight_log_free(&log);
	flights_close(flights);
}

static void expect_flight(const struct flights *flights, uint64_t key)
{
	uint8_t taken[UNITS], decided[LINES];
	struct flight_record record;
	struct flight_leaf leaf;
	size_t at = 0;

	assert_true(flights_find(flights, (struct digest){key, 9}, &record));
	assert_int_equal(record.head->leaves, 4);
	assert_true(record.head->end.left_out == 5);
	assert_true(flight_record_next(&record, &at, UNITS, LINES, taken, decided, &leaf));
	assert_true(leaf.name.low == 1 && leaf.name.high == 2 && leaf.is_all && !leaf.is_none && !leaf.taken);
	assert_true(flight_record_next(&record, &at, UNITS, LINES, taken, decided, &leaf));
	assert_string_equal(leaf.refused, "threads");
	assert_true(flight_record_next(&record, &at, UNITS, LINES, taken, decided, &leaf));
	assert_true(leaf.is_branch);
	assert_true(flight_record_next(&record, &at, UNITS, LINES, taken, decided, &leaf));
	assert_true(leaf.taken && taken[0] && !taken[1] && taken[8] && taken[10] && decided[0] && !decided[1] &&
		    decided[2]);
	assert_false(flight_record_next(&record, &at, UNITS, LINES, taken, decided, &leaf));
	assert_int_equal(at, record.head->bytes);
}

static void test_flights(void **state)
{
	const char *dir = *state;
	static _Alignas(8) uint8_t bytes[4096];
	struct flights *flights;
	char path[600];
	size_t size;
	FILE *in;

	flights_some(dir, false, 7, 1);
	flights_some(dir, true, 7, 2);
	snprintf(path, sizeof(path), "%s/" FLIGHTS_FILE, dir);
	in = fopen(path, "re");
	size = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	flights = flights_new();
	assert_int_equal(flights_read(flights, bytes, size, 7), size);
	expect_flight(flights, 1);
	expect_flight(flights, 2);
	flights_close(flights);
	/* A file that was cut off has its whole records; the damage of one byte ends it. */
	for (size_t i = 0; i < size; i++) {
		struct flight_record record;

		flights = flights_new();
		assert_true(flights_read(flights, bytes, i, 7) <= i);
		assert_false(flights_find(flights, (struct digest){2, 9}, &record));
		flights_close(flights);
		flights = flights_new();
		bytes[i] ^= 0x10;
		flights_read(flights, bytes, size, 7);
		if (i > 40 && i < size / 2 - 8)
			assert_false(flights_find(flights, (struct digest){2, 9}, &record));
		bytes[i] ^= 0x10;
		flights_close(flights);
	}
	/* Other options: the file begins anew. */
	flights_some(dir, true, 8, 3);
	in = fopen(path, "re");
	size = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	flights = flights_new();
	assert_int_equal(flights_read(flights, bytes, size, 7), 0);
	assert_int_equal(flights_read(flights, bytes, size, 8), size);
	expect_flight(flights, 3);
	flights_close(flights);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_inject), scratch_test(test_hangs),   scratch_test(test_each),
		scratch_test(test_lazy),   scratch_test(test_missing), scratch_test(test_other_options),
		scratch_test(test_part),   scratch_test(test_flights),
	};

	return cmocka_run_group_tests_name("shard", tests, NULL, NULL);
}
