/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_search_frontier.c - how a parser reads its input, the branches that lead on from there, and who has the next turn.
 *
 * The parser here wants an object with one name: { "name" }.  Spaces may be before each token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expression_make.h"
#include "search/frontier.h"
#include "search/share.h"

/* ---- a parser, and its branches ---- */

struct text {
	struct route *route;
	const char *bytes;
	size_t at;
};

/* Is the parser a function of the C library? */
static bool inside;

/* The number of the question stands for the code that asks it. */
static bool branch(struct text *t, uint64_t site, uint32_t condition, bool value)
{
	vec_push(&t->route->branches, ((struct route_branch){.kind = BO_BRANCH_CONDITION,
							     .value = value,
							     .expression = condition,
							     .site = site,
							     .inside = inside}));
	return value;
}

static bool asks(struct text *t, char c)
{
	return branch(t, (uint64_t)c, is(t->route->x, t->at, c), t->bytes[t->at] == c);
}

static bool takes(struct text *t, char c)
{
	while (asks(t, ' '))
		t->at++;
	if (!asks(t, c))
		return false;
	t->at++;
	return true;
}

static void parse(struct text *t)
{
	if (!takes(t, '{') || !takes(t, '"'))
		return;
	while (!asks(t, 0) && !asks(t, '"'))
		t->at++;
	if (takes(t, '"'))
		takes(t, '}');
}

/* Returns the ways that are new. */
static size_t learn_of(struct frontier *f, const char *text, const struct frontier_execution *of)
{
	struct route route = {.x = expressions_new()};
	size_t ways;

	expressions_add_source(route.x, BO_SOURCE_STDIN, "");
	parse(&(struct text){&route, text, 0});
	ways = frontier_learn(f, &route, of);
	route_free(&route);
	return ways;
}

static size_t learn(struct frontier *f, uint64_t execution, const char *text)
{
	return learn_of(f, text, &(struct frontier_execution){.number = execution});
}

/* ---- tests ---- */

static void test_same(void **state)
{
	struct frontier f = {0};

	(void)state;
	assert_true(learn(&f, 1, " { \"name\" }") > 0);
	assert_int_equal(learn(&f, 2, " { \"name\" }"), 0);
	assert_int_equal(learn(&f, 3, "   {  \"name\"   }"), 0); /* more spaces */
	assert_int_equal(learn(&f, 4, " { \"longer\" }"), 0);    /* a longer word */
	assert_int_equal(learn(&f, 5, " { \"ab\" }"), 0);        /* a shorter one */
	assert_true(learn(&f, 6, " { x") > 0);                   /* something else */
	assert_true(learn(&f, 7, " { \"name\" x") > 0);
	frontier_free(&f);
}

/* The branch that the next candidate is about, in the order of the route. */
static size_t popped(struct frontier *f, uint64_t *execution)
{
	struct candidate c = {0};

	assert_true(frontier_pop(f, &c));
	assert_true(c.way);
	*execution = c.execution;
	return c.branch;
}

static void test_next(void **state)
{
	struct frontier f = {0};
	struct candidate c;
	uint64_t execution;

	(void)state;
	assert_false(frontier_pop(&f, &c));
	/* What refused the byte comes before what only skips it. */
	learn(&f, 1, "x");
	assert_int_equal(popped(&f, &execution), 1);
	assert_int_equal(execution, 1);
	/* The input that came further is where it goes on. */
	learn(&f, 2, "{x");
	assert_int_equal(popped(&f, &execution), 3);
	assert_int_equal(execution, 2);
	/* A way that was gone meanwhile is not asked for. */
	learn(&f, 3, "{ \"a\" }");
	learn(&f, 4, " {\"");
	for (int i = 0; frontier_pop(&f, &c); i++)
		assert_true(i < 20 && c.execution >= 1);
	frontier_free(&f);
}

