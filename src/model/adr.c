/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adr.c - x86 with ADR: data that has reached the memory controller is safe, data in a cache is not.
 *
 * Rules.  "On media" means: present after a crash at this moment.  Stores are ordered as their events are.
 *
 *  1. Cached stores to one 64-byte line reach media in sequence, at any time, with or without a flush: a store is on
 *     media only if all earlier stores to the line are, completely.
 *  2. CLWB or CLFLUSHOPT of a line by a thread, then a fence by the same thread: all cached stores to the line before
 *     the flush, by any thread, are on media once the fence is done.  Stores between flush and fence are not covered.
 *     Another thread's fence covers nothing.  The flush covers the whole aligned line of its address.
 *  3. CLFLUSH is ordered among the stores: if anything that was stored after it is on media, by any thread, to any
 *     line, in any way, then so are all cached stores to its line before it.  It needs no fence, but a fence of its
 *     thread completes it too.  It completes no other flush.
 *  4. Fences are SFENCE, MFENCE and every locked instruction, whether it stores or not.  A locked store is stored after
 *     its own fence.  LFENCE is not a fence here, and not in the trace.
 *  5. A non-temporal store reaches media at any time, constrained only by rule 3, and is there after a fence of its
 *     thread.
 *  6. The units of one store may tear: some may be on media without the others, in any combination.  A unit is at most
 *     8 bytes in one aligned word.  Rule 1 holds between stores, not within one; the parts of a store in different
 *     lines are independent of each other.
 *  7. msync(MS_SYNC), fsync, fdatasync, sync and syncfs put on media all that is pending in their range.  Data written
 *     by system calls waits for one of them, constrained only by rule 3.  (In sync.c, for every platform.)
 *  8. munmap, exit, and the end of a thread put nothing on media. */
#include "model/platform.h"

/* Rule 2: the thread's next fence completes what is on the line now.  Nodes that no flush of the thread has covered
 * since its last fence are at the end of the line's list; nodes that no thread has covered are at the end of those. */
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

	/* Flushing a clean line does nothing. */
	if (!line || (!line->silent && !(line->dirty && line->dirty->cached.first)))
		return;
	flush = flush_open(&model->pending, line, ev->thread);
	effect->newly_covered = line->silent;
	cover(line, ev, model->number, flush->upto, effect);
	flush->upto = model->number; /* covers these, and nothing later */
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

/* Rule 2: does the flush cover anything? */
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
