/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What blackout-cc has gcc include in every source, with the macros already expanded (mk/compiler.mk).
 *
 * The functions that announce loads are declared to have no effect: `const`.  Then gcc leaves out their calls right after
 * it has inserted them, and optimizes the loads as it would without. */
#include "../runtime/entries.h"

#define DECLARE(NAME, KIND, BYTES, FLAGS, SIZE, ORDER, FAILURE) DECLARE_##KIND(NAME, ARGUMENTS_##SIZE)
#define DECLARE_BO_ENTRY_READ(NAME, ARGUMENTS) void __builtin___tsan_##NAME ARGUMENTS __attribute__((__const__));
#define DECLARE_BO_ENTRY_WRITE(NAME, ARGUMENTS)
#define DECLARE_BO_ENTRY_READ_WRITE(NAME, ARGUMENTS)
#define DECLARE_BO_ENTRY_NOTHING(NAME, ARGUMENTS)
#define ARGUMENTS_0 (void *)
#define ARGUMENTS_2 (void *, __PTRDIFF_TYPE__)

EMPTY_ENTRIES(DECLARE)
