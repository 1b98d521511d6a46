/* SPDX-License-Identifier: GPL-2.0-or-later */
/* substitute.c - see substitute.h.
 *
 * To quote a path right, the scanner follows the quoting of the shell as far as it matters: a stack of what is open.
 *
 *     (    a command substitution or a subshell: quoting starts anew
 *     `    the same, but the shell first removes a backslash before $, ` and \
 *     "    double quotes
 *     {    ${...}: quoted or not as around it
 */
#include "ops/substitute.h"

#include <stdbool.h>
#include <string.h>

#include "base/vec.h"

static const struct {
	const char *text;
	enum substitute_word word;
} words_known[] = {{"{ops}", SUBSTITUTE_OPS}, {"{first}", SUBSTITUTE_FIRST}, {"{out}", SUBSTITUTE_OUT}};

enum quoting { QUOTING_NONE, QUOTING_DOUBLE, QUOTING_SINGLE };

struct scan {
	const char *start, *at;
	const struct substitution *values;
	unsigned words; /* found so far */
	VEC_OF(char) text;
	VEC_OF(char) open;
};

/* Copy `count` bytes, or as many as there are. */
static void scan_copy(struct scan *s, size_t count)
{
	count = strnlen(s->at, count);
	vec_append(&s->text, s->at, count);
	s->at += count;
}

/* Is this what was opened last? */
static bool scan_is_in(const struct scan *s, char open)
{
	return s->open.count && s->open.at[s->open.count - 1] == open;
}

/* ---- values ---- */

static bool is_plain(const char *text)
{
	return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._,:+@%=-")];
}

/* A copy of `text` with a backslash before each of the characters in `special`. */
static char *escaped(const char *text, const char *special)
{
	char *copy = mem_alloc(2 * strlen(text) + 1), *to = copy;

	for (; *text; text++) {
		if (strchr(special, *text))
			*to++ = '\\';
		*to++ = *text;
	}
	return copy;
}

