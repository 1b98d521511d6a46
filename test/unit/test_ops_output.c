/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outputs: lines, ignored lines, banners, masks, comparing with several expected ones; and random outputs against a
 * naive implementation that works on whole texts. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "ops/compare.h"
#include "scratch.h"

enum { BYTES_MAX = 1 << 23 };

/* ---- helpers ---- */

static struct output *output_of(const struct output_rules *rules, const char *text, size_t size)
{
	struct output *output = output_new(rules);

	output_feed(output, text, size);
	output_end(output);
	return output;
}

static struct output *text_output(const struct output_rules *rules, const char *text)
{
	return text ? output_of(rules, text, strlen(text)) : NULL;
}

/* Everything about one comparison, as texts. */
struct comparing {
	const char *expected, *again, *got, *banner, *ignore;
	bool equal;
	size_t line;                      /* where `expected` differs */
	const char *line_want, *line_got; /* NULL: do not look */
};

static void expect_line(const struct output_body *body, size_t line, const char *expected)
{
	char text[100];

	assert_true(output_excerpt(body, line, "(nothing)", text, sizeof(text)));
	assert_string_equal(text, expected);
}

static void expect_comparing(const struct comparing *c)
{
	struct output_rules *rules = output_rules_new(BYTES_MAX);
	struct output_mask mask = {0};
	struct err err;

	if (c->ignore)
		assert_int_equal(output_rules_ignore(rules, c->ignore, &err), 0);
	struct output *expected = text_output(rules, c->expected), *again = text_output(rules, c->again),
		      *got = text_output(rules, c->got), *banner = text_output(rules, c->banner);
	struct expected want = {.body = output_body(expected, banner), .mask = &mask};
	struct output_body got_body = output_body(got, banner);
	if (again) {
		struct output_body again_body = output_body(again, banner);

		mask_learn(&mask, &want.body, &again_body);
	}
	struct difference difference = compare_one(&want, &got_body);
	if (difference.found == c->equal)
		fail_msg("'%s' and '%s' should be %s", c->expected, c->got, c->equal ? "equal" : "different");
	if (difference.found)
		assert_int_equal(difference.expected, c->line);
	if (c->line_want)
		expect_line(&want.body, difference.expected, c->line_want);
	if (c->line_got)
		expect_line(&got_body, difference.got, c->line_got);
	mask_free(&mask);
	output_free(expected);
	output_free(got);
	if (again)
		output_free(again);
	if (banner)
		output_free(banner);
	output_rules_free(rules);
}

