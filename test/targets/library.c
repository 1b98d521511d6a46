/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.c - a library with a bug that only a power failure shows: a chunk is marked as used before its header has a
 * type. */
// cflags: -shared -fPIC
#include "target.h"

#include "library.h"

static void persist(const void *data)
{
	CLWB(data);
	SFENCE();
}

static __attribute__((noinline)) void header_write(struct heap *heap, int index)
{
	ST8(&heap->headers[index].type, CHUNK_USED);
	persist(&heap->headers[index].type);
}

static __attribute__((noinline)) void chunk_take(struct heap *heap, int index)
{
	ST8(&heap->bitmap[index].used, 1); //! too early
	persist(&heap->bitmap[index].used);
	header_write(heap, index);
}

uint64_t *library_alloc(struct heap *heap)
{
	for (int i = 0; i < CHUNKS; i++)
		if (!heap->bitmap[i].used) {
			chunk_take(heap, i);
			return heap->chunks[i];
		}
	return NULL;
}

void library_clear(uint64_t *word)
{
	ST8(word, 0);
}
