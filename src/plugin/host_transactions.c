/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_transactions.c - tells a plug-in what the transactions of libpmemobj do, from the calls of its functions.
 *
 * Calls take effect when they return.  A call that fails aborts the transaction, unless a flag or a setting of the
 * transaction is against it; so does one that is left by longjmp.  If an inner transaction was aborted, its end aborts the
 * outer one, too.  (pmemobj_tx_begin(3), pmemobj_tx_add_range(3), pmemobj_tx_alloc(3))  What a function calls inside of
 * the library, as pmemobj_tx_free calls pmemobj_tx_xfree, is not told again. */
#include <string.h>

#include "blackout/pmemobj.h"
#include "model/range.h"
#include "plugin/host_in.h"

enum { FLAG_NO_ABORT = 1 << 4 }; /* POBJ_XADD_NO_ABORT and the like: the same for all functions */

static void tell(struct host *h, const struct event *ev, enum blackout_what what, uint64_t address, uint64_t size,
		 uint64_t flags)
{
	const struct host_thread *t = &h->threads.at[ev->thread];
	struct blackout_event e = {
		.number = h->number,
		.what = what,
		.process = ev->process,
		.thread = ev->thread,
		.place = ev->context,
		.address = address,
		.size = size,
		.depth = (uint32_t)t->levels.count,
		.flags = flags,
	};

	if (address)
		range_locate(h->model, ev->process, address, &e.file, &e.offset);
	HOST_CALL(h, WIRE_IN_TRANSACTION, transaction, &h->b, &e);
}

static void stop_working(struct host *h, const struct event *ev, enum blackout_what what)
{
	struct host_thread *t = &h->threads.at[ev->thread];

	if (!t->working)
		return;
	t->working = false;
	tell(h, ev, what, 0, 0, 0);
}

static void begun(struct host *h, const struct event *ev, uint64_t pool, bool failed)
{
	struct host_thread *t = &h->threads.at[ev->thread];
	char returns_failures = t->levels.count ? t->levels.at[t->levels.count - 1] : 0;

	if (t->levels.count && !t->working)
		return;
	if (t->working && pool != t->pool) { /* not allowed: the outer one is aborted */
		stop_working(h, ev, BLACKOUT_TX_ABORT);
		return;
	}
	t->pool = pool;
	t->working = true;
	vec_push(&t->levels, returns_failures);
	tell(h, ev, BLACKOUT_TX_BEGIN, pool, 0, 0);
	if (failed)
		stop_working(h, ev, BLACKOUT_TX_ABORT);
}

static void ended(struct host *h, const struct event *ev, bool failed)
{
	struct host_thread *t = &h->threads.at[ev->thread];

	if (!t->levels.count)
		return;
	tell(h, ev, BLACKOUT_TX_END, 0, 0, 0);
	t->levels.count--;
	t->working = t->levels.count;
	if (failed)
		stop_working(h, ev, BLACKOUT_TX_ABORT);
}

static void fails(struct host *h, const struct event *ev, bool left, uint64_t flags)
{
	const struct host_thread *t = &h->threads.at[ev->thread];

	if (t->working && (left || (!(flags & FLAG_NO_ABORT) && !t->levels.at[t->levels.count - 1])))
		stop_working(h, ev, BLACKOUT_TX_ABORT);
}

/* ---- calls ---- */

static uint64_t flags_of(const struct host_call *call)
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

/* It returned 0, or something else.  A PMEMoid is two arguments; the second is the offset in the pool. */
static void number_returned(struct host *h, const struct event *ev, const struct host_call *call)
{
	const uint64_t *n = call->arguments, flags = flags_of(call), pool = h->threads.at[ev->thread].pool;

	if ((uint32_t)ev->value) {
		fails(h, ev, false, flags);
		return;
	}
	switch (call->function) {
	case BO_PMEMOBJ_tx_add_range:
	case BO_PMEMOBJ_tx_xadd_range: tell(h, ev, BLACKOUT_TX_ADD, pool + n[1] + n[2], n[3], flags); break;
	case BO_PMEMOBJ_tx_add_range_direct:
	case BO_PMEMOBJ_tx_xadd_range_direct: tell(h, ev, BLACKOUT_TX_ADD, n[0], n[1], flags); break;
	case BO_PMEMOBJ_tx_free:
	case BO_PMEMOBJ_tx_xfree:
		if (n[1])
			tell(h, ev, BLACKOUT_TX_FREE, pool + n[1], 0, flags);
		break;
	default: break;
	}
}

