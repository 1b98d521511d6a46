/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kind.h - the table of the kinds of finding and, for each kind, its forms.
 *
 * A kind is a stable string (doc/findings/KIND.md says what it means).  Kinds are never renamed, and the table only
 * grows.  A form is a reason for which a kind is reported.  It has the message that the user reads, a severity and,
 * if the trace proves one, a fix.  Everything that names kinds (enum, JSON, SARIF rules, suppressions, help) comes from
 * this table.
 *
 * This file and fix.h depend only on the compiler, so that detect/, which is below finding/, may include this file. */
#ifndef BLACKOUT_FINDING_KIND_H
#define BLACKOUT_FINDING_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "finding/fix.h"

/* Most severe first.  `error` is only for mistakes that are certain. */
#define SEVERITIES(X) X(ERROR, "error") X(PERFORMANCE, "performance") X(WARNING, "warning")
#define SEVERITY_BAR(name, text) "|" text /* for SEVERITIES(SEVERITY_BAR): "|error|performance|warning" */

enum severity {
#define X(name, text) SEVERITY_##name,
	SEVERITIES(X)
#undef X
		SEVERITY_COUNT
};

enum finding_class {
	CLASS_DURABILITY,
	CLASS_PERFORMANCE,
	CLASS_ORDERING,
	CLASS_CRASH,
	CLASS_RACE,
	CLASS_TRANSACTION,
	CLASS_COUNT
};

/* The role of a related place. */
enum related_role {
	ROLE_STORE,
	ROLE_FLUSH,
	ROLE_FENCE,
	ROLE_LOAD,
	ROLE_GUARD,
	ROLE_BEGIN, /* of a transaction */
	ROLE_ADD,   /* of a range to a transaction */
	ROLE_ALLOCATION,
	ROLE_COUNT
};

/* X(NAME, text, CLASS, usual SEVERITY, one line) */
#define KINDS(X)                                                                                                           \
	X(MISSING_FLUSH, "missing-flush", DURABILITY, ERROR,                                                               \
	  "a store is never written back, though the same code or line is at other times")                                 \
	X(MISSING_FENCE, "missing-fence", DURABILITY, ERROR,                                                               \
	  "written back by clwb or clflushopt, or stored non-temporally, but never fenced")                                \
	X(TRANSIENT_DATA, "transient-data", PERFORMANCE, WARNING,                                                          \
	  "stores to persistent memory that nothing ever flushes: volatile data in the wrong place")                       \
	X(DIRTY_OVERWRITE, "dirty-overwrite", DURABILITY, WARNING,                                                         \
	  "overwritten with another value before it was persisted")                                                        \
	X(REDUNDANT_FLUSH, "redundant-flush", PERFORMANCE, PERFORMANCE,                                                    \
	  "a flush of a line with nothing to write back")                                                                  \
	X(SHARED_LINE_FLUSH, "shared-line-flush", PERFORMANCE, WARNING,                                                    \
	  "a flush that is redundant only because two objects share a line")                                               \
	X(FLUSH_VOLATILE, "flush-volatile", PERFORMANCE, PERFORMANCE, "a flush of memory that is not persistent")          \
	X(REDUNDANT_FENCE, "redundant-fence", PERFORMANCE, PERFORMANCE,                                                    \
	  "a fence with no flush and no non-temporal store to wait for")                                                   \
	X(UNORDERED_FLUSHES, "unordered-flushes", ORDERING, WARNING,                                                       \
	  "one fence completes several write-backs, which may happen in any order")                                        \
	X(RECOVERY_CRASH, "recovery-crash", CRASH, ERROR,                                                                  \
	  "a signal kills recovery on a crash state that the platform allows")                                             \
	X(RECOVERY_ERROR, "recovery-error", CRASH, ERROR, "recovery fails on a crash state that the platform allows")      \
	X(RECOVERY_HANG, "recovery-hang", CRASH, ERROR,                                                                    \
	  "recovery does not end on a crash state that the platform allows")                                               \
	X(OUTPUT_MISMATCH, "output-mismatch", CRASH, ERROR,                                                                \
	  "after a crash the program prints what no legal history of its operations prints")                               \
	X(ORDERING_VIOLATION, "ordering-violation", CRASH, ERROR,                                                          \
	  "a legal crash state has two stores in an order that the program does not expect, and recovery fails")           \
	X(ATOMICITY_VIOLATION, "atomicity-violation", CRASH, ERROR,                                                        \
	  "a legal crash state has one of two stores that belong together, and recovery fails")                            \
	X(PERSISTENCY_RACE, "persistency-race", RACE, WARNING,                                                             \
	  "recovery reads a plain store, which may be torn, and nothing proves that it was written back before the crash") \
	X(UNLOGGED_STORE, "unlogged-store", TRANSACTION, ERROR,                                                            \
	  "a store in a transaction to what was neither added to it nor allocated in it")                                  \
	X(STORE_OUTSIDE_TRANSACTION, "store-outside-transaction", TRANSACTION, WARNING,                                    \
	  "bytes that transactions change are changed outside of them, and not persisted")                                 \
	X(REDUNDANT_LOG, "redundant-log", PERFORMANCE, PERFORMANCE,                                                        \
	  "a range is added to a transaction that covers it already")