/* The text within single quotes: 'it'\''s'.  The outer quotes are left out if they are there already. */
static char *single_quoted(const char *text, bool outer)
{
	char *copy = mem_alloc(4 * strlen(text) + 3), *to = copy;

	if (outer)
		*to++ = '\'';
	for (; *text; text++)
		if (*text == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *text;
	if (outer)
		*to = '\'';
	return copy;
}

static void path_add(struct scan *s, const char *path, enum quoting quoting)
{
	/* In "${name:-...}", a brace would end the expansion. */
	const char *special = scan_is_in(s, '{') ? "$`\"\\}" : "$`\"\\";
	char *text = quoting == QUOTING_DOUBLE ? escaped(path, special) : single_quoted(path, quoting == QUOTING_NONE);

	/* The shell removes a level of backslashes for each pair of backquotes. */
	for (size_t i = 0; i < s->open.count; i++)
		if (s->open.at[i] == '`') {
			char *deeper = escaped(text, "$`\\");

			free(text);
			text = deeper;
		}
	vec_append(&s->text, text, strlen(text));
	free(text);
}

static void value_add(struct scan *s, enum substitute_word word, bool shell, enum quoting quoting)
{
	char number[24];

	snprintf(number, sizeof(number), "%zu", s->values->first);
	const char *value = word == SUBSTITUTE_OPS ? s->values->ops : word == SUBSTITUTE_OUT ? s->values->out : number;
	if (shell && !is_plain(value))
		path_add(s, value, quoting);
	else
		vec_append(&s->text, value, strlen(value));
}

/* If one of the words stands here, replace it and move past it. */
static bool scan_word(struct scan *s, bool shell, enum quoting quoting)
{
	if (*s->at != '{' || (s->at > s->start && s->at[-1] == '$'))
		return false;
	for (size_t i = 0; i < sizeof(words_known) / sizeof(*words_known); i++) {
		size_t length = strlen(words_known[i].text);

		if (strncmp(s->at, words_known[i].text, length))
			continue;
		s->words |= words_known[i].word;
		if (s->values) {
			value_add(s, words_known[i].word, shell, quoting);
			s->at += length;
		} else {
			scan_copy(s, length);
		}
		return true;
	}
	return false;
}

/* ---- the shell ---- */

static enum quoting scan_quoting(const struct scan *s)
{
	for (size_t i = s->open.count; i--;)
		if (s->open.at[i] != '{')
			return s->open.at[i] == '"' ? QUOTING_DOUBLE : QUOTING_NONE;
	return QUOTING_NONE;
}

static void scan_single_quotes(struct scan *s)
{
	scan_copy(s, 1);
	while (*s->at && *s->at != '\'')
		if (!scan_word(s, true, QUOTING_SINGLE))
			scan_copy(s, 1);
	scan_copy(s, 1);
}

static bool starts_comment(const struct scan *s)
{
	return *s->at == '#' && (s->at == s->start || strchr(" \t\n;&|()", s->at[-1]));
}

/* Copy one character or construct other than a word, and keep track of what is open. */
static void scan_syntax(struct scan *s, enum quoting quoting)
{
	const char *at = s->at;
	bool plain = quoting == QUOTING_NONE;

	if (*at == '\\' && (plain || strchr("$`\"\\", at[1]))) {
		scan_copy(s, 2);
	} else if (*at == '\'' && plain) {
		scan_single_quotes(s);
	} else if (starts_comment(s) && plain) {
		scan_copy(s, strcspn(at, "\n"));
	} else if (*at == '$' && (at[1] == '(' || at[1] == '{')) {
		vec_push(&s->open, at[1]);
		scan_copy(s, 2);
	} else {
		bool closes = (*at == ')' && scan_is_in(s, '(')) || (*at == '}' && scan_is_in(s, '{')) ||
			      (strchr("\"`", *at) && scan_is_in(s, *at));

		if (closes)
			s->open.count--;
		else if (*at == '"' || *at == '`' || (*at == '(' && plain))
			vec_push(&s->open, *at);
		scan_copy(s, 1);
	}
}

static void scan_shell(struct scan *s)
{
	while (*s->at) {
		enum quoting quoting = scan_quoting(s);

		if (!scan_word(s, true, quoting))
			scan_syntax(s, quoting);
	}
}

static char *scan_finish(struct scan *s, unsigned *words)
{
	vec_push(&s->text, '\0');
	vec_free(&s->open);
	if (words)
		*words = s->words;
	return s->text.at;
}

/* ---- interface ---- */

char *substitute_shell(const char *command, const struct substitution *values, unsigned *words)
{
	struct scan scan = {.start = command, .at = command, .values = values};

	scan_shell(&scan);
	return scan_finish(&scan, words);
}

char *substitute_argument(const char *argument, const struct substitution *values, unsigned *words)
{
	struct scan scan = {.start = argument, .at = argument, .values = values};

	while (*scan.at)
		if (!scan_word(&scan, false, QUOTING_NONE))
			scan_copy(&scan, 1);
	return scan_finish(&scan, words);
}

unsigned substitute_words_in_arguments(char *const *arguments, size_t count)
{
	unsigned words, all = 0;

	for (size_t i = 0; i < count; i++) {
		free(substitute_argument(arguments[i], NULL, &words));
		all |= words;
	}
	return all;
}

unsigned substitute_words_in_shell(const char *command)
{
	unsigned words = 0;

	if (command)
		free(substitute_shell(command, NULL, &words));
	return words;
}

int substitute_refuse(unsigned words, const char *where, struct err *err)
{
	if (!(words & SUBSTITUTE_OPS))
		return 0;
	err_set(err, "%s has {ops}, but there is no --ops", where);
	err_status(err, ERR_USAGE);
	return err_hint(err, "--ops FILE names the operations, one a line; `blackout ops` makes such a file");
}
