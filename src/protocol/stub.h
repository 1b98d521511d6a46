/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stub.h - the protocol between blackout and the stub inside the recovery program (src/preload).
 *
 * BLACKOUT_STUB in the environment names a control directory with
 *
 *     page       struct stub_page and its tables, mapped shared by both sides
 *     request    a FIFO: struct stub_request, from blackout to the fork server
 *     reply      a FIFO: struct stub_reply, back
 *
 * These are files, not inherited descriptors, because a program may close descriptors that it does not know.  A request
 * or reply is one write.  It is followed by `bytes` more bytes, so a side that does not know the `op` can skip it.  The
 * stub ships with the program that uses it, so versions need not be compatible: STUB_VERSION only detects a stub of
 * another installation. */
#ifndef BLACKOUT_PROTOCOL_STUB_H
#define BLACKOUT_PROTOCOL_STUB_H

#include <stdatomic.h>
#include <stdint.h>

#define STUB_VARIABLE "BLACKOUT_STUB"
#define STUB_LIBRARY "libblackout-preload.so"

enum { STUB_VERSION = 2, STUB_REASON = 256 };

/* A PM file, or a directory of PM files.  Both are offsets of strings in the page. */
struct stub_entry {
	uint32_t original; /* the path that recovery uses, canonical */
	uint32_t actual;   /* where it really is */
	uint64_t device,
		/* of the user's file at the original path; 0, 0: it does not exist.  Used to recognize hard links */
		inode;
};

struct stub_page {
	_Alignas(8) uint32_t version; /* aligned, because the tables that follow contain 64-bit numbers */
	uint32_t bytes;               /* size of the whole page, with tables and strings */
	uint32_t serve;               /* be a fork server; otherwise only redirect paths */
	uint32_t covered;             /* a namespace already shows the state, read-only, at the original paths */
	int32_t started;              /* the process that may become the server */
	/* the child that runs on a state now; 0: none. blackout kills it if it is too slow */
	_Atomic int32_t running;
	_Atomic uint32_t refused;  /* recovery tried something that this mode cannot do; `reason` says what */
	_Atomic uint32_t opened;   /* this run has opened a PM file through the C library */
	_Atomic int32_t processor; /* that the server is bound to; -1: to none */
	char reason[STUB_REASON];
	uint32_t path_count, dir_count;
	uint32_t paths, dirs; /* offsets of arrays of struct stub_entry, sorted by `original` */
};

enum stub_op {
	STUB_RUN = 1, /* request: fork a child for the state that is in the stage now */
	STUB_HELLO,   /* reply: the server is ready */
	STUB_ENDED,   /* reply: the child has ended, and so have all its descendants */
	STUB_REFUSED, /* reply: see stub_page.reason; the stage is unchanged */
	STUB_KILL,    /* request to a keeper: the time is up */
	STUB_LEAVE,   /* request to a keeper: exit.  A keeper whose socket closes without it has lost its owner */
	STUB_LAZY,    /* request: explore all states that the file `lazy` leaves undecided (lazy_block.h) */
	STUB_LEAF,    /* reply: one leaf of STUB_LAZY and its outcome; STUB_ENDED follows the last */
};

struct stub_request {
	uint32_t op;
	uint32_t bytes;
};

struct stub_reply {
	uint32_t op;
	uint32_t bytes;
	int32_t status; /* as from wait(2) */
	uint32_t flags; /* STUB_BY_... */
	uint64_t nanoseconds;
};

enum { STUB_BY_CLIENT = 1, STUB_BY_KILL = 2 };

#endif
