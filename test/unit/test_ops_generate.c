/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated operations: the grammar and its mistakes, the choice of kinds, keys and numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "ops/generate.h"
#include "scratch.h"

/* ---- grammar ---- */

static struct grammar *parse(const char *text)
{
	struct grammar *grammar;
	struct err err;

	if (grammar_parse(&grammar, "spec", text, strlen(text), &err) < 0)
		fail_msg("%s", err.sentence);
	return grammar;
}

static void refuse(const char *text, size_t size, const char *sentence)
{
	struct grammar *grammar = NULL;
	struct err err;

	/* A copy of the exact size, so that ASan detects reads beyond it. */
	char *copy = malloc(size + !size);
	memcpy(copy, text, size);
	assert_int_equal(grammar_parse(&grammar, "spec", copy, size, &err), -1);
	free(copy);
	assert_int_equal(err.status, ERR_USAGE);
	assert_string_equal(err.sentence, sentence);
	assert_null(grammar);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"", "spec:1:1: there is no kind of operation here, such as `3 put {key} {value}`"},
		{"\n# 1 put\n  \t\r\n", "spec:4:1: there is no kind of operation here, such as `3 put {key} {value}`"},
		{"0 put\n0 get\n", "spec:3:1: all weights are 0, so no operation can be chosen"},
		{"put {key}\n", "spec:1:1: expected a weight and a template, as in `3 put {key} {value}`"},
		{"1 a\n  -1 put\n", "spec:2:3: expected a weight and a template, as in `3 put {key} {value}`"},
		{"0.5 put", "spec:1:2: a weight is a whole number, followed by a blank"},
		{"3put {key}", "spec:1:2: a weight is a whole number, followed by a blank"},
		{"4294967296 put", "spec:1:1: this number is out of range"},
		{"99999999999999999999999 put", "spec:1:1: this number is out of range"},
		{"3", "spec:1:2: there is no template after the weight"},
		{"1 a\n3  # comment\n", "spec:2:2: there is no template after the weight"},
		{"1 put {key", "spec:1:7: the `{` is not closed"},
		{"1 put {key # }", "spec:1:7: the `{` is not closed"},
		{"1 put key}", "spec:1:10: there is no `{` before this `}`"},
		{"1 put {kee}",
		 "spec:1:7: there is no word {kee}: use {key}, {newkey}, {oldkey}, {value} or {int:A-B}"},
		{"1 put {}", "spec:1:7: there is no word {}: use {key}, {newkey}, {oldkey}, {value} or {int:A-B}"},
		{"1 put {int}",
		 "spec:1:7: there is no word {int}: use {key}, {newkey}, {oldkey}, {value} or {int:A-B}"},
		{"1 put {int:}", "spec:1:12: a whole number is missing here"},
		{"1 put {int:5}", "spec:1:13: expected `-` between the bounds, as in {int:1-100}"},
		{"1 put {int:5-}", "spec:1:14: a whole number is missing here"},
		{"1 put {int:5-6-7}", "spec:1:15: expected `}` after the range"},
		{"1 put {int:6-5}", "spec:1:7: the first bound is larger than the second"},
		{"1 put {int:0-9223372036854775808}", "spec:1:14: this number is out of range"},
		{"1 put {int:-9223372036854775809-0}", "spec:1:13: this number is out of range"},
		{"1 put \\n", "spec:1:7: a backslash may stand only before `{`, `}`, `#` or a backslash"},
		{"1 put \\", "spec:1:7: a backslash may stand only before `{`, `}`, `#` or a backslash"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		refuse(cases[i].text, strlen(cases[i].text), cases[i].sentence);
	refuse("1 a\n1 b\0c\n", 10, "spec:2:4: this is not text: there is a zero byte");
	(void)state;
}

/* What is generated first from a grammar of one kind. */
static void expect_first(const char *text, const char *operation)
{
	struct grammar *grammar = parse(text);
	struct generator *generator = generator_new(grammar, &(struct generator_options){.seed = 1, .keys = 1});

	assert_string_equal(generator_next(generator), operation);
	generator_free(generator);
	grammar_free(grammar);
}

