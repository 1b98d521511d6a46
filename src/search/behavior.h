/* SPDX-License-Identifier: GPL-2.0-or-later */
/* behavior.h - what a run does to PM, to tell new behavior from known: by which calling contexts it stores, flushes and
 * fences.
 *
 *     struct behavior behavior = {0};
 *     if (behavior_read(&behavior, recording, NULL, &err) == 0)
 *             new = behavior_set_add(&set, &behavior);       // how many contexts were not in the set
 *     behavior_free(&behavior);
 *
 * A context is compared by its code, so different recordings can be compared. */
#ifndef BLACKOUT_SEARCH_BEHAVIOR_H
#define BLACKOUT_SEARCH_BEHAVIOR_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/code_place.h"
#include "trace/symbols.h"
#include "trace/trace.h"

struct behavior {
	VEC_OF(struct code_place) contexts; /* hashes of the calling contexts of PM-modifying instructions, each once */
	VEC_OF(char *) files;               /* paths of PM files, as the recording announces them */
};

struct behavior_set {
	struct map contexts;
};

/* Does it store to PM, write PM back, or order that? */
bool event_modifies_pm(const struct event *ev);

/* `symbols` looks up each context, so that it knows them from then on; NULL: it is not needed. */
int behavior_read(struct behavior *behavior, const char *recording, struct symbols *symbols, struct err *err);
void behavior_free(struct behavior *behavior);

/* How many contexts are not in the set. */
size_t behavior_set_lacks(const struct behavior_set *set, const struct behavior *behavior);
/* Add all; returns the same number. */
size_t behavior_set_add(struct behavior_set *set, const struct behavior *behavior);
void behavior_set_free(struct behavior_set *set);

#endif
