/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_sweep.h - the instructions of a file that matter for its graph.
 *
 * All code is decoded once, from start to end.  What remains are the instructions that may go elsewhere, the addresses of
 * functions in code, the targets of switch statements, and the places where blocks begin. */
#ifndef BLACKOUT_REACH_MODULE_SWEEP_H
#define BLACKOUT_REACH_MODULE_SWEEP_H

#include "reach/module_elf.h"

/* An instruction that ends a block. */
struct sweep_end {
	uint32_t at, target; /* target: of a direct jump, branch or call; or the word that has it */
	uint8_t length;
	uint8_t kind; /* enum flow_kind */
	bool by_slot; /* goes to the address in a word that the loader fills in */
};

/* From an instruction to an address. */
struct sweep_pair {
	uint32_t at, to;
};

/* All arrays ascend by `at`. */
struct sweep {
	VEC_OF(struct sweep_end) ends;
	VEC_OF(struct sweep_pair) takes; /* functions whose address an instruction has */
	VEC_OF(struct sweep_pair) cases; /* of switch statements */
	VEC_OF(uint32_t) persists;       /* flushes, fences, non-temporal stores */
	VEC_OF(uint32_t) stores;         /* other stores through a pointer: not to the stack, and not to variables */
	uint64_t *leaders;               /* a bit for each address from `low`: a block begins there */
	uint32_t low, high;
	bool is_framed; /* RBP points to the stack, in the function at hand */
};

void sweep_make(struct sweep *sweep, const struct module_elf *elf);
void sweep_free(struct sweep *sweep);

bool sweep_leads(const struct sweep *sweep, uint32_t address);

#endif
