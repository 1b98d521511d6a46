/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell.c - see shell.h.
 *
 * This does not parse shell in general.  It recognizes the simple cases with certainty, and leaves the rest to the
 * shell. */
#include "run/shell.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "run/program.h"

enum { STATUS_SIGNAL = 128 };

struct word {
	char text[PATH_MAX]; /* with quotes removed */
	bool open;           /* it contains a variable or another expansion */
	bool quoted;
	const char *start, *end;
};

/* Take one character of a word, and interpret a backslash or quotes.  False: too complex for us. */
static bool word_take(struct word *word, size_t *used, char *quote)
{
	const char *c = word->end;

	if (*c == '\\' && *quote != '\'') {
		c++;
		if (!*c || *c == '\n')
			return false;
	} else if (*quote ? *c == *quote : (*c == '\'' || *c == '"')) {
		*quote = *quote ? 0 : *c;
		word->quoted = true;
		word->end = c + 1;
		return true;
	} else if (*quote != '\'' && (*c == '`' || (*c == '$' && c[1] == '('))) {
		return false;
	} else if ((*quote != '\'' && *c == '$') || (!*quote && strchr("*?[~", *c))) {
		word->open = true;
	}
	if (*used + 1 >= sizeof(word->text))
		return false;
	word->text[(*used)++] = *c;
	word->end = c + 1;
	return true;
}

/* Read the word at `text`.  If the command ends there, the word is empty. */
static bool word_read(struct word *word, const char *text)
{
	size_t used = 0;
	char quote = 0;

	*word = (struct word){.start = text + strspn(text, " \t")};
	for (word->end = word->start; *word->end && (quote || !strchr(" \t\n;&|<>()", *word->end));)
		if (!word_take(word, &used, &quote))
			return false;
	return !quote && word->start[0] != '#';
}

static bool word_is_assignment(const struct word *word)
{
	size_t name = 0;

	while (isalnum((unsigned char)word->start[name]) || word->start[name] == '_')
		name++;
	return name && !isdigit((unsigned char)*word->start) && word->start[name] == '=';
}

/* Read the word that names the program to run. */
static bool program_read(struct word *word, const char *command)
{
	const char *at = command;

	do {
		if (!word_read(word, at) || word->end == word->start)
			return false;
		at = word->end;
	} while (word_is_assignment(word));
	return true;
}

/* Skip redirections such as "2>&1", ">file", "</dev/null"; the file is the next word. */
static const char *redirection_skip(const char *at)
{
	at += strspn(at, "<>");
	return *at == '&' ? at + 1 : at;
}

/* True if nothing joins the rest to another command. */
static bool rest_is_simple(const char *at)
{
	static struct word word;

	while (*(at += strspn(at, " \t"))) {
		if (*at == '<' || *at == '>') {
			at = redirection_skip(at);
			continue;
		}
		if (!word_read(&word, at) || word.end == word.start)
			return false;
		at = word.end;
	}
	return true;
}

/* A name without a slash may be a shell built-in.  If there is also a program of that name, it does the same. */
static bool word_is_program(const struct word *word)
{
	struct program program;
	struct err err;

	if (strchr(word->text, '/') || word->open)
		return true;
	return *word->text && program_find(&program, word->text, &err) == 0;
}

/* If it is a simple command, the place of its program; NULL: it is not. */
static const char *simple_program(const char *command)
{
	static struct word word;

	return program_read(&word, command) && word_is_program(&word) && rest_is_simple(word.end) ? word.start : NULL;
}

char *shell_command(const char *command)
{
	const char *program = simple_program(command);
	int before = program ? (int)(program - command) : 0;
	char *text;

	BUG_ON(asprintf(&text, "%.*s%s%s", before, command, program ? "exec " : "", command + before) < 0);
	return text;
}

void shell_quote(const char *word, FILE *out)
{
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

char *shell_command_under(const char *command, const struct words *words)
{
	const char *program = simple_program(command);
	char *text = NULL;
	size_t size;
	FILE *out = program ? open_memstream(&text, &size) : NULL;

	if (!program)
		return NULL;
	BUG_ON(!out);
	fprintf(out, "%.*sexec ", (int)(program - command), command);
	for (size_t i = 0; i < words->count; i++) {
		shell_quote(words->items[i], out);
		fputc(' ', out);
	}
	fputs(program, out);
	BUG_ON(fclose(out));
	return text;
}

/* Built-ins and keywords of POSIX and dash. */
static bool word_is_own(const char *word)
{
	static const char *const own[] = {
		"!",     ".",       ":",        "[",        "alias",    "bg",     "break", "case",    "cd",
		"chdir", "command", "continue", "echo",     "eval",     "exec",   "exit",  "export",  "false",
		"fc",    "fg",      "for",      "function", "getopts",  "hash",   "if",    "jobs",    "kill",
		"local", "printf",  "pwd",      "read",     "readonly", "return", "set",   "shift",   "source",
		"test",  "times",   "trap",     "true",     "type",     "ulimit", "umask", "unalias", "unset",
		"until", "wait",    "while",    "{",        "select",   "time",
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(own[i], word))
			return true;
	return false;
}

static int refuse(struct err *err)
{
	return err_status(err, ERR_USAGE);
}

static bool file_can_run(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return false;
	}
	return access(path, X_OK) == 0;
}

int shell_check(const char *command, const char *cwd, struct err *err)
{
	static struct word word;
	struct program program;
	char path[2 * PATH_MAX];

	if (!command[strspn(command, " \t\n")]) {
		err_set(err, "the recovery command is empty");
		return refuse(err);
	}
	if (!program_read(&word, command) || word.open || *word.start == '#')
		return 0;
	if (!strchr(word.text, '/')) {
		/* Between ( and ) there may be anything; leave it to the shell. */
		if (word_is_own(word.text) || program_find(&program, word.text, err) == 0)
			return 0;
		err_set(err, "the recovery command %.200s cannot be found", word.text);
		return refuse(err);
	}
	bool relative = *word.text != '/';
	if (relative && !cwd)
		return 0;
	if (path_format(path, sizeof(path), "%s%s%s", relative ? cwd : "", relative ? "/" : "", word.text) &&
	    file_can_run(path))
		return 0;
	err_sys(err, "the recovery command %.200s cannot be run", word.text);
	return refuse(err);
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
	case SIGSYS:
	case SIGKILL: return status - STATUS_SIGNAL;
	default: return 0;
	}
}
