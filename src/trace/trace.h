/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - read a recording, event by event, in the sequence in which the events took effect.
 *
 *     struct trace *t;
 *     if (trace_open(&t, "blackout.out", &err) < 0) ...
 *     struct event ev;
 *     int r;
 *     while ((r = trace_next(t, &ev, &err)) > 0) ...      // 0: the end; -1: damage, err names the file and offset
 *     trace_close(t);
 *
 * The processes of a recording (--follow-children) are merged by their CLOCK events into one sequence.  Definitions
 * (modules, contexts, files, functions, threads, reads, labels, expressions, meta) are collected on the way, and are valid until trace_close.  An
 * event refers only to definitions before it.  Ids are those of the merged recording: files are unified by (dev, ino);
 * contexts, modules and threads are renumbered.
 *
 * A store or msync that spans several mappings is delivered in pieces, one event per mapping, so that (file, offset,
 * size) is always one range of one file.  A private mapping of a PM file is delivered, but accesses through it do not
 * count as accesses to the file. */
#ifndef BLACKOUT_TRACE_TRACE_H
#define BLACKOUT_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "blackout/trace_format.h"

/* The events that trace_next delivers.  The reader consumes definitions, META, THREAD_SWITCH and CLOCK itself. */
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
	/* A PM file becomes known; its EVENT_CONTENTs follow.  The event is repeated for the same file when another
	 * process maps it independently.  Its content is then given anew, as of that time. */
	EVENT_FILE,
	EVENT_CONTENT,
	EVENT_MAP,
	EVENT_UNMAP,
	EVENT_REMAP,
	EVENT_PROTECT,
	EVENT_FILE_READ, /* by a system call, or by mapping it privately; with the layer READS */
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
	/* Calls of chosen functions.  In each thread, RETURN and LEFT end the innermost open CALL of that thread,
	 * unless it was open when the process was forked.  A call that neither ends was open at the end of the
	 * process. */
	EVENT_CALL,
	EVENT_RETURN,
	EVENT_LEFT, /* the call was left by longjmp, by an exception, or by the end of its thread */
	/* Operations; trace/operations.h puts them together. */
	EVENT_OPERATION_BEGIN,
	EVENT_OPERATION_END,
	EVENT_OPERATION_NOTE,
	/* How threads synchronize: `flags` is enum bo_sync_act, `value` the address of the object or, of JOIN, the
	 * thread that has ended; `order` is that of an atomic access or a fence.  An object in PM has a file and an
	 * offset, too.  The event comes right before the store or load of PM that it belongs to, if there is one.
	 *
	 * Acts on the same address concern the same object, whatever they are: an atomic load may read what a call
	 * has released.  ACQUIRE, RELEASE and JOIN are of calls that succeed: a RELEASE comes before the call takes
	 * effect, an ACQUIRE after it did.  Locked instructions of code that was not compiled with blackout-cc are
	 * atomic accesses with the order SEQ_CST. */
	EVENT_SYNC,
	/* How the program depends on its input, with the layer INPUTS.  BRANCH: `expression` has width 1 and decided;
	 * `value` is what it was, `flags` is enum bo_branch, `module` and `offset` are the code on the other side.
	 * INPUT: `size` bytes were got from `offset` of `source`, and `value` bytes were asked for.  CONVERSATION:
	 * what happened on the connection `source`; `flags` is enum bo_conversation, and its bytes are `data`.  VALUE: what
	 * `expression` was (only in recordings that check the recorder). */
	EVENT_BRANCH,
	EVENT_INPUT,
	EVENT_CONVERSATION,
	EVENT_VALUE,
	EVENT_TYPE_COUNT
};

