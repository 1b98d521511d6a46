/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choices.h - everything that a crash at one moment may decide, in one block of memory.
 *
 *     struct choices *c = choices_take(model);                   // the trace may advance now; release it with free()
 *
 *     struct choices_bounds bounds = CHOICES_OPEN;               // nothing is decided
 *     uint8_t taken[c->line_units_max];
 *     for (bool more = choices_first(c, line, bounds, CHOICES_CONTENTS, taken); more;
 *          more = choices_next(c, line, bounds, CHOICES_CONTENTS, taken)) {
 *             struct choices_bounds after = choices_decide(c, line, taken, bounds);
 *             ...                                                // now decide another line within `after`
 *
 * The units are those of model_pending, sorted by line, and within a line by the sequence of the stores.  A decision
 * about a line is a flag for each of its units: taken (on media) or not.  Lines may be decided in any sequence: every
 * decision that is offered can be completed, no matter what is decided next, and the complete decisions are exactly the
 * sets that model_allows allows.
 *
 * Method.  An order is a CLFLUSH with pending units before it on its line.  Within a line, a cached unit needs the
 * earlier ones (of earlier events).  Between lines there is only one rule: if an order is broken, that is, one of its
 * units is left out, no unit stored after it may be taken.  So other lines need to know only two numbers about a
 * decision: `latest`, the event of the latest unit taken, and `barrier`, the event of the first broken order.
 * Decisions are compatible if every `latest` comes before every `barrier`.
 *
 * The block contains no pointers: it may be copied, written to a file and mapped elsewhere. choices.c allocates nothing
 * and calls nothing but memcpy, so that it can run in a signal handler of another program. */
#ifndef BLACKOUT_MODEL_CHOICES_H
#define BLACKOUT_MODEL_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line.h"

#define CHOICES_NEVER UINT64_MAX /* later than every event */
#define CHOICES_NONE UINT32_MAX  /* no such line */

/* A pending unit. struct unit in model.h explains the fields that are not explained here. */
struct choices_unit {
	uint64_t event;
	uint64_t order; /* event of the first CLFLUSH that covered it, or CHOICES_NEVER */
	uint64_t offset;
	uint8_t value[8];
	uint32_t file;
	uint32_t context;
	uint32_t thread;
	uint32_t flush_context;
	uint32_t pending; /* its index in model_pending */
	uint8_t size;
	uint8_t kind; /* enum unit_kind: 0 is CACHED; units of the other kinds depend on nothing in their line */
	uint8_t cover;
	uint8_t store;
	/* Bit i: value[i] is visible if this unit is taken and no later unit on that byte is.  All bits are set, unless
	 * something newer is already certain: then image_choices (image) clears them. */
	uint8_t shows;
	/* Set by choices_mark: if this is the last unit taken, a later state of the line has the same bytes. */
	uint8_t returns;
	uint8_t unused[6];
};

struct choices_line {
	uint64_t offset; /* in the file, a multiple of 64 */
	uint32_t file;
	uint32_t first; /* index of the first unit */
	uint32_t count; /* number of units, at least 1 */
	uint32_t unused;
};

struct choices {
	uint64_t bytes; /* size of the whole block */
	uint64_t event; /* the crash comes after this event */
	uint32_t line_count, unit_count;
	uint32_t line_units_max; /* number of units of the fullest line */
	uint32_t order_count;    /* distinct orders; 0: the lines are independent */
				 /* followed by: lines by (file, offset); units */
};

/* The stub inside recovery programs, which another compiler may have built, reads the same bytes. */
_Static_assert(sizeof(struct choices) == 32 && sizeof(struct choices_line) == 24 && sizeof(struct choices_unit) == 64,
	       "no padding");

static inline const struct choices_line *choices_lines(const struct choices *c)
{
	return (const struct choices_line *)(c + 1);
}

static inline const struct choices_unit *choices_units(const struct choices *c)
{
	return (const struct choices_unit *)(choices_lines(c) + c->line_count);
}

/* Collect the pending units of a model of depth MODEL_STATES.  One block; release it with free().  (In choices_take.c;
 * the rest is in choices.c.) */
struct model;
struct choices *choices_take(struct model *model);

/* Mark the states that CHOICES_ONCE leaves out.  Call this when `shows` of the units is final.  (In choices_mark.c.) */
void choices_mark(struct choices *c);

/* Is a block that comes from elsewhere well formed?  All functions below trust it. */
bool choices_check(const struct choices *c, size_t bytes);

/* Return the first line at or after that byte, in that file or a later one; line_count if there is none.  For searching
 * ranges. */
uint32_t choices_find_from(const struct choices *c, uint32_t file, uint64_t offset);

/* Constraints that the decisions so far put on the lines that are still open. */
struct choices_bounds {
	uint64_t latest;  /* all units covered by orders before this event must be taken */
	uint64_t barrier; /* no unit stored after this event may be taken */
};

#define CHOICES_OPEN ((struct choices_bounds){0, CHOICES_NEVER})

enum choices_mode {
	/* Each legal set of the line's units, once. */
	CHOICES_SETS,
	/* Leave out sets if it is obvious that another set has the same bytes and requires no more of other lines:
	 * units that are not cached are not taken if later units hide them.  Two sets may still have the same bytes. */
	CHOICES_CONTENTS,
	/* Also leave out what choices_mark found.  A lock that was taken and released a thousand times has only two
	 * contents. */
	CHOICES_ONCE,
};

/* Iterate over the alternatives of one line within bounds.  The first takes as few units as possible; there is always
 * one.  `taken` has a flag (0 or 1) for each unit of the line and is the complete state of the iteration: it may be
 * saved and continued later. choices_next returns false after the last alternative. */
bool choices_first(const struct choices *c, uint32_t line, struct choices_bounds bounds, enum choices_mode mode,
		   uint8_t *taken);
bool choices_next(const struct choices *c, uint32_t line, struct choices_bounds bounds, enum choices_mode mode,
		  uint8_t *taken);

/* The alternative that takes as many units as possible. */
void choices_most(const struct choices *c, uint32_t line, struct choices_bounds bounds, uint8_t *taken);

/* Do the bounds leave only one alternative?  Then choices_first returns it, and deciding it does not change the
 * bounds. */
bool choices_forced(const struct choices *c, uint32_t line, struct choices_bounds bounds);

/* Return the bounds after this decision.  The sequence in which lines are decided does not matter. */
struct choices_bounds choices_decide(const struct choices *c, uint32_t line, const uint8_t *taken,
				     struct choices_bounds bounds);

/* Copy the taken units over the line's 64 bytes, which hold the certain content. */
void choices_apply(const struct choices *c, uint32_t line, const uint8_t *taken, uint8_t *bytes);

/* The legal set that is closest to a wish.  `taken` has a flag for each unit of the block.  choices_drop leaves out what
 * cannot be on media without the units that are left out: the result is the largest legal set within the given one.
 * choices_demand takes what must be on media together with the units that are taken: the result is the smallest legal
 * set around the given one.  (In choices_close.c.) */
void choices_drop(const struct choices *c, uint8_t *taken);
void choices_demand(const struct choices *c, uint8_t *taken);

/* Count the sets of units of the open lines within bounds.  Exact while all intermediate numbers are below 2^53,
 * approximate above that, infinite above 2^1023.  `decided` has a flag for each line; NULL: all are open. */
double choices_count(const struct choices *c, struct choices_bounds bounds, const uint8_t *decided);

#endif
