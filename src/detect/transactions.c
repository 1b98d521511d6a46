/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transactions.c - finds misuse of the transactions of libpmemobj: one pass over its calls and the program's stores.
 *
 *   seen                                                              reported
 *   ---------------------------------------------------------------------------------------------------------
 *   a store in the work stage, not covered by the transaction         unlogged-store
 *   a store outside, not persisted, of bytes that transactions change store-outside-transaction
 *   an add of what the transaction covers already                     redundant-log
 *
 * tx_cover.c knows what a transaction covers, tx_judge.c decides.  A program that does not use libpmemobj costs a
 * comparison or two for each event.
 *
 * These are not reported:
 *
 *  1. What libpmemobj stores for itself, while one of the calls is open that the recorder records.  So are the stores
 *     of the user's constructors and callbacks.  pmemobj_memcpy and its like store for their caller.  Functions that
 *     are not recorded, such as those of locks, are recognized by name (finding/unreported.c).
 *  2. A store that changes nothing: after a rollback it is as if it had not happened.  Of a larger store, only the
 *     words that change count.  Stores in a transaction that change nothing are counted for a note.
 *  3. Words that locked instructions store to: they may be locks, which no transaction protects.
 *  4. Stores to what the transaction frees, and to objects that were reserved or allocated meanwhile by other means:
 *     nobody can find them before they are published.
 *  5. Stores to what the open transaction of another thread covers: that one persists it, or rolls it back.
 *  6. What another object did with the bytes of a new one. */
#include "detect/transactions.h"

#include "detect/detector.h"
#include "model/range.h"

enum { LONG_STORE = 512 * TX_WORD }; /* the rest of a longer store is judged with its last word */

/* ---- threads, processes, places ---- */

static struct process *process_of(struct transactions *d, uint32_t process)
{
	while (d->processes.count <= process)
		vec_push(&d->processes, (struct process){0});
	return &d->processes.at[process];
}

static struct tx *thread_of(struct transactions *d, const struct event *ev)
{
	for (size_t n = d->threads.count; n <= ev->thread; n++)
		vec_push(&d->threads, ((struct tx){.thread = (uint32_t)n}));
	d->threads.at[ev->thread].process = ev->process;
	process_of(d, ev->process);
	return &d->threads.at[ev->thread];
}

struct tx_place tx_locate(struct transactions *d, uint32_t process, uint64_t address)
{
	const struct mapping *at = mappings_find(&process_of(d, process)->mappings, address);

	return at ? (struct tx_place){at->file, at->offset + (address - at->start)} : (struct tx_place){0};
}

enum { KIND_OF_MAPPING = 3, PRIVATE = 2 }; /* MAP_TYPE, MAP_PRIVATE */

static void follow_mappings(struct transactions *d, const struct event *ev)
{
	struct mappings *m = &process_of(d, ev->process)->mappings;

	switch (ev->type) {
	case EVENT_MAP:
		mappings_unmap(m, ev->addr, ev->size);
		if ((ev->flags & KIND_OF_MAPPING) != PRIVATE)
			mappings_map(m, &(struct mapping){.start = ev->addr,
							  .end = ev->addr + ev->size,
							  .offset = ev->offset,
							  .file = ev->file});
		break;
	case EVENT_UNMAP: mappings_unmap(m, ev->addr, ev->size); break;
	case EVENT_REMAP: mappings_remap(m, ev->old_addr, ev->old_size, ev->addr, ev->size); break;
	default: break;
	}
}

struct sink_site *tx_site(struct transactions *d, uint32_t context)
{
	for (uint32_t n = (uint32_t)d->sites.count; n <= context; n++)
		vec_push(&d->sites, ((struct sink_site){.context = n}));
	return &d->sites.at[context];
}

/* ---- stores ---- */

/* A part of a store; at most one word, but for the last part of a very long one. */
struct part {
	const struct event *ev;
	uint64_t offset, address, size;
};

/* Rule 2. */
static bool part_changes(const struct transactions *d, const struct part *part)
{
	uint8_t old[TX_WORD] = {0};

	if (part->size > TX_WORD)
		return true;
	range_read(d->model, &(struct range){part->ev->file, part->offset, part->size}, old);
	return memcmp(old, part->ev->data + (part->offset - part->ev->offset), part->size) != 0;
}

static struct doubt doubt_of(const struct transactions *d, const struct part *part, enum doubt_kind kind)
{
	return (struct doubt){
		.kind = kind,
		.file = part->ev->file,
		.context = part->ev->context,
		.thread = part->ev->thread,
		.offset = part->offset,
		.address = part->address,
		.size = (uint32_t)part->size,
		.first = d->number,
		.event = d->number,
		.count = 1,
	};
}

