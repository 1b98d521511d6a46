/* SPDX-License-Identifier: GPL-2.0-or-later */
/* op.h - the names by which users read and select events: one word per kind of event.
 *
 * An op is more specific than an event_type where the difference matters to a reader: each kind of store, of file
 * synchronization and of thread synchronization has its own op. */
#ifndef BLACKOUT_TRACE_OP_H
#define BLACKOUT_TRACE_OP_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/trace.h"

enum op_group { OP_STORES, OP_LOADS, OP_FLUSHES, OP_FENCES, OP_LOCKEDS, OP_FILES, OP_PROCESSES, OP_GROUP_COUNT };

/* X(name, text, group).  The first five match enum bo_store_kind, the syncs enum bo_sync, and those from ATOMIC_LOAD
 * on enum bo_sync_act. */
#define OPS(X)                                       \
	X(STORE, "store", STORES)                    \
	X(NTSTORE, "ntstore", STORES)                \
	X(LOCKSTORE, "lockstore", STORES)            \
	X(REPSTORE, "repstore", STORES)              \
	X(SYSSTORE, "sysstore", STORES)              \
	X(LOAD, "load", LOADS)                       \
	X(CLFLUSH, "clflush", FLUSHES)               \
	X(CLFLUSHOPT, "clflushopt", FLUSHES)         \
	X(CLWB, "clwb", FLUSHES)                     \
	X(SFENCE, "sfence", FENCES)                  \
	X(MFENCE, "mfence", FENCES)                  \
	X(LOCKED, "locked", LOCKEDS)                 \
	X(CODE, "code", PROCESSES)                   \
	X(FILE, "file", FILES)                       \
	X(CONTENT, "content", FILES)                 \
	X(MAP, "map", FILES)                         \
	X(UNMAP, "unmap", FILES)                     \
	X(REMAP, "remap", FILES)                     \
	X(PROTECT, "protect", FILES)                 \
	X(READ, "read", FILES)                       \
	X(WRITE, "write", FILES)                     \
	X(TRUNCATE, "truncate", FILES)               \
	X(ALLOCATE, "allocate", FILES)               \
	X(RENAME, "rename", FILES)                   \
	X(UNLINK, "unlink", FILES)                   \
	X(FSYNC, "fsync", FILES)                     \
	X(FDATASYNC, "fdatasync", FILES)             \
	X(SYNC_FILE_RANGE, "sync_file_range", FILES) \
	X(SYNCFS, "syncfs", FILES)                   \
	X(SYNC, "sync", FILES)                       \
	X(MSYNC, "msync", FILES)                     \
	X(THREAD_START, "thread-start", PROCESSES)   \
	X(THREAD_EXIT, "thread-exit", PROCESSES)     \
	X(FORK, "fork", PROCESSES)                   \
	X(EXEC, "exec", PROCESSES)                   \
	X(EXIT, "exit", PROCESSES)                   \
	X(SIGNAL, "signal", PROCESSES)               \
	X(CALL, "call", PROCESSES)                   \
	X(RETURN, "return", PROCESSES)               \
	X(LEFT, "left", PROCESSES)                   \
	X(OP_BEGIN, "op-begin", PROCESSES)           \
	X(OP_END, "op-end", PROCESSES)               \
	X(OP_NOTE, "op-note", PROCESSES)             \
	X(ATOMIC_LOAD, "atomic-load", PROCESSES)     \
	X(ATOMIC_STORE, "atomic-store", PROCESSES)   \
	X(ATOMIC_UPDATE, "atomic-update", PROCESSES) \
	X(THREAD_FENCE, "thread-fence", PROCESSES)   \
	X(ACQUIRE, "acquire", PROCESSES)             \
	X(RELEASE, "release", PROCESSES)             \
	X(JOIN, "join", PROCESSES)                   \
	X(BRANCH, "branch", PROCESSES)               \
	X(INPUT, "input", PROCESSES)                 \
	X(CONVERSATION, "conversation", PROCESSES)   \
	X(VALUE, "value", PROCESSES)

enum op {
#define X(name, text, group) OP_##name,
	OPS(X)
#undef X
		OP_COUNT
};

enum op op_of(const struct event *ev);
const char *op_name(enum op op);
enum op_group op_group(enum op op);

/* Return the op whose name is the `length` bytes at `name`, or OP_COUNT. */
enum op op_find(const char *name, size_t length);

#endif
