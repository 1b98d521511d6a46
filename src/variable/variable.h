/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variable.h - the name of what an instruction stores to, as the program's author would write it.
 *
 *     struct variable v;
 *     if (variable_find(symbols, trace, ev.context, 0, 0, arena, &v))
 *             printf("a store to %s of %s", v.text, v.type);          // `node->count`, `struct node`
 *
 * Ways, the best first:
 *   1. the instruction's memory operand, the variables that debug info places in its registers, and their types;
 *   2. the text of the source line, if the compiler says in which column the operator is, and the source is not newer
 *      than the module.
 * A store inside of memcpy, pmem_memcpy and the like has the name of what the caller's argument points to.
 *
 * A wrong name is worse than none: where two names are possible, there is no answer.  An index that is not a constant is
 * not named: `node->items[].key`.  `items[2]` means that the instruction always stores there, which is so in unrolled
 * loops, too. */
#ifndef BLACKOUT_VARIABLE_VARIABLE_H
#define BLACKOUT_VARIABLE_VARIABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "trace/symbols.h"

struct variable {
	const char *text;      /* "node->count"; several members: "node->key, node->value" */
	const char *type;      /* that has the member: "struct node"; NULL: unknown, or it is no member */
	uint64_t offset, size; /* of the member in its type; size 0: unknown */
};

/* Name what the store of this context stores to; or, if `size` is not 0, the bytes [from, from + size), counted from the
 * first byte that it stores to: other members of the same object.  Texts are copied into the arena.  False: there is no
 * certain name, or the instruction does not store. */
bool variable_find(struct symbols *symbols, const struct trace *trace, uint32_t context, int64_t from, uint64_t size,
		   struct arena *arena, struct variable *variable);

/* The same for the instruction at `offset` of the module's file; with `copier`, for the call that returns there, of the
 * function of this name. */
bool variable_find_at(struct symbols *symbols, const struct trace_module *module, uint64_t offset, const char *copier,
		      int64_t from, uint64_t size, struct arena *arena, struct variable *variable);

#endif
