/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns_notes.h - the data that `patterns` keeps about code and lines, in addition to the model's pending stores.
 *
 * For each calling context: what became of its stores, and how often its flushes had something to do.  For each line
 * that was ever flushed, or written by an atomic or straddling store: the flush that last wrote it back, and a few
 * flags.  A line costs 8 bytes, so memory is bounded by the amount of PM that the program uses, not by the length of
 * the trace. */
#ifndef BLACKOUT_DETECT_PATTERNS_NOTES_H
#define BLACKOUT_DETECT_PATTERNS_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line.h"
#include "base/vec.h"
#include "detect/sink.h"

/* The end of a store. */
enum site_end { SITE_PERSISTED, SITE_OVERWRITTEN, SITE_LEFT };

struct site_note {
	struct sink_site facts; /* its `context` is set at the end */
	uint64_t last_event;    /* the store counted last */
	enum site_end last;     /* how it was counted */
};

struct line_note {
	uint32_t flush : 28; /* context of the last flush or sync; 0: none */
	uint32_t atomic : 1; /* an atomic instruction stored to it */
	uint32_t early : 1;  /* stored to after its last flush and before the fence for that flush */
	uint32_t out : 1;    /* a store straddled into the next line, and this line has not been flushed since */
	uint32_t in : 1;     /* a store straddled from the line before, and this line has not been flushed since */
	uint32_t straddle;   /* low half of the event number of the last store from here into the next line */
};

/* Line notes are allocated in blocks, each for this many bytes of PM.  A block is large enough that the kernel
 * provides its memory page by page, as it is touched. */
#define NOTES_BLOCK (2u << 20)

/* The blocks of a file; NULL where nothing has been noted. */
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

/* Counts the end of units of the store `event`.  If some of its units were overwritten and others persisted, the
 * store counts as persisted. */
static inline void site_count(struct site_note *site, uint64_t event, enum site_end end)
{
	if (event == site->last_event) {
		if (end != SITE_PERSISTED || site->last != SITE_OVERWRITTEN)
			return;
		site->facts.overwritten--;
	}
	site->last_event = event;
	site->last = end;
	site->facts.persisted += end == SITE_PERSISTED;
	site->facts.overwritten += end == SITE_OVERWRITTEN;
	site->facts.left += end == SITE_LEFT;
}

/* Both return the note of the line at `offset`.  notes_line_make creates it if needed; notes_line returns NULL if
 * there is none.  The note is valid until notes_free. */
struct line_note *notes_line_make(struct notes *notes, uint32_t file, uint64_t offset);

static inline struct line_note *notes_line(const struct notes *notes, uint32_t file, uint64_t offset)
{
	uint64_t block = offset / NOTES_BLOCK;

	if (file >= notes->files.count || block >= notes->files.at[file].count || !notes->files.at[file].at[block])
		return NULL;
	return &notes->files.at[file].at[block][offset % NOTES_BLOCK / LINE_BYTES];
}

/* Notes a store that straddles the end of the line at `offset`. */
void notes_straddle(struct notes *notes, uint32_t file, uint64_t offset, uint64_t event);

/* Notes that `context` wrote back the line at `offset`. */
void notes_flush(struct notes *notes, uint32_t file, uint64_t offset, uint32_t context);

/* The store `event` was not written back in the line at `offset`.  If it straddles into another line that was
 * written back, returns the context of that flush; otherwise 0. */
uint32_t notes_half_flushed(const struct notes *notes, uint32_t file, uint64_t offset, uint64_t event);

void notes_free(struct notes *notes);

#endif
