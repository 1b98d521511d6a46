/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - count the events of a trace by kind and place, in one pass.
 *
 *     struct stats *stats = stats_open();
 *     if (stats_read(stats, trace, &err) < 0) ...                 // damage: the events before it are counted
 *     stats_summarize(stats, trace, &summary);                    // the totals
 *     lines = stats_lines(stats, trace, symbols, &count);         // per source line; free(lines)
 *     stats_close(stats);
 *
 * Counting needs no symbols and little memory: one counter per (context, op, width) that occurs.  Lines and routines
 * are computed from these counters afterwards. */
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
	uint64_t loads;               /* 0 unless loads were recorded */
	uint64_t flushes;             /* clflush, clflushopt, clwb, also of volatile memory */
	uint64_t flushes_volatile;    /* the flushes among these that hit no PM */
	uint64_t fences;              /* sfence, mfence */
	uint64_t locked;              /* locked instructions that stored nothing to PM; the others count as stores */
	uint64_t content_bytes;       /* content of PM files when they were first mapped */
	uint32_t threads, processes;  /* recorded ones */
	uint32_t files, modules, contexts;
};

/* One source line; if unknown, one function; if that is unknown too, one module. */
struct stats_line {
	/* a frame at that place; its `line` or `function` may be missing, see above */
	const struct symbols_frame *frame;
	uint64_t counts[OP_GROUP_COUNT];
	uint64_t store_bytes;
};

/* Stores of one kind and width by one function: shows what a memcpy really did. */
struct stats_routine {
	const struct symbols_frame *frame; /* `function` is NULL if the module has no symbol for it */
	enum op op;
	uint32_t width; /* bytes per store; for string stores, per element */
	uint64_t stores, bytes;
};

struct stats_file {
	uint64_t stores, store_bytes, flushes, writes;
};

/* Accesses that depend on loads. */
struct stats_dependent {
	uint64_t data, control; /* some depend on loads in both ways */
};

struct stats;

struct stats *stats_open(void);
void stats_close(struct stats *stats);

/* Count one event. */
void stats_add(struct stats *stats, const struct event *ev);

/* Count the rest of a trace. -1 on damage; the counts so far remain valid. */
int stats_read(struct stats *stats, struct trace *trace, struct err *err);

void stats_summarize(const struct stats *stats, const struct trace *trace, struct stats_summary *summary);

/* Events of one op: their number, the bytes they moved (stores, loads, writes, content), and their number in one
 * thread. */
uint64_t stats_count(const struct stats *stats, enum op op);
uint64_t stats_bytes(const struct stats *stats, enum op op);
uint64_t stats_thread_count(const struct stats *stats, uint32_t thread, enum op op);

/* How many stores (OP_STORES) or loads (OP_LOADS) depend on loads. */
struct stats_dependent stats_dependent(const struct stats *stats, enum op_group group);

/* The counts of one PM file; zeros if it has no events. */
struct stats_file stats_file(const struct stats *stats, uint32_t file);

/* Source lines, those with the most stores, flushes and fences first.  An event belongs to the innermost frame of its
 * stack that has a line, so a library without debug info counts for the line that called it.  The caller frees the
 * array; the frames live as long as the symbols. */
struct stats_line *stats_lines(const struct stats *stats, const struct trace *trace, struct symbols *symbols,
			       size_t *count);

/* Functions that copied to PM: stores wider than 8 bytes, non-temporal stores and string stores; most bytes first.
 * Ownership as above. */
struct stats_routine *stats_routines(const struct stats *stats, const struct trace *trace, struct symbols *symbols,
				     size_t *count);

#endif
