/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stub.h - what blackout and the stub inside the recovery program (src/preload) say to each other.
 *
 * BLACKOUT_STUB in the environment names a control directory, with
 *
 *     page       struct stub_page and its tables, mapped shared by both sides
 *     request    a FIFO: struct stub_request, from blackout to the fork server
 *     reply      a FIFO: struct stub_reply, back
 *
 * Files, not descriptors, because a program may close descriptors that it does not know.  A request or reply is one
 * write; `bytes` further bytes follow it, which a side that does not know the `op` can skip.  The stub ships with the
 * program that reads it, so STUB_VERSION need not be compatible with anything; it guards against a stub of another
 * installation. */
#ifndef BLACKOUT_RUN_STUB_H
#define BLACKOUT_RUN_STUB_H

#include <stdatomic.h>
#include <stdint.h>

#define STUB_VARIABLE "BLACKOUT_STUB"
#define STUB_LIBRARY "libblackout-preload.so"

enum { STUB_VERSION = 2, STUB_REASON = 256 };

/* A PM file, or a directory of PM files: offsets of strings in the page. */
struct stub_entry {
	uint32_t original; /* the path that recovery knows, canonical */
	uint32_t actual;   /* where it really is */
	uint64_t device,
		inode; /* of the user's file at the original path; 0, 0: there is none.  Hard links are known by it */
};

struct stub_page {
	_Alignas(8) uint32_t version; /* the tables that follow have numbers of 64 bits */
	uint32_t bytes;               /* of the whole page, tables and strings */
	uint32_t serve;               /* be a fork server; otherwise only lead paths elsewhere */
	uint32_t covered; /* a namespace shows the state at the original paths already, and lets nobody write there */
	int32_t started;  /* the process that may become the server */
	_Atomic int32_t running;   /* the child that has a state now, 0: none.  Who finds it too slow kills it */
	_Atomic uint32_t refused;  /* something was asked for that this mode cannot do; the reason says what */
	_Atomic uint32_t opened;   /* this run has opened a PM file by the C library */
	_Atomic int32_t processor; /* that the server keeps to; -1: to none */
	char reason[STUB_REASON];
	uint32_t path_count, dir_count;
	uint32_t paths, dirs; /* offsets of arrays of struct stub_entry, sorted by their originals */
};

enum stub_op {
	STUB_RUN = 1, /* request: fork a child for the state that is in the stage now */
	STUB_HELLO,   /* reply: the server is there */
	STUB_ENDED,   /* reply: the child has ended, and all its descendants too */
	STUB_REFUSED, /* reply: see stub_page.reason; the stage is as it was */
	STUB_KILL,    /* request, to a keeper: the time is over */
	STUB_LEAVE,   /* request, to a keeper: end; one that is left without it has lost its owner */
	STUB_LAZY,    /* request: the same for all states that the file `lazy` leaves undecided (lazy_block.h) */
	STUB_LEAF,    /* reply: one of the ways that this can go, and its end; STUB_ENDED comes after the last */
};

struct stub_request {
	uint32_t op;
	uint32_t bytes;
};

struct stub_reply {
	uint32_t op;
	uint32_t bytes;
	int32_t status; /* as wait(2) gives it */
	uint32_t flags; /* STUB_BY_... */
	uint64_t nanoseconds;
};

enum { STUB_BY_CLIENT = 1, STUB_BY_KILL = 2 };

#endif
