/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers.h - functions of the user that flush and fence for their callers: persist, pflush, clflush_range.
 *
 *     struct helpers *helpers = helpers_find(trace, symbols, activity, &options);
 *     options.helpers = helpers;                       // stacks.c folds them like a library
 *     ...
 *     helpers_free(helpers);
 *
 * A needless flush is the mistake of the line that asked for it, not of the function that does all flushing.  A function
 * of the user's code is a helper if in this run:
 *
 *  1. It flushes or fences, itself or in what it calls, and nothing in it or below it changes PM.  So an operation is
 *     no helper, although it may flush only: what it calls stores.
 *  2. If it flushes, its caller can name what: it has a parameter that can hold an address.  A function without one
 *     (`commit(void)`) flushes what it chose itself.
 *  3. If only addresses can be meant (`void *`, a pointer to a number, bytes with a length, whatever a template is
 *     given) and it returns nothing, that is enough.  Otherwise (an object, a result, no debug info) the run must show
 *     that it follows its callers: it has written back what one of them, or something else that they called, had just
 *     stored; and its callers do not all have it flush the same lines.  So a lookup that flushes what it finds is no
 *     helper, nor is a function that flushes the header of the object that it is given.
 *  4. If it only fences, it returns nothing, and takes nothing or an address.
 *  5. A line of a helper is not folded if it is always in vain, whoever calls: it flushes what another line of the
 *     helper has flushed in the same call, or fences before the helper flushes.  That mistake is the helper's own.
 *
 * Rule 3 looks at types first so that a small change of the input does not make a helper of a function, or none: that
 * would move its findings, and give them other fingerprints.
 *
 * Stores are never folded by this, because of rule 1.  The outermost function of the user's in a stack never is. */
#ifndef BLACKOUT_FINDING_HELPERS_H
#define BLACKOUT_FINDING_HELPERS_H

#include "detect/activity.h"
#include "finding/finding.h"

/* All helpers of a recording that was read to its end.  Patterns of --no-fold name functions that are none. */
struct helpers *helpers_find(const struct trace *trace, struct symbols *symbols, const struct activity *activity,
			     const struct findings_options *options);
void helpers_free(struct helpers *helpers);

/* Is the frame one of a helper?  `helpers` may be NULL: there are none. */
bool helpers_have(const struct helpers *helpers, const struct symbols_frame *frame);

#endif
