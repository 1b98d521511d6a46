/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_search.c - parts of the input search: the queue of candidates, the journal, varied inputs, the sides of branches. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "search/input.h"
#include "search/input_search_in.h"
#include "search/joining.h"
#include "search/journal.h"
#include "search/queue.h"
#include "search/sides.h"
#include "search/vary.h"

/* ---- the queue ---- */

/* What candidates are worth: by the number of their execution. */
static uint64_t worth[64];

static struct rank rank_now(void *arg, const struct candidate *candidate)
{
	(void)arg;
	return (struct rank){{worth[candidate->execution], candidate->branch}};
}

static void put(struct queue *queue, uint64_t execution, size_t branch)
{
	const struct candidate candidate = {.execution = execution, .branch = branch};

	queue_push(queue, &candidate, rank_now(NULL, &candidate));
}

static void test_queue_order(void **state)
{
	struct queue queue = {0};
	struct candidate got, last = {.branch = SIZE_MAX};
	uint64_t random = 1, before = UINT64_MAX;

	(void)state;
	for (size_t i = 0; i < 64; i++)
		worth[i] = random_below(&random, 8);
	for (size_t i = 0; i < 1000; i++)
		put(&queue, random_below(&random, 64), random_below(&random, 4));
	for (size_t i = 0; i < 1000; i++) {
		assert_true(queue_pop(&queue, rank_now, NULL, &got));
		assert_true(worth[got.execution] < before ||
			    (worth[got.execution] == before && got.branch <= last.branch));
		before = worth[got.execution];
		last = got;
	}
	assert_false(queue_pop(&queue, rank_now, NULL, &got));
	queue_free(&queue);
}

/* Among equals, the first that was pushed comes first. */
static void test_queue_equals(void **state)
{
	struct queue queue = {0};
	struct candidate got;

	(void)state;
	for (size_t i = 0; i < 64; i++)
		worth[i] = 5;
	for (uint64_t i = 0; i < 64; i++)
		put(&queue, i, 0);
	for (uint64_t i = 0; i < 64; i++) {
		assert_true(queue_pop(&queue, rank_now, NULL, &got));
		assert_int_equal(got.execution, i);
	}
	queue_free(&queue);
}

/* A candidate that has lost its worth meanwhile goes back. */
static void test_queue_again(void **state)
{
	struct queue queue = {0};
	struct candidate got;

	(void)state;
	worth[1] = 9;
	worth[2] = 8;
	worth[3] = 1;
	put(&queue, 1, 0);
	put(&queue, 2, 0);
	put(&queue, 3, 0);
	worth[1] = 2;
	assert_true(queue_pop(&queue, rank_now, NULL, &got));
	assert_int_equal(got.execution, 2);
	assert_true(queue_pop(&queue, rank_now, NULL, &got));
	assert_int_equal(got.execution, 1);
	assert_true(queue_pop(&queue, rank_now, NULL, &got));
	assert_int_equal(got.execution, 3);
	queue_free(&queue);
}

/* A queue that is full keeps the better half. */
static void test_queue_full(void **state)
{
	struct queue queue = {0};
	struct candidate got;

	(void)state;
	worth[1] = 1;
	for (size_t i = 0; i <= QUEUE_MOST; i++)
		put(&queue, 1, (i * 7) % QUEUE_MOST); /* each once, in another order; and 0 again */
	assert_int_equal(queue.heap.count, QUEUE_MOST / 2 + 1);
	assert_int_equal(queue.dropped, QUEUE_MOST / 2);
	for (size_t i = QUEUE_MOST; i-- > QUEUE_MOST / 2;) {
		assert_true(queue_pop(&queue, rank_now, NULL, &got));
		assert_int_equal(got.branch, i);
	}
	assert_true(queue_pop(&queue, rank_now, NULL, &got));
	assert_false(queue_pop(&queue, rank_now, NULL, &got));
	queue_free(&queue);
}

/* ---- the journal ---- */

