/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapped.h - which files does any process still map?  When the last mapping goes, what is pending in the file is left
 * over. */
#ifndef BLACKOUT_MODEL_MAPPED_H
#define BLACKOUT_MODEL_MAPPED_H

#include "base/vec.h"
#include "trace/mappings.h"

struct mapped {
	VEC_OF(struct mappings) processes; /* by number */
};

void mapped_free(struct mapped *mapped);

#endif
