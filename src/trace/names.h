/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - what to call a function.
 *
 * From DWARF: the name with the scopes it stands in, `store::Tree<int>::insert`, put together from the debug info, so
 * that C++ and Rust need no demangler.  From an ELF symbol: the symbol, demangled by the C++ runtime if this machine
 * has it, without its parameters; the runtime is loaded when the first mangled symbol turns up, and linked by
 * nobody. */
#ifndef BLACKOUT_TRACE_NAMES_H
#define BLACKOUT_TRACE_NAMES_H

#include <elfutils/libdw.h>

struct names;

struct names *names_open(void);
void names_close(struct names *names);

/* The name of the function that a subprogram or inlined call is; NULL if it has none.  Lives until names_close, or as
 * long as the DWARF it comes from. */
const char *names_of_die(struct names *names, Dwarf_Die *die);

/* A readable form of an ELF symbol; without its version.  Lives until names_close, or is `symbol` itself. */
const char *names_of_symbol(struct names *names, const char *symbol);

#endif
