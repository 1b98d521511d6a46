/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pending.h - the units that a crash may lose or keep, and the dependencies between them.  For the platforms; other
 * modules use model.h.
 *
 * A node holds everything that one store leaves pending on one line.  Its units, one per word, differ only in place and
 * value.  A unit is separated from the others only if it is overwritten, cut off, or alone in the range of a
 * synchronization.  A node is in four lists:
 *
 *   all      every node of the model, in the sequence of the stores
 *   its own  CACHED: the nodes of its line, in sequence; DIRECT: those of its thread; WRITTEN: those of the model
 *   top      the nodes of its line of which the program would see a byte, latest first
 *   order    the first CLFLUSH that covered it, if any
 *
 * Nodes, and the other small structs here, come from free lists: in the steady state nothing is allocated. */
#ifndef BLACKOUT_MODEL_PENDING_H
#define BLACKOUT_MODEL_PENDING_H

#include <string.h>

#include "base/slab.h"
#include "model/memory.h"
#include "model/model.h"

#define WORD_BYTES 8u

/* Bytes of a line are represented as 64 bits. */
struct node {
	struct unit unit; /* the fields its units share: no value, and the offset of the line */
	uint64_t bytes;   /* bytes of its units: in each word none, or a contiguous run */
	uint64_t visible; /* those of them that no later store has overwritten; 0: not in the top list */
	uint8_t units;
	uint8_t reported;             /* bit mask of words whose unit was reported as a leftover */
	struct node *next, *previous; /* in its own list */
	struct node *later, *earlier; /* in `all` */
	struct node *below;           /* in the top list */
	struct order *order;
	struct line *line;
	uint8_t value[LINE_BYTES]; /* each byte at its place in the line */
};

struct nodes {
	struct node *first, *last;
};

/* Everything pending on a line. */
struct dirty {
	struct nodes cached;
	struct node *top;
	uint64_t visible;  /* bytes of all nodes in the top list */
	unsigned count[3]; /* units, by enum unit_kind */
	struct dirty *next_free;

	/* Scratch space of sets.h. */
	uint64_t missing; /* event of the first unit that is not in the set */
	uint64_t ways, ways_before;
};

/* A CLFLUSH, until all units that it was the first to order are certain.  Nothing stored after `event` may be on media
 * unless all cached units of the line that were stored before it are. */
struct order {
	uint64_t event;
	struct line *line;
	size_t nodes;                  /* number of nodes that it was the first to order */
	struct order *next, *previous; /* by event */
};

/* A line flushed by a thread that has not fenced since. */
struct flush {
	struct line *line;
	uint64_t upto;    /* event of the last such flush: it covers the units stored before it */
	uint32_t context; /* of the last such flush */
	uint32_t thread;
	struct flush *in_line; /* next flush of the line */
	struct flush *next;    /* next flush of the thread */
};

struct thread {
	struct flush *flushes, *flushes_last; /* sorted by first flush */
	unsigned flush_count;
	struct nodes direct;
	unsigned direct_count;
	unsigned volatile_flushes, idle_flushes; /* since its last fence */
	uint64_t stores_before;                  /* PM stores of all threads up to its last fence */
};