static void test_comparing(void **state)
{
	static const struct comparing cases[] = {
		/* lines */
		{"", NULL, "", .equal = true},
		{"a\nb\n", NULL, "a\nb\n", .equal = true},
		{"a\nb\n", NULL, "a\nc\n", .line = 1, .line_want = "b", .line_got = "c"},
		{"a\nb\n", NULL, "a\n", .line = 1, .line_want = "b", .line_got = "(nothing)"},
		{"a\n", NULL, "a\nb", .line = 1, .line_want = "(nothing)", .line_got = "b"},
		{"a\n", NULL, "a", .line = 0, .line_want = "a", .line_got = "a"},
		{"\n\n", NULL, "\n", .line = 1},
		/* ignored lines */
		{"a\nt=1\nb\n", NULL, "t=2\na\nb\n", .ignore = "^t=[0-9]+$", .equal = true},
		{"a\nt=1", NULL, "a\n", .ignore = "^t=", .equal = true},
		{"a\nt=1x\n", NULL, "a\n", .line = 1, .ignore = "^t=[0-9]+$"},
		/* banners: at the start, at the end, at both; absent, partly there; what follows is counted */
		{"open\na\n", NULL, "open\na\n", .banner = "open\n", .equal = true},
		{"a\n", NULL, "open\na\n", .banner = "open\n", .equal = true},
		{"a\n", NULL, "open\na\nbye\n", .banner = "open\nbye\n", .equal = true},
		{"open\na\n", NULL, "a\nbye\n", .banner = "open\nbye\n", .equal = true},
		{"open\na\nbye\n", NULL, "open\nb\nbye\n", .banner = "open\nbye\n", .line_want = "a", .line_got = "b"},
		{"open\n", NULL, "", .banner = "open\n", .equal = true},
		{"ok\nok\nok\n", NULL, "ok\nok\n", .line = 1, .banner = "ok\n"},
		{"a\nopen\n", NULL, "a\n", .banner = "open\n", .equal = true},
		{"a\nopen\nb\n", NULL, "a\nb\n", .line = 1, .banner = "open\n"},
		{"> 1\n> 2\n> ", NULL, "> 1\n> 2\n", .banner = "> ", .equal = true},
		/* masks of single lines */
		{"a\nt1\nb\n", "a\nt2\nb\n", "a\nt3\nb\n", .equal = true},
		{"a\nt1\nb\n", "a\nt2\nb\n", "a\nt3\nc\n", .line = 2, .line_want = "b", .line_got = "c"},
		{"a\nt1\nb\n", "a\nt2\nb\n", "a\nb\n", .line = 2, .line_want = "b", .line_got = "(nothing)"},
		{"a\nt1\n", "a\nt2\n", "a\n", .line = 1, .line_want = "t1", .line_got = "(nothing)"},
		{"t1\n", "t2\n", "t3\nt4\n", .line = 1},
		/* open masks: a different number of lines */
		{"a\nt\nb\n", "a\nt\nt\nb\n", "a\nt\nx\ny\nz\nb\n", .equal = true},
		{"a\nt\nb\n", "a\nb\n", "a\nb\n", .equal = true},
		{"a\nt\nb\n", "a\nb\n", "a\n", .line = 1, .line_want = "t", .line_got = "(nothing)"},
		{"a\nt\nb\n", "a\nb\n", "c\nb\n", .line = 0, .line_want = "a", .line_got = "c"},
		{"a\nt\nb\n", "a\nb\n", "a\nx\ny\nc\n", .line = 2, .line_want = "b", .line_got = "c"},
		/* a banner and a mask */
		{"open\nt1\nb\n", "open\nt2\nb\n", "t3\nb\n", .banner = "open\n", .equal = true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_comparing(&cases[i]);
	(void)state;
}

/* ---- more than lines of text ---- */

static void test_binary(void **state)
{
	struct output_rules *rules = output_rules_new(BYTES_MAX);
	struct err err;

	assert_int_equal(output_rules_ignore(rules, "^time", &err), 0);
	struct output *a = output_of(rules, "x\0y\n\xff\0", 6), *b = output_of(rules, "x\0z\n\xff\0", 6),
		      *c = output_of(rules, "time\0a\nx\0y\n\xff\0", 13);
	struct expected want = {.body = output_body(a, NULL)};
	struct output_body other = output_body(b, NULL), same = output_body(c, NULL);

	assert_true(compare_one(&want, &other).found);
	assert_false(compare_one(&want, &same).found);
	expect_line(&want.body, 0, "x\\000y");
	expect_line(&want.body, 1, "\xff\\000");
	struct output_digest digests[3] = {output_digest(a), output_digest(b), output_digest(c)};
	assert_memory_equal(&digests[0], &digests[2], sizeof(digests[0]));
	assert_memory_not_equal(&digests[0], &digests[1], sizeof(digests[0]));
	output_free(a);
	output_free(b);
	output_free(c);
	output_rules_free(rules);
	(void)state;
}

static void test_regex_refused(void **state)
{
	struct output_rules *rules = output_rules_new(BYTES_MAX);
	struct err err;

	assert_int_equal(output_rules_ignore(rules, "a(b", &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_string_equal(err.sentence, "--ignore-output 'a(b' is not a regular expression: Unmatched ( or \\(");
	output_rules_free(rules);
	(void)state;
}

/* An output without end is cut at its bound, and differs from one that ends there. */
static void test_endless(void **state)
{
	struct output_rules *rules = output_rules_new(100);
	struct output *endless = output_new(rules), *other = output_new(rules), *ended = output_new(rules);

	for (unsigned i = 0; i < 24; i++)
		assert_true(output_feed(endless, "abc\n", 4));
	assert_true(output_feed(endless, "abc\n", 4));
	assert_false(output_is_endless(endless));
	assert_false(output_feed(endless, "abc\n", 4));
	assert_false(output_feed(endless, "abc\n", 4));
	output_end(endless);
	assert_true(output_is_endless(endless));

	for (unsigned i = 0; i < 25; i++)
		assert_true(output_feed(ended, "abc\n", 4));
	output_end(ended);
	assert_false(output_is_endless(ended));
	for (unsigned i = 0; i < 50; i++)
		output_feed(other, "abc\n", 4);
	output_end(other);

	struct expected want = {.body = output_body(ended, NULL)};
	struct output_body got = output_body(endless, NULL), same = output_body(other, NULL);
	assert_true(compare_one(&want, &got).found);
	assert_int_equal(compare_one(&want, &got).got, 25);
	want.body = got;
	assert_false(compare_one(&want, &same).found);
	output_free(endless);
	output_free(other);
	output_free(ended);
	output_rules_free(rules);
	(void)state;
}

/* Forget what was fed, and start again. */
static void output_renew(struct output **output, const struct output_rules *rules)
{
	output_free(*output);
	*output = output_new(rules);
}

/* Lines of any length, and more lines than have a hash of their own: every byte counts. */
static void test_large(void **state)
{
	struct output_rules *rules = output_rules_new(UINT64_MAX);
	size_t size = 3 * (size_t)OUTPUT_LINE_MAX / 2;
	char *line = malloc(size);

	memset(line, 'x', size);
	struct output *a = output_of(rules, line, size), *b = output_new(rules);
	for (size_t i = 0; i < size; i += 4096)
		output_feed(b, line + i, 4096);
	output_end(b);
	struct expected want = {.body = output_body(a, NULL)};
	struct output_body got = output_body(b, NULL);
	assert_false(compare_one(&want, &got).found);
	line[size - 1] = 'y';
	output_renew(&b, rules);
	output_feed(b, line, size);
	output_end(b);
	got = output_body(b, NULL);
	assert_true(compare_one(&want, &got).found);

	/* newlines only, the last of them followed by one more byte */
	output_renew(&a, rules);
	output_renew(&b, rules);
	memset(line, '\n', size);
	for (size_t fed = 0; fed < (size_t)OUTPUT_HASHED_MAX + 10; fed += size) {
		output_feed(a, line, size);
		output_feed(b, line, size);
	}
	output_feed(a, "x", 1);
	output_feed(b, "y", 1);
	output_end(a);
	output_end(b);
	want.body = output_body(a, NULL);
	got = output_body(b, NULL);
	assert_true(want.body.rest > 0);
	assert_true(compare_one(&want, &got).found);
	got = want.body;
	assert_false(compare_one(&want, &got).found);
	/* The end of a banner is not looked for before the rest. */
	struct output *banner = text_output(rules, "open\n\n");
	assert_int_equal(output_body(a, banner).count, OUTPUT_HASHED_MAX);
	output_free(banner);
	free(line);
	output_free(a);
	output_free(b);
	output_rules_free(rules);
	(void)state;
}

/* The text of the first lines is kept. */
static void test_text(void **state)
{
	struct output_rules *rules = output_rules_new(BYTES_MAX);
	struct output *output = output_new(rules);
	struct output_body body;
	char text[2000], line[32];

	for (unsigned i = 0; i < 20000; i++) {
		int length = snprintf(line, sizeof(line), "%d\n", i);

		output_feed(output, line, (size_t)length);
	}
	output_end(output);
	body = output_body(output, NULL);
	assert_true(output_excerpt(&body, 5, "", text, sizeof(text)));
	assert_string_equal(text, "5");
	assert_false(output_excerpt(&body, 19005, "", text, sizeof(text)));
	/* When a line does not fit, later ones are not kept either, even if they would fit. */
	output_renew(&output, rules);
	memset(text, 'x', 500);
	for (unsigned i = 0; i < OUTPUT_TEXT_MAX / 501 + 1; i++) {
		output_feed(output, text, 500);
		output_feed(output, "\n", 1);
	}
	output_feed(output, "short\n", 6);
	output_end(output);
	body = output_body(output, NULL);
	assert_true(output_excerpt(&body, OUTPUT_TEXT_MAX / 501 - 1, "", text, sizeof(text)));
	assert_false(output_excerpt(&body, OUTPUT_TEXT_MAX / 501, "", text, sizeof(text)));
	assert_false(output_excerpt(&body, OUTPUT_TEXT_MAX / 501 + 1, "", text, sizeof(text)));
	/* A long line is cut, and the next one is still kept. */
	output_renew(&output, rules);
	memset(text, 'x', sizeof(text));
	output_feed(output, text, sizeof(text));
	output_feed(output, "\nnext\n", 6);
	output_end(output);
	body = output_body(output, NULL);
	assert_true(output_excerpt(&body, 0, "", text, sizeof(text)));
	assert_int_equal(strspn(text, "x"), OUTPUT_TEXT_LINE_MAX);
	expect_line(&body, 1, "next");
	output_free(output);
	output_rules_free(rules);
	(void)state;
}

/* ---- several expected outputs ---- */

static void test_any(void **state)
{
	static const char *const texts[] = {"a\nb\n", "a\nc\nd\n", "x\n", "a\nc\nd\n"};
	struct output_rules *rules = output_rules_new(BYTES_MAX);
	struct output *outputs[4], *got;
	struct expected expected[4];

	for (unsigned i = 0; i < 4; i++) {
		outputs[i] = text_output(rules, texts[i]);
		expected[i] = (struct expected){.body = output_body(outputs[i], NULL)};
	}
	for (unsigned i = 0; i < 4; i++) {
		struct comparison c = compare_any(expected, 4, &expected[i].body);

		assert_int_equal(c.match, i == 3 ? 1 : i);
	}
	got = text_output(rules, "a\nc\ne\n");
	struct output_body body = output_body(got, NULL);
	struct comparison c = compare_any(expected, 4, &body);
	assert_int_equal(c.match, -1);
	assert_int_equal(c.nearest, 1);
	assert_int_equal(c.difference.expected, 2);
	assert_int_equal(c.difference.got, 2);
	assert_int_equal(compare_any(expected, 1, &body).nearest, 0);
	output_free(got);
	for (unsigned i = 0; i < 4; i++)
		output_free(outputs[i]);
	output_rules_free(rules);
	(void)state;
}

/* ---- random outputs ---- */

enum { NAIVE_LINES = 16 };

/* The same by definition: an array of lines. */
struct naive {
	char lines[NAIVE_LINES][40];
	size_t count;
};

static struct naive naive_split(const char *text)
{
	struct naive n = {0};

	while (*text) {
		size_t length = strcspn(text, "\n");

		length += text[length] == '\n';
		if (!memchr(text, '!', length)) {
			memcpy(n.lines[n.count], text, length);
			n.lines[n.count++][length] = '\0';
		}
		text += length;
	}
	return n;
}

static bool naive_same(const struct naive *a, size_t i, const struct naive *b, size_t j)
{
	return !strcmp(a->lines[i], b->lines[j]);
}

static void naive_common(const struct naive *a, const struct naive *b, size_t *head, size_t *tail)
{
	size_t limit = a->count < b->count ? a->count : b->count;

	*head = *tail = 0;
	while (*head < limit && naive_same(a, *head, b, *head))
		++*head;
	while (*tail < limit - *head && naive_same(a, a->count - 1 - *tail, b, b->count - 1 - *tail))
		++*tail;
}

static struct naive naive_body(const struct naive *n, const struct naive *banner)
{
	struct naive body = {0};
	size_t head, tail;

	naive_common(n, banner, &head, &tail);
	for (size_t i = head; i < n->count - tail; i++)
		strcpy(body.lines[body.count++], n->lines[i]);
	return body;
}

static bool naive_agree(const struct naive *want, const struct naive *again, const struct naive *got)
{
	size_t head, tail;

	if (want->count == again->count) {
		for (size_t i = 0; i < want->count; i++)
			if (i >= got->count || (naive_same(want, i, again, i) && !naive_same(want, i, got, i)))
				return false;
		return got->count == want->count;
	}
	naive_common(want, again, &head, &tail);
	if (got->count < head + tail)
		return false;
	for (size_t i = 0; i < head; i++)
		if (!naive_same(want, i, got, i))
			return false;
	for (size_t i = 1; i <= tail; i++)
		if (!naive_same(want, want->count - i, got, got->count - i))
			return false;
	return true;
}

/* A few short lines of few characters; `!` marks lines that are ignored. */
static void random_text(uint64_t *seed, char *text, unsigned lines_max)
{
	unsigned lines = (unsigned)(random_next(seed) % (lines_max + 1));

	for (unsigned i = 0; i < lines; i++) {
		if (random_next(seed) % 4)
			*text++ = "aab!"[random_next(seed) % 4];
		*text++ = '\n';
	}
	if (random_next(seed) % 4 == 0)
		*text++ = 'a';
	*text = '\0';
}

/* Now and then, the same with a change: equal outputs must not be rare. */
static void random_like(uint64_t *seed, char *text, const char *like)
{
	if (random_next(seed) % 4 == 0) {
		random_text(seed, text, 5);
		return;
	}
	strcpy(text, like);
	if (*text && random_next(seed) % 2)
		text[random_next(seed) % strlen(text)] = "ab\n"[random_next(seed) % 3];
}

static struct output *random_feed(const struct output_rules *rules, uint64_t *seed, const char *text)
{
	struct output *output = output_new(rules);

	for (size_t left = strlen(text); left;) {
		size_t piece = 1 + random_next(seed) % left;

		output_feed(output, text, piece);
		text += piece;
		left -= piece;
	}
	output_end(output);
	return output;
}

static void test_random(void **state)
{
	enum { WANT, AGAIN, GOT, BANNER, COUNT };
	struct output_rules *rules = output_rules_new(BYTES_MAX);
	unsigned agreed = 0, rounds = 20000;
	uint64_t seed = 7;
	struct err err;

	assert_int_equal(output_rules_ignore(rules, "!", &err), 0);
	for (unsigned round = 0; round < rounds; round++) {
		char texts[COUNT][40];
		struct naive naive[COUNT], bodies[COUNT];
		struct output *outputs[COUNT];
		struct output_body body[COUNT];
		struct output_mask mask = {0};

		random_text(&seed, texts[WANT], 5);
		random_like(&seed, texts[AGAIN], texts[WANT]);
		random_like(&seed, texts[GOT], texts[WANT]);
		random_text(&seed, texts[BANNER], 2);
		for (unsigned i = COUNT; i--;) {
			outputs[i] = random_feed(rules, &seed, texts[i]);
			naive[i] = naive_split(texts[i]);
			body[i] = output_body(outputs[i], outputs[BANNER]);
			bodies[i] = naive_body(&naive[i], &naive[BANNER]);
		}
		mask_learn(&mask, &body[WANT], &body[AGAIN]);
		struct expected want = {.body = body[WANT], .mask = &mask};
		bool expected = naive_agree(&bodies[WANT], &bodies[AGAIN], &bodies[GOT]);
		if (compare_one(&want, &body[GOT]).found == expected)
			fail_msg("round %u: '%s', again '%s', got '%s', banner '%s'", round, texts[WANT], texts[AGAIN],
				 texts[GOT], texts[BANNER]);
		agreed += expected;
		/* What a mask was learned from agrees, whatever is learned next. */
		assert_false(compare_one(&want, &body[AGAIN]).found);
		mask_learn(&mask, &body[WANT], &body[GOT]);
		assert_false(compare_one(&want, &body[AGAIN]).found);
		assert_false(compare_one(&want, &body[GOT]).found);
		assert_false(compare_one(&want, &body[WANT]).found);
		mask_free(&mask);
		for (unsigned i = 0; i < COUNT; i++)
			output_free(outputs[i]);
	}
	assert_in_range(agreed, rounds / 5, rounds * 4 / 5);
	output_rules_free(rules);
	(void)state;
}

/* A copy continues on its own, from the middle of a line. */
static void test_copy(void **state)
{
	struct output_rules *rules = output_rules_new(12);
	struct output *output = output_new(rules), *want = text_output(rules, "one\ntwo\n");

	(void)state;
	assert_int_equal(output_rules_bound(rules), 12);
	output_feed(output, "one\nt", 5);
	struct output *copy = output_copy(output);
	assert_false(output_feed(output, "hree and more", 13));
	assert_true(output_feed(copy, "wo\n", 3));
	output_free(output);
	output_end(copy);
	struct output_body body = output_body(copy, NULL);
	expect_line(&body, 1, "two");
	assert_int_equal(output_digest(copy).low, output_digest(want).low);
	assert_false(output_is_endless(copy));
	output_free(copy);
	output_free(want);
	output_rules_free(rules);
}

static void test_hidden(void **state)
{
	struct output_rules *rules = output_rules_new(1000);
	struct output *want = text_output(rules, "reading {ops}: {ops}, {out}.new\nno path\n{out}"),
		      *got = output_new(rules);
	const char *text = "reading /w/0/ops: /w/0/ops, /w/0/out.new\nno path\n/w/0/out";
	struct err err;

	(void)state;
	output_hide(got, "/w/0/ops", "{ops}");
	output_hide(got, "/w/0/out", "{out}");
	for (size_t i = 0; i < strlen(text); i++)
		output_feed(got, text + i, 1);
	output_end(got);
	assert_int_equal(output_digest(got).low, output_digest(want).low);
	struct output_body body = output_body(got, NULL);
	expect_line(&body, 0, "reading {ops}: {ops}, {out}.new");
	/* Lines are ignored by what is seen of them. */
	assert_int_equal(output_rules_ignore(rules, "^/w/|^reading [{]", &err), 0);
	output_renew(&got, rules);
	output_hide(got, "/w/0/ops", "{ops}");
	output_feed(got, "reading /w/0/ops\n/w/0/ops\nleft\n", 31);
	output_end(got);
	assert_int_equal(output_body(got, NULL).count, 2);
	output_free(got);
	output_free(want);
	output_rules_free(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comparing), cmocka_unit_test(test_binary), cmocka_unit_test(test_regex_refused),
		cmocka_unit_test(test_endless),   cmocka_unit_test(test_large),  cmocka_unit_test(test_text),
		cmocka_unit_test(test_any),       cmocka_unit_test(test_random), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