struct event {
	enum event_type type;
	enum bo_store_kind kind; /* STORE */
	uint32_t process;
	uint32_t thread;  /* the thread that did it; for THREAD_START and THREAD_EXIT the thread concerned */
	uint32_t context; /* 0: none */
	/* STORE, LOAD, flushes, MSYNC: the file mapped at the address, 0 if none.  FILE_*, CONTENT, MAP: the file. */
	uint32_t file;
	uint64_t addr;   /* STORE, LOAD, flushes (exact), MAP, UNMAP, PROTECT, MSYNC; REMAP: the new address */
	uint64_t offset; /* in `file`: that of addr, or of the range of FILE_* and CONTENT */
	uint64_t size;   /* bytes of the store, load, mapping or range; FILE_TRUNCATE: the new size */
	/* STORE, CONTENT, FILE_WRITE, CONVERSATION, CALL (see event_argument): `size` bytes, valid until the next trace_next */
	const uint8_t *data;
	/* STORE of kind STRING: bytes per element; CALL, RETURN, LEFT: enum bo_pmemobj_function; otherwise 0 */
	uint32_t unit;
	/* MAP_ bits, MS_ bits, FALLOC_ mode, enum bo_sync, links left, FORK/EXEC: followed, enum bo_operation_note,
	 * enum bo_sync_act, CALL/RETURN/LEFT: trace_function.watched */
	uint32_t flags;
	uint32_t prot;     /* MAP, PROTECT */
	uint32_t function; /* CALL, RETURN, LEFT */
	/* CODE_HASH: the hash; EXIT: status; SIGNAL: number; FORK: child pid; THREAD_START: creator; RETURN: result;
	 * OPERATION_BEGIN, OPERATION_END: index; OPERATION_NOTE: depends on the note; SYNC: object or thread */
	uint64_t value;
	uint64_t second;   /* RETURN of a function of blackout/pmemobj.h: the second word of its result, or 0 */
	uint64_t old_addr; /* REMAP */
	uint64_t old_size; /* REMAP */
	const char *path;  /* FILE, FILE_RENAME, EXEC; OPERATION_BEGIN: its text; valid until trace_close */
	/* STORE, LOAD, with the layer DEPENDENCIES: the reads that its value and address were computed from, and those
	 * that decided that it was executed; 0: none.  See trace_label. */
	uint32_t data_label, control_label;
	/* STORE, LOAD, with the layer SYNC: the access of the source that it is part of.  All stores by which the binary
	 * performs one access have the same number, and so have all loads. */
	enum bo_atomicity atomicity;
	enum bo_order order;  /* of ATOMIC; SYNC: see there */
	uint64_t access;      /* unique in the recording; 0: not known, because the atomicity is UNKNOWN */
	uint64_t access_addr; /* what the compiler said: the whole range, of which this event may be a part */
	uint64_t access_size;
	/* BRANCH, VALUE: in trace_expressions.  INPUT, CONVERSATION: its source there. */
	uint32_t expression, source;
	uint32_t module; /* BRANCH: 0 if the code on the other side is not known */
};

/* Argument 0 to 5 of a CALL: the value of rdi, rsi, rdx, rcx, r8 or r9.  A function with fewer arguments leaves
 * arbitrary values in the rest. */
static inline uint64_t event_argument(const struct event *ev, unsigned index)
{
	uint64_t value;

	memcpy(&value, ev->data + index * sizeof(value), sizeof(value));
	return value;
}

/* Is it about a call that nobody asked for, which only detectors want to know? */
static inline bool event_is_watched(const struct event *ev)
{
	return (ev->type == EVENT_CALL || ev->type == EVENT_RETURN || ev->type == EVENT_LEFT) && ev->flags;
}

struct trace_module {
	const char *path;             /* "" for code outside any file */
	uint64_t start, size, offset; /* the mapped address range, and its file offset */
	uint64_t file_size, mtime;    /* of the file when it was mapped; show whether it changed since */
};

/* Code, by its offset in the file of a module. */
struct trace_block {
	uint32_t module;
	uint64_t offset, size;
};

struct trace_context {
	uint32_t parent; /* calling context, 0 at the start of a thread */
	uint32_t module; /* 0: code outside any module */
	uint64_t offset; /* file offset of the instruction; for a caller, of the instruction after the call */
};

struct trace_file {
	const char *path; /* when it became known */
	uint64_t dev, ino;
	uint64_t size; /* when it became known */
	bool created;  /* created by the recorded run */
};

struct trace_function {
	const char *symbol; /* as in the symbol table */
	const char *name;   /* the same for C; demangled for C++ */
	uint32_t module;    /* 0: code outside any module */
	uint64_t offset;    /* file offset of its entry */
	bool watched;       /* the user did not ask for it: its calls are for detectors alone */
	uint8_t pmemobj;    /* enum bo_pmemobj_function: which one of libpmemobj's it is */
};

