/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/variants.h"

#include <stdlib.h>
#include <string.h>

#include "image/image_in.h"

#define KEPT_MIN 100000u

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

static void kept_free(struct variants *variants)
{
	for (size_t i = 0; i < variants->kept.count; i++)
		vec_free(&variants->kept.at[i].all);
	vec_free(&variants->kept);
	map_free(&variants->kept_index);
	variants->kept_index = (struct map){0};
	variants->kept_variants = 0;
}

void variants_free(struct variants *variants)
{
	kept_free(variants);
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
	uint8_t certain[LINE_BYTES];
	struct digest base;
	size_t first; /* index of its first variant */
};

static struct work work_start(struct variants *v, const struct image *image, const struct choices *c, uint32_t line)
{
	const struct choices_line *l = &choices_lines(c)[line];
	const char *path = image_path(image, l->file);
	struct work w = {.v = v, .c = c, .line = line, .named = path, .path = digest_path(path), .first = v->all.count};

	image_read(image, NULL, l->file, l->offset, w.certain, sizeof(w.certain));
	w.base = digest_line(w.path, l->offset / LINE_BYTES, w.certain);
	return w;
}

static struct variant variant_make(const struct work *w, const uint8_t *bytes, struct choices_bounds bounds,
				   uint64_t alternative)
{
	const struct choices_line *l = &choices_lines(w->c)[w->line];
	struct variant variant = {.needs = order_before(w->v, bounds.latest),
				  .barrier = bounds.barrier,
				  .alternative = alternative};

	if (w->named)
		variant.change = digest_subtract(digest_line(w->path, l->offset / LINE_BYTES, bytes), w->base);
	return variant;
}

/* Is there a variant with the same bytes that requires no more of other lines? */
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
	/* Different lines have different changes, except for "no change". */
	uint64_t *seen = map_put(&w->v->seen, variant->change.low ^ w->line, variant->change.high);

	if (*seen && (!w->v->ordered || is_dominated(w, variant)))
		return;
	*seen = 1;
	vec_push(&w->v->all, *variant);
}

/* Go through the alternatives one by one, as choices.h gives them. */
static bool line_walk(struct work *w, uint64_t limit)
{
	uint8_t *taken = w->v->taken.at, bytes[LINE_BYTES];
	uint64_t alternative = 0;

	choices_first(w->c, w->line, CHOICES_OPEN, CHOICES_CONTENTS, taken);
	do {
		struct variant variant;

		if (alternative == limit)
			return false;
		memcpy(bytes, w->certain, sizeof(bytes));
		choices_apply(w->c, w->line, taken, bytes);
		variant = variant_make(w, bytes, choices_decide(w->c, w->line, taken, CHOICES_OPEN), alternative++);
		variant_add(w, &variant);
	} while (choices_next(w->c, w->line, CHOICES_OPEN, CHOICES_CONTENTS, taken));
	return true;
}

static void unit_show(const struct choices_unit *unit, uint8_t *bytes)
{
	for (unsigned i = 0; i < unit->size; i++) {
		if (unit->shows >> i & 1)
			bytes[unit->offset % LINE_BYTES + i] = unit->value[i];
	}
}

/* Units of one event: some of them on top of the earlier ones. */
static void group_walk(struct work *w, const struct choices_unit *units, uint32_t count, uint64_t after,
		       uint64_t *alternative, uint8_t *bytes)
{
	uint32_t all = (1u << count) - 1;

	for (uint32_t set = 1; set <= all; set++) {
		struct choices_bounds bounds = {units->event, set == all ? after : units->order};
		uint8_t some[LINE_BYTES];
		struct variant variant;

		memcpy(some, bytes, sizeof(some));
		for (uint32_t i = 0; i < count; i++) {
			if (set >> (count - 1 - i) & 1)
				unit_show(&units[i], some);
		}
		variant = variant_make(w, some, bounds, (*alternative)++);
		variant_add(w, &variant);
		if (set == all)
			memcpy(bytes, some, sizeof(some));
	}
}

/* The same if all units are cached: event by event.  A line may have thousands of units, and line_walk would visit all
 * of them for each alternative. */
