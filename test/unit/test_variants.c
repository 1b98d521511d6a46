/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_variants.c - the contents of single lines, and their combinations, on small random programs, on both platforms.
 *
 * After each event of each program:
 *
 *  1. the units of a variant (variant_taken) change the digest of the image by the amount that the variant gives
 *  2. the variant's `needs` and `barrier` are what choices_decide gives for these units
 *  3. the combinations have the contents of all sets of model_enumerate, and no others
 *
 * The variants are computed twice: by an instance that has seen the whole program and cached its results, and by a new
 * one.
 *
 *     test_variants [SEED [NUMBER]]      MODEL_SEED in the environment is a SEED too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "count/combine.h"
#include "image/contents.h"
#include "image/state.h"
#include "image/variants.h"
#include "model_sets.h"
#include "series.h"

#define UNITS 64

/* The flags of a variant's units, in the form of choices_next. */
static void variant_taken(const struct choices *choices, uint32_t line, const struct variant *variant, uint8_t *taken)
{
	choices_first(choices, line, CHOICES_OPEN, CHOICES_CONTENTS, taken);
	for (uint64_t i = 0; i < variant->alternative; i++)
		choices_next(choices, line, CHOICES_OPEN, CHOICES_CONTENTS, taken);
}

static void check_variant(struct image *image, const struct choices *c, const struct variants *v, uint32_t line,
			  const struct variant *variant)
{
	const struct choices_line *l = &choices_lines(c)[line];
	bool persisted[UNITS] = {false};
	uint8_t taken[UNITS];
	struct choices_bounds bounds;
	struct digest digest;
	uint64_t needs = 0;

	variant_taken(c, line, variant, taken);
	for (uint32_t i = 0; i < l->count; i++)
		persisted[choices_units(c)[l->first + i].pending] = taken[i];
	digest = digest_add(state_digest_none(image), variant->change);
	assert_true(digest_equal(state_digest(image, persisted), digest));
	bounds = choices_decide(c, line, taken, CHOICES_OPEN);
	for (size_t i = 0; i < v->orders.count; i++)
		needs = v->orders.at[i] < bounds.latest ? v->orders.at[i] : needs;
	assert_int_equal(variant->needs, needs);
	assert_int_equal(variant->barrier, bounds.barrier);
}

static bool contents_put(void *arg, struct digest digest)
{
	contents_add(arg, digest);
	return true;
}

struct brute {
	struct image *image;
	const struct contents *combined;
	struct contents own;
};

static bool brute_visit(void *arg, const bool *persisted, size_t count)
{
	struct brute *b = arg;

	(void)count;
	contents_add(&b->own, state_digest(b->image, persisted));
	return true;
}

static void check_combinations(struct image *image, const struct variants *v)
{
	struct contents combined = {0};
	struct brute brute = {.image = image};
	size_t both;

	assert_true(combine(v, state_digest_none(image), contents_put, &combined));
	if (!v->ordered)
		assert_true(combine_count(v) == (double)combined.count);
	model_enumerate(image_model(image), brute_visit, &brute);
	assert_int_equal(combined.count, brute.own.count);
	both = combined.count;
	for (size_t i = 0; i < brute.own.room; i++)
		if (brute.own.at[i].low | brute.own.at[i].high)
			contents_add(&combined, brute.own.at[i]);
	assert_int_equal(combined.count, both);
	contents_free(&combined);
	contents_free(&brute.own);
}

static void check_point(struct image *image, struct variants *v)
{
	struct choices *c = image_choices(image);

	assert_true(c->unit_count <= UNITS);
	assert_true(variants_find(v, image, c, 1 << 20));
	for (size_t i = 0; i < v->lines.count; i++)
		for (size_t k = 0; k < v->lines.at[i].count; k++)
			check_variant(image, c, v, v->lines.at[i].line, &v->all.at[v->lines.at[i].first + k]);
	check_combinations(image, v);
	free(c);
}

static const char *check_program(const struct program *program, const char *platform, uint64_t number)
{
	struct image *image = image_new(platform_find(platform), NULL);
	struct variants kept = {0};

	(void)number;
	for (size_t i = 0; i < program->count; i++) {
		struct variants fresh = {0};

		image_apply(image, &program->events[i]);
		check_point(image, &kept);
		check_point(image, &fresh);
		variants_free(&fresh);
	}
	variants_free(&kept);
	image_free(image);
	return NULL;
}

static struct series series = {.test = "test_variants", .seed = 7, .programs = 1500, .check = check_program};

/* The numbers of alternatives are also right in a line with thousands of units. */
static void long_line(void **state)
{
	struct image *image = image_new(platform_find("adr"), NULL);
	struct event file = {.type = EVENT_FILE, .file = 1, .size = 4096, .path = "/pm/file"};
	struct variants v = {0};
	struct choices *c;
	uint8_t data[16], taken[3000], bytes[LINE_BYTES];

	(void)state;
	image_apply(image, &file);
	for (unsigned i = 0; i < 1000; i++) {
		memset(data, (int)(i % 255 + 1), sizeof(data));
		image_apply(image, &(struct event){.type = EVENT_STORE,
						   .file = 1,
						   .thread = 1,
						   .offset = i % 4 * 8,
						   .size = i % 3 ? 8 : 16,
						   .data = data});
	}
	c = image_choices(image);
	assert_true(c->line_count == 1 && c->unit_count <= sizeof(taken));
	assert_true(variants_find(&v, image, c, 1 << 20));
	assert_true(v.all.count > 1000);
	for (size_t i = 0; i < v.all.count; i += 37) {
		memset(bytes, 0, sizeof(bytes));
		variant_taken(c, 0, &v.all.at[i], taken);
		choices_apply(c, 0, taken, bytes);
		assert_true(digest_equal(digest_line(digest_path("/pm/file"), 0, bytes), v.all.at[i].change));
	}
	free(c);
	variants_free(&v);
	image_free(image);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SERIES_TESTS(series),
		cmocka_unit_test(long_line),
	};

	series_arguments(&series, argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
