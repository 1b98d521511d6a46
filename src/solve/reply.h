/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply.h - a reply of the solver, as blackout receives it.  Safe on any bytes. */
#ifndef BLACKOUT_SOLVE_REPLY_H
#define BLACKOUT_SOLVE_REPLY_H

#include "solve/message.h"

/* A zeroed struct is empty. */
struct reply {
	enum message_verdict verdict;
	VEC_OF(struct message_value) values; /* of variables of the question */
};

/* Read a reply to the question with this serial and so many variables.  PARTIAL: more bytes are needed.  DAMAGED: the solver
 * cannot have said this. */
enum message_state reply_read(struct reply *reply, const uint8_t *bytes, size_t size, uint64_t serial,
			      size_t variable_count);

#endif
