/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps.h - the effect of each type of event on the model.  Only for model.c, which dispatches on the type, and the
 * steps themselves. */
#ifndef BLACKOUT_MODEL_STEPS_H
#define BLACKOUT_MODEL_STEPS_H

#include "model/platform.h"

void step_store(struct model *model, const struct event *ev); /* store.c */
void step_write(struct model *model, const struct event *ev);

void step_flush(struct model *model, const struct event *ev); /* flush.c */
void step_fence(struct model *model, const struct event *ev);
void step_thread_exit(struct model *model, const struct event *ev);

void step_file(struct model *model, const struct event *ev); /* file.c */
void step_content(struct model *model, const struct event *ev);
void step_truncate(struct model *model, const struct event *ev);
void step_allocate(struct model *model, const struct event *ev);
void step_unlink(struct model *model, const struct event *ev);

void step_sync(struct model *model, const struct event *ev); /* sync.c */
void step_msync(struct model *model, const struct event *ev);
void sync_range(struct model *model, const struct event *ev, uint32_t file, uint64_t from, uint64_t to);

void step_map(struct model *model, const struct event *ev); /* mapped.c: MAP, UNMAP and REMAP */
/* For one file, or for all files if `file` is 0. */
void leftovers_report(struct model *model, const struct event *by, uint32_t file);

#endif
