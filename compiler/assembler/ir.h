/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ir.h - the intermediate code of clang, as text, without the calls that only cost time.
 *
 * This is filter.h one step earlier: what is taken out here does not take part in the assignment of registers, in which
 * a call would cost more than its own time.  Announcements of loads are taken out; announcements of stores and atomic
 * loads become inline assembly of the instructions that blackout/atomicity.h describes.  Every line stays where it is.  A
 * call that is written in another way than clang 14 to 19 do remains, and works. */
#ifndef BLACKOUT_ASSEMBLER_IR_H
#define BLACKOUT_ASSEMBLER_IR_H

#include <stddef.h>
#include <stdio.h>

/* Write the text to `out`. */
void ir_filter(const char *text, size_t size, FILE *out);

#endif
