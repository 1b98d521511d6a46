/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/mapped.h"

#include <sys/mman.h>

#include "model/steps.h"

#define MAP_KIND 0x0fu /* the MAP_ bits that distinguish shared from private */

void mapped_free(struct mapped *mapped)
{
	for (size_t i = 0; i < mapped->processes.count; i++)
		mappings_free(&mapped->processes.at[i]);
	vec_free(&mapped->processes);
}

static struct mappings *mappings_of(struct mapped *mapped, uint32_t process)
{
	static const struct mappings none;

	while (mapped->processes.count <= process)
		vec_push(&mapped->processes, none);
	return &mapped->processes.at[process];
}

static void mappings_change(struct mappings *m, const struct event *ev)
{
	struct mapping mapping = {.start = ev->addr,
				  .end = ev->addr + ev->size,
				  .offset = ev->offset,
				  .file = ev->file,
				  .prot = ev->prot};

	if (!mappings_range_valid(ev->addr, ev->size) || !mappings_range_valid(ev->old_addr, ev->old_size))
		return;
	if (ev->type == EVENT_REMAP)
		mappings_remap(m, ev->old_addr, ev->old_size, ev->addr, ev->size);
	else if (ev->type == EVENT_UNMAP || (ev->flags & MAP_KIND) == MAP_PRIVATE)
		mappings_unmap(m, ev->addr, ev->size);
	else
		mappings_map(m, &mapping);
}

void step_map(struct model *model, const struct event *ev)
{
	struct memory *memory = &model->memory;
	size_t count;

	mappings_change(mappings_of(&model->mapped, ev->process), ev);
	memory_file(memory, ev->file); /* so that the file exists in the list */
	count = memory->files.count;
	for (size_t file = 0; file < count; file++)
		memory->files.at[file].maps = 0;
	for (size_t i = 0; i < model->mapped.processes.count; i++) {
		const struct mappings *m = &model->mapped.processes.at[i];

		for (size_t j = 0; j < m->list.count; j++)
			memory_file(memory, m->list.at[j].file)->maps++;
	}
	for (uint32_t file = 1; file < count; file++) {
		bool was = memory->files.at[file].mapped;

		memory->files.at[file].mapped = memory->files.at[file].maps > 0;
		if (was && !memory->files.at[file].mapped)
			leftovers_report(model, ev, file);
	}
}

/* Report the units of a node that the program still sees. */
static void leftover_node(struct model *model, const struct event *by, struct node *node)
{
	struct unit unit = node->unit;

	for (unsigned words = words_of(node->visible) & ~node->reported; words; words &= words - 1) {
		unit_place(&unit, node, word_first(words));
		node->reported |= (uint8_t)(1u << word_first(words));
		model->observer->leftover(model->arg, by, &unit);
	}
}

void leftovers_report(struct model *model, const struct event *by, uint32_t file)
{
	if (!model->observer || !model->observer->leftover)
		return;
	for (struct node *node = model->pending.all.first; node; node = node->later) {
		if ((file && node->unit.file != file) || memory_file(&model->memory, node->unit.file)->unlinked)
			continue;
		if (node->unit.cover != UNIT_ORDERED)
			leftover_node(model, by, node);
	}
}
