/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_search_made.c - inputs that no solver makes: with the words and the numbers that the program looks for; and the branches that
 * are not worth an input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expression_make.h"
#include "search/bulk.h"
#include "search/keyword.h"
#include "search/number.h"

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

/* ---- numbers ---- */

/* `count` digits from `offset` on, as a program puts them together. */
static uint32_t decimal(struct expressions *x, uint64_t offset, unsigned count)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < count; i++) {
		uint32_t digit = add(x, BO_EXPR_ADD, 32, 0, add(x, BO_EXPR_ZEXT, 32, 0, byte(x, offset + i), 0),
				     number(x, 32, (uint32_t) - '0'));

		sum = sum ? add(x, BO_EXPR_ADD, 32, 0, add(x, BO_EXPR_MUL, 32, 0, sum, number(x, 32, 10)), digit)
			  : digit;
	}
	return sum;
}

/* NULL expected: no number is found. */
static void expect_number(struct expressions *x, uint32_t condition, bool wanted, const char *input,
			  const char *expected)
{
	struct number_list numbers = {0};
	struct assignment assignment = {0};
	number_bytes bytes = {0};

	assignment_put(&assignment, 1, input, strlen(input));
	assert_int_equal(numbers_find(&numbers, x, condition, wanted, &assignment), expected != NULL);
	numbers_put(&numbers, 1, (const uint8_t *)input, strlen(input), &bytes);
	if (!expected)
		expected = input;
	assert_int_equal(bytes.count, strlen(expected));
	assert_memory_equal(bytes.at, expected, strlen(expected));
	vec_free(&bytes);
	assignment_free(&assignment);
	numbers_free(&numbers);
}

static uint32_t compare(struct expressions *x, enum bo_expression kind, uint32_t value, uint64_t with)
{
	return add(x, kind, 1, 0, value, number(x, expressions_at(x, value)->width, with));
}

