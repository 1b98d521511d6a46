/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adr.c - x86 with ADR: what has reached the memory controller is safe, what is in a cache is not.
 *
 * Rules.  "On media" means: there after a crash at this moment.  The order of stores is the order of the events.
 *
 *  1. Cached stores to one 64-byte line get to media in their order, at any time, with or without a flush: one of them
 *     is on media only if all of the line's earlier ones are, completely.
 *  2. CLWB or CLFLUSHOPT of a line by a thread, then a fence by the same thread: all cached stores to the line before
 *     the flush, whoever did them, are on media once the fence is done.  Stores between flush and fence are not
 *     covered.  Another thread's fence covers nothing.  The flush covers the whole aligned line of its address.
 *  3. CLFLUSH takes its place among the stores: if anything that was stored after it is on media, by any thread, to any
 *     line, in any way, then so are all cached stores to its line before it.  It needs no fence, but a fence of its
 *     thread completes it too.  It completes no other flush.
 *  4. Fences are SFENCE, MFENCE and every locked instruction, whether it stores or not.  A locked store is stored after
 *     its own fence.  LFENCE is none, and not in the trace.
 *  5. A non-temporal store gets to media at any time, bound to nothing but rule 3, and is there after a fence of its
 *     thread.
 *  6. The units of one store may tear: some may be on media without the others, in any combination.  A unit is at most
 *     8 bytes in one aligned word.  Rule 1 holds between stores, not within one; the parts of a store in different
 *     lines are not bound to each other.
 *  7. msync(MS_SYNC), fsync, fdatasync, sync and syncfs put on media all that is pending in their range.  What was
 *     written by system calls waits for one of them, bound to nothing but rule 3.  (In sync.c, for every platform.)
 *  8. Nothing is put on media by munmap, by exit, or by the end of a thread. */
#include "model/platform.h"

/* Rule 2: the thread's next fence completes what is on the line now.  What no flush of the thread has covered since its
 * last fence is at the end of the line's list; what nobody has covered, at the end of that. */
static void cover(struct line *line, const struct event *ev, uint64_t number, uint64_t covered_upto,
		  struct flush_effect *effect)
{
	struct node *node = line->dirty ? line->dirty->cached.last : NULL;

	for (; node && node->unit.event > covered_upto; node = node->previous) {
		effect->covered_for_thread += node->units;
		if (node->unit.cover != UNIT_BARE)
			continue;
		node->unit.cover = UNIT_FLUSHED;
		node->unit.flush_event = number;
		node->unit.flush_context = ev->context;
		node->unit.flush_from = ev->offset % LINE_BYTES;
		effect->newly_covered += node->units;
	}
}

static void cover_ordered(struct line *line)
{
	struct node *node = line->dirty ? line->dirty->cached.last : NULL;

	for (; node && node->unit.cover != UNIT_ORDERED; node = node->previous)
		node->unit.cover = UNIT_ORDERED;
}

static void adr_flush(struct model *model, const struct event *ev, struct line *line, struct flush_effect *effect)
{
	struct flush *flush;

	/* A clean line is not written back. */
	if (!line || (!line->silent && !(line->dirty && line->dirty->cached.first)))
		return;
	flush = flush_open(&model->pending, line, ev->thread);
	effect->newly_covered = line->silent;
	cover(line, ev, model->number, flush->upto, effect);
	flush->upto = model->number; /* these, and not what comes later */
	flush->context = ev->context;
	if (ev->type != EVENT_CLFLUSH)
		return;
	cover_ordered(line);
	pending_order(&model->pending, line, model->number); /* rule 3 */
}

static void adr_fence(struct model *model, const struct event *ev, struct thread *thread)
{
	for (const struct flush *flush = thread->flushes; flush; flush = flush->next) /* rules 2 and 3 */
		persist_line(model, ev, flush->line, flush->upto);
	flush_close_all(&model->pending, thread);
	persist_direct(model, ev, thread); /* rule 5 */
	persist_settle(model, ev);         /* rule 3 */
}

/* Rule 2: does what was flushed include anything? */
static bool flush_completes(const struct flush *flush)
{
	const struct dirty *dirty = flush->line->dirty;

	return dirty && dirty->cached.first && dirty->cached.first->unit.event < flush->upto;
}

static bool adr_settles(const struct model *model, const struct event *ev)
{
	const struct thread *thread = pending_thread_known(&model->pending, ev->thread);
	const struct flush *flush;

	if (!event_is_fence(ev) || !thread)
		return false;
	for (flush = thread->flushes; flush && !flush_completes(flush);)
		flush = flush->next;
	return flush || thread->direct.first;
}

const struct platform platform_adr = {
	.name = "adr",
	.flush = adr_flush,
	.fence = adr_fence,
	.settles = adr_settles,
};
