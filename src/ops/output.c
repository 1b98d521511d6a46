/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - see output.h. */
#include "ops/output.h"

#include <regex.h>
#include <string.h>
#include <xxhash.h>

#include "base/vec.h"
#include "ops/excerpt.h"

struct output_rules {
	uint64_t bytes_max;
	VEC_OF(struct re_pattern_buffer) ignored;
	VEC_OF(char *) texts; /* of these expressions */
};

/* A path, and the word that takes its place. */
struct hidden {
	const char *path, *word;
};

struct output {
	const struct output_rules *rules;
	struct hidden hidden[OUTPUT_HIDDEN_MAX];
	size_t hidden_count;
	VEC_OF(char) shown; /* a line with the words in place of the paths */
	uint64_t bytes;
	bool endless, ended;
	VEC_OF(char) partial;    /* the start of a line whose end has not come yet */
	VEC_OF(uint64_t) hashes; /* of the lines, at most OUTPUT_HASHED_MAX */
	uint64_t rest_count;     /* lines after those */
	uint64_t rest;           /* their hash */
	VEC_OF(char) text;       /* of lines, each cut to OUTPUT_TEXT_LINE_MAX */
	VEC_OF(uint32_t) starts; /* of the lines in `text` */
};

/* ---- rules ---- */

struct output_rules *output_rules_new(uint64_t bytes_max)
{
	struct output_rules *rules = mem_alloc(sizeof(*rules));

	rules->bytes_max = bytes_max;
	return rules;
}

void output_rules_free(struct output_rules *rules)
{
	for (size_t i = 0; i < rules->ignored.count; i++) {
		regfree(&rules->ignored.at[i]);
		free(rules->texts.at[i]);
	}
	vec_free(&rules->ignored);
	vec_free(&rules->texts);
	free(rules);
}

uint64_t output_rules_bound(const struct output_rules *rules)
{
	return rules->bytes_max;
}

/* The functions of GNU: they take the length of a line, which may hold zero bytes. */
int output_rules_ignore(struct output_rules *rules, const char *regex, struct err *err)
{
	struct re_pattern_buffer compiled = {0};

	re_set_syntax(RE_SYNTAX_POSIX_EXTENDED | RE_NO_SUB);
	const char *why = re_compile_pattern(regex, strlen(regex), &compiled);
	if (why) {
		err_set(err, "--ignore-output '%.100s' is not a regular expression: %s", regex, why);
		regfree(&compiled);
		return err_status(err, ERR_USAGE);
	}
	vec_push(&rules->ignored, compiled);
	char *text = strdup(regex);
	BUG_ON(!text);
	vec_push(&rules->texts, text);
	return 0;
}

const char *const *output_rules_ignored(const struct output_rules *rules, size_t *count)
{
	*count = rules->texts.count;
	return (const char *const *)rules->texts.at;
}

static bool is_ignored(const struct output_rules *rules, const char *line, size_t size)
{
	if (size && line[size - 1] == '\n')
		size--;
	for (size_t i = 0; i < rules->ignored.count; i++)
		if (re_search(&rules->ignored.at[i], line, (regoff_t)size, 0, (regoff_t)size, NULL) >= 0)
			return true;
	return false;
}

/* ---- feeding ---- */

struct output *output_new(const struct output_rules *rules)
{
	struct output *output = mem_alloc(sizeof(*output));

	output->rules = rules;
	return output;
}

void output_free(struct output *output)
{
	if (!output)
		return;
	vec_free(&output->shown);
	vec_free(&output->partial);
	vec_free(&output->hashes);
	vec_free(&output->text);
	vec_free(&output->starts);
	free(output);
}

#define VEC_COPY(copy, from)                                 \
	do {                                                 \
		*(copy) = (typeof(*(copy))){0};              \
		vec_append(copy, (from)->at, (from)->count); \
	} while (0)

struct output *output_copy(const struct output *output)
{
	struct output *copy = mem_alloc(sizeof(*copy));

	*copy = *output;
	VEC_COPY(&copy->shown, &output->shown);
	VEC_COPY(&copy->partial, &output->partial);
	VEC_COPY(&copy->hashes, &output->hashes);
	VEC_COPY(&copy->text, &output->text);
	VEC_COPY(&copy->starts, &output->starts);
	return copy;
}

void output_hide(struct output *output, const char *path, const char *word)
{
	BUG_ON(output->bytes || output->hidden_count == OUTPUT_HIDDEN_MAX);
	output->hidden[output->hidden_count++] = (struct hidden){path, word};
}

/* The first hidden path in these bytes; NULL: there is none. */
static const char *hidden_find(const struct output *output, const char *bytes, size_t size, const struct hidden **which)
{
	const char *first = NULL;

	for (size_t i = 0; i < output->hidden_count; i++) {
		const struct hidden *hidden = &output->hidden[i];
		const char *found = memmem(bytes, size, hidden->path, strlen(hidden->path));

		if (found && (!first || found < first)) {
			first = found;
			*which = hidden;
		}
	}
	return first;
}

