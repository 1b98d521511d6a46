/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-list-fixed.c - a list with links in both directions makes the backward ones again when it is opened. */
// arguments: {ops}
// run: --detect inject
// ops: --count 30 --keys 6 --seed 5
// kind: 4 push {key}
// kind: 3 drop {oldkey}
// kind: 2 forward
// kind: 2 backward
#include "ops.h"

struct node {
	_Alignas(LINE) uint64_t key;
	_Alignas(LINE) struct node *next;
	_Alignas(LINE) struct node *previous;
};

struct pool {
	_Alignas(LINE) uint64_t used;
	struct node head; /* the list is a circle, and this node is always in it */
	struct node nodes[48];
};

/* The forward links decide. */
static void link_set(struct node *node, struct node *next)
{
	ST8(&node->next, next);
	PERSIST(&node->next);
	ST8(&next->previous, node);
	PERSIST(&next->previous);
}

static void pool_recover(struct pool *pool)
{
	struct node *node = &pool->head;

	if (!node->next) {
		ST8(&node->previous, node);
		PERSIST(&node->previous);
		ST8(&node->next, node);
		PERSIST(&node->next);
	}
	do {
		ST8(&node->next->previous, node);
		PERSIST(&node->next->previous);
		node = node->next;
	} while (node != &pool->head);
}

static void push(struct pool *pool, uint64_t key)
{
	struct node *node = &pool->nodes[pool->used];

	ST8(&pool->used, pool->used + 1);
	PERSIST(&pool->used);
	ST8(&node->key, key);
	PERSIST(&node->key);
	ST8(&node->next, pool->head.next);
	PERSIST(&node->next);
	ST8(&node->previous, &pool->head);
	PERSIST(&node->previous);
	ST8(&pool->head.next->previous, node);
	PERSIST(&pool->head.next->previous);
	ST8(&pool->head.next, node);
	PERSIST(&pool->head.next);
	printf("pushed\n");
}

static void drop(struct pool *pool, uint64_t key)
{
	struct node *node = &pool->head;

	while (node->next != &pool->head && node->next->key != key)
		node = node->next;
	if (node->next != &pool->head)
		link_set(node, node->next->next);
	printf("dropped\n");
}

static void forward(const struct pool *pool)
{
	for (const struct node *node = pool->head.next; node != &pool->head; node = node->next)
		printf("%lu ", node->key);
	printf("forward\n");
}

static void backward(const struct pool *pool)
{
	for (const struct node *node = pool->head.previous; node != &pool->head; node = node->previous)
		printf("%lu ", node->key);
	printf("backward\n");
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	pool_recover(pool);
	while (operation_next(list, &op)) {
		if (is(&op, "push"))
			push(pool, op.a);
		else if (is(&op, "drop"))
			drop(pool, op.a);
		else if (is(&op, "forward"))
			forward(pool);
		else
			backward(pool);
	}
	return 0;
}
