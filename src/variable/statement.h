/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statement.h - what a statement stores to, from its text.
 *
 *     "	D_RW(node)->slots[i] = oid;", 23         `D_RW(node)->slots[i]`
 *     "	memcpy(&node->pair, pair, size);", 2     `node->pair`
 *
 * Compilers say in which column the operator or the call is.  Text at another place (a macro, for example) has no answer.
 * Neither has a line with several assignments or increments: optimized code is sometimes at the wrong one. */
#ifndef BLACKOUT_VARIABLE_STATEMENT_H
#define BLACKOUT_VARIABLE_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>

struct statement {
	const char *line;
	size_t length;
	const char *before; /* the line before it, which may be the beginning of the statement; NULL: none */
	size_t before_length;
	size_t column; /* of the operator or call, in bytes, from 1 */
};

/* False: no assignment, increment or call of a function that stores begins there, or it is not all on the line. */
bool statement_target(const struct statement *statement, char *text, size_t size);

#endif
