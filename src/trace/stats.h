/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - how often what happened, and where: one pass over a trace.
 *
 *     struct stats *stats = stats_open();
 *     if (stats_read(stats, trace, &err) < 0) ...                 // damage: what came before it is counted
 *     stats_summarise(stats, trace, &summary);                    // the totals
 *     lines = stats_lines(stats, trace, symbols, &count);         // per source line; free(lines)
 *     stats_close(stats);
 *
 * Counting needs no symbols and little memory: one counter per (context, op, width) that occurs.  Lines and routines
 * are made from those counters afterwards. */
#ifndef BLACKOUT_TRACE_STATS_H
#define BLACKOUT_TRACE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/op.h"
#include "trace/symbols.h"
#include "trace/trace.h"

struct stats_summary {
	uint64_t events;              /* delivered by the reader */
	uint64_t stores, store_bytes; /* of all kinds, into PM */
	uint64_t loads;               /* 0 unless the recording has them */
	uint64_t flushes;             /* clflush, clflushopt, clwb, also of volatile memory */
	uint64_t flushes_volatile;    /* those of them that hit no PM */
	uint64_t fences;              /* sfence, mfence */
	uint64_t locked;              /* locked instructions that stored nothing to PM; those that did are stores */
	uint64_t content_bytes;       /* of PM files when they were first mapped */
	uint32_t threads, processes;  /* that were recorded */
	uint32_t files, modules, contexts;
};

/* One line of source, or where none is known, one function, or one module. */
struct stats_line {
	const struct symbols_frame *frame; /* some frame there: its `line` or `function` may be missing, see above */
	uint64_t counts[OP_GROUP_COUNT];
	uint64_t store_bytes;
};

/* Stores of one kind and width by one function: what a memcpy really was. */
struct stats_routine {
	const struct symbols_frame *frame; /* `function` is NULL where the module has no symbol for it */
	enum op op;
	uint32_t width; /* bytes per store; of a rep, per element */
	uint64_t stores, bytes;
};

struct stats_file {
	uint64_t stores, store_bytes, flushes, writes;
};

struct stats;

struct stats *stats_open(void);
void stats_close(struct stats *stats);

/* Count one event. */
void stats_add(struct stats *stats, const struct event *ev);

/* Count all that is left of a trace.  -1 on damage; the counts up to there stand. */
int stats_read(struct stats *stats, struct trace *trace, struct err *err);

void stats_summarise(const struct stats *stats, const struct trace *trace, struct stats_summary *summary);

/* Events of one op: in all, and the bytes they moved (stores, loads, writes, content); by one thread. */
uint64_t stats_count(const struct stats *stats, enum op op);
uint64_t stats_bytes(const struct stats *stats, enum op op);
uint64_t stats_thread_count(const struct stats *stats, uint32_t thread, enum op op);

/* What happened to one PM file; zeros if nothing did. */
struct stats_file stats_file(const struct stats *stats, uint32_t file);

/* Source lines, those with most stores, flushes and fences first.  An event belongs to the innermost frame of its stack
 * that has a line, so a library without debug info counts for the line that called it.  The array is the caller's to
 * free; the frames live as long as the symbols. */
struct stats_line *stats_lines(const struct stats *stats, const struct trace *trace, struct symbols *symbols,
			       size_t *count);

/* Functions that copied to PM: stores wider than 8 bytes, non-temporal or by a string instruction; most bytes first.
 * As above. */
struct stats_routine *stats_routines(const struct stats *stats, const struct trace *trace, struct symbols *symbols,
				     size_t *count);

#endif
