/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suppress_parse.c - reads suppressions line by line; see suppress.h for the syntax.
 *
 * Parsing stops at the first mistake and reports its line and column.  A file that is only partly understood would
 * suppress findings that nobody wanted suppressed. */
#include "finding/suppress_parse.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#define SUPPRESS_BYTES_MAX (4u << 20)

/* The current position: one line of the file. */
struct parser {
	struct suppress *suppress;
	const char *start, *at, *end; /* of the line; `end` is before trailing blanks and the newline */
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
	err_set(p->err, "%.80s:%u:%u: %s", p->suppress->name, p->line, (unsigned)(where - p->start) + 1, what);
	return err_status(p->err, ERR_USAGE);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
}

static const char *parser_text(struct parser *p, const char *from, const char *to)
{
	return arena_copy(&p->suppress->texts, from, (size_t)(to - from));
}

/* If the line continues with `word`, moves past it and returns true. */
static bool parser_eat(struct parser *p, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length))
		return false;
	p->at += length;
	return true;
}

static struct suppress_entry *parser_entry(struct parser *p)
{
	struct suppress *s = p->suppress;

	return s->entries.count ? &s->entries.at[s->entries.count - 1] : NULL;
}

/* ---- the parts of an entry ---- */

/* The file may be for runs with a plug-in, too. */
static bool kind_exists(const char *pattern)
{
	if (!strncmp(pattern, "custom:", 7))
		return true;
	for (unsigned kind = 0; kind < kind_count(); kind++)
		if (!fnmatch(pattern, kind_get((enum finding_kind)kind)->name, 0))
			return true;
	return false;
}

/* Checks that the entry that just ended is complete. */
static int entry_finish(struct parser *p)
{
	struct suppress_entry *entry = parser_entry(p);

	if (!entry || entry->reason)
		return 0;
	p->line = entry->line;
	return parse_error(p, p->start, "the suppression [%.60s] has no `reason:`", entry->kind);
}

static int parse_kind(struct parser *p)
{
	const char *open = p->at, *close = memchr(open, ']', (size_t)(p->end - open));

	/* Columns in errors of entry_finish refer to another line, so p->start and p->line are saved. */
	const char *start = p->start;
	unsigned line = p->line;
	p->start = open;
	if (entry_finish(p) < 0)
		return -1;
	p->start = start;
	p->line = line;

	if (!close)
		return parse_error(p, p->end, "the `[` is not closed");
	if (close + 1 != p->end)
		return parse_error(p, close + 1, "nothing may follow the `]`");
	const char *kind = parser_text(p, open + 1, close);
	if (!kind_exists(kind))
		return parse_error(p, open + 1, "no kind of finding is called '%.60s'", kind);
	vec_push(&p->suppress->entries, ((struct suppress_entry){.kind = kind, .line = p->line}));
	return 0;
}

static int parse_reason(struct parser *p, struct suppress_entry *entry)
{
	skip_blanks(p);
	if (p->at == p->end)
		return parse_error(p, p->at, "the reason is empty");
	if (entry->reason)
		return parse_error(p, p->start, "this suppression has a reason already");
	entry->reason = parser_text(p, p->at, p->end);
	return 0;
}

static int parse_fingerprint(struct parser *p, struct suppress_entry *entry)
{
	skip_blanks(p);
	if (p->end - p->at != FINGERPRINT_CHARS)
		return parse_error(p, p->at, "a fingerprint has %d hexadecimal digits", FINGERPRINT_CHARS);
	for (const char *c = p->at; c < p->end; c++)
		if (!strchr("0123456789abcdef", *c) || !*c)
			return parse_error(p, c, "a fingerprint has only the digits 0-9 and a-f");
	if (entry->fingerprint)
		return parse_error(p, p->start, "this suppression has a fingerprint already");
	entry->fingerprint = parser_text(p, p->at, p->end);
	return 0;
}

/* Parses a pattern up to the next blank, or between quotes.  A backslash belongs to the character after it, and both
 * belong to the pattern. */