/* If the same code stores there again, the doubt goes on. */
static bool doubt_goes_on(struct transactions *d, const struct doubt *new)
{
	const struct tx_word *word = tx_word_find(&d->words, new->file, new->offset);
	struct doubt *old = word && word->doubt ? &d->words.doubts.at[word->doubt] : NULL;

	if (!old || old->kind != new->kind || old->context != new->context || old->thread != new->thread ||
	    old->offset != new->offset || old->size != new->size || old->persisted || old->place != new->place)
		return false;
	old->event = new->event;
	old->count++;
	return true;
}

static void store_uncovered(struct transactions *d, struct tx *tx, struct part part, uint32_t partly)
{
	struct doubt doubt = doubt_of(d, &part, DOUBT_UNLOGGED);

	doubt.place = partly;
	doubt.partly = partly != 0;
	if (!doubt_goes_on(d, &doubt))
		vec_push(&tx->unlogged, doubt_raise(&d->words, &doubt));
}

/* Settled doubts leave their numbers in the list of the thread.  If it never begins a transaction, they must be removed
 * from time to time. */
static void tidy_outside(struct transactions *d, struct tx *tx)
{
	size_t kept = 0;

	if (tx->outside.count < tx->outside_before_tidying)
		return;
	for (size_t i = 0; i < tx->outside.count; i++) {
		const struct doubt *doubt = &d->words.doubts.at[tx->outside.at[i]];

		if (doubt->kind == DOUBT_OUTSIDE && doubt->thread == tx->thread)
			tx->outside.at[kept++] = tx->outside.at[i];
	}
	tx->outside.count = kept;
	tx->outside_before_tidying = 2 * kept + 4096;
}

static void store_outside(struct transactions *d, struct tx *tx, struct part part)
{
	struct doubt doubt = doubt_of(d, &part, DOUBT_OUTSIDE);

	if (doubt_goes_on(d, &doubt))
		return;
	tidy_outside(d, tx);
	vec_push(&tx->outside, doubt_raise(&d->words, &doubt));
}

static void store_covered(struct transactions *d, const struct part *part)
{
	for (uint64_t at = part->offset, end = at + part->size; at < end; at = (at / TX_WORD + 1) * TX_WORD) {
		struct tx_word *word = tx_word_make(&d->words, part->ev->file, at);
		uint8_t mask = tx_word_mask(at, end - at);

		judge_suspect(d, word, mask, part->ev->context);
		word->changed |= mask;
		word->changer = part->ev->context;
	}
}

/* Rules 4 and 5. */
static bool is_excused(struct transactions *d, const struct tx *tx, uint64_t start, uint64_t end)
{
	if (intervals_covered(&tx->fresh, start, end) ||
	    intervals_covered(&process_of(d, tx->process)->reserved, start, end))
		return true;
	for (size_t i = 0; i < d->threads.count; i++) {
		const struct tx *other = &d->threads.at[i];

		if (other != tx && other->state.levels.count && other->process == tx->process &&
		    intervals_covered(&other->covered, start, end))
			return true;
	}
	return false;
}

/* The end of the piece of [start, end) that begins at `start` and is covered, or not, as a whole. */
static uint64_t piece_end(const struct interval *next, uint64_t start, uint64_t end, bool *covered)
{
	*covered = next && next->start <= start;
	if (*covered)
		return next->end < end ? next->end : end;
	return next && next->start < end ? next->start : end;
}

static uint64_t part_end(uint64_t offset, uint64_t from, uint64_t end)
{
	uint64_t word_end = (from / TX_WORD + 1) * TX_WORD;

	return word_end < end && from - offset < LONG_STORE ? word_end : end;
}

static bool in_work(const struct tx *tx, uint64_t address)
{
	return tx->state.stage == TRANSACTION_WORK && address - tx->state.pool < tx->pool_end - tx->state.pool;
}

/* A store that changes nothing would be unlogged if it changed something. */
static void note_silent(struct transactions *d, const struct tx *tx, const struct part *part)
{
	const struct tx_word *word = tx_word_find(&d->words, part->ev->file, part->offset);

	if (!in_work(tx, part->address) || d->silent == d->number || (word && word->atomic))
		return;
	d->silent = d->number;
	tx_site(d, part->ev->context)->silent++;
}

static void piece_uncovered(struct transactions *d, struct tx *tx, const struct part *piece, uint32_t partly)
{
	bool changes = false;

	if (is_excused(d, tx, piece->address, piece->address + piece->size))
		return;
	for (uint64_t at = piece->offset, end = at + piece->size, next; at < end; at = next) {
		next = part_end(piece->offset, at, end);
		struct part part = {piece->ev, at, piece->address + (at - piece->offset), next - at};

		if (!part_changes(d, &part))
			continue;
		changes = true;
		if (in_work(tx, part.address))
			store_uncovered(d, tx, part, partly);
		else
			store_outside(d, tx, part);
	}
	if (!changes)
		note_silent(d, tx, piece);
}

/* A range of the transaction that has other bytes of this store; 0: none. */
static uint32_t covered_partly(const struct tx *tx, const struct event *ev)
{
	const struct interval *next = intervals_next(&tx->covered, ev->addr);

	return next && next->start < ev->addr + ev->size && !(next->flags & RANGE_ALLOCATED) ? next->context : 0;
}

