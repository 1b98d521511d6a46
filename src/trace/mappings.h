/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mappings.h - which byte of which PM file is at an address?  One of these for each process.
 *
 *     struct mappings m = {0};
 *     mappings_map(&m, &(struct mapping){.start = a, .end = a + n, .file = 1, .offset = 0, .prot = PROT_WRITE});
 *     const struct mapping *at = mappings_find(&m, addr);
 *     offset = at->offset + (addr - at->start);
 *
 * Ranges are taken as the kernel takes them, in whole pages.  The mappings never overlap and are kept in order. */
#ifndef BLACKOUT_TRACE_MAPPINGS_H
#define BLACKOUT_TRACE_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define MAPPINGS_PAGE 4096u

struct mapping {
	uint64_t start, end; /* end is the first address after it */
	uint64_t offset;     /* in the file, of start */
	uint32_t file;
	uint32_t prot;
};

struct mappings {
	VEC_OF(struct mapping) list;
	size_t recent; /* index of the mapping that was found last */
};

/* Can [addr, addr + size) be a range of memory?  Only such ranges may be given below. */
bool mappings_range_valid(uint64_t addr, uint64_t size);

/* Enter a mapping.  Whatever was mapped there before gives way. */
void mappings_map(struct mappings *m, const struct mapping *new);

/* Forget a range; mappings that reach out of it are cut, or split in two. */
void mappings_unmap(struct mappings *m, uint64_t addr, uint64_t size);

/* mremap(2): move, grow or shrink.  An old size of 0 makes a second mapping of the same pages. */
void mappings_remap(struct mappings *m, uint64_t old_addr, uint64_t old_size, uint64_t new_addr, uint64_t new_size);

void mappings_protect(struct mappings *m, uint64_t addr, uint64_t size, uint32_t prot);

/* The index of the first mapping that ends after `addr`: the one that holds it, or the next above. */
size_t mappings_seek(const struct mappings *m, uint64_t addr);

/* The mapping that holds `addr`, or NULL.  Valid until the mappings change. */
static inline const struct mapping *mappings_find(struct mappings *m, uint64_t addr)
{
	const struct mapping *at;
	size_t index;

	/* Nearly every access goes where the one before it went. */
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