static void test_number(void **state)
{
	struct expressions *x = expressions_new();
	uint32_t two, one, letter;

	(void)state;
	expressions_add_source(x, BO_SOURCE_STDIN, "");
	two = decimal(x, 1, 2);
	one = decimal(x, 5, 1);
	expect_number(x, compare(x, BO_EXPR_EQ, two, 31337), true, "=42;", "=31337;"); /* more digits */
	expect_number(x, compare(x, BO_EXPR_EQ, two, 7), true, "=42;", "=7;");         /* fewer */
	expect_number(x, compare(x, BO_EXPR_EQ, two, 7), true, "=02;", "=07;");        /* filled up */
	expect_number(x, compare(x, BO_EXPR_EQ, two, 42), true, "=42;", NULL);         /* it is right */
	/* Next to a limit. */
	expect_number(x, compare(x, BO_EXPR_ULT, two, 100), false, "=42;", "=100;");
	expect_number(x, compare(x, BO_EXPR_ULE, two, 100), false, "=42;", "=101;");
	expect_number(x, compare(x, BO_EXPR_SLT, two, 10), true, "=42;", "=9;");
	expect_number(x, add(x, BO_EXPR_ULT, 1, 0, number(x, 32, 1000), two), true, "=42;", "=1001;");
	/* One that differs by a constant, and a negative one. */
	expect_number(x, compare(x, BO_EXPR_EQ, add(x, BO_EXPR_ADD, 32, 0, two, number(x, 32, 1900)), 2024), true,
		      "=99;", "=124;");
	expect_number(x, compare(x, BO_EXPR_EQ, add(x, BO_EXPR_SUB, 32, 0, number(x, 32, 0), decimal(x, 2, 1)), 7),
		      true, "=-4;", "=7;");
	expect_number(x, compare(x, BO_EXPR_EQ, two, (uint32_t)-12), true, "=42;", "=-12;");
	/* Zeros that are known to be zeros are in no expression. */
	expect_number(x, compare(x, BO_EXPR_EQ, one, 29), true, "=42;02;", "=42;29;");
	/* Several at once: in bytes, and put together by multiplication. */
	uint32_t bytes_of = add(x, BO_EXPR_CONCAT, 16, 0, add(x, BO_EXPR_EXTRACT, 8, 0, two, 0),
				add(x, BO_EXPR_EXTRACT, 8, 0, one, 0));
	expect_number(x, compare(x, BO_EXPR_EQ, bytes_of, 192 << 8 | 168), true, "=10.,1.", "=192.,168.");
	uint32_t date = add(x, BO_EXPR_ADD, 32, 0, add(x, BO_EXPR_MUL, 32, 0, two, number(x, 32, 100)), one);
	expect_number(x, compare(x, BO_EXPR_EQ, date, 2024 * 100 + 12), true, "=10-,1.", "=2024-,12.");
	/* Conditions that must hold at once. */
	uint32_t both = add(x, BO_EXPR_AND, 1, 0, compare(x, BO_EXPR_EQ, two, 100), compare(x, BO_EXPR_EQ, one, 1));
	expect_number(x, both, true, "=10-,0.", "=100-,1.");
	expect_number(x, both, true, "=10-,1.", "=100-,1.");
	uint32_t differ = add(x, BO_EXPR_OR, 32, 0, add(x, BO_EXPR_XOR, 32, 0, two, number(x, 32, 2024)),
			      add(x, BO_EXPR_XOR, 32, 0, one, number(x, 32, 12)));
	expect_number(x, compare(x, BO_EXPR_EQ, differ, 0), true, "=10-,1.", "=2024-,12.");
	expect_number(x, compare(x, BO_EXPR_EQ, differ, 1), true, "=10-,1.", NULL);
	/* Characters are no numbers, even if they are digits; and neither is a text. */
	uint32_t word = add(x, BO_EXPR_CONCAT, 16, 0, byte(x, 2), byte(x, 1));
	expect_number(x, compare(x, BO_EXPR_EQ, word, 'p' << 8 | 'o'), true, "=00;", NULL);
	expect_number(x, is(x, 1, 'x'), true, "=0;", NULL);
	expect_number(x,
		      compare(x, BO_EXPR_ULE, add(x, BO_EXPR_ADD, 8, 0, byte(x, 1), number(x, 8, (uint8_t) - 'a')), 25),
		      true, "=7;", NULL);
	/* Hexadecimal digits; and what is no number. */
	letter = add(x, BO_EXPR_ADD, 32, 0, add(x, BO_EXPR_ZEXT, 32, 0, byte(x, 1), 0),
		     number(x, 32, (uint32_t)(10 - 'a')));
	expect_number(x, compare(x, BO_EXPR_EQ, letter, 0xbeef), true, "=f;", "=beef;");
	expect_number(x, compare(x, BO_EXPR_EQ, two, 7), true, "=xy;", NULL);
	expect_number(x, compare(x, BO_EXPR_EQ, two, 7), true, "=4", NULL);
	expressions_free(x);
}

/* ---- how libraries go through memory ---- */

static void test_bulk(void **state)
{
	struct expressions *x = expressions_new();
	struct bulk bulk = {0};

	(void)state;
	expressions_add_source(x, BO_SOURCE_STDIN, "");
	uint32_t length = add(x, BO_EXPR_LENGTH, 64, 1, 0, 0), none = number(x, 64, 0);
	/* Is one byte among many?  Are there so many? */
	assert_true(bulk_is(&bulk, x, mask(x, 0, "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n")));
	assert_true(bulk_is(&bulk, x, add(x, BO_EXPR_ULE, 1, 0, length, number(x, 64, 32))));
	/* Is there anything?  Is it this text, this byte, one of these few? */
	assert_false(bulk_is(&bulk, x, add(x, BO_EXPR_SLE, 1, 0, length, none)));
	assert_false(bulk_is(&bulk, x, mask(x, 0, "insert into table")));
	assert_false(bulk_is(&bulk, x, is(x, 0, '\n')));
	assert_false(bulk_is(&bulk, x, mask(x, 0, "aaa")));
	/* Bytes that are used in another way, too; and the number of bytes, too. */
	uint32_t digit = add(x, BO_EXPR_ULT, 1, 0, byte(x, 0), number(x, 8, '9'));
	uint32_t ends = mask(x, 0, "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
	assert_false(bulk_is(&bulk, x, add(x, BO_EXPR_AND, 1, 0, digit, ends)));
	assert_true(bulk_is(&bulk, x, add(x, BO_EXPR_AND, 1, 0, add(x, BO_EXPR_ULE, 1, 0, none, length), ends)));
	bulk_free(&bulk);
	expressions_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keyword),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_bulk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
