/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeat_in.h - declarations that the files of repeat.h share.
 *
 * Whatever must survive when the process goes back is in `struct repeat`, which has memory of its own. */
#ifndef BLACKOUT_PRELOAD_REPEAT_IN_H
#define BLACKOUT_PRELOAD_REPEAT_IN_H

#include <stdatomic.h>
#include <sys/types.h>
#include <ucontext.h>

#include "preload/dispatch.h"
#include "preload/mapping_in.h"
#include "preload/repeat.h"

enum {
	REPEAT_AREAS = 1024,
	REPEAT_RANGES = 256,
	REPEAT_FILES = 64,
	REPEAT_PAGES = 4096,             /* written pages; to restore more takes longer than a fork */
	REPEAT_SLOTS = 8 * REPEAT_PAGES, /* a power of two */
	REPEAT_UNDOS = 512,
	REPEAT_ACTIONS = 16,
	REPEAT_SCAN = 8192,      /* entries of the pagemap that are read at once, */
	REPEAT_PLACES = 512,     /* and places with pages that are asked for; */
	REPEAT_SMALL = 1 << 20,  /* in so much memory, to read all entries is cheaper */
	REPEAT_STACK = 64 << 10, /* of the code that goes back */
	REPEAT_BELOW = 1 << 20,  /* the kernel leaves so much room below a stack */
};

/* To look for written pages in more takes longer than a fork, */
#define REPEAT_AREA_BYTES ((size_t)4 << 30)
#define REPEAT_READ_BYTES ((size_t)256 << 20) /* where each entry of the pagemap has to be read */

/* Memory at the beginning that the program may write, or may share with others. */
struct repeat_area {
	uintptr_t from, to;
	int prot;
	bool is_shared;
	bool changed; /* its protection, or a part of it moved, and that was undone */
};

/* A part of a PM file that is mapped at the beginning. */
struct repeat_range {
	uintptr_t from, to;
	uint64_t offset;
	uint32_t file;
};

enum repeat_source {
	REPEAT_SHARED, /* as in the server; not written so far */
	REPEAT_COPY,   /* written: a copy of what was there is kept */
	REPEAT_FILE,   /* written: it was a page of the stage's file */
};

/* Pages that are there, and are no pages of a file; as the kernel tells it. */
struct repeat_place {
	uint64_t from, to, kinds;
};

struct repeat_page {
	uintptr_t at;
	enum repeat_source source;
	uint32_t copy, range;
};

enum repeat_undo_kind {
	REPEAT_UNMAP,   /* [at, at + bytes) is new */
	REPEAT_MOVE,    /* [at, at + bytes) was moved there from `before`, where it had `bytes_before` */
	REPEAT_PROTECT, /* [at, at + bytes) had the protection of its area */
	REPEAT_CLOSE,   /* descriptor `at` is new */
	REPEAT_OPEN,    /* descriptor `before` was closed; `at` is the same; `bytes`: its flags */
	REPEAT_ACTION,  /* signal `at` had the action number `before` */
};

struct repeat_undo {
	enum repeat_undo_kind kind;
	uintptr_t at, bytes, before, bytes_before;
	bool protected; /* of what has moved: its protection was noted before */
};

/* What a call needs that returns twice. */
struct repeat_point {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
	uint32_t mxcsr;
	uint32_t x87;
};

struct repeat {
	struct repeat_point point;
	struct kernel_action before; /* SIGSYS */
	int request, reply, pagemap, files[REPEAT_FILES] /* plus one */;
	pid_t self, server;
	uintptr_t brk, stack;               /* where they end */
	uintptr_t below, joined, joined_to; /* while areas are read: the last ones without a gap, and what is below */

	struct repeat_undo undos[REPEAT_UNDOS];
	size_t undo_count;
	struct kernel_action actions[REPEAT_ACTIONS];
	size_t action_count;
	stack_t signal_stack;

	struct repeat_area areas[REPEAT_AREAS];
	size_t area_count, area_bytes, area_most;
	struct repeat_range ranges[REPEAT_RANGES];
	size_t range_count;
	struct repeat_page pages[REPEAT_PAGES];
	size_t page_count, copy_count;
	uint16_t slots[REPEAT_SLOTS]; /* of pages, plus one: a hash table with linear probing */
	long faults;                  /* of this process, when it was last known which pages are written */
	uint64_t entries[REPEAT_SCAN];
	struct repeat_place places[REPEAT_PLACES];
	_Alignas(16) char stack_room[REPEAT_STACK];
	_Alignas(4096) char copies[REPEAT_PAGES][4096];
};

extern struct repeat *repeat;

/* Remember what is there.  False: that is not possible. */
bool repeat_memory_begin(void);
/* Everything is as it was.  False: it is not. */
bool repeat_memory_return(void);
/* Pages of PM files have the contents of the stage. */
bool repeat_memory_show(void);
/* Is [at, at + bytes) in areas? */
bool repeat_memory_has(uintptr_t at, size_t bytes);
void repeat_memory_protect(uintptr_t at, size_t bytes);
/* This has changed: the kernel may have split its areas for good. */
void repeat_memory_changed(uintptr_t at, size_t bytes);

/* Make a system call of the program.  False: it cannot be undone, and was not made. */
bool repeat_call(ucontext_t *context);
bool repeat_calls_undo(void);
/* False: there is a handler that the kernel removes when it is called; that cannot be undone. */
bool repeat_calls_begin(void);

#endif
