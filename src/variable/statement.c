/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statement.c - see statement.h. */
#include "variable/statement.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "variable/copier.h"
#include "variable/line_words.h"

#define TARGET_MAX 100 /* a longer text is no name */

/* ---- pieces of text ---- */

static char char_at(const struct statement *s, size_t at)
{
	return at < s->length ? s->line[at] : 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* The characters of an assignment operator at `at`; 0: there is none. */
static size_t assignment_length(const struct statement *s, size_t at)
{
	char a = char_at(s, at), b = char_at(s, at + 1), c = char_at(s, at + 2);

	if (a == '=')
		return b == '=' ? 0 : 1;
	if ((a == '<' || a == '>') && a == b)
		return c == '=' ? 3 : 0;
	return a && strchr("+-*/%&|^", a) && b == '=' ? 2 : 0;
}

/* Is the `=` at `at` not the end of another operator? */
static bool begins_operator(const struct statement *s, size_t at)
{
	return !at || !strchr("=!<>+-*/%&|^", s->line[at - 1]);
}

static bool is_step(const struct statement *s, size_t at)
{
	char a = char_at(s, at);

	return (a == '+' || a == '-') && char_at(s, at + 1) == a;
}

/* From `at` back over a group that ends there, `(...)` or `[...]`; false: it begins before the line. */
static bool skip_group_back(const struct statement *s, size_t *at)
{
	int depth = 0;

	for (size_t i = *at; i > 0; i--) {
		char c = s->line[i - 1];

		if (c == '"' || c == '\'')
			return false;
		depth += c == ')' || c == ']';
		depth -= c == '(' || c == '[';
		if (!depth) {
			*at = i - 1;
			return true;
		}
	}
	return false;
}

static size_t skip_word_back(const struct statement *s, size_t at)
{
	while (at > 0 && word_char(s->line[at - 1]))
		at--;
	return at;
}

static size_t skip_space_back(const struct statement *s, size_t at)
{
	while (at > 0 && is_space(s->line[at - 1]))
		at--;
	return at;
}

/* Does a separator between members end at `at`?  Its length. */
static size_t separator_back(const struct statement *s, size_t at)
{
	if (at >= 2 &&
	    ((s->line[at - 2] == '-' && s->line[at - 1] == '>') || (s->line[at - 2] == ':' && s->line[at - 1] == ':')))
		return 2;
	return at >= 1 && s->line[at - 1] == '.' ? 1 : 0;
}

/* From the end of a postfix expression back to its start: `D_RW(node)->slots[i].oid`. */
static bool postfix_begin(const struct statement *s, size_t end, size_t *begin)
{
	size_t at = end;

	for (;;) {
		size_t word;

		while (at > 0 && (s->line[at - 1] == ']' || s->line[at - 1] == ')'))
			if (!skip_group_back(s, &at))
				return false;
		word = skip_word_back(s, at);
		if (word == at && (at == end || char_at(s, at) != '('))
			return false;
		at = word;
		size_t separator = separator_back(s, at);
		if (!separator)
			break;
		at -= separator;
	}
	*begin = at;
	return isalpha((unsigned char)char_at(s, at)) || char_at(s, at) == '_' || char_at(s, at) == '(';
}

/* ---- the start of a statement ---- */

static bool ends_statement(const char *line, size_t length)
{
	while (length > 0 && isspace((unsigned char)line[length - 1]))
		length--;
	if (!length || strchr(";{}:)/", line[length - 1]))
		return true;
	return length >= 4 && !memcmp(line + length - 4, "else", 4);
}

/* Nothing before `at` belongs to the target.  `*` and casts are no part of a postfix expression: `*(long *)p = 1`. */
static bool begins_there(const struct statement *s, size_t at)
{
	at = skip_space_back(s, at);
	if (at == 0)
		return !s->before || ends_statement(s->before, s->before_length);
	char c = s->line[at - 1];
	if (strchr(";{}(,?:=", c))
		return true;
	if (c == ')') { /* if (...) x = 1; but not a cast */
		size_t open = at;

		if (!skip_group_back(s, &open))
			return false;
		open = skip_space_back(s, open);
		size_t word = skip_word_back(s, open);
		return (open - word == 2 && !memcmp(s->line + word, "if", 2)) ||
		       (open - word == 3 && !memcmp(s->line + word, "for", 3)) ||
		       (open - word == 5 && !memcmp(s->line + word, "while", 5));
	}
	return at >= 4 && !memcmp(s->line + at - 4, "else", 4) && (at == 4 || !word_char(s->line[at - 5]));
}

/* ---- answers ---- */

static bool is_reserved(const char *text, size_t length)
{
	for (size_t i = 0; i + 1 < length; i++)
		if (text[i] == '_' && (i == 0 || !word_char(text[i - 1])) &&
		    (text[i + 1] == '_' || (i + 2 < length && text[i + 1] == 'M' && text[i + 2] == '_')))
			return true;
	return false;
}

/* An index that is not a number is left out, as in names that come from the code. */
static void indices_drop(char *text)
{
	char *to = text;
	int depth = 0;

	for (const char *from = text; *from; from++) {
		bool number = from[strspn(from + 1, "0123456789") + 1] == ']' && from[1] != ']';

		depth -= *from == ']' && depth;
		if (!depth)
			*to++ = *from;
		depth += *from == '[' && (depth || !number);
	}
	*to = 0;
}

static bool answer(const char *from, size_t length, const char *suffix, char *text, size_t size)
{
	if (!length || length > TARGET_MAX || is_reserved(from, length) || memchr(from, '"', length))
		return false;
	int n = snprintf(text, size, "%.*s%s", (int)length, from, suffix);
	if (n <= 0 || (size_t)n >= size)
		return false;
	indices_drop(text);
	return true;
}

/* What a ++ or -- at `at` changes, if it stands before it.  No other operator binds as tightly. */
static bool target_of_step(const struct statement *s, size_t at, char *text, size_t size)
{
	size_t end = skip_space_back(s, at), begin;

	return postfix_begin(s, end, &begin) && (skip_space_back(s, begin) != 0 || begins_there(s, begin)) &&
	       answer(s->line + begin, end - begin, "", text, size);
}

/* What is on the left of an operator at `at`. */
static bool target_before(const struct statement *s, size_t at, char *text, size_t size)
{
	size_t end = skip_space_back(s, at), begin;

	if (!postfix_begin(s, end, &begin))
		return false;
	if (begin > 0 && s->line[begin - 1] == '*' && char_at(s, begin) != '(')
		begin--;
	return begins_there(s, begin) && answer(s->line + begin, end - begin, "", text, size);
}

/* What is on the right of ++ or --. */
static bool target_after(const struct statement *s, size_t at, char *text, size_t size)
{
	size_t end = at, begin;

	while (end < s->length && !strchr(";,)", s->line[end]))
		end++;
	size_t stop = skip_space_back(s, end);
	return end < s->length && postfix_begin(s, stop, &begin) && begin == at &&
	       answer(s->line + begin, stop - begin, "", text, size);
}

/* The next argument of a call ends here; 0: not on this line. */
static size_t argument_end(const struct statement *s, size_t at)
{
	int depth = 0;

	for (; at < s->length; at++) {
		char c = s->line[at];

		if (c == '"' || c == '\'')
			return 0;
		if (!depth && (c == ',' || c == ')'))
			return at;
		depth += c == '(' || c == '[';
		depth -= c == ')' || c == ']';
	}
	return 0;
}

/* Where `+ number` begins in an argument: `items + 1` is an address in the same array. */
static size_t sum_begin(const struct statement *s, size_t at, size_t end)
{
	int depth = 0;

	for (size_t i = at; i < end; i++) {
		depth += s->line[i] == '(' || s->line[i] == '[';
		depth -= s->line[i] == ')' || s->line[i] == ']';
		if (!depth && s->line[i] == '+')
			return i;
	}
	return end;
}

/* An argument is the address of what is stored to. */
static bool target_of_argument(const struct statement *s, size_t at, size_t end, char *text, size_t size)
{
	size_t begin;

	while (at < end && is_space(s->line[at]))
		at++;
	end = skip_space_back(s, end);
	bool address = char_at(s, at) == '&';
	if (!address)
		end = skip_space_back(s, sum_begin(s, at, end));
	if (!postfix_begin(s, end, &begin) || begin != at + address)
		return false;
	return answer(s->line + begin, end - begin, address ? "" : "[]", text, size);
}

/* TX_SET(object, member, value) and TX_SET_DIRECT(pointer, member, value) of libpmemobj. */
static bool target_of_tx_set(const struct statement *s, const char *name, size_t at, char *text, size_t size)
{
	bool direct = !strcmp(name, "TX_SET_DIRECT");
	size_t object = argument_end(s, at), member = object ? argument_end(s, object + 1) : 0;
	char whole[TARGET_MAX + 1];

	if (!member || (!direct && strcmp(name, "TX_SET") != 0))
		return false;
	size_t first = object + 1;
	while (is_space(char_at(s, first)))
		first++;
	int n = snprintf(whole, sizeof(whole), direct ? "%.*s->%.*s" : "D_RW(%.*s)->%.*s", (int)(object - at),
			 s->line + at, (int)(member - first), s->line + first);
	return n > 0 && (size_t)n < sizeof(whole) && answer(whole, (size_t)n, "", text, size);
}

static bool target_of_call(const struct statement *s, size_t at, char *text, size_t size)
{
	char name[64];
	size_t end = at;

	while (end < s->length && word_char(s->line[end]))
		end++;
	if (end == at || end - at >= sizeof(name) || char_at(s, end) != '(')
		return false;
	memcpy(name, s->line + at, end - at);
	name[end - at] = 0;
	if (target_of_tx_set(s, name, end + 1, text, size))
		return true;
	struct copier copier;
	if (!copier_find(name, &copier))
		return false;
	size_t from = end + 1, to = argument_end(s, from);
	for (int i = 0; to && i < copier.target; i++) {
		from = to + 1;
		to = argument_end(s, from);
	}
	return to && target_of_argument(s, from, to, text, size);
}

/* clang places the copy of a struct where the right side begins.  A call there may store by itself, unless it is only
 * the beginning of the name of something else. */
static bool target_of_copy(const struct statement *s, size_t at, char *text, size_t size)
{
	size_t sign = skip_space_back(s, at), end = s->length;

	if (!sign || assignment_length(s, sign - 1) != 1 || !begins_operator(s, sign - 1))
		return false;
	while (end > at && (isspace((unsigned char)s->line[end - 1]) || s->line[end - 1] == ';'))
		end--;
	size_t begin;
	if (!postfix_begin(s, end, &begin) || s->line[end - 1] == ')')
		return false;
	if (begin > at && s->line[begin - 1] == '*')
		begin--;
	return begin == at && target_before(s, sign - 1, text, size) && strpbrk(text, ">.[*");
}

/* Optimized code is not always at the right one of several operators. */
static bool stores_once(const struct statement *s)
{
	size_t count = 0;

	for (size_t at = 0; at < s->length; at++) {
		size_t length = is_step(s, at) ? 2 : assignment_length(s, at);

		if (length == 1 && !begins_operator(s, at))
			length = 0;
		count += length != 0;
		at += length ? length - 1 : 0;
	}
	return count <= 1;
}

bool statement_target(const struct statement *s, char *text, size_t size)
{
	size_t at = s->column - 1;

	if (!s->column || at >= s->length || !stores_once(s))
		return false;
	if (assignment_length(s, at))
		return target_before(s, at, text, size);
	if (is_step(s, at)) {
		size_t before = skip_space_back(s, at);
		char c = before ? s->line[before - 1] : 0;

		return word_char(c) || c == ']' || c == ')' ? target_of_step(s, at, text, size)
							    : target_after(s, at + 2, text, size);
	}
	return target_of_call(s, at, text, size) || target_of_copy(s, at, text, size);
}
