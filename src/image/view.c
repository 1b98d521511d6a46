/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/view.h"

#include <string.h>

#include "base/map.h"

#define SET_UNITS 64u /* units in asked_set; a longer line is computed each time */

void view_free(struct view *view)
{
	vec_free(&view->lines);
	vec_free(&view->units);
}

/* Arranging: find the lines, sort them, then distribute the units, which come in the sequence of the stores. */

static void line_start(struct view *view, const struct content *content, const struct unit *unit)
{
	struct view_line line = {.number = unit->offset / LINE_BYTES, .file = unit->file};

	line.page = content_page(content, unit->file, unit->offset / IMAGE_PAGE);
	line.named = content_path(content, unit->file) != NULL;
	line.path = digest_path(content_path(content, unit->file));
	vec_push(&view->lines, line);
}

static void lines_collect(struct view *view, const struct content *content, const struct unit *const *pending,
			  size_t count, struct map *seen)
{
	view->lines.count = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t *known = map_put(seen, pending[i]->offset / LINE_BYTES, pending[i]->file);

		if (!*known) {
			line_start(view, content, pending[i]);
			*known = view->lines.count;
		}
		view->lines.at[*known - 1].count++;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct view_line *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void lines_sort(struct view *view, struct map *seen)
{
	size_t first = 0;

	if (view->lines.count)
		qsort(view->lines.at, view->lines.count, sizeof(*view->lines.at), by_place);
	for (size_t i = 0; i < view->lines.count; i++) {
		struct view_line *line = &view->lines.at[i];

		*map_put(seen, line->number, line->file) = i + 1;
		line->first = first;
		first += line->count;
		line->count = 0;
	}
}

static void unit_deal(struct view *view, const struct map *seen, const struct unit *unit, size_t index,
		      const struct ages *ages)
{
	uint64_t which = *map_get(seen, unit->offset / LINE_BYTES, unit->file);
	struct view_line *line = &view->lines.at[which - 1];
	struct view_unit *u = &view->units.at[line->first + line->count++];

	*u = (struct view_unit){.index = index, .offset = unit->offset, .size = unit->size};
	memcpy(u->value, unit->value, sizeof(u->value));
	u->visible = ages_visible(ages, unit);
}

void view_arrange(struct view *view, struct model *model, const struct content *content, const struct ages *ages)
{
	const struct unit *const *pending = model_pending(model, &view->pending);
	struct map seen = {0};

	lines_collect(view, content, pending, view->pending, &seen);
	lines_sort(view, &seen);
	if (view->units.room < view->pending) {
		view->units.room = view->pending * 2;
		view->units.at = mem_resize(view->units.at, view->units.room, sizeof(*view->units.at));
	}
	view->units.count = view->pending;
	for (size_t i = 0; i < view->pending; i++)
		unit_deal(view, &seen, pending[i], i, ages);
	map_free(&seen);
	view->arranged = true;
}

/* Digests */

static void unit_show(uint8_t bytes[LINE_BYTES], const struct view_unit *unit)
{
	uint8_t *to = bytes + unit->offset % LINE_BYTES;

	if (unit->visible == (1u << unit->size) - 1) {
		memcpy(to, unit->value, unit->size);
		return;
	}
	for (unsigned i = 0; i < unit->size; i++) {
		if (unit->visible >> i & 1)
			to[i] = unit->value[i];
	}
}

static void line_certain(const struct view_line *line, uint8_t bytes[LINE_BYTES])
{
	if (line->page)
		memcpy(bytes, line->page + line->number * LINE_BYTES % IMAGE_PAGE, LINE_BYTES);
	else
		memset(bytes, 0, LINE_BYTES);
}

static struct digest line_compute(const struct view *view, struct view_line *line, const bool *persisted)
{
	uint8_t bytes[LINE_BYTES];

	line_certain(line, bytes);
	if (!line->asked)
		line->base = digest_line(line->path, line->number, bytes);
	for (size_t i = line->first; i < line->first + line->count; i++) {
		if (!persisted || persisted[view->units.at[i].index])
			unit_show(bytes, &view->units.at[i]);
	}
	return digest_subtract(digest_line(line->path, line->number, bytes), line->base);
}

static uint64_t line_set(const struct view *view, const struct view_line *line, const bool *persisted)
{
	uint64_t set = 0;

	for (size_t i = 0; i < line->count; i++)
		set |= (uint64_t)(!persisted || persisted[view->units.at[line->first + i].index]) << i;
	return set;
}

static struct digest line_change(const struct view *view, struct view_line *line, const bool *persisted)
{
	uint64_t set = line->count <= SET_UNITS ? line_set(view, line, persisted) : UINT64_MAX;

	if (!set)
		return (struct digest){0, 0};
	if (!line->asked || line->count > SET_UNITS || line->asked_set != set) {
		line->change = line_compute(view, line, persisted);
		line->asked = true;
		line->asked_set = set;
	}
	return line->change;
}

struct digest view_change(struct view *view, const bool *persisted)
{
	struct digest change = {0, 0};

	for (size_t i = 0; i < view->lines.count; i++) {
		if (view->lines.at[i].named)
			change = digest_add(change, line_change(view, &view->lines.at[i], persisted));
	}
	return change;
}
