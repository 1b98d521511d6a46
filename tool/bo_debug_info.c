/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_debug_info.c - Valgrind's core reads all debug information of each module when it is loaded: a third of the time of a
 * short recording.  The recorder needs only the symbols: it has no messages with lines, and walks no stacks by debug
 * information.  The linker puts these functions in place of the core's (see mk/tool.mk).  They take no arguments, since
 * those differ between versions of Valgrind. */
#include "pub_tool_basics.h"

/* The names that the linker gives them. */
#define INSTEAD_OF(function) __wrap_vgModuleLocal_##function

void INSTEAD_OF(read_debuginfo_dwarf3)(void);
void INSTEAD_OF(read_callframe_info_dwarf3)(void);

/* The lines of the source. */
void INSTEAD_OF(read_debuginfo_dwarf3)(void)
{
}

/* How to find a caller's frame. */
void INSTEAD_OF(read_callframe_info_dwarf3)(void)
{
}
