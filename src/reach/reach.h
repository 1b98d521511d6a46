/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reach.h - which PM-modifying instructions a program can still reach from a place in its code.
 *
 *     struct reach *reach = reach_new("blackout.out/reach");          // modules are kept there
 *     uint32_t module = reach_module(reach, "/usr/bin/kv");           // for each module of a recording
 *     reach_mark(reach, stack, n);                                    // for each PM store, flush and fence
 *     struct reach_weight w = reach_weight(reach, &branch, stack, n); // stack[0]: the other side of the branch
 *
 * The input search asks this to choose the branch to turn next.  The answer comes from a graph of the code of all modules,
 * by disassembly (module.h), in which indirect calls are completed from what is seen to be executed (program.h).
 *
 * An instruction modifies PM if it was seen to do so (reach_mark), or if it looks like it: it flushes a cache line, is a
 * fence, stores non-temporally, or calls a function of a PM library that changes PM.  Libraries that everybody knows
 * (trace/library.h) act for their callers, so that what they do counts as done by the instruction that called them: if
 * pmem_persist itself counted, all code that persists anything would lead to the same few instructions.
 *
 * Any other store through a pointer may turn out to be one, if it was never executed (reach_execute).  It counts a
 * half, and is not known.  Once it was executed, it is known, or it does not modify PM.
 *
 * In a program with a main loop everything can be reached from everywhere, sooner or later.  So an instruction counts the
 * less, the more decisions away it is (ahead.h): one half after one decision, one third after two.  A return from a function
 * counts as a decision.  Where it returns to is known, because a branch has a calling context.
 *
 * What comes later in the program is often reached from both sides of a branch: it is no reason to turn it.  So an
 * instruction that is as near to the side which was taken counts a sixteenth. */
#ifndef BLACKOUT_REACH_REACH_H
#define BLACKOUT_REACH_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reach;

/* An instruction, by its offset in a file. */
struct reach_place {
	uint32_t module; /* of reach_module; 0: in no module */
	uint64_t offset;
};

/* How much can be reached, in units of 1 / REACH_ONE instructions. */
struct reach_weight {
	uint64_t unreached; /* of those that were never executed */
	uint64_t all;
};

#define REACH_ONE (UINT64_C(1) << 20)

/* An instruction that modifies PM. */
struct reach_instruction {
	struct reach_place place;
	bool reached; /* it was seen to be executed */
};

/* Graphs of modules are kept in the folder, which is made if necessary, and found there the next time.  NULL: nowhere.
 * What cannot be kept or is damaged is computed again. */
struct reach *reach_new(const char *folder);
void reach_free(struct reach *reach);

/* Add a module if it is new; return its number, from 1.  0: it is no ELF file for amd64, or cannot be read. */
uint32_t reach_module(struct reach *reach, const char *path);

/* The path of a module. */
const char *reach_path(const struct reach *reach, uint32_t module);

/* Something was executed.  Stacks have the innermost place first; the others are where calls return to. */
void reach_see(struct reach *reach, const struct reach_place *stack, size_t count);

/* So many bytes of code. */
struct reach_code {
	struct reach_place start;
	uint64_t size;
};

/* The code was executed. */
void reach_execute(struct reach *reach, const struct reach_code *code);

/* How near an execution came to instructions that were never executed: the weight of those, as `unreached` below, from
 * whatever part of its code is the nearest to each. */
uint64_t reach_nearness(struct reach *reach, const struct reach_code *code, size_t count);

/* As reach_see, and it modified PM. */
void reach_mark(struct reach *reach, const struct reach_place *stack, size_t count);

/* What can be reached from stack[0], then after returning to stack[1], and so on.  `branch` is the instruction that decides
 * whether to go to stack[0] or to its other side; NULL: something else decides.  Asking again is cheap until something new
 * is seen. */
struct reach_weight reach_weight(struct reach *reach, const struct reach_place *branch, const struct reach_place *stack,
				 size_t count);

/* Was the instruction ever executed? */
bool reach_is_executed(const struct reach *reach, const struct reach_place *place);

/* Where the program decides: an instruction, and a side of it that was never executed, although the other one was. */
struct reach_fork {
	struct reach_place branch, side;
};

/* What the program decides right after it has come to a place, such as the one that a call returns to.  False: nothing, or
 * nothing is left there that was never executed. */
bool reach_decides(struct reach *reach, const struct reach_place *place, struct reach_fork *fork);

/* The PM-modifying instructions that are known so far, with indices below reach_count.  The order is that in which they
 * became known. */
size_t reach_count(const struct reach *reach);
size_t reach_reached(const struct reach *reach); /* how many of them were executed */
struct reach_instruction reach_instruction(const struct reach *reach, size_t index);

#endif
