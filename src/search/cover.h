/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cover.h - which of the user's files an execution gets as private copies, before anything is known of the program.
 *
 * Those that --pm names, the sources that are files, files that an argument names, and the directories of all of these.  An
 * execution sees private copies of them, and what it creates there is private, too.  Other PM files become known when they
 * are first recorded (start_learn). */
#ifndef BLACKOUT_SEARCH_COVER_H
#define BLACKOUT_SEARCH_COVER_H

#include "run/words.h"
#include "search/input_source.h"
#include "search/start.h"

struct cover {
	const struct words *pm; /* patterns, absolute */
	const struct input_sources *sources;
	char *const *argv;
	size_t argc;
};

int cover_add(struct start *start, const struct cover *cover, struct err *err);

#endif
