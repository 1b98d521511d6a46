/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transaction.h - what calls of libpmemobj mean: the transactions of a thread, and objects that come and go.
 *
 * The rules are those of pmemobj_tx_begin(3), pmemobj_tx_add_range(3), pmemobj_tx_alloc(3) and pmemobj_action(3):
 *
 *  1. The work stage ends with commit, abort, or process.  An inner transaction ends with pmemobj_tx_end; then the
 *     outer one goes on, unless the inner one was aborted: then the outer one is aborted, too.
 *  2. A call that fails aborts the transaction, unless it has a flag (NO_ABORT) or the transaction a setting against
 *     it.  A call that is left by longjmp has aborted it.  What failed had no effect.
 *  3. Commit, abort and process take effect when they are called, all others when they return.  So the stores of the
 *     library itself are all made while calls are open.
 *  4. What a function calls inside of the library, as pmemobj_tx_free calls pmemobj_tx_xfree, has no effect of its own. */
#ifndef BLACKOUT_TRACE_TRANSACTION_H
#define BLACKOUT_TRACE_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "trace/trace.h"

/* Flags of libpmemobj, the same for all functions. */
enum { TRANSACTION_NO_FLUSH = 1 << 1, TRANSACTION_NO_SNAPSHOT = 1 << 2, TRANSACTION_NO_ABORT = 1 << 4 };

/* A call of libpmemobj that has not ended. */
struct transaction_call {
	uint32_t function; /* enum bo_pmemobj_function */
	uint32_t context;
	uint64_t arguments[BO_CALL_ARGUMENTS];
};

enum transaction_stage {
	TRANSACTION_NONE,
	TRANSACTION_WORK,
	TRANSACTION_DONE, /* the innermost transaction has been committed or aborted, but has not ended */
};

/* One of the nested transactions of a thread. */
struct transaction_level {
	uint32_t begin;        /* context of the call */
	uint32_t serial;       /* in the sequence of all that began since the outermost */
	bool returns_failures; /* pmemobj_tx_set_failure_behavior: failures do not abort it */
};

/* A thread.  All zeros: it has no transaction. */
struct transaction {
	VEC_OF(struct transaction_call) calls;
	unsigned inside; /* how many of them store for the library itself; the others store what their caller wants */
	enum transaction_stage stage;
	VEC_OF(struct transaction_level) levels; /* the innermost is the last one */
	uint32_t serial;                         /* of the level that began last */
	uint64_t pool;                           /* its address */
};

enum transaction_what {
	TRANSACTION_COMES,  /* pmemobj_tx_begin is called, and there is no transaction so far */
	TRANSACTION_BEGINS, /* the work stage of the innermost one */
	/* Its work stage has ended. */
	TRANSACTION_COMMITS,
	TRANSACTION_ABORTS,
	TRANSACTION_ENDS, /* it is still the innermost one */
	/* In the work stage: */
	TRANSACTION_ADDS,
	TRANSACTION_ALLOCATES,
	TRANSACTION_FREES,
	TRANSACTION_PUBLISHES, /* actions */
	/* At any time: */
	OBJECT_ALLOCATED, /* but not by a transaction */
	OBJECT_RESERVED,
	OBJECT_TO_BE_FREED, /* when the action is published */
	ACTIONS_SETTLED,    /* published or canceled, but not by a transaction */
};

struct transaction_step {
	enum transaction_what what;
	uint32_t context; /* of the call */
	uint64_t address; /* of the range or object */
	uint64_t size;    /* of the range; of an object as its caller gave it; 0: unknown */
	uint64_t flags;
	/* The action of OBJECT_RESERVED and OBJECT_TO_BE_FREED; else the first of `action_count`.  An address. */
	uint64_t action, action_count;
};

/* The one who is told. */
struct transaction_listener {
	void (*step)(void *arg, const struct transaction *transaction, const struct transaction_step *step);
	void *arg;
};

/* A CALL, RETURN or LEFT of the thread.  Other functions than those of libpmemobj are ignored. */
void transaction_event(struct transaction *t, const struct event *ev, const struct transaction_listener *listener);

/* The innermost transaction; there must be one. */
const struct transaction_level *transaction_innermost(const struct transaction *t);

void transaction_free(struct transaction *t);

#endif
