/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_transactions.c - tells a plug-in what the transactions of libpmemobj do. */
#include "model/range.h"
#include "plugin/host_in.h"

/* The word of a step in the interface; false: plug-ins are not told of it.  A missing entry is the word of a store. */
static bool what_of(enum transaction_what step, enum blackout_what *what)
{
	static const enum blackout_what told[] = {
		[TRANSACTION_BEGINS] = BLACKOUT_TX_BEGIN, [TRANSACTION_COMMITS] = BLACKOUT_TX_COMMIT,
		[TRANSACTION_ABORTS] = BLACKOUT_TX_ABORT, [TRANSACTION_ENDS] = BLACKOUT_TX_END,
		[TRANSACTION_ADDS] = BLACKOUT_TX_ADD,     [TRANSACTION_ALLOCATES] = BLACKOUT_TX_ALLOC,
		[TRANSACTION_FREES] = BLACKOUT_TX_FREE,
	};

	*what = step < sizeof(told) / sizeof(*told) ? told[step] : BLACKOUT_STORE_PLAIN;
	return *what != BLACKOUT_STORE_PLAIN;
}

/* A step of the current event. */
struct scene {
	struct host *host;
	const struct event *ev;
};

static void on_step(void *arg, const struct transaction *state, const struct transaction_step *step)
{
	struct host *h = ((struct scene *)arg)->host;
	const struct event *ev = ((struct scene *)arg)->ev;
	struct blackout_event e = {
		.number = h->number,
		.process = ev->process,
		.thread = ev->thread,
		.place = step->context,
		.address = step->address,
		.size = step->size,
		.depth = (uint32_t)state->levels.count,
		.flags = step->flags,
	};
	enum blackout_what what;

	if (!what_of(step->what, &what))
		return;
	e.what = what;
	if (e.address)
		range_locate(h->model, ev->process, e.address, &e.file, &e.offset);
	HOST_CALL(h, WIRE_IN_TRANSACTION, transaction, &h->b, &e);
}

void host_transaction(struct host *h, const struct event *ev)
{
	struct scene scene = {h, ev};

	while (h->transactions.count <= ev->thread)
		vec_push(&h->transactions, (struct transaction){0});
	transaction_event(&h->transactions.at[ev->thread], ev, &(struct transaction_listener){on_step, &scene});
}
