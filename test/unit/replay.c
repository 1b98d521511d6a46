/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay.h"

#include <linux/falloc.h>
#include <string.h>

/* Two worlds: `is` is that of the crash state; `seen` is that of the program, in which every store counts. */
struct worlds {
	struct replay *is;
	struct replay seen;

	/* A file that is found again: what was seen of it before, until all of its content has been read. */
	uint32_t found;
	uint8_t left[REFERENCE_BYTES];
};

static void both_zero(struct worlds *w, uint32_t file, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to && i < REFERENCE_BYTES; i++)
		w->is->files[file].bytes[i] = w->seen.files[file].bytes[i] = 0;
}

static void both_size(struct worlds *w, uint32_t file, uint64_t size)
{
	w->is->files[file].size = w->seen.files[file].size = size;
}

static void put(struct replay_file *f, const struct event *ev)
{
	for (uint64_t i = 0; i < ev->size; i++) {
		if (ev->offset + i < f->size)
			f->bytes[ev->offset + i] = ev->data[i];
	}
}

static void put_units(struct replay *is, const struct reference *r, unsigned event, uint32_t set)
{
	for (unsigned u = 0; u < r->unit_count; u++) {
		const struct reference_unit *unit = &r->units[u];

		for (unsigned i = 0; set >> u & 1 && unit->event == event && i < 8; i++) {
			if (unit->has[i] || unit->lost[i])
				is->files[unit->file].bytes[unit->word * 8 + i] = unit->value[i];
		}
	}
}

static void shift(struct replay_file *f, uint64_t from, uint64_t to)
{
	uint8_t old[REFERENCE_BYTES];
	uint64_t low = from < to ? from : to;

	memcpy(old, f->bytes, sizeof(old));
	for (uint64_t i = low; i < REFERENCE_BYTES; i++)
		f->bytes[i] = i < to || i - to + from >= REFERENCE_BYTES ? 0 : old[i - to + from];
	f->size += to - from;
}

static void both_allocate(struct worlds *w, const struct event *ev)
{
	uint64_t end = ev->offset + ev->size, size = w->is->files[ev->file].size;
	uint64_t from = ev->flags & FALLOC_FL_COLLAPSE_RANGE ? end : ev->offset;
	uint64_t to = ev->flags & FALLOC_FL_COLLAPSE_RANGE ? ev->offset : end;

	if (ev->flags & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)) {
		shift(&w->is->files[ev->file], from, to);
		shift(&w->seen.files[ev->file], from, to);
		return;
	}
	if (ev->flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		both_zero(w, ev->file, ev->offset, end);
	if (!(ev->flags & FALLOC_FL_KEEP_SIZE) && size < end)
		both_size(w, ev->file, end);
}

static void name(struct worlds *w, uint32_t file, const char *path)
{
	for (uint32_t other = 1; path && other < REFERENCE_FILES; other++) {
		if (w->is->files[other].path && !strcmp(w->is->files[other].path, path))
			w->is->files[other].path = NULL;
	}
	w->is->files[file].path = path;
}

/* Another process finds what was seen, except for bytes that an unrecorded process has changed: those are on media. */
static void found_end(struct worlds *w)
{
	for (size_t i = 0; w->found && i < w->is->files[w->found].size; i++) {
		if (w->left[i] != w->seen.files[w->found].bytes[i])
			w->is->files[w->found].bytes[i] = w->seen.files[w->found].bytes[i];
	}
	w->found = 0;
}

static void file(struct worlds *w, const struct event *ev)
{
	if (w->is->files[ev->file].known) {
		w->found = ev->file;
		memcpy(w->left, w->seen.files[ev->file].bytes, sizeof(w->left));
		memset(w->seen.files[ev->file].bytes, 0, REFERENCE_BYTES);
	}
	both_zero(w, ev->file, ev->size, REFERENCE_BYTES);
	both_size(w, ev->file, ev->size);
	w->is->files[ev->file].known = true;
	name(w, ev->file, ev->path);
}

static void content(struct worlds *w, const struct event *ev)
{
	put(&w->seen.files[ev->file], ev);
	if (!w->found)
		put(&w->is->files[ev->file], ev);
}

static void event(struct worlds *w, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE: put(&w->seen.files[ev->file], ev); break;
	case EVENT_FILE_WRITE:
		if (w->is->files[ev->file].size < ev->offset + ev->size)
			both_size(w, ev->file, ev->offset + ev->size);
		put(&w->seen.files[ev->file], ev);
		break;
	case EVENT_FILE: file(w, ev); break;
	case EVENT_CONTENT: content(w, ev); break;
	case EVENT_FILE_TRUNCATE:
		both_zero(w, ev->file, ev->size, REFERENCE_BYTES);
		both_size(w, ev->file, ev->size);
		break;
	case EVENT_FILE_ALLOCATE: both_allocate(w, ev); break;
	case EVENT_FILE_RENAME: name(w, ev->file, ev->path); break;
	case EVENT_FILE_UNLINK:
		if (!ev->flags)
			name(w, ev->file, NULL);
		break;
	default: break;
	}
}

void replay_run(struct replay *replay, const struct event *events, size_t point, const struct reference *reference,
		uint32_t set)
{
	static struct worlds w;

	memset(&w, 0, sizeof(w));
	memset(replay, 0, sizeof(*replay));
	w.is = replay;
	for (unsigned i = 1; i <= point; i++) {
		if (w.found && (events[i - 1].type != EVENT_CONTENT || events[i - 1].file != w.found))
			found_end(&w);
		event(&w, &events[i - 1]);
		put_units(replay, reference, i, set);
	}
}
