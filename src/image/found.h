/* SPDX-License-Identifier: GPL-2.0-or-later */
/* found.h - handles a file that becomes known a second time, because another process of the recording maps it
 * independently.
 *
 * The trace then contains what that process finds in the file: what the recorded programs left there, including pending
 * stores, and whatever an unrecorded process has changed meanwhile.  The former says nothing new about media.  Only
 * bytes that differ from what the recorded programs left are certain from then on (rule 6 of the files in
 * doc/MODEL.md).  They are known when all of the file's CONTENT has been read. */
#ifndef BLACKOUT_IMAGE_FOUND_H
#define BLACKOUT_IMAGE_FOUND_H

#include "image/ages.h"
#include "image/content.h"

struct found {
	uint32_t file; /* 0: none in progress */
	uint32_t process;
	uint64_t event;       /* the number of the FILE event */
	struct content *left; /* the files as the recorded programs left them */
	struct content *now;  /* as they are found */
};

/* Start at a second FILE event, with its number.  Takes ownership of `left`. */
void found_start(struct found *found, const struct event *ev, uint64_t number, struct content *left);

/* Does this event still belong to what is found?  If so, it has been taken into account. */
bool found_takes(struct found *found, const struct event *ev);

/* Does this event end it? */
bool found_is_over(const struct found *found, const struct event *ev);

/* Copy the differences into the certain content; they are newer than any unit stored before. */
void found_end(struct found *found, struct content *certain, struct ages *ages);

void found_free(struct found *found);

#endif
