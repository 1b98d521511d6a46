/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.h - the control-flow graph of all code in an ELF file, by disassembly.
 *
 * Executable sections are decoded from start to end, beginning anew where a function is known to begin: at symbols, at
 * entries of .eh_frame_hdr, and at targets of calls.  The targets of switch statements come from src/flow.
 *
 * A block is a sequence of instructions that is entered only at its start and ends with the first that may go
 * elsewhere; calls end a block, too.  Everything is an index or an address in the file's own numbering, so that a graph
 * can be written to a file as it is (module_file.h).
 *
 * Edges:
 *   JUMP      the program may go on there: a branch, a jump, a case of a switch, the next instruction
 *   BACK      the same, but back to the start of a loop
 *   CALL      the block ends with a call of a function in this module, or with a jump to it through a pointer
 *   TAKES     the address of a function is taken, so whoever gets it may call the function
 *   IMPORT    the block ends with a call of a function by its name, maybe in another module
 *   INDIRECT  the block ends with a call of an address that is computed
 *
 * What is missing: the way from a call that throws to its landing pad.  Code in a function that nothing leads to counts
 * as reached from the function's start: this has landing pads, and cases of a switch whose table was not understood. */
#ifndef BLACKOUT_REACH_MODULE_H
#define BLACKOUT_REACH_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define MODULE_NONE UINT32_MAX

enum { MODULE_STORES_MOST = 4096 /* more are no help for a choice among branches */ };

/* How a block ends. */
enum module_ending {
	ENDS_GOING,   /* goes on at its jumps */
	ENDS_CALLING, /* calls, then goes on at its jump if the callee returns */
	ENDS_LEAVING, /* a tail call: whether it returns depends on the callee */
	ENDS_OPEN,    /* an indirect jump about which nothing is known */
	ENDS_RETURNING,
	ENDS_STOPPING, /* UD2 and the like, or what is no code */
	MODULE_ENDINGS
};

enum module_edge_kind { EDGE_JUMP, EDGE_BACK, EDGE_CALL, EDGE_TAKES, EDGE_IMPORT, EDGE_INDIRECT, MODULE_EDGES };

struct module_block {
	uint32_t start, end; /* addresses */
	uint32_t last;       /* address of the last instruction */
	uint32_t ending;     /* enum module_ending */
	uint32_t edges;      /* index of the first */
};

struct module_edge {
	uint32_t to;   /* block; IMPORT: where the name begins in `names`; INDIRECT: 0 */
	uint32_t kind; /* enum module_edge_kind */
};

struct module_export {
	uint32_t name, block;
};

/* A part of the file that is loaded. */
struct module_segment {
	uint32_t address, offset, size;
};

struct module {
	VEC_OF(struct module_block) blocks; /* ascending; the last one is empty, at the end of the others' edges */
	VEC_OF(struct module_edge) edges;   /* of block 0, of block 1, ... */
	VEC_OF(uint32_t) starts;            /* blocks where functions start; ascending */
	VEC_OF(uint32_t) taken;             /* functions whose address is taken in code or data; ascending */
	VEC_OF(uint32_t) persists;          /* addresses of instructions that look as if they modified PM; ascending */
	VEC_OF(uint32_t)
	stores; /* addresses of the first other store through a pointer of each block; ascending; empty if
				  * there are more than MODULE_STORES_MOST */
	VEC_OF(struct module_export) exports;
	VEC_OF(struct module_segment) segments;
	VEC_OF(char) names; /* each ends with a zero byte */
};

/* Read a file.  False: it is no ELF file for amd64, or cannot be read; *module is then empty. */
bool module_read(struct module *module, const char *path);
void module_free(struct module *module);

/* The number of blocks. */
uint32_t module_size(const struct module *module);

/* The block that contains an address, or MODULE_NONE. */
uint32_t module_block_at(const struct module *module, uint64_t address);

/* The first block of the function that contains a block: the last function that starts before it, or MODULE_NONE. */
uint32_t module_function_of(const struct module *module, uint32_t block);

/* From offsets in the file to addresses, and back; MODULE_NONE: it is not loaded. */
uint32_t module_address(const struct module *module, uint64_t offset);
uint64_t module_offset(const struct module *module, uint32_t address);

#endif
