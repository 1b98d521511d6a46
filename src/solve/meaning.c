/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meaning.c - see meaning.h. */
#include "solve/meaning.h"

#include <string.h>
#include <xxhash.h>

static struct meaning hash(const void *bytes, size_t size, uint64_t seed)
{
	XXH128_hash_t meaning = XXH3_128bits_withSeed(bytes, size, seed);

	return (struct meaning){meaning.low64, meaning.high64};
}

/* What the expression's own number stands for.  Ids of sources and tables differ from path to path. */
static struct meaning own_meaning(const struct meanings *meanings, const struct expression *e)
{
	const struct expressions *x = meanings->x;
	const struct expression_source *source;
	const struct expression_table *table;

	if (e->kind == BO_EXPR_INPUT && meanings->anywhere)
		return (struct meaning){0};
	switch (e->kind) {
	case BO_EXPR_INPUT:
		source = expressions_source(x, expression_input_source(e));
		return hash(source->name, strlen(source->name), expression_input_offset(e) << 8 | source->kind);
	case BO_EXPR_LENGTH:
		source = expressions_source(x, (uint32_t)e->own);
		return hash(source->name, strlen(source->name), source->kind);
	case BO_EXPR_TABLE: table = expressions_table(x, (uint32_t)e->own); return hash(table->bytes, table->size, 0);
	default: return (struct meaning){e->own, 0};
	}
}

static struct meaning meaning_make(const struct meanings *meanings, const struct expression *e)
{
	struct {
		uint64_t kind, width;
		struct meaning own, operand[BO_EXPR_OPERANDS_MAX];
	} content = {.kind = e->kind, .width = e->width, .own = own_meaning(meanings, e)};

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++)
		content.operand[i] = meanings->at.at[e->operand[i] - 1];
	return hash(&content, sizeof(content), 0);
}

struct meaning meaning_of(struct meanings *meanings, uint32_t id)
{
	while (meanings->at.count < id) {
		const struct expression *next = expressions_at(meanings->x, (uint32_t)meanings->at.count + 1);
		struct meaning meaning = meaning_make(meanings, next);

		vec_push(&meanings->at, meaning);
	}
	return meanings->at.at[id - 1];
}

void meanings_free(struct meanings *meanings)
{
	vec_free(&meanings->at);
}

int meaning_compare(const void *a, const void *b)
{
	const struct meaning *left = a, *right = b;

	if (left->low != right->low)
		return left->low < right->low ? -1 : 1;
	return left->high < right->high ? -1 : left->high > right->high;
}
