/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes.c - maintain the sets of all lines from moment to moment; see boxes.h. */
#include "count/boxes.h"

#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "count/boxes_in.h"

#define STILL UINT64_MAX /* the end of an interval that is still open */

struct boxes *boxes_new(void)
{
	struct boxes *b = mem_alloc(sizeof(*b));
	struct line files = {0};

	mpz_init(b->total);
	vec_push(&b->lines, files);
	b->newest = NO_LINE;
	b->files_changed = true;
	return b;
}

void boxes_free(struct boxes *boxes)
{
	if (!boxes)
		return;
	for (size_t i = 0; i < boxes->lines.count; i++)
		vec_free(&boxes->lines.at[i].set);
	for (size_t i = 0; i < boxes->values.count; i++)
		vec_free(&boxes->values.at[i].earlier);
	vec_free(&boxes->lines);
	vec_free(&boxes->values);
	vec_free(&boxes->active);
	vec_free(&boxes->announced);
	vec_free(&boxes->wanted);
	vec_free(&boxes->candidates);
	parts_free(&boxes->parts);
	map_free(&boxes->line_index);
	map_free(&boxes->value_index);
	mpz_clear(boxes->total);
	free(boxes);
}

/* The list of lines by their last change */

static void line_changes(struct boxes *b, uint32_t at)
{
	struct line *line = &b->lines.at[at];

	if (line->listed) {
		*(line->newer == NO_LINE ? &b->newest : &b->lines.at[line->newer].older) = line->older;
		if (line->older != NO_LINE)
			b->lines.at[line->older].newer = line->newer;
	}
	line->listed = true;
	line->changed = b->box;
	line->newer = NO_LINE;
	line->older = b->newest;
	if (b->newest != NO_LINE)
		b->lines.at[b->newest].newer = at;
	b->newest = at;
}

/* Values of a line */

static uint32_t value_find(struct boxes *b, uint32_t line, struct digest digest)
{
	/* All lines of zeros have the same digest, so the line number is part of the key. */
	uint64_t key = digest.low ^ (line + UINT64_C(1)) * 0x9e3779b97f4a7c15u;
	uint64_t *at = map_put(&b->value_index, key, digest.high);
	struct value fresh = {.last = NEVER};

	if (!*at) {
		vec_push(&b->values, fresh);
		*at = b->values.count;
	}
	return (uint32_t)(*at - 1);
}

static void value_enter(struct boxes *b, uint32_t value, uint64_t from)
{
	struct value *v = &b->values.at[value];

	if (!interval_is_empty(v->last))
		vec_push(&v->earlier, v->last);
	v->last = (struct interval){from, STILL};
}

static void value_leave(struct boxes *b, uint32_t value)
{
	struct value *v = &b->values.at[value];

	if (v->last.from == b->box) /* no box was counted with it */
		v->last = v->earlier.count ? v->earlier.at[--v->earlier.count] : NEVER;
	else
		v->last.to = b->box - 1;
}

/* Make `wanted` the line's set in the current box. */
static void line_set(struct boxes *b, uint32_t at)
{
	struct line *line = &b->lines.at[at];
	uint64_t old = ++b->marks, kept = ++b->marks;
	size_t common = 0;

	for (size_t i = 0; i < line->set.count; i++)
		b->values.at[line->set.at[i]].mark = old;
	for (size_t i = 0; i < b->wanted.count; i++) {
		struct value *value = &b->values.at[b->wanted.at[i]];

		common += value->mark == old;
		if (value->mark != old)
			value_enter(b, b->wanted.at[i], b->box);
		b->values.at[b->wanted.at[i]].mark = kept;
	}
	if (common == line->set.count && common == b->wanted.count)
		return;
	for (size_t i = 0; i < line->set.count; i++) {
		if (b->values.at[line->set.at[i]].mark == old)
			value_leave(b, line->set.at[i]);
	}
	line->set.count = 0;
	for (size_t i = 0; i < b->wanted.count; i++)
		vec_push(&line->set, b->wanted.at[i]);
	line_changes(b, at);
}

static struct digest line_digest(const struct image *image, uint32_t file, uint64_t number)
{
	uint8_t bytes[LINE_BYTES] = {0};

