/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmem_force.h - variables that make libpmem and libpmem2 flush cache lines, as they do in production.  Without them
 * they call msync on a file that is not on PM. */
#ifndef BLACKOUT_RUN_PMEM_FORCE_H
#define BLACKOUT_RUN_PMEM_FORCE_H

#include "run/words.h"

/* Add the variables to the environment of a process that will be started.  Values that the user has set are kept. */
void pmem_force_add(struct words *environment);

#endif
