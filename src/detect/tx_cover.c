/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx_cover.c - keeps which bytes the transaction of a thread covers, and which objects it may change without that. */
#include "detect/transactions.h"
#include "model/range.h"

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

static void work_ends(struct transactions *d, struct tx *tx)
{
	if (tx->state.levels.count > 1)
		return;
	judge_unlogged(d, tx);
	intervals_clear(&tx->covered);
	intervals_clear(&tx->freed);
	intervals_clear(&tx->fresh);
}

/* ---- what a transaction covers ---- */

/* How the innermost transaction covers a range: RANGE_* */
static uint32_t range_flags(const struct tx *tx, uint64_t flags)
{
	return transaction_innermost(&tx->state)->serial << RANGE_SERIAL |
	       (flags & TRANSACTION_NO_FLUSH ? RANGE_NO_FLUSH : 0);
}

static void add(struct transactions *d, struct tx *tx, const struct transaction_step *step)
{
	struct interval range = {.start = step->address, .end = step->address + step->size, .context = step->context};

	range.flags = range_flags(tx, step->flags) | (step->flags & TRANSACTION_NO_SNAPSHOT ? RANGE_NO_SNAPSHOT : 0);
	judge_add(d, tx, &range);
	intervals_add(&tx->covered, &range);
}

static void allocate(struct transactions *d, struct tx *tx, const struct transaction_step *step)
{
	struct interval object = object_at(d, tx->process, step->address, step->size);

	object_begin(d, tx->process, &object);
	object.context = step->context;
	object.flags = range_flags(tx, step->flags) | RANGE_ALLOCATED;
	intervals_remove(&tx->freed, object.start, object.end);
	intervals_remove(&tx->covered, object.start, object.end);
	intervals_add(&tx->covered, &object);
}

/* An object that the same transaction has allocated is free at once, and may be allocated again. */
static void release(struct transactions *d, struct tx *tx, const struct transaction_step *step)
{
	struct interval object = object_at(d, tx->process, step->address, 0);
	const struct interval *known = intervals_next(&tx->covered, object.start);

	if (known && known->start == object.start && known->flags & RANGE_ALLOCATED && known->end > object.end)
		object.end = known->end;
	intervals_remove(&tx->covered, object.start, object.end);
	intervals_add(&tx->freed, &object);
}

/* An object was allocated, but not by the transaction. */
static void allocate_atomically(struct transactions *d, struct tx *tx, const struct transaction_step *step)
{
	struct interval object = object_at(d, tx->process, step->address, step->size);

	object_begin(d, tx->process, &object);
	if (tx->state.stage == TRANSACTION_WORK)
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

static void reserve(struct transactions *d, struct tx *tx, const struct transaction_step *step)
{
	struct process *process = &d->processes.at[tx->process];
	struct interval object = object_at(d, tx->process, step->address, step->size);
	bool frees = step->what == OBJECT_TO_BE_FREED;

	for (size_t i = process->actions.count; i-- > 0;)
		if (process->actions.at[i].address == step->action)
			action_forget(process, i);
	vec_push(&process->actions, ((struct action){step->action, object.start, object.end, frees}));
	if (frees)
		return;
	object_begin(d, tx->process, &object);
	intervals_add(&process->reserved, &object);
}

/* A transaction that publishes actions has the objects until it ends. */
static void settle_actions(struct transactions *d, struct tx *tx, const struct transaction_step *step)
{
	struct process *process = &d->processes.at[tx->process];

	for (size_t i = process->actions.count; i-- > 0;) {
		const struct action *action = &process->actions.at[i];
		struct interval object = {.start = action->start, .end = action->end};

		if (action->address < step->action ||
		    (action->address - step->action) / ACTION_BYTES >= step->action_count)
			continue;
		if (step->what == TRANSACTION_PUBLISHES)
			intervals_add(action->frees ? &tx->freed : &tx->fresh, &object);
		action_forget(process, i);
	}
}

/* ---- calls ---- */

struct scene {
	struct transactions *d;
	struct tx *tx;
};

static void on_step(void *arg, const struct transaction *state, const struct transaction_step *step)
{
	struct transactions *d = ((struct scene *)arg)->d;
	struct tx *tx = ((struct scene *)arg)->tx;

	switch (step->what) {
	case TRANSACTION_COMES: judge_outside(d, tx, step->context); break;
	case TRANSACTION_BEGINS: tx->pool_end = pool_end(&d->processes.at[tx->process].mappings, state->pool); break;
	case TRANSACTION_COMMITS:
	case TRANSACTION_ABORTS: work_ends(d, tx); break;
	case TRANSACTION_ENDS: break;
	case TRANSACTION_ADDS: add(d, tx, step); break;
	case TRANSACTION_ALLOCATES: allocate(d, tx, step); break;
	case TRANSACTION_FREES: release(d, tx, step); break;
	case OBJECT_ALLOCATED: allocate_atomically(d, tx, step); break;
	case OBJECT_RESERVED:
	case OBJECT_TO_BE_FREED: reserve(d, tx, step); break;
	case TRANSACTION_PUBLISHES:
	case ACTIONS_SETTLED: settle_actions(d, tx, step); break;
	}
}

void tx_cover(struct transactions *d, struct tx *tx, const struct event *ev)
{
	struct scene scene = {d, tx};

	transaction_event(&tx->state, ev, &(struct transaction_listener){on_step, &scene});
}