	image_read(image, NULL, file, number * LINE_BYTES, bytes, sizeof(bytes));
	return digest_line(digest_path(image_path(image, file)), number, bytes);
}

/* Add a line that is about to change for the first time.  It had its present content in all boxes so far. */
static uint32_t line_new(struct boxes *b, const struct image *image, uint32_t file, uint64_t number)
{
	struct line fresh = {.number = number, .file = file};
	uint32_t at = (uint32_t)b->lines.count, value = value_find(b, at, line_digest(image, file, number));

	value_enter(b, value, 0);
	vec_push(&fresh.set, value);
	vec_push(&b->lines, fresh);
	return at;
}

static uint32_t line_find(struct boxes *b, const struct image *image, uint32_t file, uint64_t number)
{
	uint64_t *at = map_get(&b->line_index, number, file);

	if (!at) {
		at = map_put(&b->line_index, number, file);
		*at = line_new(b, image, file, number);
	}
	return (uint32_t)*at;
}

static void line_activate(struct boxes *b, uint32_t at)
{
	if (b->lines.at[at].active)
		return;
	b->lines.at[at].active = true;
	vec_push(&b->active, at);
}

/* Events */

static bool bytes_differ(const struct image *image, const struct event *ev, uint64_t from, uint64_t to)
{
	uint8_t bytes[LINE_BYTES] = {0};

	image_read(image, NULL, ev->file, from, bytes, to - from);
	return memcmp(bytes, ev->data + (from - ev->offset), to - from) != 0;
}

/* Bytes are about to be stored.  A line whose content does not change is not worth tracking. */
static void range_touch(struct boxes *b, const struct image *image, const struct event *ev)
{
	uint64_t end = ev->offset + ev->size, to;

	for (uint64_t from = ev->offset; from < end; from = to) {
		uint64_t number = from / LINE_BYTES;

		to = (number + 1) * LINE_BYTES < end ? (number + 1) * LINE_BYTES : end;
		if (map_get(&b->line_index, number, ev->file) || bytes_differ(image, ev, from, to))
			line_activate(b, line_find(b, image, ev->file, number));
	}
}

/* Does this event announce a file for the first time, under a name that no other file has? */
static bool file_is_new(struct boxes *b, const struct image *image, const struct event *ev)
{
	bool known;

	while (b->announced.count <= ev->file)
		vec_push(&b->announced, false);
	known = b->announced.at[ev->file];
	b->announced.at[ev->file] = true;
	for (uint32_t file = 1; file <= image_file_count(image); file++) {
		const char *path = file != ev->file ? image_path(image, file) : NULL;

		known |= path && ev->path && !strcmp(path, ev->path);
	}
	return !known;
}

void boxes_before(struct boxes *boxes, const struct image *image, const struct event *ev)
{
	if (boxes->given_up)
		return;
	switch (ev->type) {
	case EVENT_STORE:
		if (ev->file)
			range_touch(boxes, image, ev);
		break;
	case EVENT_FILE_WRITE:
		range_touch(boxes, image, ev);
		boxes->files_changed |= ev->offset + ev->size > image_size(image, ev->file);
		break;
	case EVENT_FILE_TRUNCATE:
		boxes->files_changed = true;
		boxes->given_up |= ev->size < image_size(image, ev->file);
		break;
	case EVENT_FILE_ALLOCATE:
		boxes->files_changed = true;
		boxes->given_up |= (ev->flags & ~(uint32_t)FALLOC_FL_KEEP_SIZE) != 0;
		break;
	case EVENT_FILE:
		boxes->files_changed = true;
		boxes->given_up |= !file_is_new(boxes, image, ev);
		break;
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: boxes->given_up = true; break;
	default: break;
	}
}

void boxes_restart(struct boxes *boxes)
{
	for (uint32_t i = 1; i < boxes->lines.count; i++)
		line_activate(boxes, i);
	boxes->announced.count = 0;
	boxes->files_changed = true;
}

bool boxes_given_up(const struct boxes *boxes)
{
	return boxes->given_up;
}

void boxes_give_up(struct boxes *boxes)
{
	boxes->given_up = true;
}

bool boxes_count(const struct boxes *boxes, mpz_t count)
{
	mpz_set(count, boxes->total);
	return !boxes->given_up;
}

/* Moments */

