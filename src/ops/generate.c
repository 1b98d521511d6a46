/* SPDX-License-Identifier: GPL-2.0-or-later */
/* generate.c - see generate.h. */
#include "ops/generate.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/random.h"

/* The last digits of a value are random, so that keys and values differ. */
enum { VALUE_STEP = 1000 };

struct generator {
	const struct grammar *grammar;
	struct keys *keys;
	uint64_t random;
	uint64_t weights;         /* of all kinds */
	uint64_t weights_at_once; /* of the kinds that need no old key */
	uint64_t values;          /* how many were made */
	VEC_OF(char) text;        /* of the last operation */
};

static bool needs_old_key(const struct grammar *grammar, const struct grammar_kind *kind)
{
	for (size_t i = 0; i < kind->count; i++)
		if (grammar->parts.at[kind->first + i].type == PART_OLD_KEY)
			return true;
	return false;
}

struct generator *generator_new(const struct grammar *grammar, const struct generator_options *options)
{
	struct generator *g = mem_alloc(sizeof(*g));

	g->grammar = grammar;
	g->keys = keys_new(options->keys, options->distribution, options->seed);
	/* Mixed, because the sequence of a seed is that of the seed before it without its first number. */
	g->random = random_mix(random_seed(options->seed, 0));
	for (size_t i = 0; i < grammar->kinds.count; i++) {
		const struct grammar_kind *kind = &grammar->kinds.at[i];

		g->weights += kind->weight;
		if (!needs_old_key(grammar, kind))
			g->weights_at_once += kind->weight;
	}
	BUG_ON(!g->weights);
	return g;
}

void generator_free(struct generator *g)
{
	keys_free(g->keys);
	vec_free(&g->text);
	free(g);
}

static const struct grammar_kind *kind_choose(struct generator *g)
{
	bool at_once = g->weights_at_once && !keys_have_old(g->keys);
	uint64_t place = random_below(&g->random, at_once ? g->weights_at_once : g->weights);

	for (size_t i = 0;; i++) {
		const struct grammar_kind *kind = &g->grammar->kinds.at[i];

		if (at_once && needs_old_key(g->grammar, kind))
			continue;
		if (place < kind->weight)
			return kind;
		place -= kind->weight;
	}
}

static void text_add(struct generator *g, const char *text)
{
	vec_append(&g->text, text, strlen(text));
}

static void number_add(struct generator *g, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	text_add(g, text);
}

static void int_add(struct generator *g, int64_t low, int64_t high)
{
	uint64_t span = (uint64_t)high - (uint64_t)low;
	uint64_t step = span == UINT64_MAX ? random_next(&g->random) : random_below(&g->random, span + 1);
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, (int64_t)((uint64_t)low + step));
	text_add(g, text);
}

static void part_add(struct generator *g, const struct grammar_part *part)
{
	switch (part->type) {
	case PART_TEXT: text_add(g, part->text); break;
	case PART_KEY: number_add(g, keys_any(g->keys)); break;
	case PART_NEW_KEY: number_add(g, keys_unused(g->keys)); break;
	case PART_OLD_KEY: number_add(g, keys_have_old(g->keys) ? keys_old(g->keys) : keys_unused(g->keys)); break;
	case PART_VALUE: number_add(g, ++g->values * VALUE_STEP + random_below(&g->random, VALUE_STEP)); break;
	case PART_INT: int_add(g, part->low, part->high); break;
	}
}

const char *generator_next(struct generator *g)
{
	const struct grammar_kind *kind = kind_choose(g);

	g->text.count = 0;
	for (size_t i = 0; i < kind->count; i++)
		part_add(g, &g->grammar->parts.at[kind->first + i]);
	vec_push(&g->text, '\0');
	keys_settle(g->keys);
	return g->text.at;
}
