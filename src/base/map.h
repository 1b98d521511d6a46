/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.h - a hash map from 128-bit keys (two numbers, or the hash of a string) to 64-bit values.  A zeroed struct is an
 * empty map.
 *
 *     uint64_t *value = map_put(&map, dev, ino);       // 0 if the key is new
 *     value = map_get(&map, dev, ino);                 // NULL if not found
 *
 * A pointer to a value is valid until the next map_put.  Single keys cannot be removed. */
#ifndef BLACKOUT_BASE_MAP_H
#define BLACKOUT_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key[2];
	uint64_t value;
	uint64_t used;
};

struct map {
	struct map_entry *entries; /* `room` entries; when iterating, skip those without `used` */
	size_t count, room;
};

uint64_t *map_put(struct map *map, uint64_t key0, uint64_t key1);
uint64_t *map_get(const struct map *map, uint64_t key0, uint64_t key1);

void map_free(struct map *map);

#endif
