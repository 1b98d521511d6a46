/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_count.c - crash states are counted exactly.
 *
 *  1. the table of the design, literally, as contents: capital letters are stores of 8 bytes with a new value
 *  2. many small random programs, both platforms: the contents found at the few moments are those of all sets at all
 *     crash points
 *  3. segments: which are left out, and which are not
 *  4. limits: beyond them no number is claimed
 *  5. orders of stores: if there are too many to count, that is detected quickly
 *
 *     test_count [SEED [NUMBER]]      MODEL_SEED in the environment is a SEED too */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "builder.h"
#include "count/count.h"
#include "image/contents.h"
#include "image/state.h"
#include "model_sets.h"
#include "programs.h"
#include "scratch.h"

#define PROGRAMS 8000

#define STORES_MANY 3000
#define SEGMENTS_MANY 400
#define ORDERS_SECONDS 10

static uint64_t seed = 1, only;

/* A program as words: "A" stores 8 bytes to the line of its letter, "A.8" 8 bytes further, "nt:A" non-temporally,
 * "wide:A" 16 bytes; "clwb:A", "clflush:A", "sfence", "locked", "write:A", "fsync"; "@2": by thread 2 from here on;
 * "#5": a code hash. */
struct text {
	struct count *count;
	uint32_t thread;
	uint8_t value, data[16];
};

static void send(struct text *t, struct event ev)
{
	ev.thread = t->thread;
	count_event(t->count, &ev);
}

static bool send_plain(struct text *t, const char *word)
{
	static const struct {
		const char *word;
		struct event ev;
	} words[] = {
		{"sfence", {.type = EVENT_SFENCE}},
		{"locked", {.type = EVENT_LOCKED}},
		{"fsync", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_FSYNC}},
		{"grow", {.type = EVENT_FILE_TRUNCATE, .file = 1, .size = 131072}},
		{"cut", {.type = EVENT_FILE_TRUNCATE, .file = 1, .size = 4096}},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!strcmp(words[i].word, word)) {
			send(t, words[i].ev);
			return true;
		}
	}
	return false;
}

static void send_at(struct text *t, const char *verb, size_t verb_length, const char *place)
{
	static const struct {
		const char *verb;
		enum event_type type;
		enum bo_store_kind kind;
		uint64_t size;
	} verbs[] = {
		{"", EVENT_STORE, BO_STORE_PLAIN, 8},      {"nt", EVENT_STORE, BO_STORE_NONTEMPORAL, 8},
		{"wide", EVENT_STORE, BO_STORE_PLAIN, 16}, {"write", EVENT_FILE_WRITE, BO_STORE_PLAIN, 8},
		{"clwb", EVENT_CLWB, BO_STORE_PLAIN, 0},   {"clflush", EVENT_CLFLUSH, BO_STORE_PLAIN, 0},
		{"zero", EVENT_STORE, BO_STORE_PLAIN, 8},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		struct event ev = {.type = verbs[i].type, .kind = verbs[i].kind, .file = 1, .size = verbs[i].size};

		if (strlen(verbs[i].verb) != verb_length || strncmp(verbs[i].verb, verb, verb_length))
			continue;
		memset(t->data, *verb == 'z' && verb_length ? 0 : ++t->value, sizeof(t->data));
		ev.offset = (uint64_t)(*place - 'A') * 64 + (place[1] == '.' ? strtoull(place + 2, NULL, 10) : 0);
		ev.context = (uint32_t)(*place - 'A') + 1;
		ev.data = ev.size ? t->data : NULL;
		send(t, ev);
		return;
	}
	fail_msg("no such event: %s", verb);
}

static void send_word(struct text *t, const char *word)
{
	const char *colon = strchr(word, ':');

	if (*word == '@')
		t->thread = (uint32_t)atoi(word + 1);
	else if (*word == '#')
		send(t, (struct event){.type = EVENT_CODE_HASH, .value = strtoull(word + 1, NULL, 10)});
	else if (!send_plain(t, word))
		send_at(t, word, colon ? (size_t)(colon - word) : 0, colon ? colon + 1 : word);
}

static struct count *count_text(const struct count_options *options, const char *platform, const char *words)
{
	struct text t = {.count = count_new(options), .thread = 1};
	char *copy = strdup(words), *rest = copy, *word;