/* It returned an object, or none. */
static void object_returned(struct host *h, const struct event *ev, const struct host_call *call)
{
	const uint64_t *n = call->arguments, flags = flags_of(call), pool = h->threads.at[ev->thread].pool;
	bool again = call->function == BO_PMEMOBJ_tx_realloc || call->function == BO_PMEMOBJ_tx_zrealloc;
	bool sized = call->function == BO_PMEMOBJ_tx_alloc || call->function == BO_PMEMOBJ_tx_zalloc ||
		     call->function == BO_PMEMOBJ_tx_xalloc;

	if (ev->second)
		tell(h, ev, BLACKOUT_TX_ALLOC, pool + ev->second, again ? n[2] : sized ? n[0] : 0, flags);
	else if (!again || n[2])
		fails(h, ev, false, flags);
	if (again && n[1] && (ev->second || !n[2]) && ev->second != n[1])
		tell(h, ev, BLACKOUT_TX_FREE, pool + n[1], 0, flags);
}

static void call_returned(struct host *h, const struct event *ev, const struct host_call *call)
{
	struct host_thread *t = &h->threads.at[ev->thread];

	switch (call->function) {
	case BO_PMEMOBJ_tx_begin: begun(h, ev, call->arguments[0], (uint32_t)ev->value != 0); break;
	case BO_PMEMOBJ_tx_end: ended(h, ev, (uint32_t)ev->value != 0); break;
	case BO_PMEMOBJ_tx_set_failure_behavior:
		if (t->levels.count)
			t->levels.at[t->levels.count - 1] = (uint32_t)call->arguments[0] != 0;
		break;
	case BO_PMEMOBJ_tx_commit:
	case BO_PMEMOBJ_tx_abort:
	case BO_PMEMOBJ_tx_process:     /* they took effect when they were called */
	case BO_PMEMOBJ_tx_lock: break; /* returns its failures */
	case BO_PMEMOBJ_tx_alloc:
	case BO_PMEMOBJ_tx_zalloc:
	case BO_PMEMOBJ_tx_xalloc:
	case BO_PMEMOBJ_tx_realloc:
	case BO_PMEMOBJ_tx_zrealloc:
	case BO_PMEMOBJ_tx_strdup:
	case BO_PMEMOBJ_tx_xstrdup:
	case BO_PMEMOBJ_tx_wcsdup:
	case BO_PMEMOBJ_tx_xwcsdup:
		if (t->working && !t->calls.count)
			object_returned(h, ev, call);
		break;
	default:
		if (t->working && !t->calls.count)
			number_returned(h, ev, call);
	}
}

static void call_left(struct host *h, const struct event *ev, const struct host_call *call)
{
	if (call->function == BO_PMEMOBJ_tx_begin)
		begun(h, ev, call->arguments[0], true);
	else if (call->function == BO_PMEMOBJ_tx_end)
		ended(h, ev, true);
	else
		fails(h, ev, true, 0);
}

static void call_begins(struct host *h, const struct event *ev)
{
	struct host_call call = {.function = ev->unit};

	memcpy(call.arguments, ev->data, sizeof(call.arguments));
	vec_push(&h->threads.at[ev->thread].calls, call);
	if (call.function == BO_PMEMOBJ_tx_abort)
		stop_working(h, ev, BLACKOUT_TX_ABORT);
	else if (call.function == BO_PMEMOBJ_tx_commit || call.function == BO_PMEMOBJ_tx_process)
		stop_working(h, ev, BLACKOUT_TX_COMMIT);
}

void host_transaction(struct host *h, const struct event *ev)
{
	struct host_thread *t;
	struct host_call call;

	if (!ev->unit || ev->unit > BO_PMEMOBJ_tx_xpublish)
		return;
	while (h->threads.count <= ev->thread)
		vec_push(&h->threads, (struct host_thread){0});
	t = &h->threads.at[ev->thread];
	if (ev->type == EVENT_CALL) {
		call_begins(h, ev);
		return;
	}
	/* A child process inherits open calls, and nothing is known of those. */
	if (!t->calls.count || t->calls.at[t->calls.count - 1].function != ev->unit)
		return;
	call = t->calls.at[--t->calls.count];
	if (ev->type == EVENT_RETURN)
		call_returned(h, ev, &call);
	else
		call_left(h, ev, &call);
}
