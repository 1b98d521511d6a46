/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assignment.h - an input of the program: for each source its bytes and its length.
 *
 *     struct assignment input = {0};
 *     assignment_put(&input, source, bytes, count);
 *     assignment_byte(&input, source, 3);
 *     assignment_free(&input);
 *
 * Length and bytes are separate, because they are separate variables of a path: a solver may ask for a byte that lies
 * beyond the length.  A byte that was never set is 0. */
#ifndef BLACKOUT_EXPRESSION_ASSIGNMENT_H
#define BLACKOUT_EXPRESSION_ASSIGNMENT_H

#include <stdint.h>

#include "base/vec.h"

struct assignment_source {
	VEC_OF(uint8_t) bytes; /* later ones are 0 */
	uint64_t length;
};

/* A zeroed struct is an empty input. */
struct assignment {
	VEC_OF(struct assignment_source) sources; /* by id - 1; later ones are empty */
};

/* Give a source its bytes and, with them, its length. */
void assignment_put(struct assignment *assignment, uint32_t source, const void *bytes, size_t count);

void assignment_set_byte(struct assignment *assignment, uint32_t source, uint64_t offset, uint8_t byte);
void assignment_set_length(struct assignment *assignment, uint32_t source, uint64_t length);

uint8_t assignment_byte(const struct assignment *assignment, uint32_t source, uint64_t offset);
uint64_t assignment_length(const struct assignment *assignment, uint32_t source);

/* Make `to`, which may have had content, equal to `from`. */
void assignment_copy(struct assignment *to, const struct assignment *from);

void assignment_free(struct assignment *assignment);

#endif