static const struct search_step steps[] = {
	{.kind = SEARCH_STEP_INPUT, .execution = 1},
	{.kind = SEARCH_STEP_EXECUTED,
	 .execution = 1,
	 .was_native = true,
	 .judged = true,
	 .native = {ENDING_SIGNAL, 11}},
	{.kind = SEARCH_STEP_TURNED, .execution = 1, .branch = 70000, .tries = 3, .verdict = 2},
	{.kind = SEARCH_STEP_INPUT, .execution = 2, .parent = 1, .bound = 70001, .origin = 1},
	{.kind = SEARCH_STEP_EXECUTED, .execution = 2, .recorded = {ENDING_TIMEOUT, 0}},
};
enum { STEPS = sizeof(steps) / sizeof(*steps) };

struct taken {
	struct search_step at[16];
	size_t count;
};

static int step_take(void *arg, const struct search_step *step, struct err *err)
{
	struct taken *taken = arg;

	(void)err;
	taken->at[taken->count++] = *step;
	return 0;
}

static void journal_make(char dir[], uint64_t options)
{
	struct search_journal journal = {0};
	char path[PATH_MAX];
	struct err err;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/search", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(search_journal_open(&journal, dir, options, false, &err), 0);
	for (size_t i = 0; i < STEPS; i++)
		assert_int_equal(search_journal_add(&journal, &steps[i], &err), 0);
	search_journal_close(&journal);
}

static void journal_change(const char *dir, const char *command)
{
	char text[PATH_MAX + 200];

	snprintf(text, sizeof(text), "cd '%s/search' && %s", dir, command);
	assert_int_equal(system(text), 0);
}

static void journal_remove(const char *dir)
{
	char text[PATH_MAX + 20];

	snprintf(text, sizeof(text), "rm -r '%s'", dir);
	assert_int_equal(system(text), 0);
}

static void test_journal(void **state)
{
	char dir[] = "/tmp/blackout-test-XXXXXX";
	struct taken taken = {0};
	struct err err;

	(void)state;
	journal_make(dir, 0x1234);
	assert_int_equal(search_journal_read(dir, 0x1234, step_take, &taken, &err), 0);
	assert_int_equal(taken.count, STEPS);
	for (size_t i = 0; i < STEPS; i++) {
		assert_int_equal(taken.at[i].kind, steps[i].kind);
		assert_int_equal(taken.at[i].execution, steps[i].execution);
		assert_int_equal(taken.at[i].parent, steps[i].parent);
		assert_int_equal(taken.at[i].bound, steps[i].bound);
		assert_int_equal(taken.at[i].origin, steps[i].origin);
		assert_int_equal(taken.at[i].was_native, steps[i].was_native);
		assert_int_equal(taken.at[i].judged, steps[i].judged);
		assert_true(ending_same(taken.at[i].native, steps[i].native));
		assert_true(ending_same(taken.at[i].recorded, steps[i].recorded));
		assert_int_equal(taken.at[i].branch, steps[i].branch);
		assert_int_equal(taken.at[i].tries, steps[i].tries);
		assert_int_equal(taken.at[i].verdict, steps[i].verdict);
	}
	journal_remove(dir);
}

/* A line that was cut off is dropped, and what is appended then is not joined to it. */
static void test_journal_cut(void **state)
{
	char dir[] = "/tmp/blackout-test-XXXXXX";
	struct search_journal journal = {0};
	struct taken taken = {0};
	struct err err;

	(void)state;
	journal_make(dir, 7);
	journal_change(dir, "printf 'turned 1 2' >>journal");
	assert_int_equal(search_journal_read(dir, 7, step_take, &taken, &err), 0);
	assert_int_equal(taken.count, STEPS);
	assert_int_equal(search_journal_open(&journal, dir, 7, true, &err), 0);
	assert_int_equal(search_journal_add(&journal, &steps[2], &err), 0);
	search_journal_close(&journal);
	taken.count = 0;
	assert_int_equal(search_journal_read(dir, 7, step_take, &taken, &err), 0);
	assert_int_equal(taken.count, STEPS + 1);
	assert_int_equal(taken.at[STEPS].branch, steps[2].branch);
	journal_remove(dir);
}