/* The kinds of the table.  Registered kinds have numbers from KIND_COUNT on (kind_register). */
enum finding_kind {
#define X(name, text, class, severity, line) KIND_##name,
	KINDS(X)
#undef X
		KIND_COUNT
};

/* Parts of the sentences about persistency races.  PLAIN: a compiler could tear the store; TORN: this binary makes it in
 * several units. */
#define RACE_SAYS_PLAIN \
	"a plain store, which a compiler may split, writes {what} here, and recovery reads that at {load}; "
#define RACE_SAYS_TORN \
	"the program writes {what} here in several pieces, of which a crash may leave some, and recovery reads that at {load}; "
#define RACE_SAYS_UNFLUSHED "the power may fail before the line is written back"
#define RACE_SAYS_UNPROVED \
	"the line is written back at {flush}, but nothing that recovery has read by then was stored after that"
#define RACE_SAYS_UNSEEN "nothing that recovery has read by then proves that the store was complete on media"
#define RACE_SAYS_UNFENCED "the power may fail before a fence completes the write-back of the line"
#define RACE_SAYS_UNORDERED "only another thread writes the line back, and nothing orders that after the store"

/* Rows of FORMS: transactions of libpmemobj.  BEGIN is the begin of the transaction. */
#define TX_UNPROTECTED ": nothing rolls {them} back if it fails, and its commit does not persist {them}"
#define TX_OF_OTHERS "; transactions change {them} too, at {store}"
#define TRANSACTION_FORMS(X)                                                                                                                                      \
	/* related: BEGIN. */                                                                                                                                     \
	X(UNLOGGED_STORE, MISSING, ERROR,                                                                                                                         \
	  "stores {what} in the transaction that begins at {begin}, which neither adds nor allocates {them}" TX_UNPROTECTED,                                      \
	  FIX_ADD)                                                                                                                                                \
	/* related: BEGIN; ADD, the one that comes too late. */                                                                                                   \
	X(UNLOGGED_STORE, LATE, ERROR,                                                                                                                            \
	  "stores {what} before {add} adds {them} to the transaction that begins at {begin}: a rollback would restore "                                           \
	  "the value that is stored here",                                                                                                                        \
	  FIX_ADD)                                                                                                                                                \
	/* related: BEGIN; ADD, the one that has other bytes of the same store. */                                                                                \
	X(UNLOGGED_STORE, PARTLY, ERROR,                                                                                                                          \
	  "a part of what is stored here is added to the transaction at {add}, but not {what}" TX_UNPROTECTED,                                                    \
	  FIX_ADD)                                                                                                                                                \
	/* The same three, if the program persists it before the transaction ends. */                                                                             \
	X(UNLOGGED_STORE, PERSISTED, WARNING,                                                                                                                     \
	  "stores {what} in the transaction that begins at {begin}, which neither adds nor allocates {them}; the program "                                        \
	  "persists {them} itself, so nothing rolls {them} back if the transaction fails",                                                                        \
	  FIX_ADD ", unless it should stay even then")                                                                                                            \
	/* related: STORE in a transaction; BEGIN of the next one. */                                                                                             \
	X(STORE_OUTSIDE_TRANSACTION, NEXT, WARNING,                                                                                                               \
	  "stores {what} outside of a transaction, and does not persist {them} before the next one begins at {begin}" TX_OF_OTHERS,                               \
	  FIX_PERSIST ", or store it in a transaction")                                                                                                           \
	/* related: STORE in a transaction. */                                                                                                                    \
	X(STORE_OUTSIDE_TRANSACTION, END, WARNING,                                                                                                                \
	  "stores {what} outside of a transaction, and does not persist {them} in the end" TX_OF_OTHERS,                                                          \
	  FIX_PERSIST ", or store it in a transaction")                                                                                                           \
	/* related: BEGIN; ADD, the first one. */                                                                                                                 \
	X(REDUNDANT_LOG, AGAIN, PERFORMANCE,                                                                                                                      \
	  "adds {bytes} to the transaction that begins at {begin}, but {add} has added {them} already",                                                           \
	  FIX_REMOVE_ADD)                                                                                                                                         \
	/* related: BEGIN; ALLOCATION. */                                                                                                                         \
	X(REDUNDANT_LOG, ALLOCATED, PERFORMANCE,                                                                                                                  \
	  "adds {bytes} to the transaction that begins at {begin}, but {allocation} has allocated {them} in it: what is "                                         \
	  "allocated needs no add",                                                                                                                               \
	  FIX_REMOVE_ADD)                                                                                                                                         \
	/* The same two, if the bytes were covered before the inner transaction began. */                                                                         \
	X(REDUNDANT_LOG, AGAIN_OUTER, PERFORMANCE,                                                                                                                \
	  "adds {bytes} to the inner transaction that begins at {begin}, but {add} has added {them} to the outer one already",                                    \
	  FIX_REMOVE_ADD ", if the transaction at {begin} is always an inner one")                                                                                \
	X(REDUNDANT_LOG, ALLOCATED_OUTER, PERFORMANCE,                                                                                                            \
	  "adds {bytes} to the inner transaction that begins at {begin}, but {allocation} has allocated {them} in the outer one: what is allocated needs no add", \
	  FIX_REMOVE_ADD ", if the transaction at {begin} is always an inner one")                                                                                \
	/* The same, if the add is needed at other times. */                                                                                                      \
	X(REDUNDANT_LOG, AGAIN_SOMETIMES, PERFORMANCE,                                                                                                            \
	  "unnecessary in {times} of {runs} adds here: {add} has added the range to the transaction already",                                                     \
	  "add at {here} only what was not added at {add}")                                                                                                       \
	X(REDUNDANT_LOG, ALLOCATED_SOMETIMES, PERFORMANCE,                                                                                                        \
	  "unnecessary in {times} of {runs} adds here: {allocation} has allocated the object in the same transaction",                                            \
	  "add at {here} only what was not allocated at {allocation}")                                                                                            \
	/* The same two, if only a part of the range is covered already. */                                                                                       \
	X(REDUNDANT_LOG, PARTLY_AGAIN, WARNING,                                                                                                                   \
	  "adds {bytes} to the transaction that begins at {begin}, but {add} has added a part of {them} already",                                                 \
	  "add at {here} only what was not added at {add}")                                                                                                       \
	X(REDUNDANT_LOG, PARTLY_ALLOCATED, WARNING,                                                                                                               \
	  "adds {bytes} to the transaction that begins at {begin}, but {allocation} has allocated a part of {them} in it",                                        \
	  "add at {here} only what was not allocated at {allocation}")

