/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transaction.c - see transaction.h. */
#include "trace/transaction.h"

#include <string.h>

#include "blackout/pmemobj.h"

/* What the functions below need of a call that takes effect. */
struct effect {
	struct transaction *t;
	const struct transaction_call *call;
	const struct transaction_listener *listener;
};

const struct transaction_level *transaction_innermost(const struct transaction *t)
{
	return &t->levels.at[t->levels.count - 1];
}

static void tell(const struct effect *e, struct transaction_step step)
{
	step.context = e->call->context;
	e->listener->step(e->listener->arg, e->t, &step);
}

/* ---- stages ---- */

static void work_ends(const struct effect *e, enum transaction_what how)
{
	if (e->t->stage != TRANSACTION_WORK)
		return;
	e->t->stage = TRANSACTION_DONE;
	tell(e, (struct transaction_step){.what = how});
}

static void begun(const struct effect *e, bool failed)
{
	struct transaction *t = e->t;
	struct transaction_level level = {.begin = e->call->context};
	uint64_t pool = e->call->arguments[0];

	if (t->stage == TRANSACTION_DONE)
		return;
	if (t->stage == TRANSACTION_WORK) {
		if (pool != t->pool) { /* not allowed: the outer one is aborted */
			work_ends(e, TRANSACTION_ABORTS);
			return;
		}
		level.returns_failures = transaction_innermost(t)->returns_failures;
	}
	level.serial = t->serial = t->levels.count ? t->serial + 1 : 0;
	t->pool = pool;
	t->stage = TRANSACTION_WORK;
	vec_push(&t->levels, level);
	tell(e, (struct transaction_step){.what = TRANSACTION_BEGINS, .address = pool});
	if (failed)
		work_ends(e, TRANSACTION_ABORTS);
}

static void ended(const struct effect *e, bool failed)
{
	struct transaction *t = e->t;

	if (!t->levels.count)
		return;
	work_ends(e, TRANSACTION_ABORTS);
	tell(e, (struct transaction_step){.what = TRANSACTION_ENDS});
	t->levels.count--;
	t->stage = t->levels.count ? TRANSACTION_WORK : TRANSACTION_NONE;
	if (failed)
		work_ends(e, TRANSACTION_ABORTS);
}

/* Rule 2. */
static void fails(const struct effect *e, uint64_t flags)
{
	if (e->t->stage == TRANSACTION_WORK && !(flags & TRANSACTION_NO_ABORT) &&
	    !transaction_innermost(e->t)->returns_failures)
		work_ends(e, TRANSACTION_ABORTS);
}

/* ---- functions of transactions ---- */

static bool is_of_transactions(uint32_t function)
{
	return function && function <= BO_PMEMOBJ_tx_xpublish;
}

/* Rule 4. */
static bool is_inner(const struct transaction *t)
{
	for (size_t i = 0; i < t->calls.count; i++)
		if (is_of_transactions(t->calls.at[i].function))
			return true;
	return false;
}

static uint64_t flags_of(const struct transaction_call *call)
{
	switch (call->function) {
	case BO_PMEMOBJ_tx_xadd_range: return call->arguments[4];
	case BO_PMEMOBJ_tx_xlog_append_buffer: return call->arguments[3];
	case BO_PMEMOBJ_tx_xadd_range_direct:
	case BO_PMEMOBJ_tx_xalloc:
	case BO_PMEMOBJ_tx_xstrdup:
	case BO_PMEMOBJ_tx_xwcsdup:
	case BO_PMEMOBJ_tx_xfree:
	case BO_PMEMOBJ_tx_xlock:
	case BO_PMEMOBJ_tx_xpublish: return call->arguments[2];
	default: return 0;
	}
}

static void add(const struct effect *e, uint64_t address, uint64_t size)
{
	if (size)
		tell(e, (struct transaction_step){.what = TRANSACTION_ADDS,
						  .address = address,
						  .size = size,
						  .flags = flags_of(e->call)});
}

static void release(const struct effect *e, uint64_t offset)
{
	if (offset)
		tell(e, (struct transaction_step){.what = TRANSACTION_FREES,
						  .address = e->t->pool + offset,
						  .flags = flags_of(e->call)});
}

