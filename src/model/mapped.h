/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped.h - tracks which files are still mapped by any process.  When the last mapping of a file goes, its pending
 * stores are leftovers. */
#ifndef BLACKOUT_MODEL_MAPPED_H
#define BLACKOUT_MODEL_MAPPED_H

#include "base/vec.h"
#include "trace/mappings.h"

struct mapped {
	VEC_OF(struct mappings) processes; /* by process number */
};

void mapped_free(struct mapped *mapped);

#endif
