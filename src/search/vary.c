/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vary.c - see vary.h. */
#include "search/vary.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"

#define FILLER '0' /* as part of a number it does not make the program work long */
#define DIGIT '1'  /* a number that is not 0, and that has no other base */
#define LINE_GROWTH 16
#define WORD_GROWTH 4

typedef VEC_OF(uint8_t) byte_list;

static void fill(byte_list *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_push(to, count == 1 ? DIGIT : FILLER);
}

/* The input with other bytes in one source; `bytes` is freed. */
static struct input with_bytes(const struct input *input, size_t source, byte_list *bytes, size_t most)
{
	struct input other = input_copy(input);

	input_set(&other, source, bytes->at, bytes->count < most ? bytes->count : most);
	vec_free(bytes);
	return other;
}

static bool ends_line(const struct input_bytes *bytes)
{
	return bytes->size && bytes->at[bytes->size - 1] == '\n';
}

/* Each word gets `more` bytes at its end. */
static void words_grow(byte_list *to, const struct input_bytes *from, size_t end, size_t more)
{
	bool any = false;

	for (size_t i = 0; i < end; i++) {
		bool ends_word = isalnum(from->at[i]) && (i + 1 == end || !isalnum(from->at[i + 1]));

		vec_push(to, from->at[i]);
		if (ends_word)
			fill(to, more);
		any |= ends_word;
	}
	if (!any)
		fill(to, more);
}

struct input vary_longer(const struct input *input, size_t source, enum vary_growth growth, size_t most)
{
	const struct input_bytes *from = &input->of[source];
	bool whole = ends_line(from);
	size_t end = from->size - whole;
	byte_list bytes = {0};

	if (growth == VARY_LAST_LINE) {
		vec_append(&bytes, from->at, end);
		fill(&bytes, LINE_GROWTH);
	} else {
		words_grow(&bytes, from, end, growth == VARY_WORDS ? 1 : WORD_GROWTH);
	}
	if (whole) {
		bytes.count = bytes.count < most ? bytes.count : most - 1;
		vec_push(&bytes, '\n');
	}
	return with_bytes(input, source, &bytes, most);
}

struct input vary_line(const struct input *input, size_t source, uint64_t offset, size_t most)
{
	const struct input_bytes *from = &input->of[source];
	size_t end = offset < from->size ? (size_t)offset : from->size - (from->size > 0);
	byte_list bytes = {0};

	while (end < from->size && from->at[end] != '\n')
		end++;
	vec_append(&bytes, from->at, end);
	fill(&bytes, WORD_GROWTH);
	vec_append(&bytes, from->at + end, from->size - end);
	return with_bytes(input, source, &bytes, most);
}

struct input vary_end(const struct input *input, size_t source, size_t length)
{
	const struct input_bytes *from = &input->of[source];
	byte_list bytes = {0};

	vec_append(&bytes, from->at, length < from->size ? length : from->size);
	if (ends_line(from))
		vec_push(&bytes, '\n');
	return with_bytes(input, source, &bytes, from->size);
}

struct input vary_repeat(const struct input *input, size_t source, size_t most)
{
	const struct input_bytes *from = &input->of[source];
	byte_list bytes = {0};

	vec_append(&bytes, from->at, from->size);
	vec_append(&bytes, from->at, from->size);
	return with_bytes(input, source, &bytes, most);
}

static bool same_connection(const struct input_sources *sources, size_t a, size_t b)
{
	return sources->at[b].kind == BO_SOURCE_SOCKET && sources->at[a].number == sources->at[b].number;
}

struct input vary_message(const struct input *input, const struct input_sources *sources, size_t source, unsigned way)
{
	struct input more = input_copy(input);
	size_t from = source;

	for (size_t i = source; i-- > 0 && (way == 1 || from == source);)
		if (same_connection(sources, source, i))
			from = i;
	input_set(&more, source, input->of[from].at, input->of[from].size);
	return more;
}

static bool same_bytes(const struct input_bytes *a, const struct input_bytes *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->at, b->at, a->size));
}

static struct input message_join(const struct input *input, const struct input *with,
				 const struct input_sources *sources, size_t source)
{
	struct input more = input_copy(input);
	size_t from = source;

	for (size_t i = 0; i < source && from == source; i++)
		if (same_connection(sources, source, i) && with->of[i].size && !same_bytes(&input->of[i], &with->of[i]))
			from = i;
	input_set(&more, source, with->of[from].at, with->of[from].size);
	return more;
}

