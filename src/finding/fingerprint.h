/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fingerprint.h - the identity of a finding, the same in every run that has it.
 *
 * It is a hash of these texts, and of nothing else:
 *
 *  1. the kind;
 *  2. the module of the location, cut after ".so" (libfoo.so.1.2 is libfoo.so);
 *  3. the base name of its source file and its function;
 *  4. the place in the function: the text of the source line without blanks, if the source can be read;
 *  5. for a crash state, how recovery ended: "exit 3", "signal 11".  The place where it ended is left out, because only
 *     a debugger can tell it;
 *  6. an ordinal that tells apart findings that are equal in 1 to 5: 0 for the first by line and instruction, then 1,
 *     2...
 *
 * Callers are left out, including those that the function was inlined into.  A finding stands for all stacks that lead
 * to its location, and the input may decide which of them is shown.
 *
 * A fingerprint therefore survives other addresses, other stacks, recompilation, and changed or moved lines
 * elsewhere, even in the same function.  It does not survive a new name of the function or file, or an edit of the
 * line itself.  Without the source (4 is empty), only the ordinal tells apart findings of one kind in one function,
 * so fixing one renumbers those after it.  Without symbols the place is the offset in the module, which any
 * recompilation of that module changes. */
#ifndef BLACKOUT_FINDING_FINGERPRINT_H
#define BLACKOUT_FINDING_FINGERPRINT_H

#include "base/source.h"
#include "finding/finding.h"

/* Sets the fingerprint of every finding. */
void fingerprint_all(struct findings *findings, struct sources *sources);

#endif