	count_begin(t.count, platform_find(platform), NULL, strchr(words, '#'));
	send(&t, (struct event){.type = EVENT_FILE, .file = 1, .size = 65536, .path = "/pm/file"});
	while ((word = strsep(&rest, " ")))
		if (*word)
			send_word(&t, word);
	count_end(t.count);
	free(copy);
	return t.count;
}

static uint64_t distinct_of(const struct count *count)
{
	uint64_t value;
	mpz_t distinct;

	mpz_init(distinct);
	assert_true(count_distinct(count, distinct));
	value = mpz_get_ui(distinct);
	mpz_clear(distinct);
	return value;
}

static uint64_t feasible_of(const struct count *count)
{
	uint64_t value;
	mpz_t feasible;

	mpz_init(feasible);
	count_feasible(count, feasible);
	value = mpz_get_ui(feasible);
	mpz_clear(feasible);
	return value;
}

/* Calculating and enumerating must give the same result. */
static void expect(const char *platform, const char *words, uint64_t contents, uint64_t sets)
{
	for (enum count_way way = COUNT_BOXES; way <= COUNT_LOOK; way++) {
		struct count *count = count_text(&(struct count_options){.way = way}, platform, words);

		if (distinct_of(count) != contents || feasible_of(count) != sets)
			fail_msg("%s, %s: %llu contents, not %llu; %llu sets, not %llu", platform, words,
				 (unsigned long long)distinct_of(count), (unsigned long long)contents,
				 (unsigned long long)feasible_of(count), (unsigned long long)sets);
		count_free(count);
	}
}

static void table(void **state)
{
	(void)state;
	expect("adr", "A B C clwb:A clwb:B clwb:C sfence", 8, 8);
	expect("adr", "A A.8 C clwb:A clwb:C sfence", 6, 6);
	expect("adr", "A A.8 A.16 clwb:A sfence", 4, 4);
	expect("adr", "A clflush:A B clflush:B C clflush:C", 4, 4);
	expect("adr", "A clwb:A B clwb:B C clwb:C sfence", 8, 8);
	/* Sets of different moments count separately, contents do not. */
	expect("adr", "A clwb:A sfence B clwb:B sfence C clwb:C sfence", 4, 6);
	expect("adr", "A B clflush:A C clwb:B clwb:C sfence", 6, 6);
	expect("adr", "A B clwb:B sfence C clwb:C sfence", 6, 8);
	expect("adr", "nt:A nt:B sfence C clwb:C sfence", 5, 6);
	expect("adr", "A clwb:A locked B clwb:B sfence", 3, 4);
	expect("adr", "A clwb:A A.8 sfence", 3, 3);
	expect("adr", "wide:A A.16", 5, 5);
	expect("adr", "A clwb:A @2 sfence", 2, 2);
	expect("eadr", "A B C", 4, 4);
	expect("eadr", "wide:A", 4, 5);
	expect("eadr", "nt:A B sfence", 4, 4);
}

static void contents_not_sets(void **state)
{
	(void)state;
	/* Storing zero over zero changes nothing. */
	expect("adr", "zero:A zero:B clwb:A sfence", 1, 1);
	/* Back to the old content: two contents, three sets. */
	expect("adr", "A zero:A", 2, 3);
	/* The same, but the empty set forbids stores after the CLFLUSH; the full set, which has the same content, does
	 * not. */
	expect("adr", "A clflush:A zero:A B", 4, 5);
	/* The same word written three times and never synchronized: each value, or none. */
	expect("adr", "write:A write:A write:A", 4, 8);
	/* A file that grows has different states before and after. */
	expect("adr", "A grow", 4, 4);
	expect("adr", "A fsync B fsync grow", 4, 5);
}

