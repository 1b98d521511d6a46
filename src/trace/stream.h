/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h - one trace file, read as the events of one process.
 *
 * Here records get their meaning: ids are checked and renumbered, addresses resolved through the live mappings.  The
 * merge in trace.c decides which process may go on; it is told by STREAM_CLOCK when this one enters its next burst. */
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

struct stream {
	uint32_t number; /* NNNN of its file */
	uint64_t clock;  /* number of the burst it is in */
	struct chunk_file file;
	struct chunk chunk;
	struct decoder decoder;
	uint32_t records; /* decoded of this chunk */

	struct defs *defs;        /* shared by all */
	VEC_OF(uint32_t) modules; /* ids in this file -> ids in defs; [0] is 0 in all of these */
	VEC_OF(uint32_t) contexts;
	VEC_OF(uint32_t) files;
	struct map own_files; /* ids in defs that this file defined or inherited */
	struct map threads;   /* id in this file -> id in defs, and whether THREAD_START has named it */
	uint32_t thread;      /* that does what follows */
	struct mappings mappings;

	struct event blank; /* of this process, and otherwise zero: copying is faster than clearing */
	struct event rest;  /* what is left of an event that reaches over several mappings, if its size is not 0 */

	/* From a look at all chunk headers: */
	uint64_t raw_bytes, record_count;
	bool whole;  /* every chunk is closed, and the file ends with the last */
	bool marked; /* and that is the seal */
};

/* Open trace/NNNN.bo.  On success stream_close must follow. */
int stream_open(struct stream *s, const char *dir, uint32_t number, struct defs *defs, struct err *err);
/* Open a file that is still being written: 1, or 0 if there is nothing to open yet.  stream_next says STREAM_WAIT where
 * the next chunk is not closed yet, until stream_end_live tells that the file is complete. */
int stream_open_live(struct stream *s, const char *dir, uint32_t number, struct defs *defs, struct err *err);
int stream_end_live(struct stream *s, struct err *err);

void stream_close(struct stream *s);

enum stream_step stream_next(struct stream *s, struct event *ev, struct err *err);

#endif
