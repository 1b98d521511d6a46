/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_search_made.c - inputs that no solver makes: with the words that the program looks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expression_make.h"
#include "search/keyword.h"

/* As a vector is compared: a bit for each byte, the first one in the lowest bit.  A dot is a byte that does not depend on
 * input, and differs; an asterisk one that is equal. */
static uint32_t mask(struct expressions *x, uint64_t offset, const char *text)
{
	size_t last = strlen(text) - 1;
	uint32_t all = 0;

	for (size_t i = 0; i <= last; i++) {
		uint32_t bit = strchr(".*", text[i]) ? number(x, 1, text[i] == '*') : is(x, offset + i, text[i]);

		all = all ? add(x, BO_EXPR_CONCAT, (unsigned)i + 1, 0, bit, all) : bit;
	}
	return add(x, BO_EXPR_EQ, 1, 0, all, number(x, (unsigned)last + 1, (UINT64_C(2) << last) - 1));
}

/* ---- keywords ---- */

/* `end`: where the word is known to end; 0: nowhere. */
static void expect_put_before(struct expressions *x, uint32_t condition, const char *input, uint64_t end,
			      const char *expected)
{
	struct keyword keyword;
	struct input made = {0};

	input_set(&made, 0, input, strlen(input));
	assert_true(keyword_find(&keyword, x, condition));
	keyword.end = end;
	assert_int_equal(keyword.source, 1);
	assert_true(keyword_put(&keyword, &made, 0, 4096));
	assert_int_equal(made.of[0].size, strlen(expected));
	assert_memory_equal(made.of[0].at, expected, strlen(expected));
	input_free(&made);
}

static void expect_put(struct expressions *x, uint32_t condition, const char *input, const char *expected)
{
	expect_put_before(x, condition, input, 0, expected);
}

static void test_keyword(void **state)
{
	struct expressions *x = expressions_new();
	struct keyword keyword;
	struct input input = {0};

	(void)state;
	expressions_add_source(x, BO_SOURCE_STDIN, "");
	expect_put(x, mask(x, 1, "save.no"), "\"0000000\" 1", "\"save\" 1"); /* a longer word */
	expect_put(x, mask(x, 1, "sa"), "\"00\" 1", "\"sa0000\" 1");         /* one that goes on */
	expect_put(x, mask(x, 0, "*ave"), "sxxxxx.", "save.");               /* one that began well */
	expect_put(x, is(x, 2, 0), "op000:", "op:");                         /* one that should end */
	/* One without letters, whose end is known or not. */
	expect_put_before(x, mask(x, 1, "save"), "\" , \" 1", 4, "\"save\" 1");
	expect_put_before(x, mask(x, 1, "s"), "\",\"", 2, "\"s0000\"");
	expect_put(x, mask(x, 1, "save"), "\"\" 1", "\"save\" 1");
	/* Bytes that are compared together. */
	uint32_t word = add(x, BO_EXPR_CONCAT, 16, 0, byte(x, 1), byte(x, 0));
	expect_put(x, add(x, BO_EXPR_EQ, 1, 0, word, number(x, 16, 'p' << 8 | 'o')), "0000 1", "op 1");
	/* A compiler may compare by XOR. */
	uint32_t differs = add(x, BO_EXPR_XOR, 16, 0, word, number(x, 16, 'p' << 8 | 'o'));
	expect_put(x, add(x, BO_EXPR_EQ, 1, 0, differs, number(x, 16, 0)), "0000 1", "op 1");
	/* Of two conditions, a solver can do that about a single byte. */
	uint32_t save = mask(x, 1, "save.no"), three = is(x, 10, '3');
	expect_put(x, add(x, BO_EXPR_AND, 1, 0, three, save), "\"0000000\":0", "\"save\":0");
	expect_put(x, add(x, BO_EXPR_AND, 1, 0, save, three), "\"0000000\":0", "\"save\":0");
	/* A word that is right, but goes on. */
	expect_put_before(x, mask(x, 1, "save"), "\"save  \" 1", 7, "\"save\" 1");
	/* What comes after a difference does not matter. */
	assert_false(keyword_find(&keyword, x, mask(x, 1, ".save")));
	assert_false(keyword_find(&keyword, x, add(x, BO_EXPR_ULT, 1, 0, byte(x, 0), byte(x, 1))));
	/* A single byte, and bytes that are not printed, are no word. */
	assert_false(keyword_find(&keyword, x, is(x, 1, 's')));
	assert_false(keyword_find(&keyword, x, mask(x, 1, "s\002")));
	/* It must be in the input, and there must be room. */
	assert_true(keyword_find(&keyword, x, mask(x, 1, "save")));
	assert_false(keyword_put(&keyword, &input, 0, 4096));
	input_set(&input, 0, "000", 3);
	assert_false(keyword_put(&keyword, &input, 0, 6));
	input_free(&input);
	expressions_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keyword),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