/* Stores that were never flushed are pending in every later segment. */
static void carried_over(void **state)
{
	const struct count_segment *largest;
	struct count *count =
		count_text(&(struct count_options){0}, "adr",
			   "A B clwb:B sfence C clwb:C sfence D E F clwb:D clwb:E clwb:F sfence G clwb:G");

	(void)state;
	assert_int_equal(count_segments(count), 4);
	largest = count_largest(count, 0);
	assert_int_equal(largest->number, 3);
	assert_int_equal(mpz_get_ui(largest->feasible), 16);
	assert_int_equal(largest->units, 4);
	assert_int_equal(largest->site_count, 4);
	assert_int_equal(largest->sites[0].context, 1);
	assert_int_equal(largest->sites[0].unflushed, 1);
	assert_int_equal(largest->sites[1].unflushed, 0);
	/* All segments end at the same place. */
	assert_null(count_largest(count, 1));
	assert_int_equal(distinct_of(count), 2 * (2 + 1 + 7 + 1));
	count_free(count);
}

static void segments_by_code(void **state)
{
	/* The same code three times, then different code. */
	static const char words[] =
		"A #1 clwb:A sfence B clwb:B #1 sfence C clwb:C #1 sfence D E clwb:D clwb:E #2 sfence";
	struct count *count;

	(void)state;
	count = count_text(&(struct count_options){.representatives = 1}, "adr", words);
	assert_int_equal(count_segments(count), 4);
	assert_int_equal(count_segments_left_out(count), 0);
	assert_int_equal(distinct_of(count), 1 + 1 + 1 + 1 + 3);
	assert_true(count_has_code(count));
	count_free(count);

	/* The first segment has its flush after the hash, so it is identified by its context. */
	count = count_text(&(struct count_options){.prune = true, .representatives = 1}, "adr", words);
	assert_int_equal(count_segments(count), 4);
	assert_int_equal(count_segments_unique(count), 3);
	assert_int_equal(count_segments_left_out(count), 1);
	assert_int_equal(distinct_of(count), 2 + 1 + 4);
	count_free(count);

	count = count_text(&(struct count_options){.prune = true, .representatives = 2}, "adr", words);
	assert_int_equal(count_segments_left_out(count), 0);
	count_free(count);

	/* Without code hashes nothing is left out. */
	count = count_text(&(struct count_options){.prune = true, .representatives = 1}, "adr",
			   "A clwb:A sfence A clwb:A sfence");
	assert_int_equal(count_segments_left_out(count), 0);
	assert_int_equal(count_segments_unique(count), 0);
	assert_false(count_has_code(count));
	count_free(count);
}

static bool is_known(const struct count *count)
{
	mpz_t distinct;
	bool known;

	mpz_init(distinct);
	known = count_distinct(count, distinct);
	mpz_clear(distinct);
	return known;
}

static void bounds(void **state)
{
	static const char words[] = "A B C D E F G H I J";
	struct count *count;

	(void)state;
	count = count_text(&(struct count_options){.states_max = 1024, .way = COUNT_LOOK}, "adr", words);
	assert_int_equal(distinct_of(count), 1024);
	count_free(count);
	count = count_text(&(struct count_options){.states_max = 1023, .way = COUNT_LOOK}, "adr", words);
	assert_false(is_known(count));
	assert_int_equal(feasible_of(count), 1024);
	count_free(count);
	count = count_text(&(struct count_options){.contents_max = 1023, .way = COUNT_LOOK}, "adr", words);
	assert_false(is_known(count));
	count_free(count);
	/* What cannot be calculated can be enumerated. */
	count = count_text(&(struct count_options){.way = COUNT_BOXES}, "adr", "A cut");
	assert_false(is_known(count));
	count_free(count);
	count = count_text(&(struct count_options){.way = COUNT_LOOK}, "adr", "A cut");
	assert_int_equal(distinct_of(count), 4);
	count_free(count);
}

/* A store, and then the file is cut, if asked. */
static void recording_make(const char *dir, bool cut)
{
	const uint64_t value = 1;
	struct builder b;

	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_DEF_FILE, 7, 8, 65536, 0, BUILDER_P("/pm/pool"));
	builder_put(&b, BO_OP_MAP, 0, 1, 0x10000000, 65536, 0, PROT_READ | PROT_WRITE, MAP_SHARED);
	builder_store(&b, &(struct event){.addr = 0x10000000, .size = 8, .data = (const uint8_t *)&value});
	if (cut)
		builder_put(&b, BO_OP_FILE_TRUNCATE, 0, 1, 4096);
	builder_put(&b, BO_OP_EXIT, 0);
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
}

