/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-tree-buggy.c - a tree gets a new node before the node is on media; who walks over it crashes. */
// arguments: {ops}
// run: --detect inject,explore
// ops: --count 24 --keys 12
// kind: 2 put {key} {value}
// kind: 1 walk
#include "ops.h"

struct value {
	_Alignas(LINE) uint64_t number;
};

struct node {
	_Alignas(LINE) uint64_t key;
	struct value *value;
	struct node *left, *right;
};

struct pool {
	_Alignas(LINE) struct node *root;
	_Alignas(LINE) uint64_t used; /* a node and a value that were taken and are not linked are lost, no more */
	struct value values[64];
	struct node nodes[64];
};

static struct value *value_new(struct pool *pool, uint64_t number)
{
	uint64_t used = pool->used;

	ST8(&pool->used, used + 1);
	PERSIST(&pool->used);
	ST8(&pool->values[used].number, number);
	PERSIST(&pool->values[used]);
	return &pool->values[used];
}

/* The link at which the node of the key is, or would be. */
static struct node **find(struct pool *pool, uint64_t key)
{
	struct node **link = &pool->root;

	while (*link && (*link)->key != key)
		link = key < (*link)->key ? &(*link)->left : &(*link)->right;
	return link;
}

static void put(struct pool *pool, uint64_t key, uint64_t number)
{
	struct value *value = value_new(pool, number);
	struct node **link = find(pool, key), *node = *link;

	if (node) {
		ST8(&node->value, value);
		PERSIST(node);
	} else {
		node = &pool->nodes[value - pool->values];
		ST8(&node->key, key);
		ST8(&node->value, value); //! recovery-crash error
		ST8(link, node);
		PERSIST(link);
		PERSIST(node);
	}
	printf("put %lu\n", key);
}

static void walk(const struct node *node)
{
	if (!node)
		return;
	walk(node->left);
	printf("%lu=%lu ", node->key, node->value->number);
	walk(node->right);
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	FILE *list = list_open(argv[argc - 1]);
	struct operation op;

	while (operation_next(list, &op)) {
		if (is(&op, "put")) {
			put(pool, op.a, op.b);
		} else {
			walk(pool->root);
			printf("\n");
		}
	}
	return 0;
}
