/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grammar.c - see grammar.h.
 *
 * Parsing stops at the first mistake and reports its line and column. */
#include "ops/grammar.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define GRAMMAR_BYTES_MAX (4u << 20)

static const struct {
	const char *word;
	enum grammar_part_type type;
} words[] = {
#define X(name, word) {word, PART_##name},
	GRAMMAR_WORDS(X)
#undef X
};

/* The current position: one line of the grammar. */
struct parser {
	struct grammar *grammar;
	const char *name;
	const char *start, *at, *end; /* of the line; `end` is before the comment, blanks and the newline */
	unsigned line;
	struct err *err;
};

__attribute__((format(printf, 3, 4))) static int parse_error(struct parser *p, const char *where, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	err_set(p->err, "%.80s:%u:%zu: %s", p->name, p->line, (size_t)(where - p->start) + 1, what);
	return err_status(p->err, ERR_USAGE);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parse a number at p->at, which must have a digit there, and which must be at most `max`. */
static int parse_number(struct parser *p, uint64_t max, uint64_t *number)
{
	const char *from = p->at;

	for (*number = 0; p->at < p->end && is_digit(*p->at); p->at++) {
		uint64_t digit = (uint64_t)(*p->at - '0');

		if (*number > (max - digit) / 10)
			return parse_error(p, from, "this number is out of range");
		*number = *number * 10 + digit;
	}
	return p->at > from ? 0 : parse_error(p, from, "a whole number is missing here");
}

static int parse_signed(struct parser *p, int64_t *number)
{
	bool negative = p->at < p->end && *p->at == '-';
	uint64_t amount;

	p->at += negative;
	if (parse_number(p, (uint64_t)INT64_MAX + negative, &amount) < 0)
		return -1;
	*number = negative ? (int64_t)(0 - amount) : (int64_t)amount;
	return 0;
}

/* Parse what follows `{int:` in the word that starts at `open`. */
static int parse_range(struct parser *p, const char *open)
{
	struct grammar_part part = {.type = PART_INT};

	if (parse_signed(p, &part.low) < 0)
		return -1;
	if (p->at == p->end || *p->at != '-')
		return parse_error(p, p->at, "expected `-` between the bounds, as in {int:1-100}");
	p->at++;
	if (parse_signed(p, &part.high) < 0)
		return -1;
	if (p->at == p->end || *p->at != '}')
		return parse_error(p, p->at, "expected `}` after the range");
	p->at++;
	if (part.low > part.high)
		return parse_error(p, open, "the first bound is larger than the second");
	vec_push(&p->grammar->parts, part);
	return 0;
}

/* Parse the word in braces at p->at. */
static int parse_word(struct parser *p)
{
	const char *open = p->at, *name = open + 1, *close = memchr(name, '}', (size_t)(p->end - name));

	if (!close) {
		parse_error(p, open, "the `{` is not closed");
		return err_hint(p->err, "write \\{ for a brace that belongs to the operation");
	}
	size_t length = (size_t)(close - name);
	if (length >= 4 && !memcmp(name, "int:", 4)) {
		p->at = name + 4;
		return parse_range(p, open);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == length && !memcmp(words[i].word, name, length)) {
			vec_push(&p->grammar->parts, ((struct grammar_part){.type = words[i].type}));
			p->at = close + 1;
			return 0;
		}
	parse_error(p, open, "there is no word {%.*s}: use {key}, {newkey}, {oldkey}, {value} or {int:A-B}",
		    length > 40 ? 40 : (int)length, name);
	return err_hint(p->err, "write \\{ and \\} for braces that belong to the operation");
}

/* Parse plain text up to the next word or the end of the template. */
static int parse_text(struct parser *p)
{
	char *text = mem_alloc((size_t)(p->end - p->at));
	size_t length = 0;
	int result = 0;

	for (; result == 0 && p->at < p->end && *p->at != '{'; p->at++) {
		if (*p->at == '}') {
			parse_error(p, p->at, "there is no `{` before this `}`");
			result = err_hint(p->err, "write \\} for a brace that belongs to the operation");
		} else if (*p->at == '\\' && (p->at + 1 == p->end || !strchr("{}#\\", p->at[1]))) {
			parse_error(p, p->at, "a backslash may stand only before `{`, `}`, `#` or a backslash");
			result = err_hint(p->err, "write \\\\ for one that belongs to the operation");
		} else {
			p->at += *p->at == '\\';
			text[length++] = *p->at;
		}
	}
	if (result == 0)
		vec_push(&p->grammar->parts,
			 ((struct grammar_part){.text = arena_copy(&p->grammar->texts, text, length)}));
	free(text);
	return result;
}

static int parse_kind(struct parser *p)
{
	struct grammar_kind kind = {.first = p->grammar->parts.count};
	uint64_t weight;

	if (!is_digit(*p->at))
		return parse_error(p, p->at, "expected a weight and a template, as in `3 put {key} {value}`");
	if (parse_number(p, UINT32_MAX, &weight) < 0)
		return -1;
	kind.weight = (uint32_t)weight;
	if (p->at < p->end && !is_blank(*p->at))
		return parse_error(p, p->at, "a weight is a whole number, followed by a blank");
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	if (p->at == p->end)
		return parse_error(p, p->at, "there is no template after the weight");
	while (p->at < p->end)
		if ((*p->at == '{' ? parse_word(p) : parse_text(p)) < 0)
			return -1;
	kind.count = p->grammar->parts.count - kind.first;
	vec_push(&p->grammar->kinds, kind);
	return 0;
}

/* Where the comment of a line starts, or `end`. */
static const char *comment_find(const char *at, const char *end)
{
	while (at < end && *at != '#')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return at;
}

static int parse_line(struct parser *p)
{
	const char *zero = memchr(p->start, 0, (size_t)(p->end - p->start));

	if (zero)
		return parse_error(p, zero, "this is not text: there is a zero byte");
	p->end = comment_find(p->start, p->end);
	while (p->end > p->start && is_blank(p->end[-1]))
		p->end--;
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	return p->at == p->end ? 0 : parse_kind(p);
}

static int parse_all(struct parser *p, const char *text, size_t size)
{
	uint64_t weights = 0;

	p->start = p->at = text;
	for (const char *at = text, *limit = text + size; at < limit; p->line++) {
		const char *newline = memchr(at, '\n', (size_t)(limit - at));

		p->start = p->at = at;
		p->end = newline ? newline : limit;
		at = newline ? newline + 1 : limit;
		if (parse_line(p) < 0)
			return -1;
		p->start = at;
	}
	if (!p->grammar->kinds.count)
		return parse_error(p, p->start, "there is no kind of operation here, such as `3 put {key} {value}`");
	for (size_t i = 0; i < p->grammar->kinds.count; i++)
		weights += p->grammar->kinds.at[i].weight;
	return weights ? 0 : parse_error(p, p->start, "all weights are 0, so no operation can be chosen");
}

int grammar_parse(struct grammar **grammar, const char *name, const char *text, size_t size, struct err *err)
{
	struct grammar *g = mem_alloc(sizeof(*g));
	struct parser parser = {.grammar = g, .name = name, .line = 1, .err = err};

	if (parse_all(&parser, text, size) < 0) {
		grammar_free(g);
		return -1;
	}
	*grammar = g;
	return 0;
}

static int unreadable(struct err *err, const char *path)
{
	err_sys(err, "cannot read the grammar in %s", path);
	return err_status(err, ERR_USAGE);
}

/* Read and parse everything from `in`. */
static int grammar_load(struct grammar **grammar, const char *name, FILE *in, struct err *err)
{
	char *text = mem_alloc(GRAMMAR_BYTES_MAX);
	size_t size = fread(text, 1, GRAMMAR_BYTES_MAX, in);
	int result;

	if (ferror(in)) {
		result = unreadable(err, name);
	} else if (size == GRAMMAR_BYTES_MAX) {
		err_set(err, "%s is too large to be a grammar", name);
		result = err_status(err, ERR_USAGE);
	} else {
		result = grammar_parse(grammar, name, text, size, err);
	}
	free(text);
	return result;
}

int grammar_read(struct grammar **grammar, const char *path, struct err *err)
{
	if (!strcmp(path, "-"))
		return grammar_load(grammar, "standard input", stdin, err);

	FILE *in = fopen(path, "re");
	if (!in)
		return unreadable(err, path);
	int result = grammar_load(grammar, path, in, err);
	fclose(in);
	return result;
}

void grammar_free(struct grammar *grammar)
{
	vec_free(&grammar->kinds);
	vec_free(&grammar->parts);
	arena_free(&grammar->texts);
	free(grammar);
}
