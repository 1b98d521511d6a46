/* SPDX-License-Identifier: GPL-2.0-or-later */
/* codegen.h - the words by which clang itself makes an object of its intermediate code, with all options of the user that
 * concern this step. */
#ifndef BLACKOUT_WRAPPER_CODEGEN_H
#define BLACKOUT_WRAPPER_CODEGEN_H

/* `plan` is what clang prints if it is asked (-###) which commands it would run.  Return the words of the first one that
 * compiles, each with a newline behind it, without those for its input and output; NULL if there is none.  The caller
 * frees them.  The plan is destroyed. */
char *codegen_words(char *plan);

#endif
