/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns_notes.h - what `patterns` remembers of code and of lines, beyond what the model knows of what is pending.
 *
 * Of each calling context: what became of its stores, and how often its flushes had work.  Of each line that was
 * ever flushed or hit by an atomic or straddling store: the flush that wrote it back last, and a few flags.  A line
 * costs 8 bytes, so memory is bounded by the PM that the program works on, whatever the length of the trace. */
#ifndef BLACKOUT_DETECT_PATTERNS_NOTES_H
#define BLACKOUT_DETECT_PATTERNS_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "detect/sink.h"

#define LINE_BYTES 64u

/* How a store ends. */
enum site_end { SITE_PERSISTED, SITE_OVERWRITTEN, SITE_LEFT };

struct site_note {
	struct sink_site told; /* the context is filled in at the end */
	uint64_t last_event;   /* the store that was counted last, */
	enum site_end last;    /* and as what */
};

struct line_note {
	uint32_t flush : 28; /* context of the last flush, or synchronisation; 0: none */
	uint32_t atomic : 1; /* an atomic instruction stored to it */
	uint32_t early : 1;  /* stored to after its last flush, which was not fenced by then */
	uint32_t out : 1;    /* a store went on from here into the next line, and this line is not flushed since */
	uint32_t in : 1;     /* a store came in from the line before, and this line is not flushed since */
	uint32_t straddle;   /* the last store from here into the next line: the low half of its number */
};

/* Notes of lines come in blocks for so many bytes of PM: large enough that the system gives their memory page by page,
 * as it is touched. */
#define NOTES_BLOCK (2u << 20)

/* The blocks of a file; NULL where nothing was noted. */
struct file_notes {
	struct line_note **at;
	size_t count, room;
};

struct notes {
	VEC_OF(struct site_note) sites;  /* by context */
	VEC_OF(struct file_notes) files; /* by id */
};

struct site_note *notes_site_new(struct notes *notes, uint32_t context);

static inline struct site_note *notes_site(struct notes *notes, uint32_t context)
{
	return context < notes->sites.room ? &notes->sites.at[context] : notes_site_new(notes, context);
}

/* Units of the store `event` have ended so.  If some were overwritten and others persist, the store persists. */
static inline void site_count(struct site_note *site, uint64_t event, enum site_end end)
{
	if (event == site->last_event) {
		if (end != SITE_PERSISTED || site->last != SITE_OVERWRITTEN)
			return;
		site->told.overwritten--;
	}
	site->last_event = event;
	site->last = end;
	site->told.persisted += end == SITE_PERSISTED;
	site->told.overwritten += end == SITE_OVERWRITTEN;
	site->told.left += end == SITE_LEFT;
}

/* The note of the line at `offset`: NULL if there is none, or made.  Valid until notes_free. */
struct line_note *notes_line_make(struct notes *notes, uint32_t file, uint64_t offset);

static inline struct line_note *notes_line(const struct notes *notes, uint32_t file, uint64_t offset)
{
	uint64_t block = offset / NOTES_BLOCK;

	if (file >= notes->files.count || block >= notes->files.at[file].count || !notes->files.at[file].at[block])
		return NULL;
	return &notes->files.at[file].at[block][offset % NOTES_BLOCK / LINE_BYTES];
}

/* A store went over the end of the line at `offset`. */
void notes_straddle(struct notes *notes, uint32_t file, uint64_t offset, uint64_t event);

/* The line at `offset` is written back. */
void notes_flush(struct notes *notes, uint32_t file, uint64_t offset, uint32_t context);

/* If the store `event`, which is not written back in the line at `offset`, reached into another line that is: the
 * context of that flush. */
uint32_t notes_half_flushed(const struct notes *notes, uint32_t file, uint64_t offset, uint64_t event);

void notes_free(struct notes *notes);

#endif
