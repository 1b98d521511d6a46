/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slab.h - a growing array that never moves its items: a pointer to an item is valid until slab_free.
 *
 *     struct slab s = SLAB_OF(struct thing);
 *     struct thing *t = slab_push(&s);                 // zeroed
 *     slab_at(&s, 0) == t */
#ifndef BLACKOUT_BASE_SLAB_H
#define BLACKOUT_BASE_SLAB_H

#include <stddef.h>

struct slab {
	size_t item_bytes;
	size_t count;
	void **blocks;
	size_t block_count;
};

#define SLAB_OF(type) ((struct slab){.item_bytes = sizeof(type)})

/* Append a zeroed item and return it. */
void *slab_push(struct slab *slab);

/* The item at `index`, or NULL beyond the end. */
void *slab_at(const struct slab *slab, size_t index);

void slab_free(struct slab *slab);

#endif
