/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.h - a library that allocates from the pool, for library_user.c.  It is wrong in itself (library.c). */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdint.h>

#define CHUNKS 16
#define CHUNK_WORDS 16
#define CHUNK_USED 0x75736564ul

struct heap {
	struct {
		uint64_t used;
		char pad[56];
	} bitmap[CHUNKS];
	struct {
		uint64_t type;
		char pad[56];
	} headers[CHUNKS];
	uint64_t chunks[CHUNKS][CHUNK_WORDS];
};

/* A chunk that is zeroed; it is taken from then on. */
uint64_t *library_alloc(struct heap *heap);

/* Set `word`, which is the caller's, to zero, and persist that too late. */
void library_clear(uint64_t *word);

#endif
