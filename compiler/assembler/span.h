/* SPDX-License-Identifier: GPL-2.0-or-later */
/* span.h - parts of a text that a compiler wrote. */
#ifndef BLACKOUT_ASSEMBLER_SPAN_H
#define BLACKOUT_ASSEMBLER_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *at;
	size_t size;
};

static inline bool span_is(struct span s, const char *text)
{
	return s.size == strlen(text) && !memcmp(s.at, text, s.size);
}

static inline struct span span_skip(struct span s, size_t count)
{
	return (struct span){s.at + count, s.size - count};
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline struct span skip_blanks(struct span s)
{
	while (s.size && is_blank(*s.at))
		s = span_skip(s, 1);
	return s;
}

/* If the text begins so, skip that. */
static inline bool skip_text(struct span *s, const char *text)
{
	size_t size = strlen(text);

	if (s->size < size || memcmp(s->at, text, size) != 0)
		return false;
	*s = span_skip(*s, size);
	return true;
}

static inline struct span cut_name(struct span *s)
{
	struct span name = {s->at, 0};

	while (name.size < s->size &&
	       (name.at[name.size] == '_' || (name.at[name.size] >= '0' && name.at[name.size] <= '9') ||
		(name.at[name.size] >= 'a' && name.at[name.size] <= 'z')))
		name.size++;
	*s = span_skip(*s, name.size);
	return name;
}

/* Cut the next line off the text, without its end.  *ended: it has one. */
static inline struct span cut_line(struct span *text, bool *ended)
{
	const char *end = memchr(text->at, '\n', text->size);
	struct span line = {text->at, end ? (size_t)(end - text->at) : text->size};

	*text = span_skip(*text, line.size);
	*ended = skip_text(text, "\n");
	return line;
}

#endif