/* Is a branch with this question turned in another execution, after four inputs for it that hung, but for one of them? */
static bool asked_after_hangs(unsigned that_ends)
{
	struct frontier f = {0};
	struct candidate first, c;
	bool asked = false;

	learn(&f, 1, "x");
	assert_true(frontier_pop(&f, &first));
	for (unsigned i = 0; i < 4; i++)
		learn_of(&f, "", &(struct frontier_execution){2 + i, first.question, i != that_ends});
	learn(&f, 6, " x");
	while (frontier_pop(&f, &c))
		asked |= c.execution == 6 && c.question == first.question;
	frontier_free(&f);
	return asked;
}

static void test_hangs(void **state)
{
	struct frontier f = {0};
	struct candidate c;

	(void)state;
	learn_of(&f, "x", &(struct frontier_execution){.number = 1, .hung = true});
	assert_false(frontier_pop(&f, &c));
	frontier_free(&f);
	assert_false(asked_after_hangs(4));
	assert_true(asked_after_hangs(0));
	assert_true(asked_after_hangs(3));
}

/* A C library parses as well; but it also looks at what was read before. */
static void test_inside(void **state)
{
	struct frontier f = {0};

	(void)state;
	inside = true;
	for (unsigned again = 0; again < 2; again++) {
		struct route route = {.x = expressions_new()};
		struct text text = {&route, "12", 0};

		expressions_add_source(route.x, BO_SOURCE_STDIN, "");
		for (text.at = 0; text.at < 2; text.at++)
			asks(&text, text.at ? '+' : '-');
		for (text.at = 0; again && text.at < 2; text.at++)
			asks(&text, '*');
		/* The second time, only the question about the last byte counts. */
		assert_int_equal(frontier_learn(&f, &route, &(struct frontier_execution){.number = 1}), again ? 1 : 2);
		route_free(&route);
	}
	inside = false;
	frontier_free(&f);
}

/* What cannot be turned is tried again, with more hope, and then no more. */
static void test_again(void **state)
{
	struct frontier f = {0};
	struct candidate c;
	unsigned hope = 0;

	(void)state;
	learn(&f, 1, "x");
	while (frontier_pop(&f, &c)) {
		assert_true(c.hope <= hope + 1);
		hope = c.hope > hope ? c.hope : hope;
		frontier_again(&f, &c);
	}
	assert_true(hope > 0);
	frontier_free(&f);
}

static unsigned frontier_turns(struct share *share, unsigned turns)
{
	unsigned count = 0;

	for (unsigned i = 0; i < turns; i++) {
		enum share_source next = share_next(share);

		share_made(share, next);
		count += next == SHARE_FRONTIER;
	}
	return count;
}

static void told(struct share *share, enum share_source source, bool is_new, unsigned times)
{
	while (times-- > 0)
		share_told(share, source, is_new);
}

static void test_share(void **state)
{
	struct share share;

	(void)state;
	share_begin(&share);
	assert_in_range(frontier_turns(&share, 99), 32, 34);
	told(&share, SHARE_FRONTIER, true, 10);
	assert_in_range(frontier_turns(&share, 100), 79, 81);
	told(&share, SHARE_QUEUE, true, 10);
	assert_in_range(frontier_turns(&share, 100), 49, 51);
	told(&share, SHARE_FRONTIER, false, 100);
	assert_in_range(frontier_turns(&share, 90), 9, 11); /* one turn in nine */
	told(&share, SHARE_QUEUE, false, 100);
	assert_in_range(frontier_turns(&share, 99), 32, 34);
	/* Turns that it had no use for do not come back all at once. */
	for (int i = 0; i < 100; i++)
		share_made(&share, SHARE_QUEUE);
	assert_in_range(frontier_turns(&share, 9), 3, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),  cmocka_unit_test(test_next),  cmocka_unit_test(test_again),
		cmocka_unit_test(test_hangs), cmocka_unit_test(test_share), cmocka_unit_test(test_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
