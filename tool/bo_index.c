/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_index.c - see bo_index.h. */
#include "bo.h"

#include "bo_index.h"
#include "pub_tool_vkiscnums.h"

#define SMALLEST (1u << 12)
#define ADVICE_HUGE_PAGES 14 /* MADV_HUGEPAGE, which Valgrind's headers do not have */

void *bo_reserve(SizeT size)
{
	SysRes r = VG_(am_mmap_anon_float_valgrind)(size);

	tl_assert(!sr_isError(r));
	return (void *)(Addr)sr_Res(r);
}

/* Entries are looked up in random order, so that with small pages nearly each one would be missing from the processor's
 * table of pages.  A kernel without huge pages refuses, which is no harm. */
void *bo_reserve_array(SizeT size)
{
	void *array = bo_reserve(size);

	bo_syscall(__NR_madvise, array, size, ADVICE_HUGE_PAGES, 0, 0, 0);
	return array;
}

/* ---- hash tables ---- */

struct bo_index bo_index_new(UInt most, UInt (*hash)(UInt number))
{
	return (struct bo_index){bo_reserve_array(2 * most * sizeof(UInt)), SMALLEST - 1, hash};
}

static void clear(struct bo_index *index)
{
	VG_(memset)(index->slots, 0, ((SizeT)index->mask + 1) * sizeof(UInt));
}

static void add(struct bo_index *index, UInt number)
{
	UInt hash = index->hash(number), slot = bo_index_first(index, hash);

	while (bo_index_find(index, hash, &slot))
		slot++;
	bo_index_put(index, hash, slot, number);
}

void bo_index_fit(struct bo_index *index, UInt count)
{
	if (LIKELY(2 * count <= index->mask))
		return;
	clear(index);
	index->mask = 2 * index->mask + 1;
	for (UInt number = 1; number < count; number++)
		add(index, number);
}

void bo_index_add(struct bo_index *index, UInt from, UInt count)
{
	for (UInt number = from; number < count; number++) {
		bo_index_fit(index, number);
		add(index, number);
	}
}

/* The last one first: what was in its way when it was added still is. */
void bo_index_remove(struct bo_index *index, UInt from, UInt count)
{
	if (from == 1) {
		clear(index);
		index->mask = SMALLEST - 1;
		return;
	}
	for (UInt number = count; number-- > from;) {
		UInt hash = index->hash(number), slot = bo_index_first(index, hash);
		while (bo_index_find(index, hash, &slot) != number)
			slot++;
		index->slots[slot] = 0;
	}
}

/* ---- collection ---- */

struct bo_ages bo_ages_new(UInt least, UInt most)
{
	return (struct bo_ages){
		.young = 1,
		.old_enough = least,
		.least = least,
		.most = most,
		.moved = bo_reserve_array(most * sizeof(UInt)),
	};
}

void bo_ages_begin(struct bo_ages *ages, UInt count, Bool all)
{
	ages->from = all ? 1 : ages->young;
	ages->count = count;
}

/* Half of the work of a collection is for what is left.  In a table that is nearly full, it would be worth nothing. */
UInt bo_ages_enough(UInt live, UInt least, UInt most)
{
	if (live < least / 2)
		return least;
	if (live < most / 2)
		return 2 * live;
	return live < most / 4 * 3 ? most - 1 : ~0u;
}

void bo_ages_end(struct bo_ages *ages, UInt live)
{
	VG_(memset)(ages->moved, 0, (ages->count - ages->from) * sizeof(UInt));
	if (ages->from == 1)
		ages->old_enough = bo_ages_enough(live, ages->least, ages->most);
	ages->young = live;
}
