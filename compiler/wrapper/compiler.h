/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compiler.h - the compiler that is wrapped: its words (a name, perhaps after a launcher, perhaps with options), and
 * whether its options are those of gcc or of clang. */
#ifndef BLACKOUT_WRAPPER_COMPILER_H
#define BLACKOUT_WRAPPER_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#define COMPILER_WORDS_MAX 32

struct compiler {
	char *words[COMPILER_WORDS_MAX + 1]; /* ends with NULL */
	int count;
	bool clang;
	bool only_self; /* in PATH there is no other program of this name than we are */
};

/* Split `text` at blanks; it must live as long as *compiler.  Return false if there are no words, or too many.  If PATH
 * leads from the first word to this very program, the next one of that name is taken. */
bool compiler_read(struct compiler *compiler, char *text);

/* Run the compiler with these words and a last one, a question about itself, and put what it prints into `answer`, with an
 * end.  Return false if that is nothing. */
bool compiler_ask(const struct compiler *compiler, int count, char *const *words, const char *question, char *answer,
		  size_t size);

/* Put the commands that clang's driver would run for these words into `plan`, as it prints them.  Return false if they are
 * not known, or too long. */
bool compiler_plan(const struct compiler *compiler, int count, char *const *words, char *plan, size_t size);

/* The word that names one of our own wrappers, or NULL: such a compiler would start itself forever. */
const char *compiler_is_ours(const struct compiler *compiler);

#endif