/* X(KIND, NAME, SEVERITY, message, fix)
 *
 * The sentences have no full stop.  These words in braces are replaced: {here} by the finding's own place; {store},
 * {flush}, {fence}, {load}, {guard}, {begin}, {add}, {allocation} by the first related place of that role, and {flush2} by the second; {bytes} by the size
 * of the first example ("8 bytes"), with {are}, {their} and {them} to agree with it; {what} by the variable, if it is
 * known, and the size; {pool} by the name of its file; {offset} by its offset there; {platforms} by the platforms on which it was found; {times}, {runs} and {evidence}
 * by the figures of struct finding_runs.  The detector must supply every related place that its form names.  fix
 * is "" if no fix can be proved.  {{ is a brace. */
#define FORMS(X)                                                                                                                                   \
	/* The same code flushes its stores in other executions.  related: FLUSH, one that wrote such a store back. */                             \
	X(MISSING_FLUSH, SITE, ERROR,                                                                                                              \
	  "{bytes} stored here {are} not written back when the program ends; other stores of this code are, "                                      \
	  "at {flush}{evidence}",                                                                                                                  \
	  FIX_PERSIST ", as {flush} does")                                                                                                         \
	/* Its line is flushed at other times.  related: FLUSH of that line. */                                                                    \
	X(MISSING_FLUSH, LINE, ERROR,                                                                                                              \
	  "{bytes} stored here {are} not written back when the program ends; {their} line is written back at other times, at {flush}"              \
	  "{evidence}",                                                                                                                            \
	  FIX_PERSIST)                                                                                                                             \
	/* The same two, if the last mapping of the file goes away before the program ends. */                                                     \
	X(MISSING_FLUSH, SITE_UNMAPPED, ERROR,                                                                                                     \
	  "{bytes} stored here {are} not written back when {pool} is unmapped; other stores of this code "                                         \
	  "are, at {flush}{evidence}",                                                                                                             \
	  FIX_PERSIST ", as {flush} does, before the file is unmapped")                                                                            \
	X(MISSING_FLUSH, LINE_UNMAPPED, ERROR,                                                                                                     \
	  "{bytes} stored here {are} not written back when {pool} is unmapped; {their} line is written back at other times, at {flush}"            \
	  "{evidence}",                                                                                                                            \
	  FIX_PERSIST " before the file is unmapped")                                                                                              \
	/* Flushed, then stored again, and not flushed since.  related: FLUSH, the one that came too early. */                                     \
	X(MISSING_FLUSH, EARLY, ERROR,                                                                                                             \
	  "{bytes} {are} stored here after the flush of {their} line at {flush}, and no other flush follows",                                      \
	  FIX_PERSIST ": the flush at {flush} comes too early for it")                                                                             \
	/* A store that straddles two lines, of which only one is flushed.  related: FLUSH of that one. */                                         \
	X(MISSING_FLUSH, STRADDLE, ERROR,                                                                                                          \
	  "the store spans two lines, and only one of them is written back, at {flush}",                                                           \
	  FIX_PERSIST ", both lines of it")                                                                                                        \
	/* Any of the above but the last, in a run that frees PM or aborts transactions.  related: FLUSH. */                                       \
	X(MISSING_FLUSH, FREED, WARNING,                                                                                                           \
	  "{bytes} stored here {are} not written back, though the same code or line is at other times, at {flush}; this is correct "               \
	  "only if the object was freed or the transaction aborted",                                                                               \
	  FIX_PERSIST ", unless it was freed or its transaction aborted")                                                                          \
	/* Any of the above, if recovery reads the old data there and passes.  related: FLUSH. */                                                  \
	X(MISSING_FLUSH, ACCEPTED, WARNING,                                                                                                        \
	  "{bytes} stored here {are} not written back in the end{evidence}; recovery was tested without {them}: it reads the "                     \
	  "old value there, and passes",                                                                                                           \
	  FIX_PERSIST " if its loss matters")                                                                                                      \
	/* Any of the above but the last two, by code that runs often and leaves most of its stores unflushed.  related: FLUSH. */                 \
	X(MISSING_FLUSH, SELDOM, WARNING,                                                                                                          \
	  "{bytes} stored here {are} not written back in the end, and mostly not at other times{evidence}: a bug, or data that "                   \
	  "need not survive a crash",                                                                                                              \
	  FIX_PERSIST " if it must survive; if not, keep it in volatile memory")                                                                   \
	/* related: FLUSH. */                                                                                                                      \
	X(MISSING_FENCE, FLUSHED, ERROR,                                                                                                           \
	  "{bytes} stored here {are} written back at {flush}, but no fence of that thread follows", FIX_FENCE_FLUSH)                               \
	X(MISSING_FENCE, DIRECT, ERROR,                                                                                                            \
	  "{bytes} {are} stored here by a non-temporal store, and no fence of the thread follows", FIX_FENCE_DIRECT)                               \
	/* related: FLUSH, FENCE of another thread. */                                                                                             \
	X(MISSING_FENCE, OTHER_THREAD, ERROR,                                                                                                      \
	  "{bytes} stored here {are} written back at {flush}, but only another thread fences, at {fence}, which completes nothing",                \
	  FIX_FENCE_FLUSH ", in the thread that flushes")                                                                                          \
	/* Only a lock of the C library, at the end of program or thread, completes it.  related: FLUSH, FENCE (the lock). */                      \
	X(MISSING_FENCE, EXIT, ERROR,                                                                                                              \
	  "{bytes} stored here {are} written back at {flush}, but no fence of the program follows: only a lock that the C library takes "          \
	  "when the program or the thread ends completes it",                                                                                      \
	  FIX_FENCE_FLUSH)                                                                                                                         \
	/* related: FENCE. */                                                                                                                      \
	X(MISSING_FENCE, EXIT_DIRECT, ERROR,                                                                                                       \
	  "{bytes} {are} stored here by a non-temporal store, and no fence of the program follows: only a lock that the C library takes when the " \
	  "program or the thread ends completes it",                                                                                               \
	  FIX_FENCE_DIRECT)                                                                                                                        \
	X(TRANSIENT_DATA, NEVER, WARNING,                                                                                                          \
	  "nothing in this run writes back what is stored here: volatile data in persistent memory", FIX_VOLATILE)                                 \
	/* The same, if the last mapping of the file goes away before the program ends. */                                                         \
	X(TRANSIENT_DATA, UNMAPPED, WARNING,                                                                                                       \
	  "nothing in this run writes back what is stored here, and {pool} is unmapped: volatile data in persistent memory",                       \
	  FIX_VOLATILE)                                                                                                                            \
	/* On a line with atomic stores. */                                                                                                        \
	X(TRANSIENT_DATA, LOCK, WARNING,                                                                                                           \
	  "what is stored here is not written back when the program ends; atomic stores go to its line, as if it held a lock",                     \
	  FIX_VOLATILE)                                                                                                                            \
	/* Recovery overwrites it before it reads it.  related: FLUSH of its code or line at another time. */                                      \
	X(TRANSIENT_DATA, RECOVERED, WARNING,                                                                                                      \
	  "what is stored here is not written back in the end{evidence}, and recovery overwrites it before it reads it: volatile "                 \
	  "data in persistent memory",                                                                                                             \
	  FIX_VOLATILE)                                                                                                                            \
	/* Everything that the code stores is overwritten.  related: STORE, one that overwrites it. */                                             \
	X(TRANSIENT_DATA, OVERWRITTEN, WARNING,                                                                                                    \
	  "everything stored here is overwritten, at {store}, before it is written back{evidence}: volatile data in "                              \
	  "persistent memory",                                                                                                                     \
	  FIX_VOLATILE)                                                                                                                            \
	/* here: the later store; related: STORE, the earlier one. */                                                                              \
	X(DIRTY_OVERWRITE, DIRTY, WARNING,                                                                                                         \
	  "overwrites the store at {store} before it is written back: after a crash, either value may be there", "")                               \
	/* related: STORE, FLUSH. */                                                                                                               \
	X(DIRTY_OVERWRITE, UNFENCED, WARNING,                                                                                                      \
	  "overwrites the store at {store}, which is flushed at {flush} but not yet fenced: after a crash, either value may be there",             \
	  FIX_FENCE_FLUSH ", if the first value matters")                                                                                          \
	/* related: STORE, a non-temporal one. */                                                                                                  \
	X(DIRTY_OVERWRITE, DIRECT, WARNING,                                                                                                        \
	  "overwrites the non-temporal store at {store} before a fence: after a crash, either value may be there",                                 \
	  "fence after the non-temporal store at {store}")                                                                                         \
	/* On a line with atomic stores: never reported as such, but it may show transient data.  related: STORE. */                               \
	X(DIRTY_OVERWRITE, LOCK, WARNING, "overwrites the store at {store} on the line of a lock", "")                                             \
	/* related: FLUSH, the earlier one. */                                                                                                     \
	X(REDUNDANT_FLUSH, AGAIN, PERFORMANCE,                                                                                                     \
	  "the line was written back at {flush}, and nothing was stored to it since",                                                              \
	  FIX_REMOVE_FLUSH ", or the one at {flush}")                                                                                              \
	X(REDUNDANT_FLUSH, CLEAN, PERFORMANCE, "nothing was stored to this line since the file was mapped",                                        \
	  FIX_REMOVE_FLUSH)                                                                                                                        \
	/* related: STORE, the last one to the line. */                                                                                            \
	X(REDUNDANT_FLUSH, NEEDLESS, PERFORMANCE,                                                                                                  \
	  "the stores to this line, last at {store}, need no flush: they bypassed the cache or are already persistent",                            \
	  FIX_REMOVE_FLUSH)                                                                                                                        \
	/* The same three, if the flush is needed at other times. */                                                                               \
	X(REDUNDANT_FLUSH, AGAIN_SOMETIMES, WARNING,                                                                                               \
	  "unnecessary in {times} of {runs} flushes here: the line was written back at {flush}, and nothing was stored to it since",               \
	  "flush at {here} only where something was stored since the flush at {flush}")                                                            \
	X(REDUNDANT_FLUSH, CLEAN_SOMETIMES, WARNING,                                                                                               \
	  "unnecessary in {times} of {runs} flushes here: nothing was stored to the line since the file was mapped",                               \
	  "flush at {here} only lines that were stored to")                                                                                        \
	X(REDUNDANT_FLUSH, NEEDLESS_SOMETIMES, WARNING,                                                                                            \
	  "unnecessary in {times} of {runs} flushes here: the stores to the line, last at {store}, bypassed the cache or are "                     \
	  "already persistent",                                                                                                                    \
	  "flush at {here} only what went through the cache and is not persistent yet")                                                            \
	/* The platform's caches are persistent. */                                                                                                \
	X(REDUNDANT_FLUSH, POINTLESS, PERFORMANCE, "on {platforms} a store is persistent without a flush",                                         \
	  "leave the flush at {here} out where the platform has persistent caches")                                                                \
	/* related: FLUSH, of the other object; STORE, the last one to the line. */                                                                \
	X(SHARED_LINE_FLUSH, NEIGHBOR, WARNING,                                                                                                    \
	  "the line was written back at {flush} for a neighboring object, and nothing was stored to it since",                                     \
	  "align the two objects to lines of their own, or flush the line once for both")                                                          \
	X(FLUSH_VOLATILE, OUTSIDE, PERFORMANCE, "flushes memory that is not persistent",                                                           \
	  "flush at {here} the persistent data that is meant, or remove the flush")                                                                \
	/* The same, if the flush is needed at other times. */                                                                                     \
	X(FLUSH_VOLATILE, SOMETIMES, PERFORMANCE,                                                                                                  \
	  "flushes memory that is not persistent in {times} of {runs} flushes here",                                                               \
	  "flush at {here} only persistent data")                                                                                                  \
	X(REDUNDANT_FENCE, NOTHING, PERFORMANCE, "there is no flush or non-temporal store of this thread to wait for",                             \
	  FIX_REMOVE_FENCE)                                                                                                                        \
	/* related: FENCE, the previous one, with nothing in between. */                                                                           \
	X(REDUNDANT_FENCE, AGAIN, PERFORMANCE, "the fence at {fence} already waited for all that this thread flushed",                             \
	  FIX_REMOVE_FENCE ", or the one at {fence}")                                                                                              \
	/* The same two, if the fence is needed at other times. */                                                                                 \
	X(REDUNDANT_FENCE, NOTHING_SOMETIMES, WARNING,                                                                                             \
	  "unnecessary in {times} of {runs} fences here: there is no flush or non-temporal store of this thread to wait for",                      \
	  "fence at {here} only after a flush or a non-temporal store")                                                                            \
	X(REDUNDANT_FENCE, AGAIN_SOMETIMES, WARNING,                                                                                               \
	  "unnecessary in {times} of {runs} fences here: the fence at {fence} already waited for all that this thread flushed",                    \
	  "fence at {here} only where something was flushed since the fence at {fence}")                                                           \
	/* related: FENCE, a locked instruction. */                                                                                                \
	X(REDUNDANT_FENCE, LOCKED, WARNING,                                                                                                        \
	  "the locked instruction at {fence} already waited for all that this thread flushed; the fence is needed only if that is "                \
	  "not executed",                                                                                                                          \
	  "")                                                                                                                                      \
	/* Ordinary stores precede it: it may be meant for other threads. */                                                                       \
	X(REDUNDANT_FENCE, THREADS, WARNING,                                                                                                       \
	  "there is no flush or non-temporal store to wait for; it persists nothing, though it may order stores for other threads",                \
	  "")                                                                                                                                      \
	/* related: FLUSH, FLUSH: the first and the last. */                                                                                       \
	X(UNORDERED_FLUSHES, MANY, WARNING,                                                                                                        \
	  "this fence completes several write-backs, from {flush} to {flush2}: until then any of them may be on media without the others",         \
	  "")                                                                                                                                      \
	/* All of these: related: LOAD, in recovery.  UNPROVED also: FLUSH.  UNSEEN is the same without a flush. */                                \
	X(PERSISTENCY_RACE, PLAIN_UNFLUSHED, WARNING, RACE_SAYS_PLAIN RACE_SAYS_UNFLUSHED, FIX_ATOMIC)                                             \
	X(PERSISTENCY_RACE, PLAIN_UNPROVED, WARNING, RACE_SAYS_PLAIN RACE_SAYS_UNPROVED, FIX_ATOMIC)                                               \
	X(PERSISTENCY_RACE, PLAIN_UNSEEN, WARNING, RACE_SAYS_PLAIN RACE_SAYS_UNSEEN, FIX_ATOMIC)                                                   \
	X(PERSISTENCY_RACE, PLAIN_UNFENCED, WARNING, RACE_SAYS_PLAIN RACE_SAYS_UNFENCED, FIX_ATOMIC)                                               \
	X(PERSISTENCY_RACE, PLAIN_UNORDERED, WARNING, RACE_SAYS_PLAIN RACE_SAYS_UNORDERED, FIX_ATOMIC)                                             \
	X(PERSISTENCY_RACE, TORN_UNFLUSHED, ERROR, RACE_SAYS_TORN RACE_SAYS_UNFLUSHED, FIX_PUBLISH)                                                \
	X(PERSISTENCY_RACE, TORN_UNPROVED, ERROR, RACE_SAYS_TORN RACE_SAYS_UNPROVED, FIX_PUBLISH)                                                  \
	X(PERSISTENCY_RACE, TORN_UNSEEN, ERROR, RACE_SAYS_TORN RACE_SAYS_UNSEEN, FIX_PUBLISH)                                                      \
	X(PERSISTENCY_RACE, TORN_UNFENCED, ERROR, RACE_SAYS_TORN RACE_SAYS_UNFENCED, FIX_PUBLISH)                                                  \
	X(PERSISTENCY_RACE, TORN_UNORDERED, ERROR, RACE_SAYS_TORN RACE_SAYS_UNORDERED, FIX_PUBLISH)                                                \
	TRANSACTION_FORMS(X)

