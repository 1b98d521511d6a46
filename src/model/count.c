/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many sets may be on media, without looking at them.
 *
 * Without CLFLUSH the lines, and the units that are not cached, are independent, so their numbers multiply.  A line
 * whose pending stores have n1, n2, ... units has 1 + (2^n1 - 1) + (2^n2 - 1) + ... states: nothing, or some of a store
 * and all of those before it.
 *
 * With CLFLUSHes at t1 < t2 < ... < tm, a set belongs to the latest tk after which one of its units was stored (k = 0
 * if there is none).  It then holds all that t1 ... tk ordered, and nothing stored after tk+1.  With F(s, k) = the
 * number of sets of units stored up to s that hold all that t1 ... tk ordered, those with k > 0 are F(tk+1, k) - F(tk,
 * k): the second term takes away those without a unit after tk.  F is a product again, and goes from one k to the next
 * by the lines that change. */
#include "base/err.h"
#include "model/platform.h"

struct tally {
	mpz_t product;                /* F of what was entered so far */
	VEC_OF(struct dirty *) lines; /* whose ways have changed since `product` was right */
	mp_bitcnt_t doublings;        /* units that are not cached, entered since */
	VEC_OF(uint64_t) factors;
};

/* The product of `count` factors, by halves: so the numbers multiplied are of the same size. */
static void factors_multiply(mpz_t product, const uint64_t *factors, size_t count)
{
	mpz_t rest;

	if (count <= 1) {
		mpz_set_ui(product, count ? factors[0] : 1);
		return;
	}
	mpz_init(rest);
	factors_multiply(product, factors, count / 2);
	factors_multiply(rest, factors + count / 2, count - count / 2);
	mpz_mul(product, product, rest);
	mpz_clear(rest);
}

static void line_change(struct tally *tally, struct dirty *dirty)
{
	if (dirty->ways_before)
		return;
	dirty->ways_before = dirty->ways;
	vec_push(&tally->lines, dirty);
}

/* A store with n units on a line adds 2^n - 1 ways. */
static void node_enter(struct tally *tally, const struct node *node)
{
	struct dirty *dirty = node->line->dirty;

	if (node->unit.kind != UNIT_CACHED) {
		tally->doublings += node->units;
		return;
	}
	line_change(tally, dirty);
	dirty->ways += ((uint64_t)1 << node->units) - 1;
}

/* All that was entered of its line must be there: that is one way. */
static void order_force(struct tally *tally, const struct order *order)
{
	line_change(tally, order->line->dirty);
	order->line->dirty->ways = 1;
}

static void lines_multiply(struct tally *tally, mpz_t product, bool before)
{
	tally->factors.count = 0;
	for (size_t i = 0; i < tally->lines.count; i++)
		vec_push(&tally->factors, before ? tally->lines.at[i]->ways_before : tally->lines.at[i]->ways);
	factors_multiply(product, tally->factors.at, tally->factors.count);
}

/* Make `product` right again. */
static void tally_settle(struct tally *tally)
{
	mpz_t change;

	mpz_init(change);
	lines_multiply(tally, change, true);
	mpz_divexact(tally->product, tally->product, change);
	lines_multiply(tally, change, false);
	mpz_mul(tally->product, tally->product, change);
	mpz_mul_2exp(tally->product, tally->product, tally->doublings);
	mpz_clear(change);
	for (size_t i = 0; i < tally->lines.count; i++)
		tally->lines.at[i]->ways_before = 0;
	tally->lines.count = 0;
	tally->doublings = 0;
}

static void tally_start(struct model *model, struct tally *tally)
{
	mpz_init_set_ui(tally->product, 1);
	for (const struct node *node = model->pending.all.first; node; node = node->later) {
		node->line->dirty->ways = 1;
		node->line->dirty->ways_before = 0;
	}
}

void model_count(struct model *model, mpz_t count)
{
	const struct node *node = model->pending.all.first;
	const struct order *order = model->pending.orders;
	struct tally tally = {0};

	BUG_ON(model->depth != MODEL_STATES);
	tally_start(model, &tally);
	mpz_set_ui(count, 0);
	for (;;) {
		for (; node && (!order || node->unit.event < order->event); node = node->later)
			node_enter(&tally, node);
		tally_settle(&tally);
		mpz_add(count, count, tally.product);
		if (!order)
			break;
		order_force(&tally, order);
		tally_settle(&tally);
		mpz_sub(count, count, tally.product);
		order = order->next;
	}
	mpz_clear(tally.product);
	vec_free(&tally.lines);
	vec_free(&tally.factors);
}
