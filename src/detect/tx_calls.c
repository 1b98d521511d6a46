/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx_calls.c - follows the calls of libpmemobj: which stage the transaction of a thread is in, and what it covers.
 *
 * The rules are those of pmemobj_tx_begin(3), pmemobj_tx_add_range(3), pmemobj_tx_alloc(3) and pmemobj_action(3):
 *
 *  1. The work stage ends with commit, abort, or process.  An inner transaction ends with pmemobj_tx_end; then the
 *     outer one goes on, unless the inner one was aborted: then the outer one is aborted, too.
 *  2. A call that fails aborts the transaction, unless it has a flag (NO_ABORT) or the transaction a setting against
 *     it.  A call that is left by longjmp has aborted it.  What failed had no effect.
 *  3. Calls take effect when they return.  So the stores of the library itself are all made while calls are open. */
#include <string.h>

#include "blackout/pmemobj.h"
#include "detect/transactions.h"
#include "model/range.h"

/* Flags of libpmemobj, the same for all functions. */
enum { FLAG_NO_FLUSH = 1 << 1, FLAG_NO_SNAPSHOT = 1 << 2, FLAG_NO_ABORT = 1 << 4 };

enum {
	ACTION_BYTES = 128,      /* sizeof(struct pobj_action) */
	HEADER_BYTES = 16,       /* before each object: 8 bytes with its size in the lower 48 bits, and its type */
	CHUNK_BYTES = 256 * 1024 /* large objects have whole chunks */
};

/* ---- objects ---- */

/* The size of the object at an address, as the header before it says.  An object of a class without headers has data of
 * another one there, so an impossible size is not believed.  `asked`: the size that it was allocated with, or 0. */
static uint64_t object_size(struct transactions *d, uint32_t process, uint64_t address, uint64_t asked)
{
	struct tx_place header = tx_locate(d, process, address - HEADER_BYTES);
	uint64_t size = 0;

	if (header.file)
		range_read(d->model, &(struct range){header.file, header.offset, sizeof(size)}, &size);
	size &= (1ull << 48) - 1;
	size = size > HEADER_BYTES ? size - HEADER_BYTES : 0;
	if (asked && (size < asked || size - asked > asked + CHUNK_BYTES))
		return asked;
	return tx_locate(d, process, address + size - 1).file == header.file ? size : asked;
}

static struct interval object_at(struct transactions *d, uint32_t process, uint64_t address, uint64_t asked)
{
	return (struct interval){.start = address, .end = address + object_size(d, process, address, asked)};
}

/* An object is new: it has no history. */
static void object_begin(struct transactions *d, uint32_t process, const struct interval *object)
{
	struct tx_place place = tx_locate(d, process, object->start);

	if (place.file)
		tx_words_forget(&d->words, place.file, place.offset, object->end - object->start);
}

/* ---- stages ---- */

static struct level *innermost(struct tx *tx)
{
	return &tx->levels.at[tx->levels.count - 1];
}

static void work_ends(struct transactions *d, struct tx *tx)
{
	if (tx->stage != TX_WORK)
		return;
	tx->stage = TX_DONE;
	if (tx->levels.count > 1)
		return;
	judge_unlogged(d, tx);
	intervals_clear(&tx->covered);
	intervals_clear(&tx->freed);
	intervals_clear(&tx->fresh);
}

/* The pool is mapped from its address on, and so are the further parts of a pool set, without their headers. */
static uint64_t pool_end(const struct mappings *mappings, uint64_t pool)
{
	size_t i = mappings_seek(mappings, pool);
	uint64_t end = pool;

	for (; i < mappings->list.count; i++) {
		const struct mapping *at = &mappings->list.at[i];
		bool first = end == pool;

		if (at->start > end || (!first && !at->offset))
			break;
		end = at->end;
	}
	return end;
}

