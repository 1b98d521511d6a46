/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/mappings.h"

#include <string.h>

#include "base/err.h"

static uint64_t page_up(uint64_t addr)
{
	return (addr + MAPPINGS_PAGE - 1) & ~(uint64_t)(MAPPINGS_PAGE - 1);
}

bool mappings_range_valid(uint64_t addr, uint64_t size)
{
	/* User addresses are never in the upper half. */
	return addr <= INT64_MAX && size <= INT64_MAX - MAPPINGS_PAGE - addr;
}

size_t mappings_seek(const struct mappings *m, uint64_t addr)
{
	size_t low = 0, high = m->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->list.at[middle].end > addr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void insert_at(struct mappings *m, size_t index, const struct mapping *new)
{
	struct mapping copy = *new; /* it may be an item of the list itself, which moves */

	vec_reserve(&m->list);
	memmove(m->list.at + index + 1, m->list.at + index, (m->list.count - index) * sizeof(copy));
	m->list.at[index] = copy;
	m->list.count++;
}

/* If a mapping spans `addr`, split it there.  Return the index of the first mapping that starts at or above `addr`. */
static size_t split_at(struct mappings *m, uint64_t addr)
{
	size_t index = mappings_seek(m, addr);
	struct mapping upper;

	if (index == m->list.count || m->list.at[index].start >= addr)
		return index;
	upper = m->list.at[index];
	upper.offset += addr - upper.start;
	upper.start = addr;
	m->list.at[index].end = addr;
	insert_at(m, index + 1, &upper);
	return index + 1;
}

static void clear(struct mappings *m, uint64_t start, uint64_t end)
{
	size_t first, last;

	if (start >= end)
		return;
	first = split_at(m, start);
	last = split_at(m, end);
	if (first == last)
		return;
	memmove(m->list.at + first, m->list.at + last, (m->list.count - last) * sizeof(*m->list.at));
	m->list.count -= last - first;
}

void mappings_map(struct mappings *m, const struct mapping *new)
{
	struct mapping whole = *new;

	BUG_ON(whole.end < whole.start || !mappings_range_valid(whole.start, whole.end - whole.start));
	whole.end = page_up(whole.end);
	if (whole.start == whole.end)
		return;
	clear(m, whole.start, whole.end);
	insert_at(m, mappings_seek(m, whole.start), &whole);
}

void mappings_unmap(struct mappings *m, uint64_t addr, uint64_t size)
{
	BUG_ON(!mappings_range_valid(addr, size));
	clear(m, addr, page_up(addr + size));
}

static void remap_duplicate(struct mappings *m, uint64_t old_addr, uint64_t new_addr, uint64_t new_size)
{
	const struct mapping *old = mappings_find(m, old_addr);
	struct mapping new;

	if (!old)
		return;
	new = *old;
	new.offset += old_addr - old->start;
	new.start = new_addr;
	new.end = new_addr + new_size;
	mappings_map(m, &new);
}

void mappings_remap(struct mappings *m, uint64_t old_addr, uint64_t old_size, uint64_t new_addr, uint64_t new_size)
{
	uint64_t old_end = page_up(old_addr + old_size), new_end = page_up(new_addr + new_size);
	VEC_OF(struct mapping) moved = {0};

	BUG_ON(!mappings_range_valid(old_addr, old_size) || !mappings_range_valid(new_addr, new_size));
	if (!old_size) {
		remap_duplicate(m, old_addr, new_addr, new_size);
		return;
	}
	for (size_t i = split_at(m, old_addr), last = split_at(m, old_end); i < last; i++)
		vec_push(&moved, m->list.at[i]);
	clear(m, old_addr, old_end);
	clear(m, new_addr, new_end);
	for (size_t i = 0; i < moved.count; i++) {
		struct mapping new = moved.at[i];
		bool grows = new.end == old_end; /* the last page is extended with the mapping */

		new.start = new.start - old_addr + new_addr;
		new.end = grows ? new_end : new.end - old_addr + new_addr;
		if (new.end > new_end)
			new.end = new_end;
		if (new.start < new.end)
			mappings_map(m, &new);
	}
	vec_free(&moved);
}

void mappings_protect(struct mappings *m, uint64_t addr, uint64_t size, uint32_t prot)
{
	uint64_t end = page_up(addr + size);

	BUG_ON(!mappings_range_valid(addr, size));
	if (addr >= end)
		return;
	for (size_t i = split_at(m, addr), last = split_at(m, end); i < last; i++)
		m->list.at[i].prot = prot;
}

void mappings_free(struct mappings *m)
{
	vec_free(&m->list);
}
