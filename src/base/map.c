/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Open addressing with linear probing, at most half full. */
#include "base/map.h"

#include <stdlib.h>

#include "base/mem.h"

#define ROOM_FIRST 16

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* The entry of the key, or the free entry where the key belongs. */
static struct map_entry *entry_find(const struct map *map, uint64_t key0, uint64_t key1)
{
	size_t at = mix(key0 ^ mix(key1)) & (map->room - 1);

	while (map->entries[at].used && (map->entries[at].key[0] != key0 || map->entries[at].key[1] != key1))
		at = (at + 1) & (map->room - 1);
	return &map->entries[at];
}

static void map_grow(struct map *map)
{
	struct map old = *map;

	map->room = old.room ? old.room * 2 : ROOM_FIRST;
	map->entries = mem_alloc(map->room * sizeof(*map->entries));
	for (size_t i = 0; i < old.room; i++) {
		if (old.entries[i].used)
			*entry_find(map, old.entries[i].key[0], old.entries[i].key[1]) = old.entries[i];
	}
	free(old.entries);
}

uint64_t *map_put(struct map *map, uint64_t key0, uint64_t key1)
{
	struct map_entry *entry;

	if (map->count * 2 >= map->room)
		map_grow(map);
	entry = entry_find(map, key0, key1);
	if (!entry->used) {
		*entry = (struct map_entry){.key = {key0, key1}, .used = 1};
		map->count++;
	}
	return &entry->value;
}

uint64_t *map_get(const struct map *map, uint64_t key0, uint64_t key1)
{
	struct map_entry *entry;

	if (!map->count)
		return NULL;
	entry = entry_find(map, key0, key1);
	return entry->used ? &entry->value : NULL;
}

void map_free(struct map *map)
{
	free(map->entries);
	*map = (struct map){0};
}
