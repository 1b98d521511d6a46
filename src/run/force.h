/* SPDX-License-Identifier: GPL-2.0-or-later */
/* force.h - libpmem and libpmem2 call msync on a file that is not on PM; these variables make them flush cache lines,
 * as they do in production. */
#ifndef BLACKOUT_RUN_FORCE_H
#define BLACKOUT_RUN_FORCE_H

#include "run/words.h"

/* Add them to the environment of a process to come.  What the user set himself stays. */
void force_add(struct words *environment);

#endif