static void begun(struct transactions *d, struct tx *tx, const struct open_call *call, bool failed)
{
	struct level level = {.begin = call->context};

	if (tx->stage == TX_DONE)
		return;
	if (tx->stage == TX_WORK) {
		if (call->arguments[0] != tx->pool) { /* not allowed: the outer one is aborted */
			work_ends(d, tx);
			return;
		}
		level.returns_failures = innermost(tx)->returns_failures;
	}
	level.serial = tx->serial = tx->levels.count ? tx->serial + 1 : 0;
	tx->pool = call->arguments[0];
	tx->pool_end = pool_end(&d->processes.at[tx->process].mappings, tx->pool);
	vec_push(&tx->levels, level);
	tx->stage = TX_WORK;
	if (failed)
		work_ends(d, tx);
}

static void ended(struct transactions *d, struct tx *tx, bool failed)
{
	if (!tx->levels.count)
		return;
	work_ends(d, tx);
	tx->levels.count--;
	tx->stage = tx->levels.count ? TX_WORK : TX_IDLE;
	if (failed)
		work_ends(d, tx);
}

/* Rule 2. */
static void fails(struct transactions *d, struct tx *tx, bool left, uint64_t flags)
{
	if (tx->stage == TX_WORK && (left || (!(flags & FLAG_NO_ABORT) && !innermost(tx)->returns_failures)))
		work_ends(d, tx);
}

/* ---- what a transaction covers ---- */

static void add(struct transactions *d, struct tx *tx, const struct open_call *call, uint64_t start, uint64_t size,
		uint64_t flags)
{
	struct interval range = {.start = start, .end = start + size, .context = call->context};

	if (!size || tx->stage != TX_WORK)
		return;
	range.flags = innermost(tx)->serial << RANGE_SERIAL | (flags & FLAG_NO_FLUSH ? RANGE_NO_FLUSH : 0) |
		      (flags & FLAG_NO_SNAPSHOT ? RANGE_NO_SNAPSHOT : 0);
	judge_add(d, tx, &range);
	intervals_add(&tx->covered, &range);
}

static void allocate(struct transactions *d, struct tx *tx, const struct open_call *call, uint64_t offset,
		     uint64_t size, uint64_t flags)
{
	struct interval object = object_at(d, tx->process, tx->pool + offset, size);

	if (tx->stage != TX_WORK)
		return;
	object_begin(d, tx->process, &object);
	object.context = call->context;
	object.flags =
		innermost(tx)->serial << RANGE_SERIAL | RANGE_ALLOCATED | (flags & FLAG_NO_FLUSH ? RANGE_NO_FLUSH : 0);
	intervals_remove(&tx->freed, object.start, object.end);
	intervals_remove(&tx->covered, object.start, object.end);
	intervals_add(&tx->covered, &object);
}

/* An object that the same transaction has allocated is free at once, and may be allocated again. */
static void release(struct transactions *d, struct tx *tx, uint64_t offset)
{
	struct interval object = object_at(d, tx->process, tx->pool + offset, 0);
	const struct interval *known = intervals_next(&tx->covered, object.start);

	if (tx->stage != TX_WORK || !offset)
		return;
	if (known && known->start == object.start && known->flags & RANGE_ALLOCATED && known->end > object.end)
		object.end = known->end;
	intervals_remove(&tx->covered, object.start, object.end);
	intervals_add(&tx->freed, &object);
}

/* An object was allocated, but not by the transaction. */
static void allocate_atomically(struct transactions *d, struct tx *tx, const struct open_call *call, uint64_t offset)
{
	uint64_t asked = call->function == BO_PMEMOBJ_alloc || call->function == BO_PMEMOBJ_xalloc ||
					 call->function == BO_PMEMOBJ_zalloc || call->function == BO_PMEMOBJ_realloc ||
					 call->function == BO_PMEMOBJ_zrealloc
				 ? call->arguments[2]
				 : 0;
	struct interval object = object_at(d, tx->process, call->arguments[0] + offset, asked);

	if (!offset)
		return;
	object_begin(d, tx->process, &object);
	if (tx->stage == TX_WORK)
		intervals_add(&tx->fresh, &object);
}

/* ---- actions ---- */

static void action_forget(struct process *process, size_t index)
{
	struct action *action = &process->actions.at[index];

	if (!action->frees)
		intervals_remove(&process->reserved, action->start, action->end);
	*action = process->actions.at[--process->actions.count];
}

