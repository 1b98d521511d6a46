/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo_in.h - an opened file, for debuginfo*.c. */
#ifndef BLACKOUT_TRACE_DEBUGINFO_IN_H
#define BLACKOUT_TRACE_DEBUGINFO_IN_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "base/arena.h"
#include "base/spans.h"
#include "base/vec.h"
#include "trace/debuginfo.h"
#include "trace/names.h"

struct unit {
	Dwarf_Die lines; /* the unit used for lines */
	Dwarf_Die root;  /* the unit used for functions; different from `lines` only with -gsplit-dwarf */
	VEC_OF(Dwarf_Die) functions;
	struct spans function_spans; /* id: index of functions */
	bool read;
	bool typed; /* it has types and parameters: not with -g1 or -gline-tables-only */
};

struct debuginfo {
	Dwfl_Callbacks callbacks;
	char *debug_path; /* callbacks.debuginfo_path points to it */
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	Dwarf_Addr elf_bias;
	Dwarf_Addr dwarf_bias;
	VEC_OF(struct unit) units;
	struct spans unit_spans;   /* id: index of units; DWARF's addresses */
	struct spans symbol_spans; /* id: index of symbols; libdwfl's addresses */
	const char **symbols;
	size_t symbol_count;
	bool symbols_read;
	struct names *names;
	struct arena paths; /* paths that had to be composed */
	VEC_OF(Dwarf_Die) globals;
	struct spans global_spans; /* id: index of globals; DWARF's addresses */
	bool globals_read;
};

/* The function of the unit that contains pc, as an index of unit->functions; NULL: none. */
const struct span *unit_function(struct unit *unit, Dwarf_Addr pc);

/* The address, in libdwfl's sense, of the byte at `offset` of the file. */
bool offset_to_address(const struct debuginfo *info, uint64_t offset, uint64_t *address);

#endif
