/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.h - assembly of a compiler that was told to call the runtime for every access, without the calls that only cost
 * time.
 *
 * The recorder sees loads by itself, and what a plain or volatile load is in the source does not matter to it.  So calls
 * that announce loads are taken out.  An atomic load matters, but it needs no call: it becomes the instruction that
 * blackout/atomicity.h describes, if its order is a constant that is put into its register right before.  Every line stays
 * where it is.  A call that is written in another way than compilers usually do remains, and works. */
#ifndef BLACKOUT_ASSEMBLER_FILTER_H
#define BLACKOUT_ASSEMBLER_FILTER_H

#include <stddef.h>
#include <stdio.h>

/* Write the text to `out`.  GNU as needs the option -mindex-reg for the result. */
void filter_text(const char *text, size_t size, FILE *out);

#endif
