/* SPDX-License-Identifier: GPL-2.0-or-later */
/* found.h - a file that becomes known a second time, because another process of the recording maps it by itself.
 *
 * The trace then tells what that process finds in it: what the recorded programs left there, pending stores and all,
 * and whatever somebody else has changed meanwhile.  The former says nothing new about media; only bytes that are not
 * as the recorded programs left them are certain from then on (rule 6 of the files in doc/MODEL.md).  They are known
 * when all of the file's CONTENT has come. */
#ifndef BLACKOUT_IMAGE_FOUND_H
#define BLACKOUT_IMAGE_FOUND_H

#include "image/ages.h"
#include "image/content.h"

struct found {
	uint32_t file; /* 0: nothing is going on */
	uint32_t process;
	uint64_t event;       /* the number of the FILE event */
	struct content *left; /* as the recorded programs left it */
	struct content *now;  /* as it is found */
};

/* A second FILE event, with its number.  `left` becomes ours. */
void found_start(struct found *found, const struct event *ev, uint64_t number, struct content *left);

/* Is this event still about what is found?  Then it has been taken note of. */
bool found_takes(struct found *found, const struct event *ev);

/* Is it, whatever it is, the end? */
bool found_is_over(const struct found *found, const struct event *ev);

/* Put the difference into the certain content; it is newer than any unit stored before. */
void found_end(struct found *found, struct content *certain, struct ages *ages);

void found_free(struct found *found);

#endif
