/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btree_obj FILE OPERATIONS [MIB] - a B-tree over libpmemobj, one transaction per insertion, in a pool of that size.
 * btree_obj FILE check - its recovery. */
// link: -lpmemobj
// cflags: -Wno-array-bounds -Wno-stringop-overflow -Wno-clobbered
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE 8 /* children of a full node, which has one key fewer */
#define KEYS_MAX (DEGREE - 1)

POBJ_LAYOUT_BEGIN(btree);
POBJ_LAYOUT_ROOT(btree, struct tree);
POBJ_LAYOUT_TOID(btree, struct node);
POBJ_LAYOUT_END(btree);

struct node {
	uint32_t count, leaf;
	uint64_t keys[KEYS_MAX];
	uint64_t values[KEYS_MAX];
	TOID(struct node) children[DEGREE];
};

struct tree {
	TOID(struct node) top;
	uint64_t count;
};

static TOID(struct node) node_new(uint32_t leaf)
{
	TOID(struct node) node = TX_ZNEW(struct node);

	D_RW(node)->leaf = leaf;
	return node;
}

/* Splits the full i-th child of a node that is not full. */
static void node_split_child(TOID(struct node) node, uint32_t i)
{
	TOID(struct node) left = D_RO(node)->children[i], right = node_new(D_RO(left)->leaf);
	struct node *n = D_RW(node), *l = D_RW(left), *r = D_RW(right);
	uint32_t half = KEYS_MAX / 2, moved = KEYS_MAX - half - 1;

	TX_ADD(node);
	TX_ADD(left);
	memcpy(r->keys, l->keys + half + 1, moved * sizeof(r->keys[0]));
	memcpy(r->values, l->values + half + 1, moved * sizeof(r->values[0]));
	memcpy(r->children, l->children + half + 1, (moved + 1) * sizeof(r->children[0]));
	r->count = moved;
	l->count = half;
	memmove(n->keys + i + 1, n->keys + i, (n->count - i) * sizeof(n->keys[0]));
	memmove(n->values + i + 1, n->values + i, (n->count - i) * sizeof(n->values[0]));
	memmove(n->children + i + 2, n->children + i + 1, (n->count - i) * sizeof(n->children[0]));
	n->keys[i] = l->keys[half];
	n->values[i] = l->values[half];
	n->children[i + 1] = right;
	n->count++;
}

/* Inserts below a node that is not full.  Returns 1 if the key is new. */
static int node_insert(TOID(struct node) node, uint64_t key, uint64_t value)
{
	for (;;) {
		const struct node *n = D_RO(node);
		uint32_t i = 0;

		while (i < n->count && n->keys[i] < key)
			i++;
		if (i < n->count && n->keys[i] == key) {
			TX_ADD_FIELD(node, values[i]);
			D_RW(node)->values[i] = value;
			return 0;
		}
		if (n->leaf) {
			struct node *w = D_RW(node);

			TX_ADD(node);
			memmove(w->keys + i + 1, w->keys + i, (w->count - i) * sizeof(w->keys[0]));
			memmove(w->values + i + 1, w->values + i, (w->count - i) * sizeof(w->values[0]));
			w->keys[i] = key;
			w->values[i] = value;
			w->count++;
			return 1;
		}
		if (D_RO(n->children[i])->count == KEYS_MAX)
			node_split_child(node, i);
		else
			node = n->children[i];
	}
}

static void tree_insert(PMEMobjpool *pop, TOID(struct tree) tree, uint64_t key, uint64_t value)
{
	TX_BEGIN(pop)
	{
		TOID(struct node) top = D_RO(tree)->top;

		TX_ADD(tree);
		if (TOID_IS_NULL(top)) {
			top = node_new(1);
			D_RW(tree)->top = top;
		} else if (D_RO(top)->count == KEYS_MAX) {
			TOID(struct node) above = node_new(0);

			D_RW(above)->children[0] = top;
			node_split_child(above, 0);
			top = above;
			D_RW(tree)->top = top;
		}
		D_RW(tree)->count += (uint64_t)node_insert(top, key, value);
	}
	TX_ONABORT
	{
		fprintf(stderr, "aborted: %s\n", pmemobj_errormsg());
		exit(3);
	}
	TX_END
}

/* Counts the keys below a node, which must ascend from *last on. */
static uint64_t node_check(TOID(struct node) node, uint64_t *last)
{
	const struct node *n = D_RO(node);
	uint64_t count = n->count;

	for (uint32_t i = 0; i <= n->count; i++) {
		if (!n->leaf)
			count += node_check(n->children[i], last);
		if (i < n->count) {
			if (n->keys[i] <= *last) {
				fprintf(stderr, "the tree is out of order\n");
				exit(3);
			}
			*last = n->keys[i];
		}
	}
	return count;
}

/* Recovery: opening the pool completes or undoes a transaction in progress; then walk the whole tree. */
static int tree_check(PMEMobjpool *pop)
{
	TOID(struct tree) tree = POBJ_ROOT(pop, struct tree);
	uint64_t last = 0, found = TOID_IS_NULL(D_RO(tree)->top) ? 0 : node_check(D_RO(tree)->top, &last);

	if (found != D_RO(tree)->count) {
		fprintf(stderr, "the tree lost keys\n");
		return 3;
	}
	return 0;
}

static void tree_fill(PMEMobjpool *pop, unsigned long n)
{
	TOID(struct tree) tree = POBJ_ROOT(pop, struct tree);
	uint64_t state = 88172645463325252ul;

	for (unsigned long i = 0; i < n; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		tree_insert(pop, tree, (state >> 16) + 1, i);
	}
}

int main(int argc, char **argv)
{
	int check = argc == 3 && !strcmp(argv[2], "check"), status;
	PMEMobjpool *pop;
	unsigned long n;
	size_t bytes;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: btree_obj FILE OPERATIONS [MIB] | check\n");
		return 2;
	}
	n = strtoul(argv[2], NULL, 10);
	bytes = argc == 4 ? strtoul(argv[3], NULL, 10) << 20 : (32u << 20) + n * 200;
	if (check)
		pop = pmemobj_open(argv[1], POBJ_LAYOUT_NAME(btree));
	else
		pop = pmemobj_create(argv[1], POBJ_LAYOUT_NAME(btree), bytes, 0644);
	if (!pop) {
		fprintf(stderr, "%s: %s\n", argv[1], pmemobj_errormsg());
		return 3;
	}
	if (!check)
		tree_fill(pop, n);
	status = tree_check(pop);
	pmemobj_close(pop);
	return status;
}
