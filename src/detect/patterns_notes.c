/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns_notes.c - see patterns_notes.h. */
#include "detect/patterns_notes.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* Notes of lines come in blocks for so many bytes of PM: large enough that the system gives their memory page by page, as it is touched. */
enum { BLOCK_BITS = 21, LINE_BITS = 6, BLOCK_LINES = 1 << (BLOCK_BITS - LINE_BITS) };

struct site_note *notes_site(struct notes *notes, uint32_t context)
{
	if (context >= notes->sites.room) {
		size_t room = (size_t)context * 2 + 64;

		notes->sites.at = mem_resize(notes->sites.at, room, sizeof(*notes->sites.at));
		memset(notes->sites.at + notes->sites.room, 0, (room - notes->sites.room) * sizeof(*notes->sites.at));
		notes->sites.room = room;
	}
	return &notes->sites.at[context];
}

struct line_note *notes_line(struct notes *notes, uint32_t file, uint64_t offset)
{
	uint64_t block = offset >> BLOCK_BITS;

	if (file >= notes->files.count || block >= notes->files.at[file].count || !notes->files.at[file].at[block])
		return NULL;
	return &notes->files.at[file].at[block][offset >> LINE_BITS & (BLOCK_LINES - 1)];
}

static struct line_note *line_make(struct notes *notes, uint32_t file, uint64_t offset)
{
	struct file_notes *blocks;

	while (notes->files.count <= file)
		vec_push(&notes->files, (struct file_notes){0});
	blocks = &notes->files.at[file];
	while (blocks->count <= offset >> BLOCK_BITS)
		vec_push(blocks, NULL);
	blocks->at[offset >> BLOCK_BITS] = mem_alloc(BLOCK_LINES * sizeof(struct line_note));
	return notes_line(notes, file, offset);
}

struct line_note *notes_line_make(struct notes *notes, uint32_t file, uint64_t offset)
{
	struct line_note *line = notes_line(notes, file, offset);

	return line ? line : line_make(notes, file, offset);
}

void notes_straddle(struct notes *notes, uint32_t file, uint64_t offset, uint64_t event)
{
	uint64_t *index = map_put(&notes->straddle_of, file, offset >> LINE_BITS);
	struct straddle fresh = {.event = event};

	if (*index) {
		notes->straddles.at[*index - 1] = fresh;
	} else {
		vec_push(&notes->straddles, fresh);
		*index = notes->straddles.count;
	}
	notes_line_make(notes, file, offset)->out = 1;
	notes_line_make(notes, file, offset + LINE_BYTES)->in = 1;
}

/* One of the two lines of a straddling store is written back.  After the other one nothing is open, and the flags go. */
static void straddle_flush(struct notes *notes, uint32_t file, uint64_t line, unsigned second, uint32_t context)
{
	const uint64_t *index = map_get(&notes->straddle_of, file, line - second);

	BUG_ON(!index); /* the line's flag said so */
	struct straddle *s = &notes->straddles.at[*index - 1];
	s->flush[second] = context;
	if (!s->flush[!second])
		return;
	notes_line(notes, file, (line - second) << LINE_BITS)->out = 0;
	notes_line(notes, file, (line - second + 1) << LINE_BITS)->in = 0;
}

void notes_flush(struct notes *notes, uint32_t file, uint64_t offset, uint32_t context)
{
	struct line_note *note = notes_line_make(notes, file, offset);

	note->flush = context;
	BUG_ON(note->flush != context);
	note->early = 0;
	if (note->out)
		straddle_flush(notes, file, offset >> LINE_BITS, 0, context);
	if (note->in)
		straddle_flush(notes, file, offset >> LINE_BITS, 1, context);
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
	for (size_t file = 0; file < notes->files.count; file++) {
		struct file_notes *blocks = &notes->files.at[file];

		for (size_t i = 0; i < blocks->count; i++)
			free(blocks->at[i]);
		vec_free(blocks);
	}
	vec_free(&notes->files);
	map_free(&notes->straddle_of);
	vec_free(&notes->straddles);
	vec_free(&notes->sites);
}
