/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choices.h - all that a crash may decide at one moment, in one block of memory.
 *
 *     struct choices *c = choices_take(model);                   // the trace may move on now; free() gives it back
 *
 *     struct choices_bounds bounds = CHOICES_OPEN;               // nothing is decided
 *     uint8_t taken[c->line_units_max];
 *     for (bool more = choices_first(c, line, bounds, CHOICES_CONTENTS, taken); more;
 *          more = choices_next(c, line, bounds, CHOICES_CONTENTS, taken)) {
 *             struct choices_bounds after = choices_decide(c, line, taken, bounds);
 *             ...                                                // this line is decided; go on with another one, within `after`
 *
 * The units are those of model_pending, sorted by line, and within a line in the order of the stores.  A decision about
 * a line is a flag for each of its units.  Lines may be decided in any order: every decision that is offered can be
 * completed, whatever is decided next, and the complete decisions are exactly the sets of model_enumerate.
 *
 * How.  Let an order be a CLFLUSH with pending units before it on its line.  Within a line, a cached unit needs the
 * earlier ones (of earlier events).  Between lines there is one rule only: if an order is broken, that is, one of its
 * units is left out, nothing stored after it may be taken.  So all that other lines need to know of a decision are two
 * numbers: `latest`, the event of the latest unit taken, and `barrier`, the event of the first broken order; and
 * decisions agree if every latest comes before every barrier.
 *
 * The block has no pointers in it: it may be copied, written to a file and mapped elsewhere.  choices.c allocates
 * nothing and calls nothing but memcpy, so that it can be used in a signal handler of another program. */
#ifndef BLACKOUT_MODEL_CHOICES_H
#define BLACKOUT_MODEL_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHOICES_LINE 64u         /* bytes */
#define CHOICES_NEVER UINT64_MAX /* later than every event */
#define CHOICES_NONE UINT32_MAX  /* no such line */

/* A pending unit; see struct unit in model.h for what is not explained here. */
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
	uint8_t kind; /* enum unit_kind: 0 is CACHED; the others are bound to nothing in their line */
	uint8_t cover;
	uint8_t store;
	/* Bit i: value[i] is seen if the unit is taken and nothing later on that byte is.  All, unless something newer
	 * is certain already: then image_choices (image) clears it. */
	uint8_t shows;
	/* By choices_mark: if this is the last unit taken, a later state of the line has the same bytes. */
	uint8_t returns;
	uint8_t unused[6];
};

struct choices_line {
	uint64_t offset; /* in the file, a multiple of 64 */
	uint32_t file;
	uint32_t first; /* unit */
	uint32_t count; /* of units, at least 1 */
	uint32_t unused;
};

struct choices {
	uint64_t bytes; /* of the whole block */
	uint64_t event; /* the crash comes after it */
	uint32_t line_count, unit_count;
	uint32_t line_units_max; /* units of the fullest line */
	uint32_t order_count;    /* different orders; 0: lines have nothing to do with each other */
				 /* then: lines by (file, offset); units */
};

static inline const struct choices_line *choices_lines(const struct choices *c)
{
	return (const struct choices_line *)(c + 1);
}

static inline const struct choices_unit *choices_units(const struct choices *c)
{
	return (const struct choices_unit *)(choices_lines(c) + c->line_count);
}

/* What is pending in a model of depth MODEL_STATES.  One block, free() it.  (choices_take.c; the rest is choices.c.) */
struct model;
struct choices *choices_take(struct model *model);

/* Mark what CHOICES_ONCE leaves out, once it is known what the units show.  (choices_mark.c) */
void choices_mark(struct choices *c);

/* A block that comes from elsewhere: is it well formed?  All below trust it. */
bool choices_check(const struct choices *c, size_t bytes);

/* The first line at or after that byte, of that file or a later one; line_count if there is none.  For ranges. */
uint32_t choices_find_from(const struct choices *c, uint32_t file, uint64_t offset);

/* What the decisions so far demand of the lines that are still open. */
struct choices_bounds {
	uint64_t latest;  /* all that orders before this event cover must be taken */
	uint64_t barrier; /* nothing stored after this event may be */
};

#define CHOICES_OPEN ((struct choices_bounds){0, CHOICES_NEVER})

enum choices_mode {
	/* Every legal set of the line's units, once. */
	CHOICES_SETS,
	/* Leave out sets of which it is plain that another has the same bytes and demands no more of other lines: units
	 * that are not cached are not taken where later ones hide them.  Two sets may still have the same bytes. */
	CHOICES_CONTENTS,
	/* Leave out what choices_mark found, too: a lock that was taken and given back a thousand times has two
	 * contents. */
	CHOICES_ONCE,
};

/* The alternatives of one line within bounds, one after the other; the first takes as little as it may, and there is
 * always one.  `taken` has a flag (0 or 1) for each unit of the line, in its order, and carries the whole position: it
 * may be kept, and gone on from later.  choices_next returns false after the last. */
bool choices_first(const struct choices *c, uint32_t line, struct choices_bounds bounds, enum choices_mode mode,
		   uint8_t *taken);
bool choices_next(const struct choices *c, uint32_t line, struct choices_bounds bounds, enum choices_mode mode,
		  uint8_t *taken);

/* The alternative that takes as much as it may. */
void choices_most(const struct choices *c, uint32_t line, struct choices_bounds bounds, uint8_t *taken);

/* Do the bounds leave one alternative only?  Then choices_first gives it, and deciding it changes no bounds. */
bool choices_forced(const struct choices *c, uint32_t line, struct choices_bounds bounds);

/* Is this decision legal in itself and within the bounds? */
bool choices_allows(const struct choices *c, uint32_t line, struct choices_bounds bounds, const uint8_t *taken);

/* The bounds after this decision.  The order in which lines are decided does not matter. */
struct choices_bounds choices_decide(const struct choices *c, uint32_t line, const uint8_t *taken,
				     struct choices_bounds bounds);

/* Put the taken units over the line's 64 bytes, which hold what is certain. */
void choices_apply(const struct choices *c, uint32_t line, const uint8_t *taken, uint8_t *bytes);

/* How many sets of units of the open lines there are within bounds: exact as long as all numbers on the way are below
 * 2^53, about right beyond, infinite beyond 2^1023.  `decided` has a flag for each line; NULL: all are open. */
double choices_count(const struct choices *c, struct choices_bounds bounds, const uint8_t *decided);

#endif
