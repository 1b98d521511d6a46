/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_moment.c - crash states of a past moment.
 *
 *  1. on many small random programs, both platforms, after every event: the content of each legal set is the one that
 *     the image itself gives, and the extremes are the extremes
 *  2. moments with the same name have the same contents; if what may be decided differs, so does the name
 *  3. the number of sequences in which stores can reach media
 *
 *     test_moment [SEED [NUMBER]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "count/sequences.h"
#include "crash/moment.h"
#include "image/contents.h"
#include "image/state.h"
#include "model_sets.h"
#include "programs.h"

#define PROGRAMS 2000
#define UNITS_MAX 12u

static uint64_t seed = 1, only;

/* 1. */

struct visit {
	struct image *image;
	const struct moment *moment;
	uint64_t program;
	struct digest sum; /* of all contents */
};

static bool set_check(void *arg, const bool *persisted, size_t count)
{
	struct visit *v = arg;
	const struct choices *c = v->moment->choices;
	uint8_t taken[UNITS_MAX + 1] = {0};
	bool back[UNITS_MAX + 1] = {0};
	struct digest said, expected = state_digest(v->image, persisted);
	uint32_t lost = 0, told;

	for (uint32_t i = 0; i < c->unit_count; i++) {
		taken[i] = persisted[choices_units(c)[i].pending];
		lost += !taken[i];
	}
	said = moment_digest(v->moment, taken);
	if (!digest_equal(said, expected))
		fail_msg("program %llu: another content; test_moment %llu %llu", (unsigned long long)v->program,
			 (unsigned long long)seed, (unsigned long long)v->program);
	moment_persisted(v->moment, taken, back);
	assert_memory_equal(back, persisted, count * sizeof(bool));
	moment_lost(v->moment, taken, NULL, &told);
	assert_int_equal(told, lost);
	v->sum = digest_add(v->sum, said);
	return true;
}

static void moment_check(struct image *image, uint64_t program)
{
	struct moment *m = moment_new(image, &(struct crash_context){0});
	struct visit v = {.image = image, .moment = m, .program = program};

	assert_true(digest_equal(m->certain, state_digest_none(image)));
	assert_true(digest_equal(m->all, state_digest_all(image)));
	if (m->choices->unit_count <= UNITS_MAX)
		model_enumerate(image_model(image), set_check, &v);
	moment_free(m);
}

static void random_programs(void **state)
{
	const char *const platforms[] = {"adr", "eadr"};
	struct program program;

	(void)state;
	for (uint64_t n = only ? only : 1; n <= (only ? only : PROGRAMS); n++)
		for (size_t p = 0; p < 2; p++) {
			struct image *image = image_new(platform_find(platforms[p]), NULL);

			program_make(&program, seed, n);
			for (size_t i = 0; i < program.count; i++) {
				image_apply(image, &program.events[i]);
				moment_check(image, n);
			}
			image_free(image);
		}
}

/* 2. and 3. */

static void send(struct image *image, enum event_type type, uint64_t offset, uint8_t value)
{
	uint8_t data[8] = {value};
	const struct event ev = {.type = type, .file = 1, .offset = offset, .size = 8, .data = data, .thread = 1};

	image_apply(image, &ev);
}

static struct image *image_start(void)
{
	struct image *image = image_new(platform_find("adr"), NULL);

	image_apply(image, &(struct event){.type = EVENT_FILE, .file = 1, .size = 4096, .path = "/pm/file"});
	return image;
}

/* Stores to lines 'a' to 'z'; a blank is an unrelated event; a capital letter stores 8 bytes further in the line. */
static struct moment *moment_of(const char *stores)
{
	struct image *image = image_start();
	struct moment *m;

	for (const char *s = stores; *s; s++) {
		if (*s == ' ')
			send(image, EVENT_LOAD, 0, 0);
		else if (*s == '!')
			send(image, EVENT_CLFLUSH, 0, 0);
		else
			send(image, EVENT_STORE, *s >= 'a' ? (uint64_t)(*s - 'a') * 64 : (uint64_t)(*s - 'A') * 64 + 8,
			     (uint8_t)*s);
	}
	m = moment_new(image, &(struct crash_context){0});
	image_free(image);
	return m;
}

static bool same_name(const char *left, const char *right)
{
	struct moment *a = moment_of(left), *b = moment_of(right);
	bool same = digest_equal(a->name, b->name);

	moment_free(a);
	moment_free(b);
	return same;
}

static void names(void **state)
{
	(void)state;
	assert_true(same_name("abc", "abc"));
	assert_true(same_name("abc", "a b c"));
	/* Lines are independent of each other; words of a line are not. */
	assert_true(same_name("ab", "ba"));
	assert_false(same_name("aA", "Aa"));
	assert_false(same_name("ab", "a"));
	/* A CLFLUSH of line a, after or before b. */
	assert_false(same_name("ab!", "a!b"));
}

static void expect_sequences(const char *stores, double expected)
{
	struct moment *m = moment_of(stores);
	double work = SEQUENCES_WORK, got = exp(sequences_log(m->choices, &work));

	if (fabs(got - expected) > 1e-6)
		fail_msg("%s: %g sequences, not %g", stores, got, expected);
	moment_free(m);
}

static void sequences(void **state)
{
	(void)state;
	expect_sequences("", 1);
	expect_sequences("a", 2);
	expect_sequences("ab", 5);
	expect_sequences("abc", 16);
	expect_sequences("abcd", 65);
	/* In a line there is only one order: nothing, a, aA. */
	expect_sequences("aA", 3);
	/* b may come before, between or after: none, a, b, aA, ab, ba, and three of all. */
	expect_sequences("aAb", 9);
	/* 1, 3, 7, 12 and 12 orders of 0 to 4 units: two units are ordered, two are free. */
	expect_sequences("aAbc", 35);
	assert_true(fabs(sequences_add(log(3), log(4)) - log(7)) < 1e-9);
	assert_true(sequences_add(-1, log(4)) > log(3.9));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(names),
		cmocka_unit_test(sequences),
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
