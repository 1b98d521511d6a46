/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/moments.h"

#include <sys/mman.h>

#include "model/platform.h"

/* Is anything pending in this range of one file, or of all files if `file` is 0?  The range is in whole pages. */
static bool is_pending(const struct model *model, uint32_t file, uint64_t from, uint64_t to)
{
	for (const struct node *node = model->pending.all.first; node; node = node->later) {
		if ((!file || node->unit.file == file) && node->unit.offset >= from && node->unit.offset < to)
			return true;
	}
	return false;
}

static bool sync_settles(const struct model *model, const struct event *ev)
{
	uint64_t mask = ~(uint64_t)(PAGE_BYTES - 1);

	if (ev->type == EVENT_FILE_SYNC)
		return ev->flags != BO_SYNC_SYNC_FILE_RANGE && is_pending(model, ev->file, 0, UINT64_MAX);
	return ev->file && ev->flags & MS_SYNC &&
	       is_pending(model, ev->file, ev->offset & mask, (ev->offset + ev->size + PAGE_BYTES - 1) & mask);
}

static bool file_grows(const struct model *model, const struct event *ev)
{
	const struct pm_file *file = ev->file < model->memory.files.count ? &model->memory.files.at[ev->file] : NULL;

	return ev->size && (!file || file->size < ev->offset + ev->size);
}

/* Does the event make something certain, or change certain content? */
static bool settles(const struct model *model, const struct event *ev)
{
	if (model->platform->settles(model, ev))
		return true;
	switch (ev->type) {
	case EVENT_FILE_SYNC:
	case EVENT_MSYNC: return sync_settles(model, ev);
	case EVENT_FILE_WRITE: return file_grows(model, ev);
	case EVENT_FILE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
	case EVENT_FILE_RENAME:
	case EVENT_FILE_UNLINK: return true;
	default: return false;
	}
}

bool moments_before(struct moments *moments, const struct model *model, const struct event *ev)
{
	if (model->changes == moments->changes || (ev && !settles(model, ev)))
		return false;
	moments->changes = model->changes;
	return true;
}