static void test_templates(void **state)
{
	expect_first("1 put", "put");
	expect_first("  7\tput  a\t b \t\r\n", "put  a\t b");
	expect_first("1 put # comment", "put");
	expect_first("1 put#comment", "put");
	expect_first("1 put \\# {key}# comment # again", "put # 1");
	expect_first("1 \\{key\\} \\\\ {key}", "{key} \\ 1");
	expect_first("1 a\\\\# {", "a\\");
	expect_first("1 {key}{newkey}", "12");
	expect_first("1 {int:7-7}{int:-3--3}", "7-3");
	expect_first("1 {int:-9223372036854775808--9223372036854775808}", "-9223372036854775808");
	expect_first("1 {int:9223372036854775807-9223372036854775807}", "9223372036854775807");
	expect_first("1 get {oldkey}", "get 1");
	expect_first("\n# comment\n0 never\n1 put", "put");
	expect_first("1 k\xc3\xa4se", "k\xc3\xa4se");
	(void)state;
}

/* ---- keys ---- */

enum { KEYS = 60, DRAWS = 60000 };

/* Keys go through a permutation: each of the first KEYS new keys once, not in order, and then those after. */
static void test_new_keys(void **state)
{
	for (uint64_t count = 1; count <= KEYS; count++) {
		struct keys *keys = keys_new(count, KEYS_UNIFORM, 5);
		bool seen[KEYS + 1] = {0};
		unsigned ascending = 0;
		uint64_t before = 0;

		for (uint64_t i = 0; i < count; i++) {
			uint64_t key = keys_unused(keys);

			assert_in_range(key, 1, count);
			assert_false(seen[key]);
			seen[key] = true;
			ascending += key == before + 1;
			before = key;
		}
		if (count > 20)
			assert_true(ascending < count / 2);
		for (uint64_t i = 1; i <= 5; i++)
			assert_int_equal(keys_unused(keys), count + i);
		keys_free(keys);
	}
	(void)state;
}

/* The keys of the operation in progress are neither old nor new. */
static void test_old_keys(void **state)
{
	struct keys *keys = keys_new(KEYS, KEYS_UNIFORM, 1);
	uint64_t first = keys_unused(keys);

	assert_false(keys_have_old(keys));
	keys_settle(keys);
	assert_true(keys_have_old(keys));
	uint64_t second = keys_unused(keys);
	assert_int_not_equal(first, second);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(keys_old(keys), first);
	keys_settle(keys);
	bool both[2] = {0};
	for (unsigned i = 0; i < 50; i++)
		both[keys_old(keys) == second] = true;
	assert_true(both[0] && both[1]);
	keys_free(keys);
	(void)state;
}

/* {key} takes an old key more often than not, even if there are many others. */
static void test_any_key(void **state)
{
	struct keys *keys = keys_new(KEYS_MAX, KEYS_UNIFORM, 3);
	struct map seen = {0};
	unsigned old = 0;

	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t key = keys_any(keys), *times = map_put(&seen, key, 0);

		assert_in_range(key, 1, KEYS_MAX);
		old += *times > 0;
		++*times;
		keys_settle(keys);
	}
	assert_in_range(old, DRAWS * 65 / 100, DRAWS * 68 / 100);
	map_free(&seen);
	keys_free(keys);
	(void)state;
}

/* Draw old keys, and count how often each came, in the order of their first use. */
static void count_old(enum keys_distribution distribution, unsigned *times)
{
	struct keys *keys = keys_new(KEYS, distribution, 9);
	unsigned index[KEYS + 1];

	for (unsigned i = 0; i < KEYS; i++) {
		index[keys_unused(keys)] = i;
		times[i] = 0;
	}
	keys_settle(keys);
	for (unsigned i = 0; i < DRAWS; i++)
		times[index[keys_old(keys)]]++;
	keys_free(keys);
}

