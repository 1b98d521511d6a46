/* SPDX-License-Identifier: GPL-2.0-or-later */
/* follow.h - a reading of the program's recording that has the history of its stores, and plays scripts of recovery to
 * it, in the sequence of their moments.
 *
 *     struct follow *f = follow_new(dir, platform, report, arg);
 *     struct visit *v = follow_add(f, event, script);      // the power fails just after this event
 *     vec_push(&v->lost, unit); ...                        // what the crash state lacks
 *     ...                                                  // later moments are added meanwhile
 *     follow_go(f);                                        // plays scripts, up to the first that has not ended
 *     follow_free(f);                                      // the others are dropped */
#ifndef BLACKOUT_EXPOSE_FOLLOW_H
#define BLACKOUT_EXPOSE_FOLLOW_H

#include "expose/script.h"
#include "races/races.h"

/* A pending unit that is not on media. */
struct lost_unit {
	uint64_t event, offset, size;
	uint32_t file;
};

struct visit {
	uint64_t event;
	VEC_OF(struct lost_unit) lost;
	struct script *script; /* of recovery on the crash state */
};

/* How many stores to PM were seen, and of how many it is known whether they are atomic in the source. */
struct follow_figures {
	uint64_t stores, known;
};

struct follow;

/* If the recording cannot be read, there are no races.  `report` is called with `arg` from within follow_go. */
struct follow *follow_new(const char *dir, const struct platform *platform, race_report *report, void *arg);
void follow_free(struct follow *follow);

/* A visit of a moment, not before those that were added so far. */
struct visit *follow_add(struct follow *follow, uint64_t event, struct script *script);
void follow_go(struct follow *follow);

/* The program's recording, as far as it was followed. */
struct follow_figures follow_figures(const struct follow *follow);

#endif
