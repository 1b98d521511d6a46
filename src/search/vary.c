/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vary.c - see vary.h. */
#include "search/vary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"

#define FILLER '0'
#define LINE_GROWTH 16
#define WORD_GROWTH 4

struct input vary_longer(const struct input *input, size_t source, unsigned way, size_t most)
{
	struct input longer = input_copy(input);
	const struct input_bytes *bytes = &input->of[source];
	bool ends_line = bytes->size && bytes->at[bytes->size - 1] == '\n';
	size_t more = way == 0 || !bytes->size ? LINE_GROWTH : bytes->size,
	       kept = bytes->size - (way == 0 && ends_line),
	       size = bytes->size + more < most ? bytes->size + more : most;
	uint8_t *grown = mem_alloc(size + 1);

	for (size_t i = 0; i < size; i++)
		grown[i] = i < kept ? bytes->at[i] : way == 0 || !bytes->size ? FILLER : bytes->at[i % bytes->size];
	if (way == 0 && ends_line)
		grown[size - 1] = '\n';
	input_set(&longer, source, grown, size);
	free(grown);
	return longer;
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

typedef VEC_OF(uint8_t) byte_list;

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

	vec_append(to, line->at, (size_t)(word + size - line->at));
	for (int i = 0; i < WORD_GROWTH; i++)
		vec_push(to, FILLER);
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
