/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_sync.h - the layer "synchronization" [--bo-sync]: what accesses to PM are in the source, and how threads
 * synchronize.
 *
 * Announcements.  Code of blackout-cc calls an entry of its runtime before each plain or volatile store, or executes an
 * instruction that stands for the call (BO_INLINE_STORES).  An atomic access is such a call: the entry performs it.  Most
 * atomic loads stand in place of the call (BO_INLINE_LOADS).  The instrumented entry notes what is announced in bo_announced, without a call of ours.  A load or store that lies in the announced range belongs to the announced access.  The compiler moves no
 * access across the call, and announces at most one load and one store at a time.  So the last announcement of each is
 * enough, and it ends with the next one, or with the function.
 *
 * Whose stores these are: those of the module that announced them, and those of the C library when called from there,
 * because compilers copy large structures with memcpy, whose call announces a copy, too.  When all announced bytes are stored, the access is complete. */
#ifndef BO_SYNC_H
#define BO_SYNC_H

#include "bo.h"
#include "bo_runtime.h"

struct block; /* bo_ir.h */

/* ---- announcements ---- */

struct bo_announcement {
	Addr addr;
	ULong size;
	ULong what;    /* see below; 0: nothing is announced */
	ULong covered; /* so many bytes are stored */
	UInt caller;   /* if the C library stores them: which call of it */
};

/* Written by the target's code, as single words. */
struct bo_announcements {
	struct bo_announcement read, write;
	ULong jump; /* code: where an entry was entered by a jump, in place of a call, while it runs; 0: it was called */
};

/* The word `what`: BO_ACCESS of the trace (8 bits), the order of a comparison that fails (6), the runtime (10), and the
 * number of the access, which is 0 until the first load or store of PM needs it. */
#define BO_WHAT(access, failure, runtime) ((ULong)(access) | (ULong)(failure) << 8 | (ULong)(runtime) << 14)
#define BO_WHAT_ACCESS(what) ((UInt)(what)&0xff)
#define BO_WHAT_FAILURE(what) ((UInt)((what) >> 8) & 0x3f)
#define BO_WHAT_RUNTIME(what) ((UInt)((what) >> 14) & 0x3ff)
#define BO_WHAT_NUMBER(what) ((what) >> 24)
#define BO_WHAT_NUMBER_SHIFT 24
#define BO_NO_COMPARISON 0x3f /* in the place of the failure's order: if nothing was stored, it is tried again */

extern struct bo_announcements bo_announced; /* of the running thread */

struct bo_sync_thread {
	struct bo_announcements announced;
	struct bo_announcements *interrupted; /* by signal handlers */
	UInt interrupted_count;
};

void bo_sync_run(struct bo_sync_thread *of_thread); /* this thread runs now */
void bo_sync_reset(struct bo_sync_thread *of_thread);
void bo_sync_interrupt(void); /* a signal handler starts, and ends */
void bo_sync_resume(void);

/* The access of the source that a load or store of PM is part of.  After bo_context_at. */
struct bo_access bo_sync_access_of_store(UInt code, Addr addr, SizeT size);
struct bo_access bo_sync_access_of_load(UInt code, Addr addr, SizeT size);
/* A plain copy begins; `from` is 0 if it only stores. */
void bo_sync_announce_copy(UInt runtime, Addr to, Addr from, SizeT size);
/* Is the code that of an atomic store?  The instruction that it uses may load, but the source does not. */
Bool bo_sync_only_stores(UInt code);
/* Write ACCESS, if it is known, for the load or store of PM that is written next. */
void bo_sync_write_access(const struct bo_access *access, Addr addr);

/* ---- synchronization ---- */

/* Before PM is mapped, there is nothing to put into an order. */
Bool bo_sync_is_seen(void);
/* Write SYNC, unless it only repeats. */
void bo_sync_write(UInt act, UInt context, ULong object, UInt order);

/* Called by the target's code. */
VG_REGPARM(3) void bo_on_atomic_load(Addr addr, ULong site, Addr sp);
VG_REGPARM(3) void bo_on_atomic_store(Addr addr, ULong site, Addr sp);
void bo_on_atomic_cas(Addr addr, ULong site, Addr sp, ULong stored);
VG_REGPARM(2) void bo_on_thread_fence(ULong order, Addr sp);

/* ---- bo_sync_ir.c ---- */
void bo_sync_add_announcement(struct block *b, const struct bo_runtime_entry *entry); /* the entry is called */
/* An instruction that stands for a call of the entry, for a store to this address. */
void bo_sync_add_inline_store(struct block *b, const struct bo_runtime_entry *entry, IRExpr *addr);
/* The entry is left, or a load that stands for it is done.  What is loaded next from the same place is another access. */
void bo_sync_end_access(struct block *b);
void bo_sync_add_load(struct block *b, IRExpr *addr);
void bo_sync_add_store(struct block *b, IRExpr *addr);
void bo_sync_add_cas(struct block *b, IRExpr *addr, IRExpr *stored);

/* ---- bo_sync_calls.c ---- */
struct bo_known;
/* The function of the C library or the C++ runtime that this symbol names, if it synchronizes or copies; else NULL. */
const struct bo_known *bo_sync_known(const HChar *symbol, Addr addr);
/* Does the function copy?  Its call announces that; its return does not matter. */
Bool bo_sync_announce(const struct bo_known *known, const ULong *arguments, Addr sp);
/* What a call remembers from its entry to its return. */
struct bo_known_call {
	ULong arguments[2];
	Bool was_done; /* pthread_once: at the entry */
};
void bo_sync_enter(const struct bo_known *known, struct bo_known_call *call, UInt context);
void bo_sync_return(const struct bo_known *known, const struct bo_known_call *call, ULong result, UInt context);
void bo_sync_thread_exit(ThreadId tid);
void bo_sync_forked(void); /* in a child that is followed: other threads are not there */

#endif
