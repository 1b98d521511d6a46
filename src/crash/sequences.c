/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sequences.c - see sequences.h.
 *
 * A line of n cached units, of which k have gone, has one order; lines are shuffled into each other.  So it is a product of exponential generating
 * functions, sum over k of x^k / k! for each line; a coefficient times k! is the number of sequences of k units. */
#include "crash/sequences.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { KIND_CACHED = 0 };

struct product {
	long double *at;
	size_t degree;
};

/* Times sum over k <= n of x^k / k!. */
static void product_times(struct product *p, size_t n)
{
	for (size_t total = p->degree + n + 1; total-- > 0;) {
		long double sum = 0, factor = 1;

		for (size_t k = 0; k <= n && k <= total; k++) {
			if (total - k <= p->degree)
				sum += p->at[total - k] * factor;
			factor /= (long double)(k + 1);
		}
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

double sequences_log(const struct choices *c)
{
	struct product p = {0};
	double sum;

	if ((double)c->unit_count * c->unit_count > SEQUENCES_WORK)
		return -1;
	p.at = mem_alloc((c->unit_count + 1) * sizeof(*p.at));
	p.at[0] = 1;
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct choices_line *l = &choices_lines(c)[i];
		size_t cached = 0;

		for (uint32_t k = l->first; k < l->first + l->count; k++) {
			if (choices_units(c)[k].kind == KIND_CACHED)
				cached++;
			else
				product_times(&p, 1);
		}
		if (cached)
			product_times(&p, cached);
	}
	sum = product_log(&p);
	free(p.at);
	return sum;
}
