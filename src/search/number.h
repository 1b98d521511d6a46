/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - the numbers that a program compares numbers of its input with.
 *
 *     struct number_list numbers = {0};
 *     if (numbers_find(&numbers, x, condition, wanted, &assignment))
 *             numbers_put(&numbers, source, from, size, &bytes);      // for each source
 *     numbers_free(&numbers);
 *
 * A solver finds a number only if the input has one with as many digits: how many there are was decided before, by the branches
 * that looked for the first byte that is none.  But if digits of the input have the value that is compared, or one that differs
 * from it by a constant, they can be replaced by those of any other value, whatever the path says.  Several numbers may be
 * compared at once: the four of an address, or a date that was put together as day + 100 * month + 10000 * year. */
#ifndef BLACKOUT_SEARCH_NUMBER_H
#define BLACKOUT_SEARCH_NUMBER_H

#include <stdbool.h>

#include "base/vec.h"
#include "expression/assignment.h"
#include "expression/variables.h"

enum { NUMBER_DIGITS = 20 };

/* Digits of the input, and what shall be there. */
struct number {
	uint32_t source; /* its id in the graph */
	uint64_t offset;
	size_t size;
	char text[NUMBER_DIGITS + 2];
};

struct number_list {
	VEC_OF(struct number) all;
};

/* Numbers by which the condition might come true, if it is wanted, or false.  False: there are none. */
bool numbers_find(struct number_list *numbers, const struct expressions *x, uint32_t condition, bool wanted,
		  const struct assignment *input);
void numbers_free(struct number_list *numbers);

typedef VEC_OF(uint8_t) number_bytes;

/* Append the bytes of a source, with the numbers in place, to *bytes. */
void numbers_put(const struct number_list *numbers, uint32_t source, const uint8_t *from, size_t size,
		 number_bytes *bytes);

#endif
