/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_boxes.c - the size of a union of parts of a box, compared with counting every content. test_count.c has the
 * rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "count/boxes_part.h"

#include "base/random.h"

#define ROUNDS 20000
#define LINES 4u
#define VALUES 4u
#define PARTS 7u

static uint64_t state = 1;

static unsigned roll(unsigned sides)
{
	return (unsigned)(random_next(&state) % sides);
}

struct box {
	unsigned lines, values[LINES], parts;
	uint8_t has[PARTS][LINES]; /* a bit for each value */
};

static void box_make(struct box *box)
{
	box->lines = 1 + roll(LINES);
	box->parts = roll(PARTS + 1);
	for (unsigned l = 0; l < box->lines; l++)
		box->values[l] = 2 + roll(VALUES - 1);
	for (unsigned p = 0; p < box->parts; p++) {
		for (unsigned l = 0; l < box->lines; l++)
			box->has[p][l] = (uint8_t)(1 + roll((1u << box->values[l]) - 1));
	}
}

static bool part_has(const struct box *box, unsigned part, const unsigned *content)
{
	for (unsigned l = 0; l < box->lines; l++) {
		if (!(box->has[part][l] >> content[l] & 1))
			return false;
	}
	return true;
}

/* Count the contents of the box that are in any part. */
static unsigned brute_count(const struct box *box)
{
	unsigned content[LINES] = {0}, count = 0, l;

	do {
		for (unsigned p = 0; p < box->parts; p++) {
			if (part_has(box, p, content)) {
				count++;
				break;
			}
		}
		for (l = 0; l < box->lines && ++content[l] == box->values[l]; l++)
			content[l] = 0;
	} while (l < box->lines);
	return count;
}

static void part_add(struct parts *parts, const struct box *box, unsigned part)
{
	uint64_t *bits = parts_new(parts);

	for (unsigned l = 0; l < box->lines; l++) {
		for (unsigned v = 0; v < box->values[l]; v++) {
			if (!(box->has[part][l] >> v & 1))
				part_drop(bits, parts_bit(parts, l, v));
		}
	}
	parts_keep(parts, bits);
}

static void unions(void **unused)
{
	struct parts parts = {0};
	unsigned long overlapping = 0;
	mpz_t size;

	(void)unused;
	mpz_init(size);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct box box;

		box_make(&box);
		parts_start(&parts);
		for (unsigned l = 0; l < box.lines; l++)
			parts_line(&parts, box.values[l]);
		for (unsigned p = 0; p < box.parts; p++)
			part_add(&parts, &box, p);
		overlapping += parts.all.count > 1;
		assert_true(parts_union(&parts, size));
		assert_int_equal(mpz_get_ui(size), brute_count(&box));
	}
	assert_true(overlapping > ROUNDS / 4);
	parts_free(&parts);
	mpz_clear(size);
}

/* A line with so many values that its bits take several words. */
static void many_values(void **unused)
{
	struct parts parts = {0};
	uint64_t *low, *high;
	mpz_t size;

	(void)unused;
	mpz_init(size);
	parts_start(&parts);
	parts_line(&parts, 1000);
	parts_line(&parts, 1000);
	parts_whole(&parts, size);
	assert_int_equal(mpz_get_ui(size), 1000000);
	low = parts_new(&parts);
	high = parts_new(&parts);
	for (size_t i = 0; i < 1000; i++) {
		if (i >= 600)
			part_drop(low, parts_bit(&parts, 0, i)); /* 600 x 1000 */
		if (i < 500)
			part_drop(high, parts_bit(&parts, 0, i)); /* 500 x 1000, of which 100 x 1000 are in both */
	}
	parts_keep(&parts, low);
	parts_keep(&parts, high);
	assert_true(parts_union(&parts, size));
	assert_int_equal(mpz_get_ui(size), 1000000);
	/* A part inside another changes nothing. */
	low = parts_new(&parts);
	for (size_t i = 1; i < 1000; i++)
		part_drop(low, parts_bit(&parts, 0, i));
	parts_keep(&parts, low);
	assert_int_equal(parts.all.count, 2);
	parts_free(&parts);
	mpz_clear(size);
}

/* Too many overlaps: reported as unknown, not guessed. */
static void too_many(void **unused)
{
	struct parts parts = {0};
	mpz_t size;

	(void)unused;
	mpz_init(size);
	parts_start(&parts);
	for (size_t l = 0; l < 40; l++)
		parts_line(&parts, 3);
	for (size_t l = 0; l < 40; l++) {
		uint64_t *part = parts_new(&parts);

		part_drop(part, parts_bit(&parts, l, l % 3));
		parts_keep(&parts, part);
	}
	assert_false(parts_union(&parts, size));
	parts_free(&parts);
	mpz_clear(size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unions),
		cmocka_unit_test(many_values),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
