/* SPDX-License-Identifier: GPL-2.0-or-later */
/* substitute.h - the words {ops}, {first} and {out} in the user's commands.
 *
 *     struct substitution values = {.ops = "/tmp/b/ops-1", .first = 18, .out = "/tmp/b/out"};
 *     unsigned words;
 *     char *text = substitute_shell("./kv run {ops} --from={first}", &values, &words);
 *                                                     // "./kv run /tmp/b/ops-1 --from=18"
 *     if (!(words & SUBSTITUTE_OPS))
 *             ... the command gets the operations on its standard input ...
 *
 * A word is replaced wherever it stands, except right after a `$`: `${ops}` is a variable of the shell.  Other braces
 * are left alone.  Ask `substitute_argument` for the arguments of a program, which no shell sees, and
 * `substitute_shell` for text that /bin/sh reads (--setup, --recover, --client).
 *
 * In shell text, a path that needs quotes gets them: unquoted, in single or double quotes, in command substitutions, so
 * that the command sees exactly the path.  `\{ops}` is not replaced there, since the shell makes a literal brace of it.
 * What is not understood: here-documents, and a `)` of `case` inside of `$( )`.  Nor is text quoted for a second shell
 * (`sh -c 'cat {ops}'`).  Paths of letters, digits and /._,:+@%=- need no quotes, and so are safe there too. */
#ifndef BLACKOUT_OPS_SUBSTITUTE_H
#define BLACKOUT_OPS_SUBSTITUTE_H

#include <stddef.h>

#include "base/err.h"

/* The words that a text has, as a set. */
enum substitute_word { SUBSTITUTE_OPS = 1, SUBSTITUTE_FIRST = 2, SUBSTITUTE_OUT = 4 };

struct substitution {
	const char *ops; /* paths */
	const char *out;
	size_t first;
};

/* The text with its words replaced; the caller frees it.  *words, unless `words` is NULL, is the set of those that were
 * there.  If `values` is NULL, the text stays as it is. */
char *substitute_argument(const char *argument, const struct substitution *values, unsigned *words);
char *substitute_shell(const char *command, const struct substitution *values, unsigned *words);

/* Only the set of words: of all arguments of a program, and of a command, which may be NULL. */
unsigned substitute_words_in_arguments(char *const *arguments, size_t count);
unsigned substitute_words_in_shell(const char *command);

/* Without --ops, {ops} stands for nothing: -1, ERR_USAGE.  `where` is the option or operand that has these words. */
int substitute_refuse(unsigned words, const char *where, struct err *err);

#endif
