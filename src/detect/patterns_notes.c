/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns_notes.c - see patterns_notes.h. */
#include "detect/patterns_notes.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum { PAGE_BITS = 12, LINE_BITS = 6, PAGE_LINES = 1 << (PAGE_BITS - LINE_BITS) };

struct site_note *notes_site(struct notes *notes, uint32_t context)
{
	if (context >= notes->sites.room) {
		size_t room = (size_t)context * 2 + 64;

		notes->sites.at = mem_resize(notes->sites.at, room, sizeof(*notes->sites.at));
		memset(notes->sites.at + notes->sites.room, 0,
		       (room - notes->sites.room) * sizeof(*notes->sites.at));
		notes->sites.room = room;
	}
	return &notes->sites.at[context];
}

static struct line_note *page_find(struct notes *notes, uint32_t file, uint64_t page)
{
	if (notes->last && notes->last_page == page && notes->last_file == file)
		return notes->last;
	uint64_t *value = map_get(&notes->pages, file, page);
	if (!value)
		return NULL;
	notes->last_file = file;
	notes->last_page = page;
	notes->last = (struct line_note *)(uintptr_t)*value;
	return notes->last;
}

static size_t line_index(uint64_t offset)
{
	return offset >> LINE_BITS & (PAGE_LINES - 1);
}

struct line_note *notes_line(struct notes *notes, uint32_t file, uint64_t offset)
{
	struct line_note *page = page_find(notes, file, offset >> PAGE_BITS);

	return page ? &page[line_index(offset)] : NULL;
}

struct line_note *notes_line_make(struct notes *notes, uint32_t file, uint64_t offset)
{
	struct line_note *page = page_find(notes, file, offset >> PAGE_BITS);

	if (!page) {
		page = mem_alloc(PAGE_LINES * sizeof(*page));
		*map_put(&notes->pages, file, offset >> PAGE_BITS) = (uint64_t)(uintptr_t)page;
	}
	return &page[line_index(offset)];
}

static struct straddle *straddle_find(const struct notes *notes, uint32_t file, uint64_t line)
{
	const uint64_t *index = map_get(&notes->straddle_of, file, line);

	BUG_ON(!index); /* the line's flag said so */
	return &notes->straddles.at[*index - 1];
}

void notes_straddle(struct notes *notes, uint32_t file, uint64_t offset, uint64_t event)
{
	uint64_t *index = map_put(&notes->straddle_of, file, offset >> LINE_BITS);
	struct straddle fresh = {.event = event};

	if (*index) {
		notes->straddles.at[*index - 1] = fresh;
		return;
	}
	vec_push(&notes->straddles, fresh);
	*index = notes->straddles.count;
	notes_line_make(notes, file, offset)->out = 1;
	notes_line_make(notes, file, offset + LINE_BYTES)->in = 1;
}

void notes_flush(struct notes *notes, uint32_t file, uint64_t offset, uint32_t context)
{
	struct line_note *note = notes_line_make(notes, file, offset);
	uint64_t line = offset >> LINE_BITS;

	note->flush = context;
	BUG_ON(note->flush != context);
	note->early = 0;
	if (note->out)
		straddle_find(notes, file, line)->flush[0] = context;
	if (note->in)
		straddle_find(notes, file, line - 1)->flush[1] = context;
}

uint32_t notes_half_flushed(const struct notes *notes, uint32_t file, uint64_t offset, uint64_t event)
{
	uint64_t line = offset >> LINE_BITS;

	for (unsigned second = 0; second < 2; second++) {
		const uint64_t *index = map_get(&notes->straddle_of, file, line - second);
		const struct straddle *s = index ? &notes->straddles.at[*index - 1] : NULL;

		if (s && s->event == event && !s->flush[second] && s->flush[!second])
			return s->flush[!second];
	}
	return 0;
}

void notes_free(struct notes *notes)
{
	for (size_t i = 0; i < notes->pages.room; i++)
		if (notes->pages.entries[i].used)
			free((void *)(uintptr_t)notes->pages.entries[i].value);
	map_free(&notes->pages);
	map_free(&notes->straddle_of);
	vec_free(&notes->straddles);
	vec_free(&notes->sites);
}