struct pending {
	struct nodes all; /* linked by later and earlier */
	size_t count;     /* units */
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

/* Return the thread, created if it is new.  Valid until the next new thread. */
struct thread *pending_thread_new(struct pending *pending, uint32_t id);

static inline struct thread *pending_thread(struct pending *pending, uint32_t id)
{
	return id < pending->threads.count ? &pending->threads.at[id] : pending_thread_new(pending, id);
}

/* The same, but NULL if it is new. */
static inline const struct thread *pending_thread_known(const struct pending *pending, uint32_t id)
{
	return id < pending->threads.count ? &pending->threads.at[id] : NULL;
}

/* Return a record for a line on which nothing was pending. */
static inline struct dirty *pending_dirty_take(struct pending *pending)
{
	struct dirty *dirty = pending->free_dirty;

	if (!dirty)
		return slab_push(&pending->dirty_slab);
	pending->free_dirty = dirty->next_free;
	return dirty; /* empty, as the last removal left it */
}

/* The own list of a node that is not CACHED. */
struct nodes *pending_other_list(struct pending *pending, unsigned kind, uint32_t thread);

/* Remove the units in these words (a bit mask).  Removing the last unit removes the node.  Removing the last node of an
 * order removes the order; likewise `dirty` of a line. */
void pending_remove_units(struct pending *pending, struct node *node, unsigned words);

/* Remove the first cached nodes of a line, up to and including `last`; cheaper than one by one. */
void pending_remove_cached(struct pending *pending, struct line *line, struct node *last);

/* A later store overwrites the bytes `mask` of the line.  If `forget`, units that lose their last visible byte are
 * removed. */
void pending_hide(struct pending *pending, struct line *line, uint64_t mask, bool forget);

/* For the bytes `mask` of the node's line, the program now sees what is certain, not the node's bytes. */
void pending_uncover(struct node *node, uint64_t mask);

/* Nodes of a line that no CLFLUSH covered before now precede everything after `event`. */
void pending_order(struct pending *pending, struct line *line, uint64_t event);

/* Return the flush of `line` by a thread that has not fenced since, created if there is none. */
struct flush *flush_open(struct pending *pending, struct line *line, uint32_t thread);

/* The thread's flushes are over, because it fenced or ended. */
void flush_close_all(struct pending *pending, struct thread *thread);

/* Mask of `size` bytes of a line or word, starting at `within`; `size` is at least 1. */
static inline uint64_t byte_mask(unsigned within, unsigned size)
{
	return UINT64_MAX >> (LINE_BYTES - size) << within;
}

/* Mask of the bytes of these words (a bit mask). */
static inline uint64_t words_mask(unsigned words)
{
	uint64_t bits = words * 0x0101010101010101u & 0x8040201008040201u;

	return ((bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 0xff;
}

/* A bit for each octet that is not zero. */
static inline unsigned octets_of(uint64_t bits)
{
	bits |= bits >> 4;
	bits |= bits >> 2;
	bits |= bits >> 1;
	return (unsigned)((bits & 0x0101010101010101u) * 0x0102040810204080u >> 56);
}

/* The words that contain one of these bytes. */
static inline unsigned words_of(uint64_t bytes)
{
	return octets_of(bytes);
}

/* The first word of a non-empty set. */
static inline unsigned word_first(unsigned words)
{
	return (unsigned)__builtin_ctz(words);
}

/* Fill in the fields that only the unit in this word has.  The unit must exist. */
static inline void unit_place(struct unit *unit, const struct node *node, unsigned word)
{
	unsigned bytes = (unsigned)(node->bytes >> word * WORD_BYTES & 0xff);
	unsigned within = (unsigned)__builtin_ctz(bytes);
	uint64_t value;

	unit->size = (uint8_t)(32 - (unsigned)__builtin_clz(bytes) - within);
	unit->offset = node->unit.offset + word * WORD_BYTES + within;
	memcpy(&value, node->value + word * WORD_BYTES, sizeof(value));
	value = value >> within * 8 & UINT64_MAX >> (WORD_BYTES - unit->size) * 8;
	memcpy(unit->value, &value, sizeof(unit->value));
}

/* Append what an event leaves pending on a line: the bytes `bytes`, in `units` units.  The line is at `offset` in the
 * file and already holds `content`.  This costs about as much as the rest of the analysis together, so it is worth
 * inlining. */
static inline void pending_add(struct pending *pending, struct line *line, const struct event *ev, uint64_t number,
			       enum unit_kind kind, uint64_t offset, const uint8_t *content, uint64_t bytes,
			       unsigned units)
{
	struct node *node = pending->free_nodes;
	struct dirty *dirty = line->dirty;
	struct nodes *own;

	if (node)
		pending->free_nodes = node->next;
	else
		node = slab_push(&pending->node_slab);
	if (!dirty)
		dirty = line->dirty = pending_dirty_take(pending);
	own = kind == UNIT_CACHED ? &dirty->cached : pending_other_list(pending, kind, ev->thread);
	/* Field by field: a struct assignment would be built elsewhere and then copied. */
	node->unit.event = number;
	node->unit.offset = offset;
	node->unit.file = ev->file;
	node->unit.context = ev->context;
	node->unit.thread = ev->thread;
	node->unit.flush_event = 0;
	node->unit.flush_context = 0;
	node->unit.kind = (uint8_t)kind;
	node->unit.cover = UNIT_BARE;
	node->unit.store = (uint8_t)ev->kind;
	node->bytes = node->visible = bytes;
	node->units = (uint8_t)units;
	node->reported = 0;
	node->next = node->later = NULL;
	node->previous = own->last;
	node->earlier = pending->all.last;
	node->below = dirty->top;
	node->order = NULL;
	node->line = line;
	memcpy(node->value, content, sizeof(node->value));
	dirty->top = node;
	dirty->visible |= bytes;
	*(own->last ? &own->last->next : &own->first) = node;
	own->last = node;
	*(pending->all.last ? &pending->all.last->later : &pending->all.first) = node;
	pending->all.last = node;
	dirty->count[kind] += units;
	pending->count += units;
	if (kind == UNIT_DIRECT)
		pending_thread(pending, ev->thread)->direct_count += units;
}

#endif