static void test_distributions(void **state)
{
	unsigned times[KEYS];
	double harmonic = 0;

	count_old(KEYS_UNIFORM, times);
	for (unsigned i = 0; i < KEYS; i++)
		assert_in_range(times[i], DRAWS / KEYS * 85 / 100, DRAWS / KEYS * 115 / 100);
	count_old(KEYS_ZIPF, times);
	for (unsigned i = 0; i < KEYS; i++)
		harmonic += 1.0 / (i + 1);
	for (unsigned i = 0; i < KEYS; i++) {
		double expected = DRAWS / harmonic / (i + 1);

		assert_true(times[i] > expected * 0.75 && times[i] < expected * 1.25);
	}
	(void)state;
}

/* ---- generator ---- */

static void test_weights(void **state)
{
	struct grammar *grammar = parse("1 a\n0 b\n4294967295 c\n2147483648 d {key}\n");
	struct generator *generator = generator_new(grammar, &(struct generator_options){.seed = 1, .keys = 10});
	unsigned times[128] = {0};

	for (unsigned i = 0; i < DRAWS; i++)
		times[(unsigned char)*generator_next(generator)]++;
	assert_in_range(times['a'], 0, 1);
	assert_int_equal(times['b'], 0);
	assert_in_range(times['c'], DRAWS * 65 / 100, DRAWS * 68 / 100);
	assert_int_equal(times['a'] + times['c'] + times['d'], DRAWS);
	generator_free(generator);
	grammar_free(grammar);
	(void)state;
}

/* Old keys were used by an earlier operation, new keys by none, values never occur again. */
static void test_history(void **state)
{
	struct grammar *grammar =
		parse("3 get o {oldkey} o {oldkey}\n2 any k {key}\n1 put n {newkey} n {newkey} v {value}\n");
	struct generator *generator = generator_new(grammar, &(struct generator_options){.seed = 4, .keys = 50});
	struct map used = {0}, values = {0};
	unsigned old = 0;

	for (unsigned i = 0; i < 5000; i++) {
		char *operation = strdup(generator_next(generator)), *left;
		uint64_t now[2];
		unsigned count = 0;

		for (char *word = strtok_r(operation, " ", &left); (word = strtok_r(NULL, " ", &left));) {
			uint64_t number = strtoull(strtok_r(NULL, " ", &left), NULL, 10);

			if (*word == 'o') {
				assert_non_null(map_get(&used, number, 0));
				old++;
			}
			if (*word == 'n')
				assert_null(map_get(&used, number, 0));
			if (*word == 'n' && count)
				assert_int_not_equal(number, now[0]);
			if (*word == 'v')
				assert_int_equal((*map_put(&values, number, 0))++, 0);
			else
				now[count++] = number;
		}
		while (count)
			*map_put(&used, now[--count], 0) = 1;
		free(operation);
	}
	assert_true(values.count > 500 && old > 2000);
	map_free(&used);
	map_free(&values);
	generator_free(generator);
	grammar_free(grammar);
	(void)state;
}

/* All numbers of a range come out, and no other. */
static void test_ranges(void **state)
{
	struct grammar *grammar = parse("1 {int:-2-3}");
	struct generator *generator = generator_new(grammar, &(struct generator_options){.seed = 1, .keys = 1});
	unsigned times[6] = {0};

	for (unsigned i = 0; i < DRAWS; i++) {
		long number = strtol(generator_next(generator), NULL, 10);

		assert_true(number >= -2 && number <= 3);
		times[number + 2]++;
	}
	for (unsigned i = 0; i < 6; i++)
		assert_in_range(times[i], DRAWS / 6 * 90 / 100, DRAWS / 6 * 110 / 100);
	generator_free(generator);
	grammar_free(grammar);

	grammar = parse("1 {int:-9223372036854775808-9223372036854775807}");
	generator = generator_new(grammar, &(struct generator_options){.seed = 1, .keys = 1});
	for (unsigned negative = 0, i = 0; !negative; i++) {
		assert_true(i < 100);
		negative = *generator_next(generator) == '-';
	}
	generator_free(generator);
	grammar_free(grammar);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mistakes), cmocka_unit_test(test_templates), cmocka_unit_test(test_new_keys),
		cmocka_unit_test(test_old_keys), cmocka_unit_test(test_any_key),   cmocka_unit_test(test_distributions),
		cmocka_unit_test(test_weights),  cmocka_unit_test(test_history),   cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