static void journal_refuse(const char *command, uint64_t options, enum err_status status, const char *text)
{
	char dir[] = "/tmp/blackout-test-XXXXXX";
	struct taken taken = {0};
	struct err err;

	journal_make(dir, 7);
	journal_change(dir, command);
	assert_int_equal(search_journal_read(dir, options, step_take, &taken, &err), -1);
	assert_int_equal(err.status, status);
	assert_non_null(strstr(err.sentence, text));
	journal_remove(dir);
}

static void test_journal_refused(void **state)
{
	(void)state;
	journal_refuse("true", 8, ERR_USAGE, "other options");
	journal_refuse("rm journal", 7, ERR_USAGE, "no search to resume");
	journal_refuse("echo nonsense >journal", 7, ERR_CANNOT, "not the journal");
	journal_refuse(": >journal", 7, ERR_CANNOT, "not the journal");
	journal_refuse("sed -i 's/s11/q11/' journal", 7, ERR_CANNOT, "damaged at line 3");
	journal_refuse("sed -i 's/^turned 1/turned 0/' journal", 7, ERR_CANNOT, "damaged at line 4");
	journal_refuse("sed -i 's/^turned 1/turned one/' journal", 7, ERR_CANNOT, "damaged at line 4");
	journal_refuse("sed -i '2s/$/ 5/' journal", 7, ERR_CANNOT, "damaged at line 2");
	journal_refuse("sed -i 's/s11/s65/' journal", 7, ERR_CANNOT, "damaged at line 3");
	journal_refuse("sed -i 's/s11/s-1/' journal", 7, ERR_CANNOT, "damaged at line 3");
	journal_refuse("sed -i 's/s11 e0/s11 x/' journal", 7, ERR_CANNOT, "damaged at line 3");
	journal_refuse("sed -i '3s/ 1$/ 2/' journal", 7, ERR_CANNOT, "damaged at line 3");
	journal_refuse("sed -i '4s/ 2$/ 3/' journal", 7, ERR_CANNOT, "damaged at line 4");
	journal_refuse("sed -i 's/70000 3/70000 256/' journal", 7, ERR_CANNOT, "damaged at line 4");
}

/* ---- inputs ---- */

static void expect_bytes(struct input input, const char *text, size_t size)
{
	assert_int_equal(input.of[0].size, size);
	assert_memory_equal(input.of[0].at, text, size);
	input_free(&input);
}

static void test_longer(void **state)
{
	struct input_sources sources = {.count = 1};
	struct input input = {0}, second = {0};

	(void)state;
	input_set(&input, 0, "ab\n", 3);
	expect_bytes(vary_longer(&input, 0, VARY_LAST_LINE, 4096), "ab0000000000000000\n", 19);
	expect_bytes(vary_longer(&input, 0, VARY_LAST_LINE, 5), "ab00\n", 5);
	expect_bytes(vary_longer(&input, 0, VARY_WORDS, 4096), "ab1\n", 4);
	expect_bytes(vary_longer(&input, 0, VARY_WORDS_FAR, 4096), "ab0000\n", 7);
	expect_bytes(vary_line(&input, 0, 1, 4096), "ab0000\n", 7);
	expect_bytes(vary_line(&input, 0, 7, 4096), "ab0000\n", 7);
	expect_bytes(vary_line(&input, 0, 1, 5), "ab000", 5);
	expect_bytes(vary_repeat(&input, 0, 4096), "ab\nab\n", 6);
	expect_bytes(vary_repeat(&input, 0, 4), "ab\na", 4);
	expect_bytes(vary_end(&input, 0, 1), "a\n", 2);
	input_set(&second, 0, "c\n", 2);
	expect_bytes(vary_join(&input, &second, &sources, 0, 4096), "ab\nc\n", 5);
	expect_bytes(vary_join(&input, &second, &sources, 0, 4), "ab\nc", 4);
	input_set(&input, 0, "ab", 2);
	expect_bytes(vary_join(&input, &second, &sources, 0, 4096), "ab\nc\n", 5);
	input_set(&second, 0, "c", 1);
	expect_bytes(vary_join(&input, &second, &sources, 0, 4096), "abc", 3);
	input_free(&second);
	input_set(&input, 0, "ab", 2);
	expect_bytes(vary_longer(&input, 0, VARY_LAST_LINE, 4096), "ab0000000000000000", 18);
	input_set(&input, 0, "(1,ab)\n", 7);
	expect_bytes(vary_longer(&input, 0, VARY_WORDS, 4096), "(11,ab1)\n", 9);
	input_set(&input, 0, "()", 2);
	expect_bytes(vary_end(&input, 0, 1), "(", 1);
	expect_bytes(vary_longer(&input, 0, VARY_WORDS, 4096), "()1", 3);
	input_set(&input, 0, "", 0);
	expect_bytes(vary_longer(&input, 0, VARY_WORDS_FAR, 3), "000", 3);
	input_free(&input);
}

