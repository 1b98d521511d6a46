/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mirror.h - which expressions the solver's process has, and their numbers there.  A zeroed struct: it has none. */
#ifndef BLACKOUT_SOLVE_MIRROR_H
#define BLACKOUT_SOLVE_MIRROR_H

#include "base/map.h"
#include "solve/message.h"
#include "solve/trail.h"

struct mirror {
	uint64_t trail;           /* serial of the trail whose expressions it has; 0: none */
	struct map numbers;       /* expression -> number */
	struct map tables;        /* table -> number */
	VEC_OF(uint32_t) waiting; /* expressions whose operands are sent first */
};

/* Add to the message everything that the process needs to know for a question about the slice, and the question. */
void mirror_tell(struct mirror *mirror, const struct trail *trail, const struct slice *slice,
		 const struct message_ask *ask, struct message_bytes *message);

/* The process is gone, and what it knew with it. */
void mirror_forget(struct mirror *mirror);
void mirror_free(struct mirror *mirror);

#endif
