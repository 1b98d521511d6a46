/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.h - all stores that recovery could read if the power failed now, and what would prove them whole.  For
 * races.h; see there.
 *
 * A source is a store of the program's source.  The binary may perform it by several events, and each event may touch
 * several lines: a piece is what one event stores to one line.  Silent units are left out, as in the model: recovery
 * cannot tell whether they happened.  The pieces of a line are kept as long as a crash can show one of their bytes, so
 * memory is bounded by the PM that was stored to. */
#ifndef BLACKOUT_RACES_HISTORY_H
#define BLACKOUT_RACES_HISTORY_H

#include "base/line.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/vec.h"
#include "image/content.h"
#include "races/happens.h"
#include "races/races.h"

#define PAGE_BYTES 4096u
#define PAGE_LINES (PAGE_BYTES / LINE_BYTES)
#define WORD_BYTES 8u
#define RECENT_SOURCES 4u /* of a thread: the stores of a few accesses may alternate */

struct source {
	uint64_t first, last; /* its events */
	uint64_t offset, end; /* what was stored, or is known to belong to it */
	uint64_t access;      /* number of the access, 0: not known */
	uint32_t file, thread, context;
	uint32_t last_context; /* of its latest event */
	uint32_t users;        /* pieces, and threads that may add one */
	uint8_t atomicity;     /* enum bo_atomicity */
	uint8_t order;
	bool kernel;      /* stored or written by a system call */
	uint32_t changed; /* units that the binary stored, without silent ones */
};

/* If recovery has read something that happened after event `number` of `thread`, the piece is whole. */
struct proof {
	uint64_t number; /* 0: none */
	uint32_t thread;
	uint32_t context; /* of the flush, fence or call */
	struct proof *next;
};

struct piece {
	uint64_t number;  /* of its event */
	uint64_t bytes;   /* of the line, as bits */
	uint64_t ordered; /* the first CLFLUSH that covered it; 0: none */
	struct source *source;
	struct clock *others;   /* with number and thread: its stamp */
	struct proof proof;     /* and more, linked; none happened before another */
	uint32_t thread;        /* of the source */
	uint32_t flush_context; /* of the first flush that was no proof */
	uint8_t kind;           /* enum unit_kind */
	bool certain;           /* by a fence or synchronization */
	bool several;           /* its event stored several units that were not silent */
	bool flushed;           /* by a flush after it, which was not fenced when it was noted here */
	bool unordered;         /* by a flush of another thread that the store did not happen before */
};

/* A line that a thread flushed and has not fenced since. */
struct flush {
	struct line *line;
	struct stamp stamp; /* of the last such flush */
	uint32_t context;
	struct flush *in_line, *in_thread;
};

struct line {
	struct piece *pieces; /* oldest first: `count`, with space for `room` */
	uint32_t count, room;
	struct flush *flushes;
	uint32_t direct_thread; /* the line is in `direct` of this thread */
};

struct page {
	uint64_t offset; /* in the file */
	bool unproved;   /* is in `unproved` of the file */
	struct line lines[PAGE_LINES];
};

struct file {
	VEC_OF(struct page *) pages;
	VEC_OF(struct page *) unproved; /* with pieces that a synchronization may prove whole */
};

struct writer {
	struct flush *flushes;
	VEC_OF(struct line *) direct;          /* stored non-temporally since the last fence */
	struct source *recent[RECENT_SOURCES]; /* with an access number; NULL: none */
	unsigned recent_next;                  /* the one to replace */
	struct source *copy;                   /* what a function copies for its caller; NULL: nothing */
	uint32_t copy_caller;
};

struct race_history {
	bool cached_is_safe; /* eADR */
	race_caller *caller;
	void *arg;
	uint64_t now;            /* number of the latest event */
	uint64_t newest_certain; /* latest event with a certain unit */
	struct content *content; /* before the current event */
	struct happens happens;
	VEC_OF(struct writer) writers; /* by thread */
	VEC_OF(struct file) files;     /* by id */
	struct map pages;              /* (file, page) -> 1 + index in page_list */
	VEC_OF(struct page *) page_list;
	struct slab source_slab, flush_slab, proof_slab;
	struct page *last_page;
	uint32_t last_file;
	struct flush *free_flushes; /* linked by in_thread */
	struct proof *free_proofs;  /* linked by next */
	VEC_OF(struct source *) free_sources;
};

struct writer *history_writer(struct race_history *history, uint32_t thread);
struct file *history_file(struct race_history *history, uint32_t file);
struct page *history_page(struct race_history *history, uint32_t file, uint64_t offset);            /* made if new */
struct page *history_page_find(const struct race_history *history, uint32_t file, uint64_t offset); /* NULL if new */

/* The line, or NULL if nothing was ever stored to its page. */
static inline struct line *history_line(const struct race_history *history, uint32_t file, uint64_t offset)
{
	struct page *page = history_page_find(history, file, offset);

	return page ? &page->lines[offset % PAGE_BYTES / LINE_BYTES] : NULL;
}

/* Bytes of a line, `from` to `to` in the file, as far as they are in the line at `line`. */
static inline uint64_t line_mask(uint64_t line, uint64_t from, uint64_t to)
{
	from = from > line ? from - line : 0;
	to = to < line + LINE_BYTES ? to - line : LINE_BYTES;
	return UINT64_MAX >> (LINE_BYTES - (to - from)) << from;
}

/* Is the piece on media whatever happens? */
static inline bool piece_certain(const struct race_history *history, const struct piece *piece)
{
	if (history->cached_is_safe && piece->kind == UNIT_CACHED)
		return !piece->several || piece->number != history->now;
	return piece->certain || (piece->ordered && piece->ordered < history->newest_certain);
}

static inline struct stamp piece_stamp(const struct piece *piece)
{
	return (struct stamp){.number = piece->number, .thread = piece->thread, .others = piece->others};
}

/* ---- sources (source.c) ---- */

/* The source that an event stores, with one user more. */
struct source *source_of(struct race_history *history, const struct event *ev, uint64_t number);
void source_drop(struct race_history *history, struct source *source);

/* The thread does something else: no more stores of what it was copying follow. */
void source_end_copy(struct race_history *history, uint32_t thread);

bool source_in_units(const struct source *source); /* did the binary store it in several units? */
bool source_may_tear(const struct source *source);

/* If recovery has read it, all earlier stores to the line are whole. */
bool source_releases(const struct source *source);

/* ---- pieces (pieces.c) ---- */

/* The event stores bytes `from` to `to` of the file, all in one line, as a part of a source.  Return the number of
 * units that are not silent. */
unsigned piece_add(struct race_history *history, const struct event *ev, struct source *source, uint64_t from,
		   uint64_t to, enum unit_kind kind);

/* Event `number` of a thread proves the piece whole, by a flush or call at `context`. */
void piece_prove(struct race_history *history, struct piece *piece, uint32_t thread, uint64_t number, uint32_t context);

/* Forget pieces that no crash can show any more. */
void line_prune(struct race_history *history, struct line *line);

/* Bytes of the file change without a store: nothing that was stored there can be read any more. */
void history_forget(struct race_history *history, uint32_t file, uint64_t from, uint64_t to);

/* ---- flushes (flushes.c) ---- */

void history_flush(struct race_history *history, const struct event *ev, uint64_t number);
void history_fence(struct race_history *history, const struct event *ev, uint64_t number);
void history_sync(struct race_history *history, const struct event *ev, uint64_t number);
void history_thread_exit(struct race_history *history, const struct event *ev);

#endif