/* It succeeded, and returned a number.  A PMEMoid is two arguments; the second is the offset in the pool. */
static void take_effect(const struct effect *e)
{
	const uint64_t *n = e->call->arguments;

	switch (e->call->function) {
	case BO_PMEMOBJ_tx_add_range:
	case BO_PMEMOBJ_tx_xadd_range: add(e, e->t->pool + n[1] + n[2], n[3]); break;
	case BO_PMEMOBJ_tx_add_range_direct:
	case BO_PMEMOBJ_tx_xadd_range_direct: add(e, n[0], n[1]); break;
	case BO_PMEMOBJ_tx_free:
	case BO_PMEMOBJ_tx_xfree: release(e, n[1]); break;
	case BO_PMEMOBJ_tx_publish:
	case BO_PMEMOBJ_tx_xpublish:
		tell(e, (struct transaction_step){.what = TRANSACTION_PUBLISHES, .action = n[0], .action_count = n[1]});
		break;
	default: break;
	}
}

/* It returned an object, or none. */
static void take_object(const struct effect *e, uint64_t offset)
{
	const uint64_t *n = e->call->arguments, flags = flags_of(e->call);
	uint32_t function = e->call->function;
	bool again = function == BO_PMEMOBJ_tx_realloc || function == BO_PMEMOBJ_tx_zrealloc;
	bool sized =
		function == BO_PMEMOBJ_tx_alloc || function == BO_PMEMOBJ_tx_zalloc || function == BO_PMEMOBJ_tx_xalloc;

	if (offset)
		tell(e, (struct transaction_step){.what = TRANSACTION_ALLOCATES,
						  .address = e->t->pool + offset,
						  .size = again   ? n[2]
							  : sized ? n[0]
								  : 0,
						  .flags = flags});
	else if (!again || n[2])
		fails(e, flags);
	if (again && (offset || !n[2]) && offset != n[1])
		release(e, n[1]);
}

/* ---- functions that need no transaction ---- */

static void allocated(const struct effect *e, uint64_t offset)
{
	const uint64_t *n = e->call->arguments;
	uint32_t function = e->call->function;
	bool sized = function == BO_PMEMOBJ_alloc || function == BO_PMEMOBJ_xalloc || function == BO_PMEMOBJ_zalloc ||
		     function == BO_PMEMOBJ_realloc || function == BO_PMEMOBJ_zrealloc;

	if (offset)
		tell(e, (struct transaction_step){.what = OBJECT_ALLOCATED,
						  .address = n[0] + offset,
						  .size = sized ? n[2] : 0});
}

static void reserved(const struct effect *e, uint64_t offset)
{
	const uint64_t *n = e->call->arguments;

	if (offset)
		tell(e, (struct transaction_step){
				.what = OBJECT_RESERVED, .address = n[0] + offset, .size = n[2], .action = n[1]});
}

static void deferred(const struct effect *e)
{
	const uint64_t *n = e->call->arguments;

	tell(e, (struct transaction_step){.what = OBJECT_TO_BE_FREED, .address = n[0] + n[2], .action = n[3]});
}

static void settled(const struct effect *e)
{
	const uint64_t *n = e->call->arguments;

	tell(e, (struct transaction_step){.what = ACTIONS_SETTLED, .action = n[1], .action_count = n[2]});
}

/* ---- calls ---- */

static bool stores_for_caller(uint32_t function)
{
	return function == BO_PMEMOBJ_memcpy || function == BO_PMEMOBJ_memmove || function == BO_PMEMOBJ_memset ||
	       function == BO_PMEMOBJ_memcpy_persist || function == BO_PMEMOBJ_memset_persist;
}

static void call_begins(struct transaction *t, const struct event *ev, const struct transaction_listener *listener)
{
	struct transaction_call call = {.function = ev->unit, .context = ev->context};
	struct effect e = {t, &call, listener};

	memcpy(call.arguments, ev->data, sizeof(call.arguments));
	vec_push(&t->calls, call);
	t->inside += !stores_for_caller(call.function);
	switch (call.function) {
	case BO_PMEMOBJ_tx_begin:
		if (t->stage == TRANSACTION_NONE)
			tell(&e, (struct transaction_step){.what = TRANSACTION_COMES, .address = call.arguments[0]});
		break;
	case BO_PMEMOBJ_tx_commit:
	case BO_PMEMOBJ_tx_process: work_ends(&e, TRANSACTION_COMMITS); break;
	case BO_PMEMOBJ_tx_abort: work_ends(&e, TRANSACTION_ABORTS); break;
	default: break;
	}
}

