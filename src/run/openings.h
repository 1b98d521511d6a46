/* SPDX-License-Identifier: GPL-2.0-or-later */
/* openings.h - does recovery ever open a PM file?
 *
 * A recovery that does not, judges nothing: `--recover true`, or a check of some other pool.  The kernel tells us of
 * every open of the stage's files (inotify), by whatever name, from whatever namespace, by whatever kind of program.
 * Looking at a file's name or size only (stat) is no open. */
#ifndef BLACKOUT_RUN_OPENINGS_H
#define BLACKOUT_RUN_OPENINGS_H

#include "base/vec.h"
#include "run/scene.h"

struct openings {
	bool is_open;
	int fd;
	VEC_OF(int) watches;
	bool blind; /* the kernel cannot watch that many files */
};

enum openings_seen {
	OPENINGS_NO_FILE, /* there was none that could be opened */
	OPENINGS_NONE,
	OPENINGS_SOME,
	OPENINGS_UNKNOWN,
};

/* Watch the PM files that are in the stage now. */
void openings_begin(struct openings *openings, const struct scene *scene);

/* What was seen since then; the watching ends. */
enum openings_seen openings_end(struct openings *openings);

void openings_close(struct openings *openings);

#endif
