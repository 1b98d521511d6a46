/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pending.h - the units that a crash may lose or keep, and what binds them.  For the platforms; everybody else uses model.h.
 *
 * A pending unit is a node of four lists:
 *
 *   all      every pending unit of the model, in the order of the stores
 *   its own  CACHED: those of its line, in order; DIRECT: those of its thread; WRITTEN: those of the model
 *   top      of its aligned word: the units that the program would see there, latest first.  One that later units have overwritten
 *            altogether is no longer in it, so there are at most 8
 *   order    the first CLFLUSH that covered it, if there was one
 *
 * Nodes, and the other small things here, come from free lists: once the program is in its stride nothing is allocated. */
#ifndef BLACKOUT_MODEL_PENDING_H
#define BLACKOUT_MODEL_PENDING_H

#include "base/slab.h"
#include "model/memory.h"
#include "model/model.h"

#define WORD_BYTES 8u
#define LINE_WORDS (LINE_BYTES / WORD_BYTES)

struct node {
	struct unit unit;
	struct node *next, *previous; /* in its own list */
	struct node *later, *earlier; /* in `all` */
	struct node *below;           /* in the list of its word */
	struct order *order;
	struct line *line;
	uint8_t visible; /* bytes of the word that no later store has overwritten; 0: it is in no top list */
	bool told;       /* it was called a leftover */
};

struct nodes {
	struct node *first, *last;
};

/* What is pending on a line. */
struct dirty {
	struct nodes cached;
	struct node *top[LINE_WORDS];
	unsigned count[3]; /* units, by enum unit_kind */
	struct dirty *next_free;

	/* Scratch of sets.c. */
	uint64_t missing; /* event of the first unit that is not in the set */
	uint64_t ways, ways_before, group_event;
	unsigned group_units;
};

/* A CLFLUSH, from now until all units that it was the first to order are certain: nothing stored after `event` may be on media unless
 * all cached units of the line stored before it are. */
struct order {
	uint64_t event;
	struct line *line;
	size_t units;                  /* that it was the first to order */
	struct order *next, *previous; /* by event */
};

/* A line flushed by a thread that has not fenced since. */
struct flush {
	struct line *line;
	uint64_t upto;    /* event of the last such flush: units stored before it are covered */
	uint32_t context; /* of that flush */
	uint32_t thread;
	struct flush *in_line; /* next of the line */
	struct flush *next;    /* next of the thread */
};

struct thread {
	struct flush *flushes, *flushes_last; /* in order of first flush */
	unsigned flush_count;
	struct nodes direct;
	unsigned direct_count;
	unsigned volatile_flushes, idle_flushes; /* since its last fence */
	uint64_t stores_before;                  /* PM stores of all threads up to its last fence */
};

struct pending {
	struct nodes all; /* linked by later and earlier */
	size_t count;
	struct nodes written;
	struct order *orders, *orders_last;
	VEC_OF(struct thread) threads; /* by id */
	uint64_t newest_certain;       /* latest event of a unit that became certain */

	struct slab node_slab, dirty_slab, order_slab, flush_slab;
	struct node *free_nodes; /* linked by next */
	struct dirty *free_dirty;
	struct order *free_orders;
	struct flush *free_flushes;
};

void pending_init(struct pending *pending);
void pending_free(struct pending *pending);

/* The thread, made up if it is new.  Valid until the next new thread. */
struct thread *pending_thread_new(struct pending *pending, uint32_t id);

static inline struct thread *pending_thread(struct pending *pending, uint32_t id)
{
	return id < pending->threads.count ? &pending->threads.at[id] : pending_thread_new(pending, id);
}

/* The same, or NULL if it is new. */
static inline const struct thread *pending_thread_known(const struct pending *pending, uint32_t id)
{
	return id < pending->threads.count ? &pending->threads.at[id] : NULL;
}

/* A record for a line on which nothing was pending. */
static inline struct dirty *pending_dirty_take(struct pending *pending)
{
	struct dirty *dirty = pending->free_dirty;

	if (!dirty)
		return slab_push(&pending->dirty_slab);
	pending->free_dirty = dirty->next_free;
	return dirty; /* as the last removal left it: empty */
}

/* The own list of a unit that is not CACHED. */
struct nodes *pending_other_list(struct pending *pending, unsigned kind, uint32_t thread);

/* Take a unit out of all lists, and forget it.  Its order goes with the last unit; so does `dirty` of its line. */
void pending_remove(struct pending *pending, struct node *node);

/* The same for the first cached units of a line, up to and including `last`: cheaper than one by one. */
void pending_remove_cached(struct pending *pending, struct line *line, struct node *last);

/* A later store overwrites the bytes `mask` of word `word` of the line.  Nodes that lose their last byte leave the top list; they
 * are removed altogether if `forget`. */
void pending_hide(struct pending *pending, struct line *line, unsigned word, uint8_t mask, bool forget);

/* The bytes `mask` of the node's word are no longer what the program sees there, but what is certain. */
void pending_uncover(struct node *node, uint8_t mask);

/* Units of a line that were not in any CLFLUSH before are now ordered before everything after `event`. */
void pending_order(struct pending *pending, struct line *line, uint64_t event);

/* The flush of `line` by a thread that has not fenced since, or NULL. */
struct flush *flush_find(const struct line *line, uint32_t thread);

/* The same, made if there is none. */
struct flush *flush_open(struct pending *pending, struct line *line, uint32_t thread);

/* The thread's flushes are over, by a fence or by its end. */
void flush_close_all(struct pending *pending, struct thread *thread);

/* Bytes of a word: from `within` on, `size` of them. */
static inline uint8_t byte_mask(unsigned within, unsigned size)
{
	return (uint8_t)(((1u << size) - 1) << within);
}

static inline uint8_t unit_mask(const struct unit *unit)
{
	return byte_mask(unit->offset % WORD_BYTES, unit->size);
}

static inline unsigned unit_word(const struct unit *unit)
{
	return unit->offset % LINE_BYTES / WORD_BYTES;
}

/* Append a unit to all its lists.  The rest of the analysis together costs about what this does, so it is worth inlining. */
static inline void pending_add(struct pending *pending, struct line *line, const struct unit *unit)
{
	struct node *node = pending->free_nodes, **top;
	struct dirty *dirty = line->dirty;
	struct nodes *own;

	if (node)
		pending->free_nodes = node->next;
	else
		node = slab_push(&pending->node_slab);
	if (!dirty)
		dirty = line->dirty = pending_dirty_take(pending);
	top = &dirty->top[unit_word(unit)];
	own = unit->kind == UNIT_CACHED ? &dirty->cached : pending_other_list(pending, unit->kind, unit->thread);
	/* One by one: as a whole it would be put together elsewhere and copied. */
	node->unit = *unit;
	node->next = node->later = NULL;
	node->previous = own->last;
	node->earlier = pending->all.last;
	node->below = *top;
	node->order = NULL;
	node->line = line;
	node->visible = unit_mask(unit);
	node->told = false;
	*top = node;
	*(own->last ? &own->last->next : &own->first) = node;
	own->last = node;
	*(pending->all.last ? &pending->all.last->later : &pending->all.first) = node;
	pending->all.last = node;
	dirty->count[unit->kind]++;
	pending->count++;
	if (unit->kind == UNIT_DIRECT)
		pending_thread(pending, unit->thread)->direct_count++;
}

#endif
