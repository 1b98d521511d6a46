/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stub.h - the protocol between blackout (src/run) and the stub inside the recovery program (src/preload).
 *
 * STUB_VARIABLE in the environment names a control directory with the files STUB_FILE_...:
 *
 *     page       struct stub_page and its tables, mapped shared by both sides
 *     request    a FIFO: struct stub_request, from blackout to the fork server
 *     reply      a FIFO: struct stub_reply, back
 *     lazy, out, err                        for STUB_LAZY; see lazy_block.h
 *     walk       what both sides know about checkpoints; see walk_block.h
 *     request.K  a FIFO: requests to checkpoint K, which is a fork server of its own
 *
 * Beside the control directory are, if recovery performs operations, a link to them (run/command.h), and the file {out}
 * under two names (run/outfile.h).
 *
 * These are files, not inherited descriptors, because a program may close descriptors that it does not know.  A request
 * or reply is one write.  It is followed by `bytes` more bytes, so a side that does not know the `op` can skip it.
 *
 * blackout fills the page before it starts the program.  The stub maps it before any code of the program runs:
 *
 *     if (!stub_page_is_valid(page, size_of_file))
 *             exit(STUB_EXIT_REFUSED);
 *     entry = &stub_page_paths(page)[i];   strcmp(stub_page_text(page, entry->original), path)
 *
 * The stub ships with the program that uses it, so versions need not be compatible: the check only detects a stub of
 * another installation.  Change STUB_VERSION with every change to the headers of this directory, or to struct choices.
 *
 * A recovery that has no fork server is started by a keeper (run/keeper.h), a process of blackout that takes the same
 * requests and gives the same replies, on a socket. */
#ifndef BLACKOUT_PROTOCOL_STUB_H
#define BLACKOUT_PROTOCOL_STUB_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUB_LIBRARY "libblackout-preload.so"

#define STUB_VARIABLE "BLACKOUT_STUB"
#define STUB_PRELOAD_VARIABLE "LD_PRELOAD" /* the dynamic linker's; STUB_LIBRARY comes first in it */

#define STUB_FILE_PAGE "page"
#define STUB_FILE_REQUEST "request"
#define STUB_FILE_REPLY "reply"
#define STUB_FILE_LAZY "lazy"
#define STUB_FILE_OUT "out"
#define STUB_FILE_ERR "err"
#define STUB_FILE_WALK "walk"

#define STUB_OPS "ops"
#define STUB_OUTFILE "output"
#define STUB_OUTFILE_SECOND "output.same"

enum { STUB_VERSION = 13, STUB_REASON = 256 /* bytes of a reason, with its final 0 */ };

/* How the stub ends its process. */
enum stub_exit {
	STUB_EXIT_LOST = 125,    /* blackout does not listen anymore */
	STUB_EXIT_REFUSED = 126, /* stub_page.reason says why, unless there is no valid page */
};

/* A PM file, or a directory of PM files. */
struct stub_entry {
	uint32_t original; /* the path that recovery uses, canonical: offset of a string in the page */
	uint32_t actual;   /* where it really is: likewise */
	/* Of the user's file at the original path; 0, 0: it does not exist.  Used to recognize hard links. */
	uint64_t device, inode;
};

struct stub_page {
	_Alignas(8) uint32_t version; /* aligned, because the tables that follow contain 64-bit numbers */
	uint32_t bytes;               /* size of the whole page, with tables and strings */
	uint32_t serve;               /* be a fork server; otherwise only redirect paths */
	uint32_t covered;             /* a namespace already shows the state, read-only, at the original paths */
	uint32_t huge_pages;          /* give children huge pages, if they fill much memory */
	uint32_t lean_pmemobj;        /* libpmemobj makes one arena, and has memory of its own */
	int32_t started;              /* the process that may become the server, */
	uint32_t began_us;            /* and its processor time before the program began: it was a copy of blackout */
	/* the child that runs on a state now; 0: none. blackout kills it if it is too slow */
	_Atomic int32_t running;
	_Atomic uint32_t refused;  /* recovery tried something that this mode cannot do; `reason` says what */
	_Atomic uint32_t opened;   /* this run has opened a PM file through the C library */
	_Atomic int32_t processor; /* that the server is bound to; -1: to none */
	/* The server has looked at the operations: it cannot serve a run with others. */
	_Atomic uint32_t ops_used;
	uint32_t ops_changed; /* the link leads to others than when the server was started */
	/* The stub's own: processes that were forked with a filled heap, and how many of its pages, the last ones, they
	 * copy (preload/heap_copy.c). */
	_Atomic uint32_t heap_forks, heap_copies;
	char reason[STUB_REASON];
	uint32_t path_count, dir_count;
	uint32_t paths, dirs; /* offsets of arrays of struct stub_entry, sorted by `original` */
};

enum stub_op {
	STUB_RUN = 1, /* request: fork a child for the state that is in the stage now */
	STUB_HELLO,   /* reply: the server is ready; `nanoseconds`: processor time that its start took */
	STUB_ENDED,   /* reply: the child has ended, and so have all its descendants */
	STUB_REFUSED, /* reply: see stub_page.reason; the stage is unchanged */
	STUB_KILL,    /* request to a keeper: the time is up */
	STUB_LEAVE,   /* request to a keeper: exit.  A keeper whose socket closes without it has lost its owner */
	STUB_LAZY,    /* request: explore all states that the file `lazy` leaves undecided (lazy_block.h) */
	STUB_LEAF,    /* reply: one leaf of STUB_LAZY and its outcome; STUB_ENDED follows the last */
	STUB_WALK,    /* request: like STUB_RUN, and leave the checkpoints of the file `walk` behind (walk_block.h) */
};

struct stub_request {
	uint32_t op; /* enum stub_op */
	uint32_t bytes;
};

struct stub_reply {
	uint32_t op; /* enum stub_op */
	uint32_t bytes;
	int32_t status; /* as from wait(2) */
	uint32_t flags; /* STUB_BY_... */
	uint64_t nanoseconds;
	uint64_t memory; /* bytes that the process has had at most; 0: not known */
};

enum { STUB_BY_CLIENT = 1, STUB_BY_KILL = 2, STUB_AGAIN = 4 };

/* Two programs share these bytes, perhaps built by different compilers. */
_Static_assert(offsetof(struct stub_page, version) == 0, "every version of the stub finds the version here");
_Static_assert(sizeof(struct stub_page) == 336 && sizeof(struct stub_page) % _Alignof(struct stub_entry) == 0,
	       "entries may follow the page");
_Static_assert(sizeof(struct stub_entry) == 24, "no padding");
_Static_assert(sizeof(struct stub_request) == 8 && sizeof(struct stub_reply) == 32, "no padding");
_Static_assert(sizeof(struct stub_reply) <= _POSIX_PIPE_BUF, "several processes write to a FIFO");
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && sizeof(_Atomic uint32_t) == 4, "atomic variables are shared by processes");

static inline const struct stub_entry *stub_page_paths(const struct stub_page *page)
{
	return (const void *)((const char *)page + page->paths);
}

static inline const struct stub_entry *stub_page_dirs(const struct stub_page *page)
{
	return (const void *)((const char *)page + page->dirs);
}

static inline const char *stub_page_text(const struct stub_page *page, uint32_t offset)
{
	return (const char *)page + offset;
}

/* Is this a page of our version, all of it?  `bytes` is the size of its file. */
static inline bool stub_page_is_valid(const struct stub_page *page, uint64_t bytes)
{
	return bytes >= sizeof(*page) && page->version == STUB_VERSION && page->bytes == bytes;
}

#endif