/* Whatever is changed, each line is made of words of the list, perhaps longer, and ends. */
static void test_lines(void **state)
{
	struct input input = {0};
	uint64_t random = 1;
	unsigned changed = 0, more = 0, fewer = 0;

	(void)state;
	input_set(&input, 0, "put 1\nget 2", 11);
	for (int i = 0; i < 300; i++) {
		struct input other = vary_lines(&input, 0, (unsigned)i, &random);
		size_t count;
		struct vary_line *lines = vary_split(&other.of[0], &count);

		assert_true(count >= 1 && count <= 3);
		more += count == 3;
		fewer += count == 1;
		for (size_t n = 0; n < count; n++) {
			assert_true(lines[n].size >= 6 && lines[n].at[lines[n].size - 1] == '\n');
			assert_true(!memcmp(lines[n].at, "put", 3) || !memcmp(lines[n].at, "get", 3));
		}
		changed += other.of[0].size != 12 || memcmp(other.of[0].at, "put 1\nget 2\n", 12) != 0;
		free(lines);
		input_free(&other);
	}
	assert_true(changed > 150 && more > 10 && fewer > 10);
	input_free(&input);
}

static void test_clean(void **state)
{
	struct input_sources sources = {.at = {{.kind = BO_SOURCE_ARG}, {.kind = BO_SOURCE_STDIN}}, .count = 2};
	struct input input = {0};

	(void)state;
	input_set(&input, 0, "ab\0cd", 5);
	input_set(&input, 1, "ab\0cd", 5);
	input_clean(&input, &sources, 4);
	assert_int_equal(input.of[0].size, 2);
	assert_int_equal(input.of[1].size, 4);
	input_free(&input);
}

/* Bytes that move from one source to the other make another input. */
static void test_digest(void **state)
{
	struct input_sources sources = {.count = 2};
	struct input a = {0}, b = {0};
	struct input_digest of_a, of_b;

	(void)state;
	input_set(&a, 0, "ab", 2);
	input_set(&a, 1, "c", 1);
	input_set(&b, 0, "a", 1);
	input_set(&b, 1, "bc", 2);
	of_a = input_digest(&a, &sources);
	of_b = input_digest(&b, &sources);
	assert_memory_not_equal(&of_a, &of_b, sizeof(of_a));
	input_set(&b, 0, "ab", 2);
	input_set(&b, 1, "c", 1);
	of_b = input_digest(&b, &sources);
	assert_memory_equal(&of_a, &of_b, sizeof(of_a));
	input_free(&a);
	input_free(&b);
}

