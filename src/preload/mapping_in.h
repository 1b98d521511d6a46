/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapping_in.h - declarations that the files of mapping.c share: the table of mappings, and the aliases (rule 3 there).
 *
 * The table is changed only with mapping_lock held. */
#ifndef BLACKOUT_PRELOAD_MAPPING_IN_H
#define BLACKOUT_PRELOAD_MAPPING_IN_H

#include <stdint.h>

#include "preload/stub.h"

#define PAGE ((size_t)4096)

struct mapping {
	uintptr_t at;
	size_t bytes; /* 0: free */
	uint64_t offset;
	uint32_t entry;
	int prot;
	bool writable; /* the program could store through it */
	bool retained; /* the program has unmapped it */
	bool mixed;    /* parts have different protections */
};

extern struct mapping mappings[];
extern size_t mapping_count; /* slots in use, including free ones */

/* While it is held, all of PM is accessible. */
void mapping_lock(void);
void mapping_unlock(void);

void mapping_refuse(void) __attribute__((noreturn));

/* Can the program have stored through a mapping of this file? */
bool mapping_is_written(uint32_t entry);

/* Has the page at this address been copied, because the program stored to it, or tried to?  `pagemap`: the open file
 * /proc/self/pagemap. */
bool mapping_page_is_changed(int pagemap, uintptr_t at);

/* mmap for a mapping that the program itself wants private.  It starts with the contents of the shared mappings. */
void *mapping_private(void *at, size_t bytes, int prot, int flags, int fd, off_t offset);

/* Is [offset, end) of a file, or its first part, in an alias?  The answer holds up to *next. */
bool alias_has(uint32_t entry, uint64_t offset, uint64_t end, uint64_t *next);

/* Call before [offset, end) of a file is mapped again: creates aliases for the parts of it that are mapped. */
void aliases_make(uint32_t entry, uint64_t offset, uint64_t end);

/* Map the aliases within this mapping over its memory. */
void aliases_show(const struct mapping *mapping);

static inline size_t page_round(size_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

static inline uint64_t high(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t low(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
