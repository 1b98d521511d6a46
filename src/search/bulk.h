/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bulk.h - conditions about how many bytes there are, or whether one byte is among many.
 *
 *     struct bulk bulk = {0};
 *     if (bulk_is(&bulk, x, condition)) ...
 *     bulk_free(&bulk);
 *
 * C libraries go through memory in blocks: is there a line end in the next 32 bytes, are there more than 64?  Functions such as
 * memchr and memcpy have dozens of such branches, but what they return only depends on where the byte is.  So the other sides of
 * these branches lead to nothing new. */
#ifndef BLACKOUT_SEARCH_BULK_H
#define BLACKOUT_SEARCH_BULK_H

#include "base/vec.h"
#include "expression/expressions.h"

/* How an expression depends on input. */
struct bulk_use {
	uint16_t compared; /* the byte that all bytes of the input are compared with, plus one; BULK_MANY; 0: none is */
	uint8_t count;     /* of these comparisons, at least */
	bool length;       /* it depends on lengths */
	bool reads;        /* it uses bytes in another way, too */
};

/* Of one graph, which may grow; zeroed: empty. */
struct bulk {
	VEC_OF(struct bulk_use) of; /* by id */
};

bool bulk_is(struct bulk *bulk, const struct expressions *x, uint32_t condition);
void bulk_free(struct bulk *bulk);

#endif
