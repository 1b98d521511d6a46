/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pattern.h - does a pattern [MODULE:]FUNCTION choose a function?  The recorder answers the same for --calls
 * (tool/bo_calls.c). */
#ifndef BLACKOUT_PLUGIN_PATTERN_H
#define BLACKOUT_PLUGIN_PATTERN_H

#include <stdbool.h>

/* `symbol` as in the symbol table, `name` demangled, and the path of its module, which may be NULL. */
bool pattern_matches(const char *pattern, const char *symbol, const char *name, const char *module);

/* Does `wide` choose every function that `narrow` chooses?  True only if that is obvious. */
bool pattern_covers(const char *wide, const char *narrow);

#endif
