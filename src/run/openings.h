/* SPDX-License-Identifier: GPL-2.0-or-later */
/* openings.h - detect whether recovery ever opens a PM file.
 *
 * A recovery that opens none judges nothing: `--recover true`, or a check of some other pool.  The kernel (inotify)
 * reports every open of the stage's files, under any name, in any namespace, by any kind of program.  Looking only at a
 * file's name or size (stat) does not count as opening it. */
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
	OPENINGS_NO_FILE, /* there was no file to open */
	OPENINGS_NONE,
	OPENINGS_SOME,
	OPENINGS_UNKNOWN,
};

/* Watch the PM files that are in the stage now. */
void openings_begin(struct openings *openings, const struct scene *scene);

/* What was seen since openings_begin.  Ends the watching. */
enum openings_seen openings_end(struct openings *openings);

void openings_close(struct openings *openings);

#endif
