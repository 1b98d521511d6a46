/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/variants.h"

#include <stdlib.h>
#include <string.h>

#include "image/image_in.h"

struct choices *image_choices(struct image *image)
{
	struct choices *c = choices_take(image->model);
	struct choices_unit *units = (struct choices_unit *)choices_units(c);
	size_t count;
	const struct unit *const *pending = model_pending(image->model, &count);

	for (uint32_t i = 0; i < c->unit_count; i++)
		units[i].shows = ages_visible(&image->ages, pending[units[i].pending]);
	return c;
}

void variants_free(struct variants *variants)
{
	vec_free(&variants->lines);
	vec_free(&variants->all);
	vec_free(&variants->orders);
	vec_free(&variants->taken);
	map_free(&variants->seen);
}

static int by_event(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void orders_find(struct variants *v, const struct choices *c)
{
	v->orders.count = 0;
	v->ordered = c->order_count > 0;
	for (uint32_t i = 0; v->ordered && i < c->unit_count; i++) {
		uint64_t order = choices_units(c)[i].order;

		if (order != CHOICES_NEVER)
			vec_push(&v->orders, order);
	}
	if (v->orders.count)
		qsort(v->orders.at, v->orders.count, sizeof(*v->orders.at), by_event);
}

/* The last order before an event, or 0. */
static uint64_t order_before(const struct variants *v, uint64_t event)
{
	size_t low = 0, high = v->orders.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (v->orders.at[middle] < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? v->orders.at[low - 1] : 0;
}

/* One line */

struct work {
	struct variants *v;
	const struct choices *c;
	uint32_t line;
	uint64_t path;
	bool named;
	uint8_t certain[CHOICES_LINE];
	struct digest base;
	size_t first; /* of its variants */
};

static struct work work_start(struct variants *v, const struct image *image, const struct choices *c, uint32_t line)
{
	const struct choices_line *l = &choices_lines(c)[line];
	const char *path = image_path(image, l->file);
	struct work w = {.v = v, .c = c, .line = line, .named = path, .path = digest_path(path), .first = v->all.count};

	image_read(image, NULL, l->file, l->offset, w.certain, sizeof(w.certain));
	w.base = digest_line(w.path, l->offset / CHOICES_LINE, w.certain);
	return w;
}

static struct variant variant_make(const struct work *w, uint64_t alternative)
{
	const struct choices_line *l = &choices_lines(w->c)[w->line];
	struct choices_bounds bounds = choices_decide(w->c, w->line, w->v->taken.at, CHOICES_OPEN);
	struct variant variant = {.needs = order_before(w->v, bounds.latest),
				  .barrier = bounds.barrier,
				  .alternative = alternative};
	uint8_t bytes[CHOICES_LINE];

	memcpy(bytes, w->certain, sizeof(bytes));
	choices_apply(w->c, w->line, w->v->taken.at, bytes);
	if (w->named)
		variant.change = digest_subtract(digest_line(w->path, l->offset / CHOICES_LINE, bytes), w->base);
	return variant;
}

/* Is there one with the same bytes that demands no more? */
static bool is_dominated(const struct work *w, const struct variant *variant)
{
	for (size_t i = w->first; i < w->v->all.count; i++) {
		const struct variant *other = &w->v->all.at[i];

		if (digest_equal(other->change, variant->change) && other->needs <= variant->needs &&
		    other->barrier >= variant->barrier)
			return true;
	}
	return false;
}

static void variant_add(struct work *w, const struct variant *variant)
{
	/* Changes of different lines are different, but for none. */
	uint64_t *seen = map_put(&w->v->seen, variant->change.low ^ w->line, variant->change.high);

	if (*seen && (!w->v->ordered || is_dominated(w, variant)))
		return;
	*seen = 1;
	vec_push(&w->v->all, *variant);
}

static bool line_find(struct work *w, uint64_t limit)
{
	uint8_t *taken = w->v->taken.at;
	uint64_t alternative = 0;

	choices_first(w->c, w->line, CHOICES_OPEN, CHOICES_CONTENTS, taken);
	do {
		struct variant variant;

		if (alternative == limit)
			return false;
		variant = variant_make(w, alternative++);
		variant_add(w, &variant);
	} while (choices_next(w->c, w->line, CHOICES_OPEN, CHOICES_CONTENTS, taken));
	return true;
}

static int by_count(const void *left, const void *right)
{
	const struct variants_line *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return a->line < b->line ? -1 : 1;
}

bool variants_find(struct variants *variants, struct image *image, const struct choices *choices, uint64_t limit)
{
	bool complete = true;

	variants->lines.count = variants->all.count = 0;
	while (variants->taken.count < choices->line_units_max)
		vec_push(&variants->taken, 0);
	orders_find(variants, choices);
	for (uint32_t i = 0; i < choices->line_count && complete; i++) {
		struct work w = work_start(variants, image, choices, i);
		struct variants_line line = {.line = i, .first = w.first};

		complete = line_find(&w, limit);
		line.count = variants->all.count - w.first;
		if (line.count > 1)
			vec_push(&variants->lines, line);
	}
	if (variants->lines.count)
		qsort(variants->lines.at, variants->lines.count, sizeof(*variants->lines.at), by_count);
	map_free(&variants->seen);
	variants->seen = (struct map){0};
	return complete;
}

void variant_taken(const struct choices *choices, uint32_t line, const struct variant *variant, uint8_t *taken)
{
	choices_first(choices, line, CHOICES_OPEN, CHOICES_CONTENTS, taken);
	for (uint64_t i = 0; i < variant->alternative; i++)
		choices_next(choices, line, CHOICES_OPEN, CHOICES_CONTENTS, taken);
}