static void test_sides(void **state)
{
	struct sides sides = {0};
	struct code_place here = {1, 2}, there = {1, 3};
	size_t taken = sides_number(&sides, sides_key(here, 0)), other = sides_number(&sides, sides_key(here, 1));

	(void)state;
	sides_begin(&sides);
	assert_int_not_equal(taken, other);
	assert_int_not_equal(sides_number(&sides, sides_key(there, 0)), taken);
	assert_int_equal(sides_number(&sides, sides_key(here, 0)), taken);
	sides_take(&sides, taken, other, true);
	sides_take(&sides, taken, other, true);
	assert_int_equal(sides.taken, 1);
	assert_false(sides.all.at[other].taken);
	sides_free(&sides);
}

/* The state after a path: T and F take the sides of one branch, t and f those of another, a and b are targets of a jump, l is a
 * side in a library. */
static struct side_state state_after(struct sides *sides, const char *path)
{
	struct code_place places[] = {{1, 2}, {1, 3}, {1, 4}, {1, 5}};
	size_t jump = sides_number(sides, sides_key(places[2], SIDE_JUMP));

	sides_begin(sides);
	for (; *path; path++) {
		size_t site = strchr("TF", *path) ? 0 : strchr("tf", *path) ? 1 : 3;
		size_t yes = sides_number(sides, sides_key(places[site], 1)),
		       no = sides_number(sides, sides_key(places[site], 0));

		if (strchr("ab", *path))
			sides_jump(sides, jump, places[2], (uint64_t)*path, true);
		else
			sides_take(sides, strchr("Tt", *path) ? yes : no, strchr("Tt", *path) ? no : yes, *path != 'l');
	}
	return sides->state;
}

static void expect_states(const char *a, const char *b, bool same)
{
	struct sides sides = {0};
	uint64_t first = state_after(&sides, a).hash, second = state_after(&sides, b).hash;

	assert_int_equal(first == second, same);
	sides_free(&sides);
}

static void test_states(void **state)
{
	struct sides sides = {0};
	struct side_state loop;
	uint64_t asked;

	(void)state;
	expect_states("", "T", true); /* what is done once does not count, */
	expect_states("T", "Ttl", true);
	expect_states("TT", "TTT", false); /* but each round of a loop, */
	expect_states("TTTTTTTTTT", "TTTTTTTTTTT", true);
	expect_states("TTF", "TFF", false); /* and when it ends */
	expect_states("TTFF", "TFTF", false);
	expect_states("TtFf", "TFtf", true); /* each branch for itself */
	expect_states("aab", "aba", false);
	expect_states("aa", "ab", false);
	assert_int_equal(side_state_cost(state_after(&sides, "Tt")), 1);
	assert_int_equal(side_state_cost(state_after(&sides, "TFTF")), 4);
	assert_int_equal(side_state_cost(state_after(&sides, "TTTTT")), 2);
	loop = state_after(&sides, "TTT");
	size_t side = sides_number(&sides, sides_key((struct code_place){1, 3}, 0));
	assert_true(sides_lack(&sides, side, loop, &asked));
	assert_int_equal(asked, 0);
	sides_ask(&sides, side, loop);
	assert_true(sides_lack(&sides, side, loop, &asked));
	assert_int_equal(asked, 1);
	uint64_t before = sides.deeper;
	state_after(&sides, "f");
	state_after(&sides, "TTTf");
	assert_true(sides.deeper > before);
	assert_false(sides_lack(&sides, side, loop, &asked));
	sides_free(&sides);
}

/* ---- ranks ---- */

/* A branch of a library is turned for the program's own branch behind it; less so each time that this one is not met. */
/* Targets of a jump are known, each once. */
static void test_targets(void **state)
{
	struct sides sides = {0};

	(void)state;
	state_after(&sides, "abTab");
	state_after(&sides, "b");
	assert_int_equal(sides.targets.count, 2);
	assert_int_equal(sides.targets.at[0].target, 'a');
	assert_int_equal(sides.targets.at[1].target, 'b');
	assert_int_equal(sides.targets.at[0].jump, sides.targets.at[1].jump);
	sides_free(&sides);
}

/* ---- joining ---- */

