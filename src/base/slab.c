/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/slab.h"

#include <stdlib.h>

#include "base/mem.h"

#define BLOCK_ITEMS 256

void *slab_push(struct slab *slab)
{
	size_t block = slab->count / BLOCK_ITEMS;

	if (block == slab->block_count) {
		slab->blocks = mem_resize(slab->blocks, block + 1, sizeof(*slab->blocks));
		slab->blocks[block] = mem_alloc(slab->item_bytes * BLOCK_ITEMS);
		slab->block_count++;
	}
	slab->count++;
	return slab_at(slab, slab->count - 1);
}

void *slab_at(const struct slab *slab, size_t index)
{
	if (index >= slab->count)
		return NULL;
	return (char *)slab->blocks[index / BLOCK_ITEMS] + index % BLOCK_ITEMS * slab->item_bytes;
}

void slab_free(struct slab *slab)
{
	for (size_t i = 0; i < slab->block_count; i++)
		free(slab->blocks[i]);
	free(slab->blocks);
	*slab = (struct slab){.item_bytes = slab->item_bytes};
}