struct input vary_join(const struct input *input, const struct input *with, const struct input_sources *sources,
		       size_t source, size_t most)
{
	const struct input_bytes *a = &input->of[source], *b = &with->of[source];
	byte_list bytes = {0};

	if (sources->at[source].kind == BO_SOURCE_SOCKET && !a->size)
		return message_join(input, with, sources, source);
	vec_append(&bytes, a->at, a->size);
	if (ends_line(b) && a->size && !ends_line(a))
		vec_push(&bytes, '\n');
	vec_append(&bytes, b->at, b->size);
	return with_bytes(input, source, &bytes, most);
}

struct input vary_without_message(const struct input *input, const struct input_sources *sources, size_t source)
{
	struct input rest = input_copy(input);
	size_t to = source;

	for (size_t i = source + 1; i < sources->count; i++)
		if (same_connection(sources, source, i)) {
			input_set(&rest, to, input->of[i].at, input->of[i].size);
			to = i;
		}
	input_set(&rest, to, "", 0);
	return rest;
}

struct vary_line *vary_split(const struct input_bytes *bytes, size_t *count)
{
	VEC_OF(struct vary_line) lines = {0};

	for (size_t from = 0, to; from < bytes->size; from = to) {
		const uint8_t *end = memchr(bytes->at + from, '\n', bytes->size - from);

		to = end ? (size_t)(end - bytes->at) + 1 : bytes->size;
		vec_push(&lines, ((struct vary_line){bytes->at + from, to - from}));
	}
	*count = lines.count;
	return lines.at;
}

static void line_put(byte_list *to, const struct vary_line *line)
{
	vec_append(to, line->at, line->size);
	if (!line->size || line->at[line->size - 1] != '\n')
		vec_push(to, '\n');
}

/* The word number `column` of a line; *size 0: there is none. */
static const uint8_t *word_at(const struct vary_line *line, size_t column, size_t *size)
{
	size_t at = 0, end = 0;

	for (size_t i = 0;; i++) {
		for (at = end; at < line->size && strchr(" \t\r\n", line->at[at]); at++)
			;
		for (end = at; end < line->size && !strchr(" \t\r\n", line->at[end]); end++)
			;
		if (i == column || at == line->size)
			break;
	}
	*size = end - at;
	return line->at + at;
}

/* A line with a word of another line in its place. */
static void line_put_mixed(byte_list *to, const struct vary_line *line, const struct vary_line *other, size_t column)
{
	size_t old_size, new_size;
	const uint8_t *old = word_at(line, column, &old_size), *new = word_at(other, column, &new_size);
	struct vary_line rest = {old + old_size, (size_t)(line->at + line->size - (old + old_size))};

	if (!old_size || !new_size) {
		line_put(to, line);
		return;
	}
	vec_append(to, line->at, (size_t)(old - line->at));
	vec_append(to, new, new_size);
	line_put(to, &rest);
}

/* A line with a longer word. */
static void line_put_longer(byte_list *to, const struct vary_line *line, size_t column)
{
	size_t size;
	const uint8_t *word = word_at(line, column, &size);
	struct vary_line rest = {word + size, (size_t)(line->at + line->size - (word + size))};

	if (!size) {
		line_put(to, line);
		return;
	}
	vec_append(to, line->at, (size_t)(word + size - line->at));
	fill(to, WORD_GROWTH);
	line_put(to, &rest);
}

enum change { CHANGE_LONGER, CHANGE_REPEAT, CHANGE_DROP, CHANGE_MOVE, CHANGE_WORD, CHANGES };

struct input vary_lines(const struct input *input, size_t source, unsigned way, uint64_t *random)
{
	struct input other = input_copy(input);
	byte_list bytes = {0};
	size_t count;
	struct vary_line *lines = vary_split(&input->of[source], &count);
	enum change change = (enum change)(way % CHANGES);
	size_t a = count ? random_below(random, count) : 0, b = count ? random_below(random, count) : 0,
	       column = random_below(random, 4);

	if (change == CHANGE_DROP && count == 1)
		change = CHANGE_REPEAT;
	for (size_t i = 0; i < count; i++) {
		if (i == b && (change == CHANGE_REPEAT || change == CHANGE_MOVE))
			line_put(&bytes, &lines[a]);
		if (i == a && change == CHANGE_WORD)
			line_put_mixed(&bytes, &lines[a], &lines[b], column);
		else if (i == a && change == CHANGE_LONGER)
			line_put_longer(&bytes, &lines[a], column / 2);
		else if (i != a || (change != CHANGE_DROP && change != CHANGE_MOVE))
			line_put(&bytes, &lines[i]);
	}
	input_set(&other, source, bytes.at, bytes.count);
	vec_free(&bytes);
	free(lines);
	return other;
}
