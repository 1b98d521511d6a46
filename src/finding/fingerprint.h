/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fingerprint.h - the identity of a finding, the same in every run that has it.
 *
 * It is a hash of these texts, and of nothing else:
 *
 *  1. the kind;
 *  2. the module of the location, without what follows ".so" (libfoo.so.1.2 is libfoo.so);
 *  3. the base name of its source file and its function;
 *  4. the place in the function: the text of the source line without blanks, where the source can be read;
 *  5. for a crash state, how recovery ended: "exit 3", "signal 11"; not where, which takes a debugger to tell;
 *  6. an ordinal that is 0 for the first finding, by line and instruction, of those that are the same in 1 to 5, then
 *     1, 2...
 *
 * Callers are left out, also those that the function was inlined into: a finding stands for all stacks that lead to its
 * location, and which of them speaks for it may change with the input.
 *
 * So it survives other addresses, other stacks, recompilation, and lines that move or change elsewhere, in the function
 * too.  It does not survive a new name of function or file, or an edit of the line itself.  Without the source (4 is
 * empty) the ordinal alone tells apart findings of one kind in one function, so that one which is mended renumbers
 * those after it.  Without symbols the place is the offset in the module, which any recompilation of that module
 * changes. */
#ifndef BLACKOUT_FINDING_FINGERPRINT_H
#define BLACKOUT_FINDING_FINGERPRINT_H

#include "finding/finding.h"
#include "finding/source.h"

/* Give every finding its fingerprint. */
void fingerprint_all(struct findings *findings, struct sources *sources);

#endif