static int parse_pattern(struct parser *p, const char **pattern)
{
	bool quoted = p->at < p->end && *p->at == '"';
	const char *from = p->at + quoted, *to = from;

	while (to < p->end && (quoted ? *to != '"' : !is_blank(*to)))
		to += *to == '\\' && to + 1 < p->end ? 2 : 1;
	if (quoted && to >= p->end)
		return parse_error(p, p->at, "the quote is not closed");
	if (to == from)
		return parse_error(p, p->at, "a pattern is missing here");
	*pattern = parser_text(p, from, to);
	p->at = to + quoted;
	if (p->at < p->end && !is_blank(*p->at))
		return parse_error(p, p->at, "a space is missing here");
	return 0;
}

static int parse_condition(struct parser *p, struct suppress_frame *frame)
{
	const char *word = p->at, **pattern;

	if (parser_eat(p, "fun:"))
		pattern = &frame->fun;
	else if (parser_eat(p, "file:"))
		pattern = &frame->file;
	else if (parser_eat(p, "module:"))
		pattern = &frame->module;
	else
		return parse_error(p, word, "expected fun:, file:, module: or ..., or reason:, fingerprint: or [KIND]");
	if (*pattern)
		return parse_error(p, word, "the same condition appears twice in one frame");
	skip_blanks(p);
	return parse_pattern(p, pattern);
}

static int parse_frame(struct parser *p, struct suppress_entry *entry)
{
	struct suppress_frame frame = {0};

	if (parser_eat(p, "...")) {
		frame.any = true;
		if (p->at != p->end)
			return parse_error(p, p->at, "nothing may follow `...`");
	}
	while (p->at < p->end) {
		if (parse_condition(p, &frame) < 0)
			return -1;
		skip_blanks(p);
	}
	vec_push(&entry->frames, frame);
	return 0;
}

/* ---- lines ---- */

static int parse_line(struct parser *p)
{
	struct suppress_entry *entry = parser_entry(p);

	skip_blanks(p);
	if (p->at == p->end || *p->at == '#')
		return 0;
	if (*p->at == '[')
		return parse_kind(p);
	if (!entry)
		return parse_error(p, p->at, "a suppression starts with a kind in brackets, such as [missing-flush]");
	if (parser_eat(p, "reason:"))
		return parse_reason(p, entry);
	if (parser_eat(p, "fingerprint:"))
		return parse_fingerprint(p, entry);
	return parse_frame(p, entry);
}

static int parse_all(struct parser *p, const char *text, size_t size)
{
	const char *zero = memchr(text, 0, size);

	for (const char *at = text, *limit = text + size; at < limit; p->line++) {
		const char *newline = memchr(at, '\n', (size_t)(limit - at));

		p->start = p->at = at;
		p->end = newline ? newline : limit;
		at = newline ? newline + 1 : limit;
		if (zero && zero >= p->start && zero < p->end)
			return parse_error(p, zero, "this is not text: there is a zero byte");
		while (p->end > p->start && is_blank(p->end[-1]))
			p->end--;
		if (parse_line(p) < 0)
			return -1;
	}
	p->start = p->at = p->end = text + size;
	return entry_finish(p);
}

int suppress_parse(struct suppress **suppress, const char *name, const char *text, size_t size, struct err *err)
{
	struct suppress *s = mem_alloc(sizeof(*s));
	struct parser parser = {.suppress = s, .line = 1, .err = err};

	s->name = arena_copy(&s->texts, name, strlen(name));
	if (parse_all(&parser, text, size) < 0) {
		suppress_free(s);
		return -1;
	}
	*suppress = s;
	return 0;
}

static int unreadable(struct err *err, const char *path)
{
	err_sys(err, "cannot read the suppressions in %s", path);
	return err_status(err, ERR_USAGE);
}

int suppress_read(struct suppress **suppress, const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");
	struct stat st;

	if (!in)
		return unreadable(err, path);
	if (fstat(fileno(in), &st) == 0 && S_ISDIR(st.st_mode)) {
		fclose(in);
		errno = EISDIR;
		return unreadable(err, path);
	}
	char *text = mem_alloc(SUPPRESS_BYTES_MAX);
	size_t size = fread(text, 1, SUPPRESS_BYTES_MAX, in);
	int result;
	if (ferror(in))
		result = unreadable(err, path);
	else if (size == SUPPRESS_BYTES_MAX)
		result = err_status((err_set(err, "%s is too large to be a file of suppressions", path), err),
				    ERR_USAGE);
	else
		result = suppress_parse(suppress, path, text, size, err);
	free(text);
	fclose(in);
	return result;
}