static void set_failure_behavior(const struct effect *e)
{
	if (e->t->levels.count)
		e->t->levels.at[e->t->levels.count - 1].returns_failures = (uint32_t)e->call->arguments[0] != 0;
}

static void work_returns(const struct effect *e, const struct event *ev)
{
	if (e->t->stage != TRANSACTION_WORK || is_inner(e->t))
		return;
	switch (e->call->function) {
	case BO_PMEMOBJ_tx_alloc:
	case BO_PMEMOBJ_tx_zalloc:
	case BO_PMEMOBJ_tx_xalloc:
	case BO_PMEMOBJ_tx_realloc:
	case BO_PMEMOBJ_tx_zrealloc:
	case BO_PMEMOBJ_tx_strdup:
	case BO_PMEMOBJ_tx_xstrdup:
	case BO_PMEMOBJ_tx_wcsdup:
	case BO_PMEMOBJ_tx_xwcsdup: take_object(e, ev->second); break;
	case BO_PMEMOBJ_tx_lock: break; /* returns its failures */
	default:
		if ((uint32_t)ev->value)
			fails(e, flags_of(e->call));
		else
			take_effect(e);
	}
}

static void call_returns(const struct effect *e, const struct event *ev)
{
	bool failed = (uint32_t)ev->value != 0;

	switch (e->call->function) {
	case BO_PMEMOBJ_tx_begin: begun(e, failed); break;
	case BO_PMEMOBJ_tx_end: ended(e, failed); break;
	case BO_PMEMOBJ_tx_set_failure_behavior: set_failure_behavior(e); break;
	case BO_PMEMOBJ_reserve:
	case BO_PMEMOBJ_xreserve: reserved(e, ev->second); break;
	case BO_PMEMOBJ_defer_free: deferred(e); break;
	case BO_PMEMOBJ_publish:
		if (!failed)
			settled(e);
		break;
	case BO_PMEMOBJ_cancel: settled(e); break;
	case BO_PMEMOBJ_alloc:
	case BO_PMEMOBJ_xalloc:
	case BO_PMEMOBJ_zalloc:
	case BO_PMEMOBJ_realloc:
	case BO_PMEMOBJ_zrealloc:
	case BO_PMEMOBJ_strdup:
	case BO_PMEMOBJ_wcsdup: allocated(e, failed ? 0 : ev->second); break;
	case BO_PMEMOBJ_list_insert_new: allocated(e, ev->second); break;
	default:
		if (is_of_transactions(e->call->function))
			work_returns(e, ev);
	}
}

/* By longjmp. */
static void call_left(const struct effect *e)
{
	if (e->call->function == BO_PMEMOBJ_tx_begin)
		begun(e, true);
	else if (e->call->function == BO_PMEMOBJ_tx_end)
		ended(e, true);
	else if (is_of_transactions(e->call->function))
		work_ends(e, TRANSACTION_ABORTS);
}

static void call_ends(struct transaction *t, const struct event *ev, const struct transaction_listener *listener)
{
	struct transaction_call call;
	struct effect e = {t, &call, listener};

	/* A child process inherits open calls, and nothing is known of those. */
	if (!t->calls.count || t->calls.at[t->calls.count - 1].function != ev->unit)
		return;
	call = t->calls.at[--t->calls.count];
	t->inside -= !stores_for_caller(call.function);
	if (ev->type == EVENT_RETURN)
		call_returns(&e, ev);
	else
		call_left(&e);
}

void transaction_event(struct transaction *t, const struct event *ev, const struct transaction_listener *listener)
{
	if (!ev->unit)
		return;
	if (ev->type == EVENT_CALL)
		call_begins(t, ev, listener);
	else if (ev->type == EVENT_RETURN || ev->type == EVENT_LEFT)
		call_ends(t, ev, listener);
}

void transaction_free(struct transaction *t)
{
	vec_free(&t->calls);
	vec_free(&t->levels);
}
