/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo_code.h - the code of a module's file, and what its debug info says about the variables that code uses.
 *
 * Addresses are those of the module's DWARF.  All strings and entries are valid until debuginfo_close.  The content of
 * the file is never trusted: what is damaged is unknown. */
#ifndef BLACKOUT_TRACE_DEBUGINFO_CODE_H
#define BLACKOUT_TRACE_DEBUGINFO_CODE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/debuginfo.h"

/* The address of the byte at `offset` of the file. */
bool debuginfo_address(const struct debuginfo *info, uint64_t offset, uint64_t *pc);

/* Copy up to `size` bytes of the file as it is loaded at `pc`; return how many there are. */
size_t debuginfo_code(const struct debuginfo *info, uint64_t pc, void *to, size_t size);

/* The entries that contain pc, outermost first: the function, its blocks, inlined calls.  At most `max`; 0: unknown. */
size_t debuginfo_scopes(struct debuginfo *info, uint64_t pc, Dwarf_Die *scopes, size_t max);

/* Does a function begin here?  *function gets its entry. */
bool debuginfo_begins(struct debuginfo *info, uint64_t pc, Dwarf_Die *function);

/* The canonical frame address at pc: a register, by its number in DWARF, and what is added to it. */
bool debuginfo_cfa(struct debuginfo *info, uint64_t pc, unsigned *reg, int64_t *plus);

/* The variable with static storage that contains the address, and where it begins. */
bool debuginfo_global(struct debuginfo *info, uint64_t address, Dwarf_Die *variable, uint64_t *start);

/* The symbol whose address the loader writes to a slot of the global offset table.  *address is 0 if another module
 * has it.  NULL: there is no such slot. */
const char *debuginfo_slot(struct debuginfo *info, uint64_t slot, uint64_t *address);

/* The name of the function that a call of this address reaches, maybe in another module; NULL: unknown. */
const char *debuginfo_callee(struct debuginfo *info, uint64_t address);

#endif
