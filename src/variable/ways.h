/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ways.h - the instructions of a function, and which ones can come right before each.
 *
 *     struct ways *w = ways_new(info, &function);
 *     uint32_t at = ways_find(w, pc);                         // WAYS_NONE: not an instruction of the function
 *     for (uint32_t i = 0; i < ways_before(w, at, &before); i++) ...
 *     ways_free(w);
 *
 * An instruction that may be reached in a way that is not known (the entry, a landing pad, the target of a jump whose
 * table was not found) has `open` set. */
#ifndef BLACKOUT_VARIABLE_WAYS_H
#define BLACKOUT_VARIABLE_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/debuginfo_code.h"
#include "variable/effect.h"

#define WAYS_NONE UINT32_MAX

struct ways_insn {
	uint64_t at;
	uint64_t target; /* of a call */
	struct effect effect;
	struct effect_store store; /* of size 0 if it stores nothing */
	uint32_t first_before;     /* for ways_before */
	uint32_t before_count;
	uint8_t length;
	uint8_t kind; /* enum flow_kind */
	bool open;
};

struct ways;

/* NULL: the code cannot be read, or is too large. */
struct ways *ways_new(struct debuginfo *info, Dwarf_Die *function);
void ways_free(struct ways *ways);

uint32_t ways_find(const struct ways *ways, uint64_t pc);
/* The call that returns to pc. */
uint32_t ways_find_call(const struct ways *ways, uint64_t pc);
const struct ways_insn *ways_at(const struct ways *ways, uint32_t index);

/* The instructions that can come right before one; returns how many. */
uint32_t ways_before(const struct ways *ways, uint32_t index, const uint32_t **before);

#endif
