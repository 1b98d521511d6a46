/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eadr.c - x86 with eADR: on power failure the platform flushes the caches, so data in a cache is safe.
 *
 * Rules.  "On media" means: present after a crash at this moment.  Stores are ordered as their events are.
 *
 *  1. A cached store is on media once it has taken effect.  So cached stores reach media in sequence, across all lines.
 *  2. Flushes do nothing.
 *  3. The units of the store that is being executed may tear: until the next event of any thread some of them may be on
 *     media without the others, in any combination.  A store of one unit is there or not: the crash before it and the
 *     crash after it are its two states.
 *  4. Fences are SFENCE, MFENCE and every locked instruction, whether it stores or not.  A locked store is stored after
 *     its own fence.
 *  5. A non-temporal store reaches media at any time, without constraints, and is there after a fence of its thread.
 *  6. msync(MS_SYNC), fsync, fdatasync, sync and syncfs put on media all that is pending in their range.  Data written
 *     by system calls waits for one of them.  (In sync.c, for every platform.) */
#include "model/platform.h"

/* The units of the last store, if they are still pending, that is, no event came after them. */
static struct node *torn_first(const struct model *model)
{
	struct node *node = model->pending.all.last;

	if (!node || node->unit.kind != UNIT_CACHED)
		return NULL;
	while (node->earlier && node->earlier->unit.event == node->unit.event)
		node = node->earlier;
	return node;
}

/* Rule 3: any next event means that the store before it is complete. */
static void eadr_next(struct model *model, const struct event *ev)
{
	struct node *node = torn_first(model), *later;

	for (; node; node = later) {
		later = node->later;
		persist_node(model, ev, node);
	}
}

/* Rule 1 */
static void eadr_stored(struct model *model, const struct event *ev)
{
	struct node *node = torn_first(model);

	if (node && !node->later && node->units == 1)
		persist_node(model, ev, node);
}

/* Rule 2 */
static void eadr_flush(struct model *model, const struct event *ev, struct line *line, struct flush_effect *effect)
{
	(void)model, (void)ev, (void)line;
	effect->pointless = true;
}

static void eadr_fence(struct model *model, const struct event *ev, struct thread *thread)
{
	persist_direct(model, ev, thread); /* rule 5 */
}

static bool eadr_settles(const struct model *model, const struct event *ev)
{
	const struct thread *thread = pending_thread_known(&model->pending, ev->thread);

	if (torn_first(model) || (ev->type == EVENT_STORE && ev->file && ev->kind != BO_STORE_NONTEMPORAL))
		return true;
	return event_is_fence(ev) && thread && thread->direct.first;
}

const struct platform platform_eadr = {
	.name = "eadr",
	.keeps_caches = true,
	.next = eadr_next,
	.stored = eadr_stored,
	.flush = eadr_flush,
	.fence = eadr_fence,
	.settles = eadr_settles,
};