static struct count *recording_count(const char *dir, const struct count_options *options)
{
	const struct platform *const platforms[] = {platform_find("adr"), platform_find("eadr")};
	struct count *count = count_new(options);
	struct err err;

	assert_int_equal(count_recording(count, dir, platforms, 2, NULL, &err), 0);
	assert_true(count_complete(count));
	return count;
}

/* A recording is read again to enumerate the states only if their number cannot be calculated. */
static void recordings(void **state)
{
	const struct count_options least = {.states_max = 1};
	struct count *count;

	recording_make(*state, false);
	count = recording_count(*state, &least);
	assert_int_equal(distinct_of(count), 2);
	count_free(count);
	recording_make(*state, true);
	count = recording_count(*state, &(struct count_options){0});
	assert_int_equal(distinct_of(count), 4);
	assert_int_equal(feasible_of(count), 7); /* adr 2 + 2, eadr 1 + 1 + 1 */
	count_free(count);
	count = recording_count(*state, &least);
	assert_false(is_known(count));
	assert_int_equal(feasible_of(count), 7); /* adr 2 + 2, eadr 1 + 1 + 1 */
	count_free(count);
}

/* Far too many to enumerate. */
static void beyond_looking(void **state)
{
	struct text t = {.count = count_new(&(struct count_options){0}), .thread = 1};
	mpz_t expected, distinct;

	(void)state;
	count_begin(t.count, platform_find("adr"), NULL, false);
	send(&t, (struct event){.type = EVENT_FILE, .file = 1, .size = 1 << 20, .path = "/pm/file"});
	/* 300 lines with two stores each, then one more after a fence that completes the last of them. */
	for (uint64_t i = 0; i < 600; i++)
		send(&t, (struct event){.type = EVENT_STORE,
					.file = 1,
					.offset = i / 2 * 64 + i % 2 * 8,
					.size = 8,
					.data = memset(t.data, (int)(i % 255 + 1), 8)});
	send(&t, (struct event){.type = EVENT_CLWB, .file = 1, .offset = 299 * 64});
	send(&t, (struct event){.type = EVENT_SFENCE});
	send_word(&t, "A.32");
	count_end(t.count);

	/* 3^300, and 3^299 with the last line complete; of these, the first line now has a fourth state. */
	mpz_inits(expected, distinct, NULL);
	mpz_ui_pow_ui(expected, 3, 300);
	mpz_ui_pow_ui(distinct, 3, 298);
	mpz_add(expected, expected, distinct);
	assert_true(count_distinct(t.count, distinct));
	assert_int_equal(mpz_cmp(distinct, expected), 0);
	mpz_clears(expected, distinct, NULL);
	count_free(t.count);
}

/* Compared with all sets at all crash points */

struct brute {
	struct image *image;
	struct contents contents;
};

static bool brute_visit(void *arg, const bool *persisted, size_t count)
{
	struct brute *b = arg;

	(void)count;
	contents_add(&b->contents, state_digest(b->image, persisted));
	return true;
}

/* There is no crash point while a file is being announced. */
static uint64_t brute_count(const struct program *program, const char *platform)
{
	struct brute b = {.image = image_new(platform_find(platform), NULL)};
	uint64_t contents;

	for (size_t i = 0; i < program->count; i++) {
		image_apply(b.image, &program->events[i]);
		if (i + 1 < program->count && program->events[i + 1].type == EVENT_CONTENT)
			continue;
		image_settle(b.image);
		model_enumerate(image_model(b.image), brute_visit, &b);
	}
	contents = b.contents.count;
	contents_free(&b.contents);
	image_free(b.image);
	return contents;
}

static void program_count(struct count *count, const struct program *program, const char *platform)
{
	count_begin(count, platform_find(platform), NULL, false);
	for (size_t i = 0; i < program->count; i++)
		count_event(count, &program->events[i]);
	count_end(count);
}

