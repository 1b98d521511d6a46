/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/ages.h"

#include <stdlib.h>

#include "base/line.h"
#include "base/mem.h"

void ages_free(struct ages *ages)
{
	for (size_t i = 0; i < ages->lines.room; i++) {
		if (ages->lines.entries[i].used)
			free((void *)(uintptr_t)ages->lines.entries[i].value);
	}
	map_free(&ages->lines);
}

static uint64_t *line_find(const struct ages *ages, const struct unit *unit)
{
	const uint64_t *slot = ages->count ? map_get(&ages->lines, unit->offset / LINE_BYTES, unit->file) : NULL;

	return slot ? (uint64_t *)(uintptr_t)*slot : NULL;
}

uint8_t ages_visible(const struct ages *ages, const struct unit *unit)
{
	const uint64_t *line = line_find(ages, unit);
	uint8_t visible = 0;

	if (!line)
		return (uint8_t)((1u << unit->size) - 1);
	for (unsigned i = 0; i < unit->size; i++)
		visible |= (uint8_t)((line[unit->offset % LINE_BYTES + i] <= unit->event) << i);
	return visible;
}

static void line_drop(struct ages *ages, const struct unit *unit)
{
	uint64_t *slot = map_get(&ages->lines, unit->offset / LINE_BYTES, unit->file);

	free((void *)(uintptr_t)*slot);
	*slot = 0;
	ages->count--;
}

static uint64_t *line_make(struct ages *ages, const struct unit *unit)
{
	uint64_t *line = mem_alloc(LINE_BYTES * sizeof(*line));

	*map_put(&ages->lines, unit->offset / LINE_BYTES, unit->file) = (uint64_t)(uintptr_t)line;
	ages->count++;
	return line;
}

void ages_note(struct ages *ages, const struct unit *unit, size_t left, bool mixed)
{
	uint64_t *line = line_find(ages, unit);

	if (!left) { /* anything that comes now is newer */
		if (line)
			line_drop(ages, unit);
		return;
	}
	if (!line && mixed)
		line = line_make(ages, unit);
	for (unsigned i = 0; line && i < unit->size; i++) {
		if (line[unit->offset % LINE_BYTES + i] < unit->event)
			line[unit->offset % LINE_BYTES + i] = unit->event;
	}
}

void ages_set(struct ages *ages, uint32_t file, uint64_t offset, uint64_t event)
{
	struct unit byte = {.file = file, .offset = offset, .event = event, .size = 1};

	ages_note(ages, &byte, 1, true);
}
