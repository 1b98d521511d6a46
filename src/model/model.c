/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include <string.h>

#include "base/err.h"
#include "model/steps.h"

static const struct platform *const platforms[] = {
#define X(name) &platform_##name,
	PLATFORMS(X)
#undef X
};

const struct platform *platform_at(size_t index)
{
	return index < sizeof(platforms) / sizeof(*platforms) ? platforms[index] : NULL;
}

const struct platform *platform_find(const char *name)
{
	const struct platform *platform;

	for (size_t i = 0; (platform = platform_at(i)); i++) {
		if (!strcmp(platform->name, name))
			return platform;
	}
	return NULL;
}

const char *platform_name(const struct platform *platform)
{
	return platform->name;
}

bool platform_keeps_caches(const struct platform *platform)
{
	return platform->keeps_caches;
}

struct model *model_new(const struct platform *platform, enum model_depth depth, const struct model_observer *observer,
			void *arg)
{
	struct model *model = mem_alloc(sizeof(*model));

	model->platform = platform;
	model->depth = depth;
	model->observer = observer;
	model->arg = arg;
	pending_init(&model->pending);
	return model;
}

void model_free(struct model *model)
{
	if (!model)
		return;
	memory_free(&model->memory);
	pending_free(&model->pending);
	mapped_free(&model->mapped);
	vec_free(&model->units);
	vec_free(&model->view);
	vec_free(&model->seen_contexts);
	free(model);
}

/* The rare events. */
static void apply_other(struct model *model, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_FILE: step_file(model, ev); break;
	case EVENT_CONTENT: step_content(model, ev); break;
	case EVENT_FILE_WRITE: step_write(model, ev); break;
	case EVENT_FILE_TRUNCATE: step_truncate(model, ev); break;
	case EVENT_FILE_ALLOCATE: step_allocate(model, ev); break;
	case EVENT_FILE_RENAME: model->changes++; break;
	case EVENT_FILE_UNLINK: step_unlink(model, ev); break;
	case EVENT_FILE_SYNC: step_sync(model, ev); break;
	case EVENT_MSYNC: step_msync(model, ev); break;
	case EVENT_MAP:
	case EVENT_UNMAP:
	case EVENT_REMAP: step_map(model, ev); break;
	case EVENT_THREAD_EXIT: step_thread_exit(model, ev); break;
	default: break;
	}
}

void model_apply(struct model *model, const struct event *ev)
{
	BUG_ON(model->ended);
	model->number++;
	if (model->platform->next)
		model->platform->next(model, ev);
	switch (ev->type) {
	case EVENT_STORE: step_store(model, ev); break;
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB: step_flush(model, ev); break;
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_LOCKED: step_fence(model, ev); break;
	default: apply_other(model, ev);
	}
}

void model_end(struct model *model)
{
	if (model->platform->next)
		model->platform->next(model, NULL);
	leftovers_report(model, NULL, 0);
	model->ended = true;
}

uint64_t model_events(const struct model *model)
{
	return model->number;
}

size_t model_pending_count(const struct model *model)
{
	return model->pending.count;
}

const struct unit *const *model_pending(struct model *model, size_t *count)
{
	model->units.count = model->view.count = 0;
	for (const struct node *node = model->pending.all.first; node; node = node->later) {
		struct unit unit = node->unit;

		for (unsigned words = words_of(node->bytes); words; words &= words - 1) {
			unit_place(&unit, node, word_first(words));
			vec_push(&model->units, unit);
		}
	}
	for (size_t i = 0; i < model->units.count; i++)
		vec_push(&model->view, &model->units.at[i]);
	*count = model->view.count;
	return model->view.at;
}

static const struct dirty *line_dirty(const struct model *model, uint32_t file, uint64_t offset)
{
	const struct page *page = memory_find(&model->memory, file, offset);

	return page && page->lines ? page->lines[offset % PAGE_BYTES / LINE_BYTES].dirty : NULL;
}

void model_line(const struct model *model, uint32_t file, uint64_t offset, struct line_state *state)
{
	const struct dirty *dirty = line_dirty(model, file, offset);

	*state = (struct line_state){0};
	if (!dirty)
		return;
	state->direct = dirty->count[UNIT_DIRECT];
	state->written = dirty->count[UNIT_WRITTEN];
	for (const struct node *node = dirty->cached.first; node; node = node->next) {
		switch (node->unit.cover) {
		case UNIT_BARE: state->bare += node->units; break;
		case UNIT_FLUSHED: state->flushed += node->units; break;
		default: state->ordered += node->units;
		}
	}
}

size_t model_line_units(const struct model *model, uint32_t file, uint64_t offset, bool *mixed)
{
	const struct dirty *dirty = line_dirty(model, file, offset);

	*mixed = dirty && (dirty->count[UNIT_DIRECT] || dirty->count[UNIT_WRITTEN]);
	return dirty ? (size_t)dirty->count[UNIT_CACHED] + dirty->count[UNIT_DIRECT] + dirty->count[UNIT_WRITTEN] : 0;
}
