/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - read a recording, event by event, in the order in which things took effect.
 *
 *     struct trace *t;
 *     if (trace_open(&t, "blackout.out", &err) < 0) ...
 *     struct event ev;
 *     int r;
 *     while ((r = trace_next(t, &ev, &err)) > 0) ...      // 0: the end; -1: damage, err says at which offset of which file
 *     trace_close(t);
 *
 * The processes of a recording (--follow-children) are merged by their CLOCK events into one order.  Definitions
 * (modules, contexts, files, threads, meta) are collected on the way, and are valid until trace_close; an event only
 * refers to what was defined before it.  Ids are those of the merged recording: files are unified by (dev, ino),
 * contexts, modules and threads renumbered.
 *
 * A store or msync that reaches over several mappings comes in pieces, one event for each mapping, so that (file,
 * offset, size) is always one range of one file.  A private mapping of a PM file is delivered, but accesses to it are
 * none to the file. */
#ifndef BLACKOUT_TRACE_TRACE_H
#define BLACKOUT_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "blackout/trace_format.h"

/* What trace_next delivers.  Definitions, META, THREAD_SWITCH and CLOCK are consumed by the reader and not
 * delivered. */
enum event_type {
	EVENT_STORE,
	EVENT_LOAD,
	EVENT_CLFLUSH,
	EVENT_CLFLUSHOPT,
	EVENT_CLWB,
	EVENT_SFENCE,
	EVENT_MFENCE,
	EVENT_LOCKED, /* locked instruction that stored nothing to PM */
	EVENT_CODE_HASH,
	/* A PM file becomes known; its EVENT_CONTENTs follow.  It comes again for the same file when another process
	 * maps it by itself: its content is then what it was at that moment, and starts afresh. */
	EVENT_FILE,
	EVENT_CONTENT,
	EVENT_MAP,
	EVENT_UNMAP,
	EVENT_REMAP,
	EVENT_PROTECT,
	EVENT_FILE_WRITE,
	EVENT_FILE_TRUNCATE,
	EVENT_FILE_ALLOCATE,
	EVENT_FILE_RENAME,
	EVENT_FILE_UNLINK,
	EVENT_FILE_SYNC,
	EVENT_MSYNC,
	EVENT_THREAD_START,
	EVENT_THREAD_EXIT,
	EVENT_FORK,
	EVENT_EXEC,
	EVENT_EXIT,
	EVENT_SIGNAL,
	EVENT_TYPE_COUNT
};

struct event {
	enum event_type type;
	enum bo_store_kind kind; /* STORE */
	uint32_t process;
	uint32_t thread;  /* who did it; for THREAD_START and THREAD_EXIT the thread concerned */
	uint32_t context; /* 0: none */
	/* STORE, LOAD, flushes, MSYNC: that the address is mapped to, 0 if none; FILE_*, CONTENT, MAP: the file. */
	uint32_t file;
	uint64_t addr;       /* STORE, LOAD, flushes (exact), MAP, UNMAP, PROTECT, MSYNC; REMAP: the new address */
	uint64_t offset;     /* in `file`; of what addr names, or of FILE_* and CONTENT */
	uint64_t size;       /* bytes of the store, load, mapping or range; FILE_TRUNCATE: the new size */
	const uint8_t *data; /* STORE, CONTENT, FILE_WRITE: `size` bytes, valid until the next trace_next */
	uint32_t unit;       /* STORE of kind STRING: bytes per element; otherwise 0 */
	uint32_t flags;      /* MAP_ bits, MS_ bits, FALLOC_ mode, enum bo_sync, links left, FORK/EXEC: followed */
	uint32_t prot;       /* MAP, PROTECT */
	uint64_t value; /* CODE_HASH: the hash; EXIT: status; SIGNAL: number; FORK: child pid; THREAD_START: creator */
	uint64_t old_addr; /* REMAP */
	uint64_t old_size; /* REMAP */
	const char *path;  /* FILE, FILE_RENAME, EXEC; valid until trace_close */
};

struct trace_module {
	const char *path;             /* "" for code that is in no file */
	uint64_t start, size, offset; /* where it was mapped, and what of the file */
	uint64_t file_size, mtime;    /* of the file when it was mapped: tells whether it changed since */
};

struct trace_context {
	uint32_t parent; /* calling context, 0 at the start of a thread */
	uint32_t module; /* 0: code that belongs to no module */
	uint64_t offset; /* in the module's file: the instruction; for a caller, the instruction after the call */
};

struct trace_file {
	const char *path; /* when it became known */
	uint64_t dev, ino;
	uint64_t size; /* when it became known */
	bool created;  /* by the recorded run */
};

struct trace;

/* Open the recording in `dir`.  On success *trace is the caller's to close. */
int trace_open(struct trace **trace, const char *dir, struct err *err);
void trace_close(struct trace *trace);

/* Deliver the next event: 1, or 0 at the end, or -1 on damage. */
int trace_next(struct trace *trace, struct event *ev, struct err *err);

/* A recording that is still being written, by one process (without --follow-children), can be read behind the writer:
 *
 *     while (trace_open_live(&t, dir, &err) == 0) ...      // 1: it is open; 0: the writer has not begun; -1: it never will be
 *     while ((r = trace_next(t, &ev, &err)) > 0)
 *             if (r == TRACE_WAIT) ...                     // no event: look again later
 *
 * Once the writer is gone and the recording is sealed, but not compressed (that makes another file of it),
 * trace_end_live must be called: then the rest comes, and the end. */
enum { TRACE_WAIT = 2 };
int trace_open_live(struct trace **trace, const char *dir, struct err *err);
int trace_end_live(struct trace *trace, struct err *err);

/* Definitions seen so far.  Ids run from 1 to the count; NULL for an id that was never defined. */
const struct trace_module *trace_module(const struct trace *trace, uint32_t id);
const struct trace_context *trace_context(const struct trace *trace, uint32_t id);
const struct trace_file *trace_file(const struct trace *trace, uint32_t id);
uint32_t trace_module_count(const struct trace *trace);
uint32_t trace_context_count(const struct trace *trace);
uint32_t trace_file_count(const struct trace *trace);
uint32_t trace_thread_count(const struct trace *trace); /* threads are numbered from 1 */
uint32_t trace_process_count(const struct trace *trace);

/* The value of a META key (see doc/TRACE_FORMAT.md for the keys), or NULL.  Facts of a followed child N have the prefix
 * "N/". */
const char *trace_meta(const struct trace *trace, const char *key);

uint32_t trace_layers(const struct trace *trace); /* enum bo_layer bits */
/* Layers that a newer version recorded, and this one does not know: their events are skipped. */
uint32_t trace_layers_unknown(const struct trace *trace);
#define TRACE_LAYERS_UNKNOWN "a newer version of blackout recorded more than this one can read; the rest was skipped"
uint64_t trace_bytes(const struct trace *trace);   /* payload bytes of all chunks before compression */
uint64_t trace_records(const struct trace *trace); /* encoded events of all chunks, definitions included */
bool trace_sealed(
	const struct trace *trace); /* false if the writer was cut off and nobody called trace_seal (seal.h) */

#endif
