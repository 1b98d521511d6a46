/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_symbol.h - the symbols of the target's modules. */
#ifndef BO_SYMBOL_H
#define BO_SYMBOL_H

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"

struct bo_symbol {
	Addr start;
	UInt size;
	const HChar *name;    /* mangled; valid until its module is unloaded */
	const HChar **others; /* more names of the same place, up to a NULL; NULL: there are none */
	Bool is_code, is_ifunc;
};

Int bo_symbol_count(const DebugInfo *di);
struct bo_symbol bo_symbol_get(const DebugInfo *di, Int index); /* in the order of addresses */
/* Call `found` with the address of each symbol of this name, in all modules. */
void bo_symbols_find(const HChar *name, void (*found)(Addr addr));

/* The symbol of the code at an address. */
Bool bo_symbol_at(Addr addr, struct bo_symbol *symbol);
/* Is this no function, but the unlikely part of one ("f.cold"), to which the function jumps? */
Bool bo_symbol_is_part(const struct bo_symbol *symbol);
/* The unlikely part of this function. */
Bool bo_symbol_find_part(const struct bo_symbol *function, struct bo_symbol *part);

/* ---- bo_plt.c ---- */

/* A stub by which functions of other modules are called: jmp *slot(%rip). */
Bool bo_plt_slot(Addr stub, Addr *slot);
/* The name of the function whose address the dynamic linker puts into the slot when it is first called; NULL: none. */
const HChar *bo_plt_name(Addr slot);

#endif