enum finding_form {
#define X(kind, name, severity, message, fix) FORM_##kind##_##name,
	FORMS(X)
#undef X
		FORM_COUNT
};

struct kind {
	const char *name;
	enum finding_class class;
	enum severity severity;
	const char *line;
	/* For registered kinds: */
	const char *help;       /* Markdown; NULL: `line` */
	const char *class_text; /* NULL: the name of `class` */
};

struct form {
	enum finding_kind kind;
	enum severity severity;
	const char *message, *fix;
};

/* Kinds are numbered from 0: first those of the table, then those that were registered. */
const struct kind *kind_get(enum finding_kind kind);
unsigned kind_count(void);

/* The class as users read it. */
const char *kind_class(const struct kind *kind);

/* Letters, digits and - _ . : only. */
bool kind_name_is_valid(const char *name);

/* Adds a kind at run time, beside the table: a plug-in's, or one in a findings.json of a newer version.  Copies what it
 * is given; the name must be valid.  If the name is known, that kind is returned and stays as it is.  Not for several
 * threads at a time. */
enum finding_kind kind_register(const struct kind *kind);

#define KIND_NONE ((enum finding_kind) - 1)
const struct form *form_get(enum finding_form form);

/* The same for a form, of any kind.  The words in braces must be known (message_knows). */
enum finding_form form_register(const struct form *form);

/* The kind called `name`, or KIND_NONE. */
enum finding_kind kind_find(const char *name, size_t length);

/* Convert to a name ("error", "durability", "store") and back; the latter return false for an unknown name. */
const char *severity_name(enum severity severity);
const char *class_name(enum finding_class class);
const char *role_name(enum related_role role);
bool severity_find(const char *name, enum severity *severity);
bool role_find(const char *name, enum related_role *role);

#endif