/* A load from PM that something depends on.  Loads by the same code from the same place are one read. */
struct trace_read {
	uint32_t file; /* 0: not in a file that is shared */
	uint64_t offset, size;
	uint32_t context; /* of the load */
	uint32_t branch;  /* context of the first branch that depends on it; 0: none so far */
};

/* A set of reads. */
struct trace_label {
	const uint32_t *reads; /* ids, ascending; valid until the next trace_next */
	size_t count;
	bool many; /* the recorder did not keep all of them */
};

struct trace;

/* Open the recording in `dir`.  On success the caller must close *trace. */
int trace_open(struct trace **trace, const char *dir, struct err *err);
void trace_close(struct trace *trace);

/* Deliver the next event.  Return 1, or 0 at the end, or -1 on damage. */
int trace_next(struct trace *trace, struct event *ev, struct err *err);

/* A recording that is still being written, by one process (without --follow-children), can be read behind the writer:
 *
 *     while (trace_open_live(&t, dir, &err) == 0) ...      // 1: open; 0: nothing to read yet; -1: cannot be opened
 *     while ((r = trace_next(t, &ev, &err)) > 0)
 *             if (r == TRACE_WAIT) ...                     // no event: look again later
 *
 * Once the writer is gone and the recording is sealed, call trace_end_live: then the rest is delivered, and the end.
 * Do not compress the recording before that, because compression replaces the file. */
enum { TRACE_WAIT = 2 };
int trace_open_live(struct trace **trace, const char *dir, struct err *err);
int trace_end_live(struct trace *trace, struct err *err);

/* Definitions seen so far.  Ids run from 1 to the count; NULL for an id that was never defined. */
const struct trace_module *trace_module(const struct trace *trace, uint32_t id);
const struct trace_context *trace_context(const struct trace *trace, uint32_t id);
uint32_t trace_context_parent(const struct trace *trace, uint32_t id); /* 0: none */
const struct trace_file *trace_file(const struct trace *trace, uint32_t id);
const struct trace_function *trace_function(const struct trace *trace, uint32_t id);
const struct trace_read *trace_read(const struct trace *trace, uint32_t id);
struct trace_label trace_label(const struct trace *trace, uint32_t id); /* empty for an id that was never defined */
uint32_t trace_module_count(const struct trace *trace);
uint32_t trace_context_count(const struct trace *trace);
uint32_t trace_file_count(const struct trace *trace);
uint32_t trace_thread_count(const struct trace *trace); /* threads are numbered from 1 */
uint32_t trace_read_count(const struct trace *trace);
const struct expressions *
trace_expressions(const struct trace *trace); /* of all processes (expression/expressions.h) */
/* The same at the end of the recording; they then belong to the caller, and the trace has none. */
struct expressions *trace_take_expressions(struct trace *trace);
uint32_t trace_label_count(const struct trace *trace);
/* With the layer INPUTS: the index-th part of the code that was executed; NULL after the last. */
const struct trace_block *trace_block(const struct trace *trace, size_t index);

/* Return the value of a META key (doc/TRACE_FORMAT.md lists the keys), or NULL.  Keys of a followed child N have the
 * prefix "N/". */
const char *trace_meta(const struct trace *trace, const char *key);

/* The index-th key, and its value; NULL after the last. */
const char *trace_meta_at(const struct trace *trace, size_t index, const char **value);

uint32_t trace_layers(const struct trace *trace); /* enum bo_layer bits */
/* Layers recorded by a newer version that this version does not know.  Their events are skipped. */
uint32_t trace_layers_unknown(const struct trace *trace);
#define TRACE_LAYERS_UNKNOWN "a newer version of blackout recorded more than this one can read; the rest was skipped"
/* With the layer SYNC: the index-th module whose runtime of blackout-cc cannot be used, and why; NULL after the last. */
const char *trace_refused_runtime(const struct trace *trace, unsigned index);
#define TRACE_RUNTIME_REFUSED "the runtime of blackout-cc cannot be used in %s"
uint64_t trace_bytes(const struct trace *trace);   /* payload bytes of all chunks before compression */
uint64_t trace_records(const struct trace *trace); /* encoded events of all chunks, definitions included */
/* False if the writer was interrupted and trace_seal (seal.h) was never called. */
bool trace_sealed(const struct trace *trace);

#endif
