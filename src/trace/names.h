/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - function names.
 *
 * From DWARF: the name with its scopes, `store::Tree<int>::insert`, put together from the debug info, so that C++ and
 * Rust need no demangler.  From an ELF symbol: the symbol without its parameters, demangled by the C++ runtime if this
 * machine has it.  The runtime is loaded when the first mangled symbol is met; nothing links to it. */
#ifndef BLACKOUT_TRACE_NAMES_H
#define BLACKOUT_TRACE_NAMES_H

#include <elfutils/libdw.h>

struct names;

struct names *names_open(void);
void names_close(struct names *names);

/* Return the name of the function for a subprogram or inlined call, or NULL if it has none.  Valid until names_close,
 * or as long as the DWARF it comes from. */
const char *names_of_die(struct names *names, Dwarf_Die *die);

/* Return a readable form of an ELF symbol, without its version.  Valid until names_close, or it is `symbol` itself. */
const char *names_of_symbol(struct names *names, const char *symbol);

#endif
