/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK_BYTES 16384

struct arena_block {
	struct arena_block *before;
	size_t used, room;
	char bytes[];
};

static struct arena_block *block_with(struct arena *arena, size_t size)
{
	struct arena_block *block = arena->last;
	size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;

	if (block && block->room - block->used >= size)
		return block;
	block = mem_alloc(sizeof(*block) + room);
	block->room = room;
	block->before = arena->last;
	arena->last = block;
	return block;
}

const char *arena_copy(struct arena *arena, const void *bytes, size_t length)
{
	struct arena_block *block = block_with(arena, length + 1);
	char *copy = block->bytes + block->used;

	if (length)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	block->used += length + 1;
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->last) {
		struct arena_block *block = arena->last;

		arena->last = block->before;
		free(block);
	}
}
