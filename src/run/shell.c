/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell.c - see shell.h. */
#include "run/shell.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "run/program.h"

enum { STATUS_SIGNAL = 128 };

/* The first word, if the shell takes it as it stands; 0 otherwise. */
static size_t word_first(char word[PATH_MAX], const char *command)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-";
	const char *start = command + strspn(command, " \t");
	size_t length = strspn(start, plain);

	if (!length || length >= PATH_MAX || !strchr(" \t", start[length]))
		return 0;
	memcpy(word, start, length);
	word[length] = 0;
	return length;
}

/* Nothing that joins commands, outside of quotes.  Backslashes and substitutions are left to the shell. */
static bool text_is_simple(const char *text)
{
	char quote = 0;

	for (const char *c = text; *c; c++) {
		if (quote) {
			quote = *c == quote ? 0 : quote;
			if (quote == '"' && strchr("\\`$", *c))
				return false;
		} else if (*c == '\'' || *c == '"') {
			quote = *c;
		} else if (*c == '&' && c > text && strchr("<>", c[-1])) {
			continue; /* 2>&1 */
		} else if (strchr(";&|()`\\\n#", *c)) {
			return false;
		}
	}
	return !quote;
}

bool shell_is_simple(const char *command)
{
	struct program program;
	char word[PATH_MAX];
	struct err err;

	if (!word_first(word, command) || !text_is_simple(command))
		return false;
	/* A name without a slash may be the shell's own; where there is such a program too, it does the same. */
	return strchr(word, '/') || program_find(&program, word, &err) == 0;
}

int shell_check(const char *command, const char *cwd, struct err *err)
{
	char word[PATH_MAX], path[2 * PATH_MAX];

	if (!command[strspn(command, " \t\n")]) {
		err_set(err, "the recovery command is empty");
		return err_status(err, ERR_USAGE);
	}
	if (!word_first(word, command) || !strchr(word, '/'))
		return 0;
	bool relative = *word != '/' && cwd;
	snprintf(path, sizeof(path), "%s%s%s", relative ? cwd : "", relative ? "/" : "", word);
	if (access(path, X_OK) == 0)
		return 0;
	err_sys(err, "the recovery command %s cannot be run", word);
	return err_status(err, ERR_USAGE);
}

int shell_signal(int status)
{
	switch (status - STATUS_SIGNAL) {
	case SIGSEGV:
	case SIGBUS:
	case SIGABRT:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP:
	case SIGSYS: return status - STATUS_SIGNAL;
	default: return 0;
	}
}
