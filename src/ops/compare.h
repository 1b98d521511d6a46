/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.h - is what recovery printed after a crash what one of the legal histories would have printed?
 *
 *     struct output_mask mask = {0};
 *     mask_learn(&mask, &once, &again);                 // two orderly runs: what they print differently does not count
 *     struct expected expected[] = {{before, &mask_before}, {after, &mask}};
 *     struct comparison c = compare_any(expected, 2, &got);
 *     if (c.match < 0)
 *             ... the output of no legal history; it agrees longest with expected[c.nearest] ...
 *
 * An operation that was under way may have happened or not: two outputs are legal.  With a lag, or with operations in
 * several threads (orders.h), there are more.
 *
 * Masks.  A line that two orderly runs on the same content print differently (a time, an address, a random number) does
 * not count.  If the runs print as many lines as each other, these are single lines, by their number in the body, and
 * all other lines must agree.  If not, no number of a line after the first difference means the same in both.  Then
 * only the lines before the first difference and those after the last one count, the latter from the end backward, and
 * anything may stand between them.  Aligning the lines in the middle would be a guess, and a wrong guess would be a
 * false alarm. */
#ifndef BLACKOUT_OPS_COMPARE_H
#define BLACKOUT_OPS_COMPARE_H

#include "base/vec.h"
#include "ops/output.h"

/* What does not count in the body of an expected output.  Zeroed: everything counts. */
struct output_mask {
	VEC_OF(bool) lines; /* by number: is it masked?  Lines after the last one here are not. */
	bool open;          /* only the first `head` lines, except those masked, and the last `tail` lines count */
	size_t head, tail;
};

/* Mask what differs between the body of an expected output and that of another orderly run on the same content, in
 * addition to what is masked already. */
void mask_learn(struct output_mask *mask, const struct output_body *expected, const struct output_body *again);
void mask_free(struct output_mask *mask);

/* The output of a legal history. */
struct expected {
	struct output_body body;
	const struct output_mask *mask; /* NULL: everything counts */
};

/* The first lines that differ, by their numbers in the two bodies.  The numbers are the same except behind the part
 * that an open mask leaves out.  A number may be that of the line after the last one: this body ends too early. */
struct difference {
	bool found;
	size_t expected, got;
};

struct difference compare_one(const struct expected *expected, const struct output_body *got);

struct comparison {
	int match;        /* index of the expected output that was printed; -1: none */
	unsigned nearest; /* without a match: the one that agrees longest from the start, the first of several */
	struct difference difference; /* and where they begin to differ */
};

/* `count` is at least 1. */
struct comparison compare_any(const struct expected *expected, unsigned count, const struct output_body *got);

#endif
