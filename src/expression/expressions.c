/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expressions.c - see expressions.h. */
#include "expression/expressions.h"

#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/slab.h"
#include "base/vec.h"

struct expressions {
	VEC_OF(struct expression) at; /* by id - 1 */
	uint32_t *index;              /* ids by the hash of their expression, open addressing; 0: free */
	size_t index_room;            /* a power of 2, more than twice the number of expressions */
	struct slab sources, tables;  /* by id - 1 */
	struct map source_ids;        /* hash of a source -> its id */
	struct map table_ids;
	struct arena contents;
};

struct expressions *expressions_new(void)
{
	struct expressions *x = mem_alloc(sizeof(*x));

	x->sources = SLAB_OF(struct expression_source);
	x->tables = SLAB_OF(struct expression_table);
	return x;
}

void expressions_free(struct expressions *x)
{
	if (!x)
		return;
	vec_free(&x->at);
	free(x->index);
	slab_free(&x->sources);
	slab_free(&x->tables);
	map_free(&x->source_ids);
	map_free(&x->table_ids);
	arena_free(&x->contents);
	free(x);
}

const struct expression *expressions_at(const struct expressions *x, uint32_t id)
{
	BUG_ON(!id || id > x->at.count);
	return &x->at.at[id - 1];
}

uint32_t expressions_count(const struct expressions *x)
{
	return (uint32_t)x->at.count;
}

/* The entry of an expression in the index, or the free entry where it belongs. */
static uint32_t *index_find(const struct expressions *x, const struct expression *e)
{
	const uint64_t key[] = {e->kind | (uint64_t)e->width << 8 | (uint64_t)e->operand[0] << 32,
				e->operand[1] | (uint64_t)e->operand[2] << 32, e->own};
	size_t at = XXH3_64bits(key, sizeof(key)) & (x->index_room - 1);

	for (; x->index[at]; at = (at + 1) & (x->index_room - 1)) {
		const struct expression *other = expressions_at(x, x->index[at]);

		if (other->kind == e->kind && other->width == e->width && other->own == e->own &&
		    !memcmp(other->operand, e->operand, sizeof(e->operand)))
			break;
	}
	return &x->index[at];
}

static void index_grow(struct expressions *x)
{
	free(x->index);
	x->index_room = x->index_room ? x->index_room * 2 : 1024;
	x->index = mem_alloc(x->index_room * sizeof(*x->index));
	for (uint32_t id = 1; id <= x->at.count; id++)
		*index_find(x, expressions_at(x, id)) = id;
}

/* Is the expression's own number right, given that its kind and widths are? */
static bool own_is_valid(const struct expressions *x, const struct expression *e)
{
	switch (e->kind) {
	case BO_EXPR_CONST: return e->own <= bo_width_mask(e->width);
	case BO_EXPR_INPUT: return expressions_source(x, expression_input_source(e));
	case BO_EXPR_LENGTH: return e->own <= UINT32_MAX && expressions_source(x, (uint32_t)e->own);
	case BO_EXPR_TABLE: return e->own <= UINT32_MAX && expressions_table(x, (uint32_t)e->own);
	case BO_EXPR_EXTRACT: return e->own <= (uint64_t)(expressions_at(x, e->operand[0])->width - e->width);
	default: return !e->own;
	}
}

static bool is_valid(const struct expressions *x, const struct expression *e)
{
	uint8_t widths[BO_EXPR_OPERANDS_MAX] = {0};

	if (e->kind >= BO_EXPR_COUNT)
		return false;
	for (unsigned i = 0; i < BO_EXPR_OPERANDS_MAX; i++) {
		if ((i < bo_expression_operands(e->kind)) != (e->operand[i] != 0) || e->operand[i] > x->at.count)
			return false;
		if (e->operand[i])
			widths[i] = expressions_at(x, e->operand[i])->width;
	}
	return bo_expression_fits(e->kind, e->width, widths) && own_is_valid(x, e);
}

uint32_t expressions_add(struct expressions *x, const struct expression *expression)
{
	uint32_t *entry;

	if (!is_valid(x, expression) || x->at.count == UINT32_MAX)
		return 0;
	if (x->at.count * 2 >= x->index_room)
		index_grow(x);
	entry = index_find(x, expression);
	if (!*entry) {
		vec_push(&x->at, *expression);
		*entry = (uint32_t)x->at.count;
	}
	return *entry;
}

/* Where the id of something with this number and content is kept; 0 there: it is new. */
static uint64_t *id_of(struct map *ids, uint64_t number, const void *bytes, size_t size)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, number);

	return map_put(ids, hash.low64, hash.high64);
}

uint32_t expressions_add_source(struct expressions *x, enum bo_source kind, const char *name)
{
	uint64_t *id = id_of(&x->source_ids, kind, name, strlen(name));

	if (!*id) {
		struct expression_source *source = slab_push(&x->sources);

		*source =
			(struct expression_source){.kind = kind, .name = arena_copy(&x->contents, name, strlen(name))};
		*id = x->sources.count;
	}
	return (uint32_t)*id;
}

uint32_t expressions_add_table(struct expressions *x, uint64_t address, const void *bytes, size_t size)
{
	uint64_t *id = id_of(&x->table_ids, address, bytes, size);

	if (!*id) {
		struct expression_table *table = slab_push(&x->tables);

		*table = (struct expression_table){.address = address,
						   .bytes = (const uint8_t *)arena_copy(&x->contents, bytes, size),
						   .size = size};
		*id = x->tables.count;
	}
	return (uint32_t)*id;
}

const struct expression_source *expressions_source(const struct expressions *x, uint32_t id)
{
	return id ? slab_at(&x->sources, id - 1) : NULL;
}

const struct expression_table *expressions_table(const struct expressions *x, uint32_t id)
{
	return id ? slab_at(&x->tables, id - 1) : NULL;
}

uint32_t expressions_source_count(const struct expressions *x)
{
	return (uint32_t)x->sources.count;
}

uint64_t expression_table_load(const struct expression_table *table, uint64_t offset, unsigned width)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width / 8; i++) {
		if (offset < table->size && i < table->size - offset)
			value |= (uint64_t)table->bytes[offset + i] << i * 8;
	}
	return value;
}
