/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mappings.h - maps addresses to bytes of PM files.  Each process has its own mappings.
 *
 *     struct mappings m = {0};
 *     mappings_map(&m, &(struct mapping){.start = a, .end = a + n, .file = 1, .offset = 0, .prot = PROT_WRITE});
 *     const struct mapping *at = mappings_find(&m, addr);
 *     offset = at->offset + (addr - at->start);
 *
 * Ranges are rounded to whole pages, as the kernel does.  The mappings never overlap and are sorted. */
#ifndef BLACKOUT_TRACE_MAPPINGS_H
#define BLACKOUT_TRACE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define MAPPINGS_PAGE 4096u

struct mapping {
	uint64_t start, end; /* end is the first address after the mapping */
	uint64_t offset;     /* file offset of start */
	uint32_t file;
	uint32_t prot;
};

struct mappings {
	VEC_OF(struct mapping) list;
	size_t recent; /* index of the last mapping found */
};

/* Is [addr, addr + size) a possible range of memory?  Only such ranges may be passed to the functions below. */
bool mappings_range_valid(uint64_t addr, uint64_t size);

/* Add a mapping.  It replaces whatever was mapped there before. */
void mappings_map(struct mappings *m, const struct mapping *new);

/* Remove a range.  Mappings that extend beyond it are cut, or split in two. */
void mappings_unmap(struct mappings *m, uint64_t addr, uint64_t size);

/* mremap(2): move, grow or shrink.  An old size of 0 makes a second mapping of the same pages. */
void mappings_remap(struct mappings *m, uint64_t old_addr, uint64_t old_size, uint64_t new_addr, uint64_t new_size);

void mappings_protect(struct mappings *m, uint64_t addr, uint64_t size, uint32_t prot);

/* Return the index of the first mapping that ends after `addr`: the one that contains it, or the next one above. */
size_t mappings_seek(const struct mappings *m, uint64_t addr);

/* Return the mapping that contains `addr`, or NULL.  Valid until the mappings change. */
static inline const struct mapping *mappings_find(struct mappings *m, uint64_t addr)
{
	const struct mapping *at;
	size_t index;

	/* Nearly every access hits the same mapping as the previous one. */
	if (m->recent < m->list.count) {
		at = &m->list.at[m->recent];
		if (addr - at->start < at->end - at->start)
			return at;
	}
	index = mappings_seek(m, addr);
	if (index == m->list.count || addr < m->list.at[index].start)
		return NULL;
	m->recent = index;
	return &m->list.at[index];
}

void mappings_free(struct mappings *m);

#endif
