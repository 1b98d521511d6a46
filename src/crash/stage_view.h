/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stage_view.h - the files of a stage in our memory, numbered as profiles and stubs number them: by their paths, sorted.
 *
 *     stage_view_open(&view, stage, origin);
 *     stage_load(stage, state, &err);
 *     if (stage_view_refresh(&view))                          // names and sizes may have changed
 *             reach = profile_reach(profile, view.files, view.count, most);
 *     stage_view_close(&view);
 *
 * The bytes are those of the stage at any time.  Do not look at them between a load and the next refresh. */
#ifndef BLACKOUT_CRASH_STAGE_VIEW_H
#define BLACKOUT_CRASH_STAGE_VIEW_H

#include "image/origin.h"
#include "image/stage.h"
#include "run/profile.h"

struct stage_view {
	struct profile_file *files;
	struct stage_view_file *places; /* where they are */
	uint32_t count;
};

void stage_view_open(struct stage_view *view, const struct stage *stage, const struct origin *origin);
void stage_view_close(struct stage_view *view);

/* False if a file cannot be mapped, or there are too many to look at each time. */
bool stage_view_refresh(struct stage_view *view);

/* The number of a path of the origin; UINT32_MAX if it is none. */
uint32_t stage_view_find(const struct stage_view *view, const char *path);

#endif
