/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sequences.c - see sequences.h.
 *
 * If k of a line's n cached units have reached media, they did so in one possible sequence, and the sequences of lines
 * interleave freely.  So the count is a product of exponential generating functions, the sum over k <= n of x^k / k!
 * for each line.  A coefficient of the product times k! is the number of sequences of k units.  Units that are not
 * ordered have 1 + x each, and the coefficients of their product are known.  For the others the work grows with the
 * square of the number of pending units. */
#include "count/sequences.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { KIND_CACHED = 0 };

struct product {
	long double *at;
	size_t degree;
	long double *inverse; /* 1 / k! */
};

/* (1 + x)^ones, with room up to `degree`. */
static struct product product_new(size_t ones, size_t degree)
{
	struct product p = {.at = mem_alloc((degree + 1) * sizeof(*p.at)),
			    .degree = ones,
			    .inverse = mem_alloc((degree + 1) * sizeof(*p.inverse))};

	p.at[0] = p.inverse[0] = 1;
	for (size_t k = 1; k <= ones; k++)
		p.at[k] = p.at[k - 1] * (long double)(ones - k + 1) / (long double)k;
	/* Denormal numbers count as 0: they are negligible, and slow to calculate with. */
	for (size_t k = 1; k <= degree && p.inverse[k - 1] / (long double)k >= LDBL_MIN; k++)
		p.inverse[k] = p.inverse[k - 1] / (long double)k;
	return p;
}

static void product_free(struct product *p)
{
	free(p->at);
	free(p->inverse);
}

/* Multiply by the sum over k <= n of x^k / k!, with (degree + 1) (n + 1) additions. */
static void product_times(struct product *p, size_t n)
{
	for (size_t total = p->degree + n + 1; total-- > 0;) {
		size_t first = total > p->degree ? total - p->degree : 0, last = n < total ? n : total;
		long double sum = 0;

		for (size_t k = first; k <= last; k++)
			sum += p->at[total - k] * p->inverse[k];
		p->at[total] = sum;
	}
	p->degree += n;
}

double sequences_add(double a, double b)
{
	double high = a > b ? a : b, low = a > b ? b : a;

	return low < 0 ? high : high + log1p(exp(low - high));
}

static double product_log(const struct product *p)
{
	long double most = 0, sum = 0;

	for (size_t k = 0; k <= p->degree; k++) {
		long double each = logl(p->at[k]) + lgammal((long double)k + 1);

		most = each > most ? each : most;
	}
	for (size_t k = 0; k <= p->degree; k++)
		sum += expl(logl(p->at[k]) + lgammal((long double)k + 1) - most);
	return (double)(most + logl(sum));
}

static size_t cached_count(const struct choices *c, uint32_t line)
{
	const struct choices_line *l = &choices_lines(c)[line];
	size_t cached = 0;

	for (uint32_t k = l->first; k < l->first + l->count; k++)
		cached += choices_units(c)[k].kind == KIND_CACHED;
	return cached;
}

/* The number of units in all lines that are not ordered with any other unit. */
static size_t ones_count(const struct choices *c)
{
	size_t ones = c->unit_count;

	for (uint32_t i = 0; i < c->line_count; i++) {
		size_t cached = cached_count(c, i);

		ones -= cached > 1 ? cached : 0;
	}
	return ones;
}

/* The number of additions needed. */
static double work_count(const struct choices *c, size_t ones)
{
	double degree = (double)ones, work = 2 * (double)c->unit_count;

	for (uint32_t i = 0; i < c->line_count; i++) {
		double cached = (double)cached_count(c, i);

		if (cached < 2)
			continue;
		work += (degree + 1) * (cached + 1);
		degree += cached;
	}
	return work;
}

double sequences_log(const struct choices *c, double *work)
{
	size_t ones = ones_count(c);
	struct product p;
	double sum;

	*work -= work_count(c, ones);
	if (*work < 0)
		return -1;
	p = product_new(ones, c->unit_count);
	for (uint32_t i = 0; i < c->line_count; i++)
		if (cached_count(c, i) > 1)
			product_times(&p, cached_count(c, i));
	sum = product_log(&p);
	product_free(&p);
	return sum;
}
