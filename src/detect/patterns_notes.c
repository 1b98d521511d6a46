/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns_notes.c - see patterns_notes.h. */
#include "detect/patterns_notes.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

struct site_note *notes_site_new(struct notes *notes, uint32_t context)
{
	size_t room = (size_t)context * 2 + 64;

	notes->sites.at = mem_resize(notes->sites.at, room, sizeof(*notes->sites.at));
	memset(notes->sites.at + notes->sites.room, 0, (room - notes->sites.room) * sizeof(*notes->sites.at));
	notes->sites.room = room;
	return &notes->sites.at[context];
}

static struct line_note *line_make(struct notes *notes, uint32_t file, uint64_t offset)
{
	struct file_notes *blocks;

	while (notes->files.count <= file)
		vec_push(&notes->files, (struct file_notes){0});
	blocks = &notes->files.at[file];
	while (blocks->count <= offset / NOTES_BLOCK)
		vec_push(blocks, NULL);
	blocks->at[offset / NOTES_BLOCK] = mem_alloc(NOTES_BLOCK / LINE_BYTES * sizeof(struct line_note));
	return notes_line(notes, file, offset);
}

struct line_note *notes_line_make(struct notes *notes, uint32_t file, uint64_t offset)
{
	struct line_note *line = notes_line(notes, file, offset);

	return line ? line : line_make(notes, file, offset);
}

void notes_straddle(struct notes *notes, uint32_t file, uint64_t offset, uint64_t event)
{
	struct line_note *first = notes_line_make(notes, file, offset);

	first->out = 1;
	first->straddle = (uint32_t)event;
	notes_line_make(notes, file, offset + LINE_BYTES)->in = 1;
}

void notes_flush(struct notes *notes, uint32_t file, uint64_t offset, uint32_t context)
{
	struct line_note *line = notes_line_make(notes, file, offset);

	line->flush = context;
	BUG_ON(line->flush != context);
	line->early = line->out = line->in = 0;
}

uint32_t notes_half_flushed(const struct notes *notes, uint32_t file, uint64_t offset, uint64_t event)
{
	const struct line_note *line = notes_line(notes, file, offset), *other;

	if (!line)
		return 0;
	other = line->out && line->straddle == (uint32_t)event ? notes_line(notes, file, offset + LINE_BYTES) : NULL;
	if (other && !other->in)
		return other->flush;
	other = line->in ? notes_line(notes, file, offset - LINE_BYTES) : NULL;
	if (other && !other->out && other->straddle == (uint32_t)event)
		return other->flush;
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
	vec_free(&notes->sites);
}
