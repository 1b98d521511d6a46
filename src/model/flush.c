/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flushes and fences: let the platform handle them, and tell the observer. */
#include "model/steps.h"

static void flush_line(struct model *model, const struct event *ev, struct line *line, struct flush_effect *effect)
{
	effect->last_store_offset = line->stored_offset;
	effect->last_store_size = line->stored_size;
	effect->last_store_context = line->stored_context;
	if (line->flushed) {
		effect->line_was_flushed = true;
		effect->earlier_flush_context = line->flushed_context;
		effect->earlier_flush_thread = line->flushed_thread;
		effect->earlier_flush_addr_offset = line->flushed_offset;
		/* No store came since, so the flush covered everything on the line. */
		effect->earlier_flush_pending = line->dirty && line->dirty->cached.first;
	}
	model->platform->flush(model, ev, line, effect);
	line->flushed = true;
	line->flushed_context = ev->context;
	line->flushed_thread = ev->thread;
	line->flushed_offset = ev->offset;
	line->silent = 0;
}

/* The flushed line; NULL if nothing was ever stored or written there.  A program may flush a whole empty pool. */
static struct line *flush_target(struct model *model, const struct event *ev)
{
	struct page *page = memory_find(&model->memory, ev->file, ev->offset);
	uint64_t bit = (uint64_t)1 << ev->offset % PAGE_BYTES / LINE_BYTES;
	struct line *line;

	if (!page || (!page->lines && !(page->written & bit)))
		return NULL;
	line = page_line(page, ev->offset);
	line->silent += (page->written & bit) != 0;
	page->written &= ~bit;
	return line;
}

void step_flush(struct model *model, const struct event *ev)
{
	struct flush_effect effect = {.volatile_address = !ev->file};
	struct thread *thread = pending_thread(&model->pending, ev->thread);
	struct line *line = ev->file ? flush_target(model, ev) : NULL;

	if (!ev->file)
		thread->volatile_flushes++;
	else if (line)
		flush_line(model, ev, line, &effect);
	else
		model->platform->flush(model, ev, NULL, &effect);
	if (ev->file && !effect.newly_covered && !effect.covered_for_thread)
		thread->idle_flushes++;
	if (model->observer && model->observer->flush)
		model->observer->flush(model->arg, ev, &effect);
}

/* Is this the first time that this fence (identified by its event number) sees the context? */
static bool context_is_new(struct model *model, uint32_t context)
{
	while (model->seen_contexts.count <= context)
		vec_push(&model->seen_contexts, 0);
	if (model->seen_contexts.at[context] == model->number)
		return false;
	model->seen_contexts.at[context] = model->number;
	return true;
}

static struct fence_effect fence_foresee(struct model *model, const struct thread *thread)
{
	struct fence_effect effect = {
		.flushes_completed = thread->flush_count,
		.direct_completed = thread->direct_count,
		.volatile_flushes = thread->volatile_flushes,
		.idle_flushes = thread->idle_flushes,
		.written_since = model->stores - thread->stores_before,
	};

	for (const struct flush *flush = thread->flushes; flush; flush = flush->next) {
		if (flush == thread->flushes)
			effect.first_flush_context = flush->context;
		effect.last_flush_context = flush->context;
		effect.distinct_flush_contexts += context_is_new(model, flush->context);
	}
	return effect;
}

void step_fence(struct model *model, const struct event *ev)
{
	struct thread *thread = pending_thread(&model->pending, ev->thread);
	bool observed = model->observer && model->observer->fence;
	struct fence_effect effect = {0};

	if (observed)
		effect = fence_foresee(model, thread);
	model->platform->fence(model, ev, thread);
	thread->volatile_flushes = thread->idle_flushes = 0;
	thread->stores_before = model->stores;
	if (observed)
		model->observer->fence(model->arg, ev, &effect);
}

/* The fence that its flushes wait for will never come. */
void step_thread_exit(struct model *model, const struct event *ev)
{
	flush_close_all(&model->pending, pending_thread(&model->pending, ev->thread));
}