/* Replace the hidden paths; the new line stays until the next one. */
static void line_show(struct output *output, const char **line, size_t *size)
{
	const char *at = *line, *end = at + *size, *found;
	const struct hidden *which = NULL;

	if (!hidden_find(output, at, *size, &which))
		return;
	output->shown.count = 0;
	while ((found = hidden_find(output, at, (size_t)(end - at), &which))) {
		vec_append(&output->shown, at, (size_t)(found - at));
		vec_append(&output->shown, which->word, strlen(which->word));
		at = found + strlen(which->path);
	}
	vec_append(&output->shown, at, (size_t)(end - at));
	*line = output->shown.at;
	*size = output->shown.count;
}

static void text_keep(struct output *output, const char *line, size_t size)
{
	size_t kept = size < OUTPUT_TEXT_LINE_MAX ? size : OUTPUT_TEXT_LINE_MAX;

	if (output->text.count + kept > OUTPUT_TEXT_MAX)
		return;
	vec_push(&output->starts, (uint32_t)output->text.count);
	vec_append(&output->text, line, kept);
}

static void line_add(struct output *output, const char *line, size_t size)
{
	line_show(output, &line, &size);
	if (is_ignored(output->rules, line, size))
		return;
	uint64_t hash = XXH3_64bits(line, size);
	size_t number = output->hashes.count;
	if (number == OUTPUT_HASHED_MAX) {
		output->rest = XXH3_64bits_withSeed(&hash, sizeof(hash), output->rest);
		output->rest_count++;
		return;
	}
	vec_push(&output->hashes, hash);
	/* Without gaps: once a line did not fit, no later one is kept. */
	if (number == output->starts.count)
		text_keep(output, line, size);
}

/* Add a piece of a line; `last`: the line ends with it. */
static void piece_add(struct output *output, const char *piece, size_t size, bool last)
{
	if (last && !output->partial.count) {
		line_add(output, piece, size);
		return;
	}
	vec_append(&output->partial, piece, size);
	if (last) {
		line_add(output, output->partial.at, output->partial.count);
		output->partial.count = 0;
	}
}

bool output_feed(struct output *output, const void *bytes, size_t size)
{
	const char *at = bytes;
	uint64_t room = output->rules->bytes_max - output->bytes;

	BUG_ON(output->ended);
	if (size > room) {
		size = (size_t)room;
		output->endless = true;
	}
	output->bytes += size;
	while (size) {
		size_t line_room = OUTPUT_LINE_MAX - output->partial.count, piece = size < line_room ? size : line_room;
		const char *newline = memchr(at, '\n', piece);

		if (newline)
			piece = (size_t)(newline + 1 - at);
		piece_add(output, at, piece, newline || piece == line_room);
		at += piece;
		size -= piece;
	}
	return !output->endless;
}

void output_end(struct output *output)
{
	BUG_ON(output->ended);
	if (output->partial.count)
		piece_add(output, NULL, 0, true);
	output->ended = true;
}

bool output_is_endless(const struct output *output)
{
	return output->endless;
}

struct output_digest output_digest(const struct output *output)
{
	BUG_ON(!output->ended);
	XXH128_hash_t hash =
		XXH3_128bits_withSeed(output->hashes.at, output->hashes.count * sizeof(uint64_t), output->rest);
	return (struct output_digest){hash.low64, hash.high64};
}

bool output_same(const struct output *a, const struct output *b)
{
	const struct output_digest one = output_digest(a), other = output_digest(b);

	return one.low == other.low && one.high == other.high && a->endless == b->endless;
}

/* ---- bodies ---- */

/* How many of the first lines of the banner are the first lines of the output? */
static size_t banner_start(const struct output *output, const struct output *banner)
{
	size_t n = 0;

	while (n < banner->hashes.count && n < output->hashes.count && output->hashes.at[n] == banner->hashes.at[n])
		n++;
	return n;
}

/* How many of the last lines of the banner, other than the first `taken`, are the last lines of the output? */
static size_t banner_end(const struct output *output, const struct output *banner, size_t taken)
{
	const uint64_t *end = output->hashes.at + output->hashes.count,
		       *banner_end = banner->hashes.at + banner->hashes.count;
	size_t n = 0;

	if (output->rest_count)
		return 0;
	while (taken + n < banner->hashes.count && taken + n < output->hashes.count &&
	       end[-1 - (ptrdiff_t)n] == banner_end[-1 - (ptrdiff_t)n])
		n++;
	return n;
}

struct output_body output_body(const struct output *output, const struct output *banner)
{
	struct output_body body = {.output = output, .count = output->hashes.count, .rest = output->rest_count};

	BUG_ON(!output->ended || (banner && !banner->ended));
	if (banner) {
		body.first = banner_start(output, banner);
		body.count -= body.first + banner_end(output, banner, body.first);
	}
	return body;
}

uint64_t output_line_hash(const struct output_body *body, size_t line)
{
	BUG_ON(line >= body->count);
	return body->output->hashes.at[body->first + line];
}

uint64_t output_rest_hash(const struct output_body *body)
{
	return body->output->rest;
}

bool output_excerpt(const struct output_body *body, size_t line, const char *absent, char *text, size_t room)
{
	const struct output *output = body->output;
	size_t number = body->first + line;

	if (line >= body->count) {
		snprintf(text, room, "%s", absent);
		return !body->rest;
	}
	if (number >= output->starts.count)
		return false;
	size_t from = output->starts.at[number];
	size_t to = number + 1 < output->starts.count ? output->starts.at[number + 1] : output->text.count;
	excerpt(text, room, output->text.at + from, to - from);
	return true;
}