static void reserve(struct transactions *d, struct tx *tx, uint64_t action, struct interval object, bool frees)
{
	struct process *process = &d->processes.at[tx->process];

	for (size_t i = process->actions.count; i-- > 0;)
		if (process->actions.at[i].address == action)
			action_forget(process, i);
	vec_push(&process->actions, ((struct action){action, object.start, object.end, frees}));
	if (frees)
		return;
	object_begin(d, tx->process, &object);
	intervals_add(&process->reserved, &object);
}

/* The actions are published or canceled.  A transaction that publishes them has the objects until it ends. */
static void settle_actions(struct transactions *d, struct tx *tx, uint64_t first, uint64_t count, bool in_transaction)
{
	struct process *process = &d->processes.at[tx->process];

	for (size_t i = process->actions.count; i-- > 0;) {
		const struct action *action = &process->actions.at[i];
		struct interval object = {.start = action->start, .end = action->end};

		if (action->address < first || (action->address - first) / ACTION_BYTES >= count)
			continue;
		if (in_transaction)
			intervals_add(action->frees ? &tx->freed : &tx->fresh, &object);
		action_forget(process, i);
	}
}

/* ---- calls ---- */

/* These store what their caller wants, where he wants it. */
static bool stores_for_caller(uint32_t function)
{
	return function == BO_PMEMOBJ_memcpy || function == BO_PMEMOBJ_memmove || function == BO_PMEMOBJ_memset ||
	       function == BO_PMEMOBJ_memcpy_persist || function == BO_PMEMOBJ_memset_persist;
}

void tx_call(struct transactions *d, struct tx *tx, const struct event *ev)
{
	struct open_call call = {.function = ev->unit, .context = ev->context};

	memcpy(call.arguments, ev->data, sizeof(call.arguments));
	vec_push(&tx->calls, call);
	tx->inside += !stores_for_caller(call.function);
	switch (call.function) {
	case BO_PMEMOBJ_tx_begin:
		if (tx->stage == TX_IDLE)
			judge_outside(d, tx, call.context);
		break;
	case BO_PMEMOBJ_tx_commit:
	case BO_PMEMOBJ_tx_abort:
	case BO_PMEMOBJ_tx_process: work_ends(d, tx); break;
	default: break;
	}
}

/* Where the arguments of a function are. */
static uint64_t flags_of(const struct open_call *call)
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

/* A function of a transaction succeeded, and returned a number. */
static void take_effect(struct transactions *d, struct tx *tx, const struct open_call *call)
{
	const uint64_t *n = call->arguments, flags = flags_of(call);

	switch (call->function) {
	case BO_PMEMOBJ_tx_add_range:
	case BO_PMEMOBJ_tx_xadd_range: add(d, tx, call, tx->pool + n[1] + n[2], n[3], flags); break;
	case BO_PMEMOBJ_tx_add_range_direct:
	case BO_PMEMOBJ_tx_xadd_range_direct: add(d, tx, call, n[0], n[1], flags); break;
	case BO_PMEMOBJ_tx_free:
	case BO_PMEMOBJ_tx_xfree: release(d, tx, n[1]); break;
	case BO_PMEMOBJ_tx_publish:
	case BO_PMEMOBJ_tx_xpublish: settle_actions(d, tx, n[0], n[1], true); break;
	case BO_PMEMOBJ_tx_set_failure_behavior:
		if (tx->levels.count)
			innermost(tx)->returns_failures = (uint32_t)n[0] != 0;
		break;
	default: break;
	}
}

/* A function of a transaction returned an object, or none. */
static void take_object(struct transactions *d, struct tx *tx, const struct open_call *call, uint64_t offset)
{
	const uint64_t *n = call->arguments, flags = flags_of(call);
	bool again = call->function == BO_PMEMOBJ_tx_realloc || call->function == BO_PMEMOBJ_tx_zrealloc;
	bool text = call->function == BO_PMEMOBJ_tx_strdup || call->function == BO_PMEMOBJ_tx_xstrdup ||
		    call->function == BO_PMEMOBJ_tx_wcsdup || call->function == BO_PMEMOBJ_tx_xwcsdup;

	if (offset)
		allocate(d, tx, call, offset, again ? n[2] : text ? 0 : n[0], flags);
	else if (!again || n[2])
		fails(d, tx, false, flags);
	if (again && (offset || !n[2]))
		release(d, tx, n[1]);
}

