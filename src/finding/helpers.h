/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers.h - finds the user's functions that flush and fence for their callers: persist, pflush, clflush_range.
 *
 *     struct helpers *helpers = helpers_find(trace, symbols, activity, &options);
 *     options.helpers = helpers;                       // stacks.c folds them like a library
 *     ...
 *     helpers_free(helpers);
 *
 * A needless flush is the mistake of the line that asked for it, not of the function that does all flushing.  A
 * function of the user's code is a helper if, in this run:
 *
 *  1. It flushes or fences, itself or through its callees, and neither it nor its callees change PM.  So an operation
 *     that itself only flushes is not a helper, because its callees store.
 *  2. If it flushes, its caller can tell it what to flush: it has a parameter that can hold an address.  A function
 *     without one (`commit(void)`) decides itself what to flush.
 *  3. If its parameters can only be meant as addresses (`void *`, a pointer to a number, bytes with a length, any
 *     template argument) and it returns nothing, that is enough.  Otherwise (it takes an object, returns a result, or
 *     has no debug info) the run must show that it does what its callers ask: it has written back data that a caller,
 *     or another callee of that caller, had just stored; and its callers do not all make it flush the same lines.  So a
 *     lookup that flushes what it finds is not a helper, and neither is a function that flushes the header of the
 *     object passed to it.
 *  4. If it only fences, it returns nothing, and takes no parameter or an address.
 *  5. A line of a helper is not folded if it is needless for every caller: it flushes what another line of the helper
 *     has flushed in the same call, or fences before the helper flushes.  That mistake is the helper's own.
 *
 * Rule 3 looks at types first, so that a small change of the input does not change which functions are helpers.  Such a
 * change would move findings and give them other fingerprints.
 *
 * Because of rule 1, stores are never folded into callers.  The outermost user function in a stack is never folded. */
#ifndef BLACKOUT_FINDING_HELPERS_H
#define BLACKOUT_FINDING_HELPERS_H

#include "detect/activity.h"
#include "finding/finding.h"

/* Finds all helpers of a recording that was read to its end.  Functions that match a pattern of --no-fold are never
 * helpers. */
struct helpers *helpers_find(const struct trace *trace, struct symbols *symbols, const struct activity *activity,
			     const struct findings_options *options);
void helpers_free(struct helpers *helpers);

/* True if the frame belongs to a helper.  `helpers` may be NULL: there are none. */
bool helpers_have(const struct helpers *helpers, const struct symbols_frame *frame);

#endif
