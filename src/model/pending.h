/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pending.h - the units that a crash may lose or keep, and what binds them.  For the platforms; everybody else uses
 * model.h.
 *
 * What a store leaves pending on one line is a node: its units, one for each word, have everything in common but place
 * and value.  One of them leaves the others only where it is overwritten, cut off, or alone in the range of a
 * synchronisation.  A node is in four lists:
 *
 *   all      every node of the model, in the order of the stores
 *   its own  CACHED: those of its line, in order; DIRECT: those of its thread; WRITTEN: those of the model
 *   top      of its line: the nodes of which the program would see a byte there, latest first
 *   order    the first CLFLUSH that covered it, if there was one
 *
 * Nodes, and the other small things here, come from free lists: once the program is in its stride nothing is
 * allocated. */
#ifndef BLACKOUT_MODEL_PENDING_H
#define BLACKOUT_MODEL_PENDING_H

#include <string.h>

#include "base/slab.h"
#include "model/memory.h"
#include "model/model.h"

#define WORD_BYTES 8u

/* Bytes of a line are bits of 64. */
struct node {
	struct unit unit; /* what its units have in common: no value, and the offset of the line */
	uint64_t bytes;   /* of its units: in each word none, or several without a gap */
	uint64_t visible; /* those of them that no later store has overwritten; 0: it is not in the top list */
	uint8_t units;
	uint8_t told;                 /* words whose unit was called a leftover, a bit each */
	struct node *next, *previous; /* in its own list */
	struct node *later, *earlier; /* in `all` */
	struct node *below;           /* in the top list */
	struct order *order;
	struct line *line;
	uint8_t value[LINE_BYTES]; /* at the place of each byte in the line */
};

struct nodes {
	struct node *first, *last;
};

/* What is pending on a line. */
struct dirty {
	struct nodes cached;
	struct node *top;
	uint64_t visible;  /* bytes of all nodes in it */
	unsigned count[3]; /* units, by enum unit_kind */
	struct dirty *next_free;

	/* Scratch of sets.c. */
	uint64_t missing; /* event of the first unit that is not in the set */
	uint64_t ways, ways_before;
};

/* A CLFLUSH, from now until all units that it was the first to order are certain: nothing stored after `event` may be
 * on media unless all cached units of the line stored before it are. */
struct order {
	uint64_t event;
	struct line *line;
	size_t nodes;                  /* that it was the first to order */
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

/* The own list of a node that is not CACHED. */
struct nodes *pending_other_list(struct pending *pending, unsigned kind, uint32_t thread);

/* Take a node out of all lists, and forget it.  Its order goes with the last node; so does `dirty` of its line. */
void pending_remove(struct pending *pending, struct node *node);

/* The same for the first cached nodes of a line, up to and including `last`: cheaper than one by one. */
void pending_remove_cached(struct pending *pending, struct line *line, struct node *last);

/* Forget the units in these words, a bit each; the node goes with its last. */
void pending_remove_units(struct pending *pending, struct node *node, unsigned words);

/* A later store overwrites the bytes `mask` of the line.  Units that lose their last visible byte are removed if
 * `forget`. */
void pending_hide(struct pending *pending, struct line *line, uint64_t mask, bool forget);

/* The bytes `mask` of the node's line are no longer what the program sees there, but what is certain. */
void pending_uncover(struct node *node, uint64_t mask);

/* Nodes of a line that were not in any CLFLUSH before are now ordered before everything after `event`. */
void pending_order(struct pending *pending, struct line *line, uint64_t event);

/* The flush of `line` by a thread that has not fenced since, or NULL. */
struct flush *flush_find(const struct line *line, uint32_t thread);

/* The same, made if there is none. */
struct flush *flush_open(struct pending *pending, struct line *line, uint32_t thread);

/* The thread's flushes are over, by a fence or by its end. */
void flush_close_all(struct pending *pending, struct thread *thread);

/* Bytes of a line, or of a word: from `within` on, `size` of them, at least one. */
static inline uint64_t byte_mask(unsigned within, unsigned size)
{
	return UINT64_MAX >> (LINE_BYTES - size) << within;
}

/* Those of words, a bit each. */
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

/* The words that have one of these bytes. */
static inline unsigned words_of(uint64_t bytes)
{
	return octets_of(bytes);
}

/* The first of a set of words that is not empty. */
static inline unsigned word_first(unsigned words)
{
	return (unsigned)__builtin_ctz(words);
}

/* Fill in what only the unit in this word has, which must be there. */
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

/* Append what an event leaves pending on a line, which is at `offset` in the file and holds `content` by now: the bytes
 * `bytes`, in so many units.  The rest of the analysis together costs about what this does, so it is worth inlining. */
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
	/* One by one: as a whole it would be put together elsewhere and copied. */
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
	node->told = 0;
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