static void line_walk_cached(struct work *w)
{
	const struct choices_line *l = &choices_lines(w->c)[w->line];
	const struct choices_unit *units = choices_units(w->c) + l->first;
	uint64_t alternative = 1;
	uint8_t bytes[LINE_BYTES];
	struct variant none;

	memcpy(bytes, w->certain, sizeof(bytes));
	none = variant_make(w, bytes, (struct choices_bounds){0, units[0].order}, 0);
	variant_add(w, &none);
	for (uint32_t i = 0, n; i < l->count; i += n) {
		for (n = 1; i + n < l->count && units[i + n].event == units[i].event;)
			n++;
		group_walk(w, &units[i], n, i + n < l->count ? units[i + n].order : CHOICES_NEVER, &alternative, bytes);
	}
}

static bool line_find(struct work *w, uint64_t limit)
{
	const struct choices_line *l = &choices_lines(w->c)[w->line];

	for (uint32_t i = 0; i < l->count; i++) {
		if (choices_units(w->c)[l->first + i].kind != UNIT_CACHED)
			return line_walk(w, limit);
	}
	line_walk_cached(w);
	return true;
}

/* Cached results */

static uint64_t mix(uint64_t sum, uint64_t next)
{
	sum = (sum ^ next) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

static uint64_t line_signature(const struct work *w)
{
	const struct choices_line *l = &choices_lines(w->c)[w->line];
	const struct choices_unit *unit = choices_units(w->c) + l->first, *end = unit + l->count;
	uint64_t sum = mix(mix(w->path + w->named, w->base.low), w->base.high);

	for (; unit < end; unit++) {
		uint64_t value;

		memcpy(&value, unit->value, sizeof(value));
		sum = mix(sum, unit->event << 24 ^ (uint64_t)unit->shows << 16 ^ (uint64_t)unit->size << 8 ^
				       unit->offset % LINE_BYTES);
		sum = mix(sum, value); /* punching a hole may change it */
	}
	return sum;
}

static struct variants_kept *kept_find(struct variants *v, const struct choices_line *line)
{
	uint64_t *at = map_put(&v->kept_index, line->offset, line->file);
	struct variants_kept fresh = {0};

	if (!*at) {
		vec_push(&v->kept, fresh);
		*at = v->kept.count;
	}
	return &v->kept.at[*at - 1];
}

/* With orders, what a variant needs depends on other lines, so nothing is cached. */
static bool line_find_kept(struct work *w, struct variants_line *line, uint64_t limit)
{
	struct variants *v = w->v;
	uint64_t signature = line_signature(w);
	struct variants_kept *kept;

	line->version = ++v->versions;
	if (v->ordered)
		return line_find(w, limit);
	kept = kept_find(v, &choices_lines(w->c)[w->line]);
	if (kept->all.count && kept->signature == signature) {
		line->version = kept->version;
		for (size_t i = 0; i < kept->all.count; i++)
			vec_push(&v->all, kept->all.at[i]);
		return true;
	}
	if (!line_find(w, limit))
		return false;
	kept->signature = signature;
	kept->version = line->version;
	v->kept_variants += v->all.count - w->first;
	v->kept_variants -= kept->all.count;
	kept->all.count = 0;
	for (size_t i = w->first; i < v->all.count; i++)
		vec_push(&kept->all, v->all.at[i]);
	return true;
}

static int by_count(const void *left, const void *right)
{
	const struct variants_line *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return a->line < b->line ? -1 : 1;
}

static bool lines_find(struct variants *v, const struct image *image, const struct choices *c, uint64_t limit)
{
	for (uint32_t i = 0; i < c->line_count; i++) {
		struct work w = work_start(v, image, c, i);
		struct variants_line line = {.line = i, .first = w.first};

		if (!line_find_kept(&w, &line, limit))
			return false;
		line.count = v->all.count - w.first;
		if (line.count > 1)
			vec_push(&v->lines, line);
		else
			v->all.count = w.first;
	}
	return true;
}

bool variants_find(struct variants *variants, struct image *image, const struct choices *choices, uint64_t limit)
{
	bool complete;

	variants->lines.count = variants->all.count = 0;
	while (variants->taken.count < choices->line_units_max)
		vec_push(&variants->taken, 0);
	orders_find(variants, choices);
	complete = lines_find(variants, image, choices, limit);
	if (variants->lines.count)
		qsort(variants->lines.at, variants->lines.count, sizeof(*variants->lines.at), by_count);
	map_free(&variants->seen);
	variants->seen = (struct map){0};
	/* These are mostly lines that are no longer pending. */
	if (variants->kept_variants > 2 * variants->all.count + KEPT_MIN)
		kept_free(variants);
	return complete;
}
