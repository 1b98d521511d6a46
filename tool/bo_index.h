/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_index.h - tables whose entries are numbered from 1, and found by their content. */
#ifndef BO_INDEX_H
#define BO_INDEX_H

#include "pub_tool_basics.h"

void *bo_reserve(SizeT size);       /* address space that becomes memory as it is used */
void *bo_reserve_array(SizeT size); /* the same, for what is used from its start on: in huge pages, if there are any */

/* A hash table of numbers below 2^22; 0 is free.  It grows with what is in it, so that a small one stays in the
 * processor's caches.  Besides the number a slot has ten bits of its hash, so that nearly all entries that are looked at
 * are those that are looked for.  Numbers are added in ascending order.
 *
 *	bo_index_fit(index, count);
 *	slot = bo_index_first(index, hash);
 *	for (; (number = bo_index_find(index, hash, &slot)); slot++)
 *		if (... it is the one ...)
 *			return number;
 *	bo_index_put(index, hash, slot, count++); */
#define BO_INDEX_NUMBER_BITS 22

struct bo_index {
	UInt *slots;
	UInt mask;
	UInt (*hash)(UInt number);
};

struct bo_index bo_index_new(UInt most, UInt (*hash)(UInt number));
void bo_index_fit(struct bo_index *index, UInt count); /* make room for number `count`; all below are in it */
void bo_index_add(struct bo_index *index, UInt from, UInt count);    /* the numbers from `from` to count - 1 */
void bo_index_remove(struct bo_index *index, UInt from, UInt count); /* the same; they are the last ones */

static inline UInt bo_index_first(const struct bo_index *index, UInt hash)
{
	return hash & index->mask;
}

/* The next number from the slot on that may have this hash; 0: there is none, and the slot is free. */
static inline UInt bo_index_find(const struct bo_index *index, UInt hash, UInt *slot)
{
	for (;; ++*slot) {
		UInt at = index->slots[ *slot &= index->mask];
		if (!at || (at ^ hash) >> BO_INDEX_NUMBER_BITS == 0)
			return at & ((1u << BO_INDEX_NUMBER_BITS) - 1);
	}
}

static inline void bo_index_put(struct bo_index *index, UInt hash, UInt slot, UInt number)
{
	index->slots[slot] = number | hash >> BO_INDEX_NUMBER_BITS << BO_INDEX_NUMBER_BITS;
}

/* ---- collection ----
 * Most entries are soon forgotten.  So those that were added since the last collection, the young ones, are collected
 * often, and their places are used again while they are in the processor's caches.  Those that are left are old, and
 * are collected only when there are twice as many as after the last time. */
struct bo_ages {
	UInt young;      /* the first young entry */
	UInt old_enough; /* so many old ones are worth a collection of all */
	UInt least, most;
	UInt from, count; /* of this collection: the first entry, and the end of the table before */
	UInt *moved;      /* by entry - from: its new number; 0 is dead, and 1 or more is alive until then */
};

struct bo_ages bo_ages_new(UInt least, UInt most);
void bo_ages_begin(struct bo_ages *ages, UInt count, Bool all);
void bo_ages_end(struct bo_ages *ages, UInt live);     /* `live`: the end of the table now */
UInt bo_ages_enough(UInt live, UInt least, UInt most); /* what is `old_enough` if so many are left */

static inline void bo_ages_mark(struct bo_ages *ages, UInt entry)
{
	if (entry >= ages->from)
		ages->moved[entry - ages->from] = 1;
}

static inline UInt bo_ages_moved(const struct bo_ages *ages, UInt entry)
{
	return entry >= ages->from ? ages->moved[entry - ages->from] : entry;
}

#endif
