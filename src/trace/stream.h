/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h - read one trace file as the events of one process.
 *
 * This module interprets records: it checks and renumbers ids, and resolves addresses through the current mappings.
 * The merge in trace.c decides which process may continue; STREAM_CLOCK tells it when this one enters its next
 * burst. */
#ifndef BLACKOUT_TRACE_STREAM_H
#define BLACKOUT_TRACE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/chunk.h"
#include "trace/decode.h"
#include "trace/defs.h"
#include "trace/mappings.h"
#include "trace/trace.h"

enum stream_step { STREAM_DAMAGE = -1, STREAM_END = 0, STREAM_EVENT = 1, STREAM_CLOCK = 2, STREAM_WAIT = 3 };

/* The labels of the next load or store of a thread; thread 0: none were announced. */
struct stream_depends {
	uint32_t thread, data_label, control_label;
};

/* The access of the source that the next load or store of a thread is part of; thread 0: none was announced. */
struct stream_access {
	uint32_t thread;
	enum bo_atomicity atomicity;
	enum bo_order order;
	uint64_t number, before, size;
};

struct stream {
	uint32_t number; /* NNNN of its file */
	uint64_t clock;  /* number of its current burst */
	struct chunk_file file;
	struct chunk chunk;
	struct decoder decoder;
	uint32_t records; /* records decoded from this chunk */

	struct defs *defs;        /* shared by all streams */
	VEC_OF(uint32_t) modules; /* ids in this file -> ids in defs; [0] is 0 in all of these */
	VEC_OF(uint32_t) contexts;
	VEC_OF(uint32_t) files;
	VEC_OF(uint32_t) functions;
	VEC_OF(uint32_t) reads;
	VEC_OF(uint32_t) labels;
	VEC_OF(uint32_t) sources;
	VEC_OF(uint32_t) tables;
	VEC_OF(uint32_t) expressions;
	struct map own_files; /* ids in defs that this file defined or inherited */
	struct map threads;   /* id in this file -> id in defs, and whether THREAD_START has named it */
	uint32_t thread;      /* the thread of the following records */
	struct mappings mappings;

	struct stream_depends depends;
	struct stream_access access;
	struct event blank; /* zero except for the process: copying is faster than clearing */
	struct event rest;  /* the rest of an event that spans several mappings; size 0: none */

	/* From a survey of all chunk headers: */
	uint64_t raw_bytes, record_count;
	bool whole;  /* every chunk is closed, and the file ends with the last */
	bool marked; /* and the last chunk is the seal */
};

/* Open trace/NNNN.bo.  After success, call stream_close. */
int stream_open(struct stream *s, const char *dir, uint32_t number, struct defs *defs, struct err *err);
/* Open a file that is still being written.  Return 1, or 0 if there is nothing to open yet. stream_next returns
 * STREAM_WAIT if the next chunk is not closed yet, until stream_end_live declares the file complete. */
int stream_open_live(struct stream *s, const char *dir, uint32_t number, struct defs *defs, struct err *err);
int stream_end_live(struct stream *s, struct err *err);

void stream_close(struct stream *s);

enum stream_step stream_next(struct stream *s, struct event *ev, struct err *err);

#endif
