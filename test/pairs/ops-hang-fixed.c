/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-hang-fixed.c - an item moves to the front of a list; after a crash in the middle the move is made again. */
// arguments: {ops}
// run: --detect inject --timeout 0.5
// op: add 1; add 2; add 3; sum; touch 1; sum; touch 2; sum
#include "ops.h"

struct node {
	_Alignas(LINE) uint64_t key;
	_Alignas(LINE) struct node *next;
};

struct pool {
	_Alignas(LINE) uint64_t used;
	_Alignas(LINE) struct node *head;
	_Alignas(LINE) struct node *moving; /* if not NULL, a move is under way: */
	struct node *rest, *front, **link;
	struct node nodes[32];
};

static void word_set(void *word, const void *value)
{
	ST8(word, value);
	PERSIST(word);
}

static void add(struct pool *pool, uint64_t key)
{
	struct node *node = &pool->nodes[pool->used];

	ST8(&pool->used, pool->used + 1);
	PERSIST(&pool->used);
	ST8(&node->key, key);
	PERSIST(&node->key);
	word_set(&node->next, pool->head);
	word_set(&pool->head, node);
}

static void pool_recover(struct pool *pool)
{
	if (!pool->moving)
		return;
	word_set(pool->link, pool->rest);
	word_set(&pool->moving->next, pool->front);
	word_set(&pool->head, pool->moving);
	word_set(&pool->moving, NULL);
}

static void touch(struct pool *pool, uint64_t key)
{
	struct node **link = &pool->head, *node;

	while (*link && (*link)->key != key)
		link = &(*link)->next;
	node = *link;
	if (!node || node == pool->head)
		return;
	ST8(&pool->rest, node->next);
	ST8(&pool->front, pool->head);
	ST8(&pool->link, link);
	word_set(&pool->moving, node);
	pool_recover(pool);
}

static uint64_t sum(const struct pool *pool)
{
	uint64_t total = 0, weight = 1;

	for (const struct node *node = pool->head; node; node = node->next)
		total += node->key * weight++;
	return total;
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	pool_recover(pool);
	while (operation_next(list, &op)) {
		if (is(&op, "add"))
			add(pool, op.a);
		else if (is(&op, "touch"))
			touch(pool, op.a);
		printf("%s\n", op.name);
		if (is(&op, "sum"))
			printf("%lu\n", sum(pool));
	}
	return 0;
}
