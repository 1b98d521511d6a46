/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sequences.c - see sequences.h.
 *
 * Method.  A line has a[k] sequences of k of its units.  Those of two lines can be shuffled in any way, so together they have the sum of
 * C(n, k) a[k] b[n - k] sequences of length n: if a[k] / k! are the coefficients of a polynomial, that is a product of polynomials.  They are made
 * integers by the factorial d! of the degree, and multiplied as numbers, each coefficient having its own place of so many bits that
 * none runs over into the next. */
#include "model/sequences.h"

#include <stdlib.h>

#include "base/mem.h"

#define CACHED 0
#define BITS_MAX ((uint64_t)1 << 25) /* of the product: about a second */

struct work {
	const struct choices *c;
	mp_bitcnt_t slot; /* bits of a coefficient */
	mpz_t scale;      /* product of the d! */
};

static uint32_t line_degree(const struct choices *c, uint32_t line)
{
	return choices_lines(c)[line].count;
}

/* a[0], a[1], ... of the cached units of a line: all of an event before those of the next, and these in any order.  Returns how many units
 * there are. */
static uint32_t line_cached(const struct choices *c, uint32_t line, mpz_t *a)
{
	const struct choices_line *l = &choices_lines(c)[line];
	const struct choices_unit *units = choices_units(c) + l->first;
	uint32_t done = 0, left = 0;
	uint64_t event = 0;

	mpz_set_ui(a[0], 1);
	for (uint32_t i = 0; i < l->count; i++) {
		if (units[i].kind != CACHED)
			continue;
		if (units[i].event != event) {
			event = units[i].event;
			left = 0;
			for (uint32_t k = i; k < l->count && units[k].event == event; k++)
				left++;
		}
		mpz_mul_ui(a[done + 1], a[done], left--);
		done++;
	}
	return done;
}

/* One more unit that is bound to nothing: b[n] = a[n] + n a[n - 1]. */
static void free_add(mpz_t *a, uint32_t count)
{
	mpz_set_ui(a[count + 1], 0);
	for (uint32_t n = count + 1; n > 0; n--)
		mpz_addmul_ui(a[n], a[n - 1], n);
}

static mpz_t *numbers_new(uint32_t count)
{
	mpz_t *numbers = mem_resize(NULL, count, sizeof(*numbers));

	for (uint32_t i = 0; i < count; i++)
		mpz_init(numbers[i]);
	return numbers;
}

static void numbers_free(mpz_t *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		mpz_clear(numbers[i]);
	free(numbers);
}

/* The coefficients of a line: d! a[k] / k!. */
static mpz_t *line_coefficients(const struct choices *c, uint32_t line)
{
	const struct choices_line *l = &choices_lines(c)[line];
	uint32_t degree = l->count, done;
	mpz_t *a = numbers_new(degree + 1), factor;

	done = line_cached(c, line, a);
	for (; done < degree; done++)
		free_add(a, done);
	mpz_init_set_ui(factor, 1);
	for (uint32_t k = degree; k > 0; k--) {
		mpz_mul(a[k], a[k], factor);
		mpz_mul_ui(factor, factor, k); /* d! / (k - 1)! */
	}
	mpz_mul(a[0], a[0], factor);
	mpz_clear(factor);
	return a;
}

static void line_pack(const struct work *w, uint32_t line, mpz_t packed)
{
	uint32_t degree = line_degree(w->c, line);
	mpz_t *a = line_coefficients(w->c, line);

	mpz_set_ui(packed, 0);
	for (uint32_t k = degree + 1; k-- > 0;) {
		mpz_mul_2exp(packed, packed, w->slot);
		mpz_add(packed, packed, a[k]);
	}
	numbers_free(a, degree + 1);
}

static void lines_multiply(const struct work *w, uint32_t first, uint32_t count, mpz_t product)
{
	mpz_t rest;

	if (count <= 1) {
		if (count)
			line_pack(w, first, product);
		else
			mpz_set_ui(product, 1);
		return;
	}
	mpz_init(rest);
	lines_multiply(w, first, count / 2, product);
	lines_multiply(w, first + count / 2, count - count / 2, rest);
	mpz_mul(product, product, rest);
	mpz_clear(rest);
}

/* No coefficient of the product is larger than the product of the sums. */
static void work_prepare(struct work *w)
{
	mpz_t sum;

	mpz_init_set_ui(w->scale, 1);
	mpz_init(sum);
	w->slot = 1;
	for (uint32_t i = 0; i < w->c->line_count; i++) {
		uint32_t degree = line_degree(w->c, i);
		mpz_t *a = line_coefficients(w->c, i);

		mpz_set_ui(sum, 0);
		for (uint32_t k = 0; k <= degree; k++)
			mpz_add(sum, sum, a[k]);
		w->slot += mpz_sizeinbase(sum, 2);
		mpz_fac_ui(sum, degree);
		mpz_mul(w->scale, w->scale, sum);
		numbers_free(a, degree + 1);
	}
	mpz_clear(sum);
}

/* n! for each coefficient, from the last: ((c[n] n + c[n - 1]) (n - 1) + ...) 1 + c[0]. */
static void factorials_apply(const struct work *w, mpz_t packed, uint32_t degree, mpz_t count)
{
	mpz_t coefficient;

	mpz_init(coefficient);
	mpz_set_ui(count, 0);
	for (uint32_t n = degree + 1; n-- > 0;) {
		mpz_tdiv_q_2exp(coefficient, packed, (mp_bitcnt_t)n * w->slot);
		mpz_tdiv_r_2exp(packed, packed, (mp_bitcnt_t)n * w->slot);
		mpz_mul_ui(count, count, n + 1ul);
		mpz_add(count, count, coefficient);
	}
	mpz_clear(coefficient);
}

bool sequences_count(const struct choices *choices, mpz_t count)
{
	struct work w = {.c = choices};
	bool possible;
	mpz_t product;

	if (choices->order_count || choices->line_units_max > 1000 || choices->unit_count > 20000)
		return false;
	work_prepare(&w);
	possible = w.slot * ((uint64_t)choices->unit_count + 1) <= BITS_MAX;
	if (possible) {
		mpz_init(product);
		lines_multiply(&w, 0, choices->line_count, product);
		factorials_apply(&w, product, choices->unit_count, count);
		mpz_divexact(count, count, w.scale);
		mpz_clear(product);
	}
	mpz_clear(w.scale);
	return possible;
}