static void call_returns(struct transactions *d, struct tx *tx, const struct open_call *call, const struct event *ev)
{
	const uint64_t *n = call->arguments;
	bool failed = (uint32_t)ev->value != 0;

	switch (call->function) {
	case BO_PMEMOBJ_tx_begin: begun(d, tx, call, failed); break;
	case BO_PMEMOBJ_tx_end: ended(d, tx, failed); break;
	case BO_PMEMOBJ_tx_alloc:
	case BO_PMEMOBJ_tx_zalloc:
	case BO_PMEMOBJ_tx_xalloc:
	case BO_PMEMOBJ_tx_realloc:
	case BO_PMEMOBJ_tx_zrealloc:
	case BO_PMEMOBJ_tx_strdup:
	case BO_PMEMOBJ_tx_xstrdup:
	case BO_PMEMOBJ_tx_wcsdup:
	case BO_PMEMOBJ_tx_xwcsdup: take_object(d, tx, call, ev->second); break;
	case BO_PMEMOBJ_reserve:
	case BO_PMEMOBJ_xreserve:
		if (ev->second)
			reserve(d, tx, n[1], object_at(d, tx->process, n[0] + ev->second, n[2]), false);
		break;
	case BO_PMEMOBJ_defer_free: reserve(d, tx, n[3], object_at(d, tx->process, n[0] + n[2], 0), true); break;
	case BO_PMEMOBJ_publish:
	case BO_PMEMOBJ_cancel: settle_actions(d, tx, n[1], n[2], false); break;
	case BO_PMEMOBJ_alloc:
	case BO_PMEMOBJ_xalloc:
	case BO_PMEMOBJ_zalloc:
	case BO_PMEMOBJ_realloc:
	case BO_PMEMOBJ_zrealloc:
	case BO_PMEMOBJ_strdup:
	case BO_PMEMOBJ_wcsdup:
		if (!failed)
			allocate_atomically(d, tx, call, ev->second);
		break;
	case BO_PMEMOBJ_list_insert_new: allocate_atomically(d, tx, call, ev->second); break;
	case BO_PMEMOBJ_tx_lock: break; /* returns its failures */
	case BO_PMEMOBJ_tx_set_failure_behavior: take_effect(d, tx, call); break;
	case BO_PMEMOBJ_tx_add_range:
	case BO_PMEMOBJ_tx_xadd_range:
	case BO_PMEMOBJ_tx_add_range_direct:
	case BO_PMEMOBJ_tx_xadd_range_direct:
	case BO_PMEMOBJ_tx_free:
	case BO_PMEMOBJ_tx_xfree:
	case BO_PMEMOBJ_tx_publish:
	case BO_PMEMOBJ_tx_xpublish:
	case BO_PMEMOBJ_tx_xlock:
	case BO_PMEMOBJ_tx_log_append_buffer:
	case BO_PMEMOBJ_tx_xlog_append_buffer:
		if (failed)
			fails(d, tx, false, flags_of(call));
		else
			take_effect(d, tx, call);
		break;
	default: break;
	}
}

/* The call was left by longjmp. */
static void call_left(struct transactions *d, struct tx *tx, const struct open_call *call)
{
	if (call->function == BO_PMEMOBJ_tx_begin)
		begun(d, tx, call, true);
	else if (call->function == BO_PMEMOBJ_tx_end)
		ended(d, tx, true);
	else if (call->function <= BO_PMEMOBJ_tx_xpublish)
		fails(d, tx, true, 0);
}

void tx_call_end(struct transactions *d, struct tx *tx, const struct event *ev)
{
	struct open_call call;

	/* A child process inherits open calls, and nothing is known of those. */
	if (!tx->calls.count || tx->calls.at[tx->calls.count - 1].function != ev->unit)
		return;
	call = tx->calls.at[--tx->calls.count];
	tx->inside -= !stores_for_caller(call.function);
	if (ev->type == EVENT_RETURN)
		call_returns(d, tx, &call, ev);
	else
		call_left(d, tx, &call);
}