/* Set line 0 to the names and sizes of all files. */
static void files_set(struct boxes *b, const struct image *image)
{
	uint64_t hash = 0;
	struct digest digest;

	for (uint32_t file = 1; file <= image_file_count(image); file++) {
		const uint64_t about[4] = {hash, image_exists(image, file), image_size(image, file), file};

		hash = XXH3_64bits(about, sizeof(about));
	}
	digest = (struct digest){hash, hash};
	b->wanted.count = 0;
	vec_push(&b->wanted, value_find(b, 0, digest));
	line_set(b, 0);
	b->files_changed = false;
}

/* The line has one value: nothing is pending on it, or nothing that changes its content. */
static void certain_set(struct boxes *b, const struct image *image, uint32_t at)
{
	const struct line *line = &b->lines.at[at];

	b->wanted.count = 0;
	vec_push(&b->wanted, value_find(b, at, line_digest(image, line->file, line->number)));
	line_set(b, at);
	b->lines.at[at].version = 0;
}

/* Set the variants that include everything that orders up to `order` cover, and nothing stored after the next order. */
static void variants_set(struct boxes *b, uint32_t at, struct digest certain, const struct variant *variant,
			 size_t count, uint64_t order)
{
	uint64_t seen = ++b->marks;

	b->wanted.count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t value;

		if (variant[i].needs > order || variant[i].barrier <= order)
			continue;
		value = value_find(b, at, digest_add(certain, variant[i].change));
		if (b->values.at[value].mark != seen)
			vec_push(&b->wanted, value);
		b->values.at[value].mark = seen;
	}
	line_set(b, at);
}

static uint32_t place_line(struct boxes *b, const struct image *image, const struct choices_line *place)
{
	return line_find(b, image, place->file, place->offset / LINE_BYTES);
}

/* Set the lines of this moment for the box of `order`; 0: before the first order. */
static void several_set(struct boxes *b, const struct image *image, const struct choices *c, const struct variants *v,
			uint64_t order)
{
	parts_start(&b->parts);
	for (size_t i = 0; i < v->lines.count; i++) {
		const struct variants_line *own = &v->lines.at[i];
		uint32_t at = place_line(b, image, &choices_lines(c)[own->line]);
		struct line *line = &b->lines.at[at];

		if (line->version != own->version || v->ordered)
			variants_set(b, at, line->certain, v->all.at + own->first, own->count, order);
		line->version = v->ordered ? 0 : own->version;
		line->part = b->parts.lines.count;
		if (line->set.count > 1)
			parts_line(&b->parts, line->set.count);
	}
}

/* Update lines that were pending or have been stored to, and now have one value. */
static void active_settle(struct boxes *b, const struct image *image)
{
	for (size_t i = 0; i < b->active.count; i++) {
		struct line *line = &b->lines.at[b->active.at[i]];

		if (!line->several)
			certain_set(b, image, b->active.at[i]);
		line->active = line->several = false;
	}
	b->active.count = 0;
}

void boxes_moment(struct boxes *boxes, const struct image *image, const struct choices *choices,
		  const struct variants *variants)
{
	if (boxes->given_up)
		return;
	if (boxes->files_changed)
		files_set(boxes, image);
	for (size_t i = 0; i < variants->lines.count; i++) {
		const struct choices_line *place = &choices_lines(choices)[variants->lines.at[i].line];
		uint32_t at = place_line(boxes, image, place);

		line_activate(boxes, at);
		boxes->lines.at[at].several = true;
		boxes->lines.at[at].certain = line_digest(image, place->file, place->offset / LINE_BYTES);
	}
	several_set(boxes, image, choices, variants, 0);
	/* This comes last, so these lines are the newest in the list.  Lines that have just become certain are the best
	 * to narrow down which earlier boxes can meet this one. */
	active_settle(boxes, image);
	box_count(boxes);
	for (size_t i = 0; i < variants->orders.count && !boxes->given_up; i++) {
		if (i && variants->orders.at[i] == variants->orders.at[i - 1])
			continue;
		several_set(boxes, image, choices, variants, variants->orders.at[i]);
		box_count(boxes);
	}
	for (uint32_t i = 0; i < choices->line_count; i++)
		line_activate(boxes, place_line(boxes, image, &choices_lines(choices)[i]));
}