static void on_store(struct transactions *d, struct tx *tx, const struct event *ev)
{
	bool covered, work = tx->state.stage == TRANSACTION_WORK;

	for (uint64_t at = ev->addr, end = at + ev->size, next; at < end; at = next) {
		next = piece_end(work ? intervals_next(&tx->covered, at) : NULL, at, end, &covered);
		struct part piece = {ev, ev->offset + (at - ev->addr), at, next - at};

		if (covered)
			store_covered(d, &piece);
		else
			piece_uncovered(d, tx, &piece, work ? covered_partly(tx, ev) : 0);
	}
}

/* Rule 3. */
static void on_locked_store(struct transactions *d, const struct event *ev)
{
	for (uint64_t at = ev->offset, end = at + ev->size; at < end; at = (at / TX_WORD + 1) * TX_WORD)
		tx_word_make(&d->words, ev->file, at)->atomic = true;
}

/* ---- what becomes persistent ---- */

static bool is_sync(const struct event *by)
{
	return by && (by->type == EVENT_MSYNC || by->type == EVENT_FILE_SYNC);
}

/* On platforms with persistent caches a store persists by itself.  That is no intention of the program. */
static bool is_intended(const struct event *by, const struct unit *unit)
{
	return unit->cover != UNIT_BARE || unit->kind == UNIT_DIRECT || is_sync(by);
}

static void on_persist(void *arg, const struct event *by, const struct unit *unit)
{
	struct transactions *d = arg;
	const struct tx_word *word = tx_word_find(&d->words, unit->file, unit->offset);
	struct doubt *doubt = word && word->doubt ? &d->words.doubts.at[word->doubt] : NULL;

	if (!doubt || doubt->event != unit->event + d->model_behind)
		return;
	if (doubt->kind == DOUBT_OUTSIDE)
		doubt_settle(&d->words, word->doubt);
	else if (is_intended(by, unit))
		doubt->persisted = true;
}

/* ---- events ---- */

static const struct model_observer observer = {.persist = on_persist};

static void *transactions_begin(const struct detector_scene *scene)
{
	struct transactions *d = mem_alloc(sizeof(*d));

	d->platform = scene->platform;
	d->sink = scene->sink;
	return d;
}

/* libpmemobj maps its pools when it is called, so nothing before its first call matters. */
static void wake(struct transactions *d, const struct event *ev, uint64_t number)
{
	if (ev->type != EVENT_CALL || !ev->unit)
		return;
	d->model = model_new(d->platform, MODEL_VISIBLE, &observer, d);
	d->model_behind = number - 1;
}

static void on_event(struct transactions *d, const struct event *ev)
{
	struct tx *tx;

	switch (ev->type) {
	case EVENT_STORE:
		tx = thread_of(d, ev);
		if (!ev->file || tx->state.inside) /* rule 1 */
			break;
		if (ev->kind == BO_STORE_LOCKED)
			on_locked_store(d, ev);
		else
			on_store(d, tx, ev);
		break;
	case EVENT_CALL:
	case EVENT_RETURN:
	case EVENT_LEFT:
		if (ev->unit)
			tx_cover(d, thread_of(d, ev), ev);
		break;
	default: break;
	}
}

static void transactions_event(void *state, const struct event *ev, uint64_t number)
{
	struct transactions *d = state;

	d->number = number;
	follow_mappings(d, ev);
	if (!d->model)
		wake(d, ev, number);
	if (!d->model)
		return;
	on_event(d, ev);
	model_apply(d->model, ev);
}

/* ---- the end ---- */

static void thread_end(struct transactions *d, struct tx *tx)
{
	if (tx->state.levels.count)
		judge_unlogged(d, tx);
	judge_outside(d, tx, 0);
	intervals_free(&tx->covered);
	intervals_free(&tx->freed);
	intervals_free(&tx->fresh);
	transaction_free(&tx->state);
	vec_free(&tx->unlogged);
	vec_free(&tx->outside);
}

static void transactions_end(void *state)
{
	struct transactions *d = state;

	for (size_t i = 0; i < d->threads.count; i++)
		thread_end(d, &d->threads.at[i]);
	for (size_t i = 1; i < d->sites.count; i++)
		if (d->sites.at[i].needed || d->sites.at[i].silent)
			sink_add_site(d->sink, &d->sites.at[i]);
	for (size_t i = 0; i < d->processes.count; i++) {
		mappings_free(&d->processes.at[i].mappings);
		intervals_free(&d->processes.at[i].reserved);
		vec_free(&d->processes.at[i].actions);
	}
	tx_words_free(&d->words);
	model_free(d->model);
	vec_free(&d->threads);
	vec_free(&d->processes);
	vec_free(&d->sites);
	free(d);
}

const struct detector detector_transactions = {
	.name = "transactions",
	.begin = transactions_begin,
	.event = transactions_event,
	.end = transactions_end,
};