static void expect_joined(struct joining *joining, uint64_t first, uint64_t second)
{
	struct joined joined;

	assert_true(joining_next(joining, JOINING_ALL, &joined));
	assert_int_equal(joined.first, first);
	assert_int_equal(joined.second, second);
	assert_int_equal(joined.source, 3);
}

/* 2 and 4 can go on, 3 did most, 5 was joined. */
static void test_joining(void **state)
{
	static const struct joining_part parts[] = {
		{.execution = 1, .source = JOINING_SECOND, .news = 1},
		{.execution = 2, .source = 3, .news = 5},
		{.execution = 3, .source = JOINING_SECOND, .news = 9},
		{.execution = 4, .source = 3, .news = 4},
		{.execution = 5, .source = JOINING_SECOND, .news = 20, .is_joined = true},
	};
	struct joining joining = {0};
	struct joined joined;

	(void)state;
	assert_false(joining_due(&joining, 1000));
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		joining_add(&joining, &parts[i]);
	expect_joined(&joining, 2, 3);
	expect_joined(&joining, 4, 2);
	expect_joined(&joining, 2, 4);
	expect_joined(&joining, 4, 1);
	assert_false(joining_next(&joining, JOINING_ONCE, &joined));
	expect_joined(&joining, 4, 3);
	expect_joined(&joining, 2, 1);
	assert_false(joining_next(&joining, JOINING_ALL, &joined));
	joining_free(&joining);
}

/* What does nothing new is tried less often, but not never. */
static void test_joining_due(void **state)
{
	struct joining joining = {0};
	uint64_t now = 8;

	(void)state;
	vec_push(&joining.pairs, ((struct joining_pair){0, 1}));
	assert_true(joining_due(&joining, now));
	assert_false(joining_due(&joining, now + 7));
	assert_true(joining_due(&joining, now += 8));
	for (int i = 0; i < 100; i++)
		joining_told(&joining, false);
	assert_false(joining_due(&joining, now + 63));
	assert_true(joining_due(&joining, now += 64));
	joining_told(&joining, true);
	assert_true(joining_due(&joining, now + 8));
	joining_free(&joining);
}

static void test_rank_behind(void **state)
{
	const struct input_search_options options = {.strategy = SEARCH_PM};
	const struct candidate candidate = {.execution = 1, .side = 0, .leads = 1};
	struct input_search search = {.options = &options};
	uint64_t first, later;

	(void)state;
	vec_push(&search.sides.all, ((struct side){.is_code = true, .inside = 1, .taken = true}));
	vec_push(&search.sides.all, ((struct side){.is_code = true}));
	vec_push(&search.attempts, ((struct attempt){.done = true}));
	*map_put(&search.sides.states, 0, 0) = 1; /* the state is not new */
	first = candidate_rank(&search, &candidate).at[0];
	search.sides.all.at[1].hoped = 4;
	later = candidate_rank(&search, &candidate).at[0];
	assert_true(later < first / 2);
	search.sides.all.at[1].hoped = 1000; /* what it is worth itself remains */
	assert_true(candidate_rank(&search, &candidate).at[0] > 0);
	sides_free(&search.sides);
	vec_free(&search.attempts);
}

/* What libraries do deep inside matters if the program decides on the result, and has not yet done so: the less, the more effort
 * was spent on that. */
