/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Count the sets that may be on media, without enumerating them.
 *
 * Without CLFLUSH the lines, and the units that are not cached, are independent, so their counts multiply.  A line
 * whose pending stores have n1, n2, ... units has 1 + (2^n1 - 1) + (2^n2 - 1) + ... states: nothing, or a part of one
 * store and all stores before it.
 *
 * With CLFLUSHes at t1 < t2 < ... < tm, assign each set to the latest tk after which one of its units was stored (k = 0
 * if there is none).  The set then contains everything that t1 ... tk ordered, and nothing stored after tk+1.  Let F(s,
 * k) be the number of sets of units stored up to s that contain everything that t1 ... tk ordered.  Then the number of
 * sets with k > 0 is F(tk+1, k) - F(tk, k): the second term removes the sets without a unit after tk.  F is again a
 * product, and moving from one k to the next only touches the lines that change. */
#include "base/err.h"
#include "model/platform.h"

struct tally {
	mpz_t product;                /* F of the units entered so far */
	VEC_OF(struct dirty *) lines; /* whose ways have changed since `product` was updated */
	mp_bitcnt_t doublings;        /* number of units entered since then that are not cached */
	VEC_OF(uint64_t) factors;
};

/* The product of `count` factors, by halves, so that the numbers multiplied have similar sizes. */
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

/* All units of the line that were entered must be in the set, which leaves one way. */
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

/* Bring `product` up to date. */
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