/* False if the number is unknown. */
static bool check_program(const struct program *program, const char *platform, enum count_way way, uint64_t number)
{
	struct count *count = count_new(&(struct count_options){.way = way});
	uint64_t expected = brute_count(program, platform);
	bool known;

	program_count(count, program, platform);
	known = is_known(count);
	if (known && distinct_of(count) != expected) {
		program_print(program, stderr);
		fail_msg("%s, way %d: %llu contents, not %llu; run it again: build/test/unit/test_count %llu %llu",
			 platform, way, (unsigned long long)distinct_of(count), (unsigned long long)expected,
			 (unsigned long long)seed, (unsigned long long)number);
	}
	count_free(count);
	return known;
}

static void series(const char *platform)
{
	struct program program;
	uint64_t checked = 0, calculated = 0;

	for (uint64_t number = only ? only : 1; number <= (only ? only : PROGRAMS); number++) {
		program_make(&program, seed, number);
		checked++;
		calculated += check_program(&program, platform, COUNT_BOXES, number);
		assert_true(check_program(&program, platform, COUNT_LOOK, number));
	}
	assert_true(only || calculated > checked / 2);
}

/* Two platforms of one recording: the union of their contents, calculated and enumerated. */
static void two_platforms(void **state)
{
	struct program program;

	(void)state;
	for (uint64_t number = 1; number <= PROGRAMS / 10; number++) {
		struct count *boxes = count_new(&(struct count_options){.way = COUNT_BOXES});
		struct count *look = count_new(&(struct count_options){.way = COUNT_LOOK});

		program_make(&program, seed, number);
		program_count(boxes, &program, "adr");
		program_count(boxes, &program, "eadr");
		program_count(look, &program, "adr");
		program_count(look, &program, "eadr");
		if (is_known(boxes) && distinct_of(boxes) != distinct_of(look))
			fail_msg("program %llu: %llu contents, not %llu", (unsigned long long)number,
				 (unsigned long long)distinct_of(boxes), (unsigned long long)distinct_of(look));
		count_free(boxes);
		count_free(look);
	}
}

static void adr_agrees(void **state)
{
	(void)state;
	series("adr");
}

static void eadr_agrees(void **state)
{
	(void)state;
	series("eadr");
}

/* Stores that are never flushed, two per line, and then segments with one store each.  Returns processor time in
 * seconds. */
static double orders_count(bool sequences, unsigned stores, unsigned segments, double *log)
{
	struct text t = {.count = count_new(&(struct count_options){.way = COUNT_BOXES, .sequences = sequences}),
			 .thread = 1};
	struct event store = {.type = EVENT_STORE, .file = 1, .size = 8, .data = t.data},
		     flush = {.type = EVENT_CLWB, .file = 1}, fence = {.type = EVENT_SFENCE};
	clock_t start = clock();

	count_begin(t.count, platform_find("adr"), NULL, false);
	send(&t, (struct event){.type = EVENT_FILE, .file = 1, .size = (stores + 1) * 64, .path = "/pm/file"});
	for (unsigned i = 0; i < stores + segments; i++) {
		store.offset = i < stores ? 64 + i * 32 : 0;
		t.data[0] = ++t.value;
		send(&t, store);
		if (i < stores)
			continue;
		send(&t, flush);
		send(&t, fence);
	}
	count_end(t.count);
	*log = count_sequences(t.count);
	count_free(t.count);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The number of orders is one line of the statistics and must not take half a minute. */
static void orders_in_time(void **state)
{
	double log, without = orders_count(false, STORES_MANY, SEGMENTS_MANY, &log);
	double with = orders_count(true, STORES_MANY, SEGMENTS_MANY, &log);

	(void)state;
	assert_true(log < 0);
	if (with - without > ORDERS_SECONDS)
		fail_msg("%.1f seconds for a number that is not known then", with - without);
	/* A few hundred stores in a thousand segments are counted. */
	orders_count(true, 300, 1000, &log);
	assert_true(log > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),          cmocka_unit_test(contents_not_sets),
		cmocka_unit_test(carried_over),   cmocka_unit_test(segments_by_code),
		cmocka_unit_test(bounds),         scratch_test(recordings),
		cmocka_unit_test(adr_agrees),     cmocka_unit_test(eadr_agrees),
		cmocka_unit_test(two_platforms),  cmocka_unit_test(beyond_looking),
		cmocka_unit_test(orders_in_time),
	};

	if (getenv("MODEL_SEED"))
		seed = strtoull(getenv("MODEL_SEED"), NULL, 10);
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