static void test_rank_later(void **state)
{
	const struct input_search_options options = {.strategy = SEARCH_PM};
	const struct candidate for_itself = {.execution = 1}, candidate = {.execution = 1, .leads = 1},
			       longer = {.execution = 1, .leads = 1, .hope = HOPE_LONGER};
	struct input_search search = {.options = &options, .reach = reach_new(NULL)};
	uint64_t first, later;

	(void)state;
	vec_push(&search.sides.all, ((struct side){.is_code = true, .inside = 3, .taken = true}));
	vec_push(&search.sides.all, ((struct side){.is_code = true, .is_later = true, .depth = 1}));
	vec_push(&search.sides.places, ((struct reach_place){0}));
	vec_push(&search.attempts, ((struct attempt){.done = true}));
	*map_put(&search.sides.states, 0, 0) = 1; /* the state is not new */
	first = candidate_rank(&search, &candidate).at[0];
	assert_true(first > 8 * candidate_rank(&search, &for_itself).at[0]);
	assert_true(candidate_rank(&search, &longer).at[0] >= first);
	*map_put(&search.spent, 0, 1) = 10 * 32;
	later = candidate_rank(&search, &candidate).at[0];
	assert_true(later < first);
	assert_true(later >= candidate_rank(&search, &for_itself).at[0]);
	/* There is room for it in a longer input, maybe; but that is not tried again and again. */
	assert_true(candidate_rank(&search, &longer).at[0] >= first);
	search.sides.all.at[1].hoped = 9;
	assert_true(candidate_rank(&search, &longer).at[0] <= first / 5);
	reach_free(search.reach);
	sides_free(&search.sides);
	map_free(&search.spent);
	vec_free(&search.attempts);
}

/* What was spent on a side counts less for inputs that came nearer to PM since. */
static void test_rank_family(void **state)
{
	const struct input_search_options options = {.strategy = SEARCH_PM};
	const struct candidate old = {.execution = 1}, new = {.execution = 2};
	struct input_search search = {.options = &options};
	uint64_t first;

	(void)state;
	vec_push(&search.sides.all, ((struct side){.is_code = true}));
	vec_push(&search.attempts, ((struct attempt){.done = true, .family = 1}));
	vec_push(&search.attempts, ((struct attempt){.done = true, .family = 2}));
	first = candidate_rank(&search, &old).at[0];
	assert_int_equal(candidate_rank(&search, &new).at[0], first);
	search.sides.all.at[0].spent = 10 * 32;
	*map_put(&search.spent, 1, 0) = 10 * 32;
	assert_true(candidate_rank(&search, &old).at[0] < first / 8);
	assert_true(candidate_rank(&search, &new).at[0] > first / 2);
	sides_free(&search.sides);
	map_free(&search.spent);
	vec_free(&search.attempts);
}

/* A branch right behind a side that is new comes first, but only once, and only for a side that is missing. */
static void test_rank_near(void **state)
{
	const struct input_search_options options = {.strategy = SEARCH_PM};
	const struct candidate near = {.execution = 1, .near = true}, far = {.execution = 1};
	const struct candidate again = {.execution = 1, .near = true, .tries = 1};
	struct input_search search = {.options = &options};

	(void)state;
	vec_push(&search.sides.all, ((struct side){.is_code = true, .spent = 1000}));
	vec_push(&search.attempts, ((struct attempt){.done = true, .family = 1}));
	assert_true(candidate_rank(&search, &near).at[0] > candidate_rank(&search, &far).at[0]);
	assert_int_equal(candidate_rank(&search, &again).at[0], candidate_rank(&search, &far).at[0]);
	*map_put(&search.sides.states, 0, 0) = 1;
	search.sides.all.at[0].taken = true;
	assert_int_equal(candidate_rank(&search, &near).at[0], candidate_rank(&search, &far).at[0]);
	sides_free(&search.sides);
	vec_free(&search.attempts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queue_order),     cmocka_unit_test(test_queue_equals),
		cmocka_unit_test(test_queue_again),     cmocka_unit_test(test_queue_full),
		cmocka_unit_test(test_journal),         cmocka_unit_test(test_journal_cut),
		cmocka_unit_test(test_journal_refused), cmocka_unit_test(test_longer),
		cmocka_unit_test(test_lines),           cmocka_unit_test(test_clean),
		cmocka_unit_test(test_digest),          cmocka_unit_test(test_sides),
		cmocka_unit_test(test_states),          cmocka_unit_test(test_rank_behind),
		cmocka_unit_test(test_targets),         cmocka_unit_test(test_joining),
		cmocka_unit_test(test_joining_due),     cmocka_unit_test(test_rank_later),
		cmocka_unit_test(test_rank_family),     cmocka_unit_test(test_rank_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
