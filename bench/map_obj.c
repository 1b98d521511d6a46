/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_obj FILE OPERATIONS hash | tree | ledger - programs over libpmemobj, one transaction per operation: a hash table
 * with chains and a binary tree, in which keys are put, removed and looked up; a ledger of transfers between accounts. */
// link: -lpmemobj
// cflags: -Wno-clobbered
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096
#define ACCOUNTS 1024
#define KEYS 20000 /* that may be in a map */

POBJ_LAYOUT_BEGIN(map);
POBJ_LAYOUT_ROOT(map, struct root);
POBJ_LAYOUT_TOID(map, struct node);
POBJ_LAYOUT_TOID(map, struct transfer);
POBJ_LAYOUT_END(map);

struct node {
	uint64_t key, value;
	TOID(struct node) next[2]; /* in a chain: only the first; in the tree: smaller, greater */
};

struct transfer {
	uint64_t number, from, to, amount;
	TOID(struct transfer) before;
};

struct root {
	uint64_t count;
	TOID(struct node) top;
	TOID(struct node) buckets[BUCKETS];
	uint64_t balance[ACCOUNTS];
	TOID(struct transfer) last;
};

static PMEMobjpool *pop;
static TOID(struct root) root;

/* ---- maps: a link is where the node of a key is, or would be ---- */

static TOID(struct node) * hash_link(uint64_t key)
{
	TOID(struct node) *link = &D_RW(root)->buckets[(key * 0x9e3779b97f4a7c15u >> 40) % BUCKETS];

	while (!TOID_IS_NULL(*link) && D_RO(*link)->key != key)
		link = &D_RW(*link)->next[0];
	return link;
}

static TOID(struct node) * tree_link(uint64_t key)
{
	TOID(struct node) *link = &D_RW(root)->top;

	while (!TOID_IS_NULL(*link) && D_RO(*link)->key != key)
		link = &D_RW(*link)->next[D_RO(*link)->key < key];
	return link;
}

/* The node leaves its chain, or the tree: a node with two subtrees stays, and takes the least greater key. */
static void unlink_node(TOID(struct node) * link)
{
	struct node *node = D_RW(*link);
	TOID(struct node) *least = &node->next[1], gone = *link;

	if (!TOID_IS_NULL(node->next[0]) && !TOID_IS_NULL(node->next[1])) {
		while (!TOID_IS_NULL(D_RO(*least)->next[0]))
			least = &D_RW(*least)->next[0];
		pmemobj_tx_add_range_direct(node, 2 * sizeof(uint64_t));
		node->key = D_RO(*least)->key;
		node->value = D_RO(*least)->value;
		gone = *least;
		link = least;
	}
	pmemobj_tx_add_range_direct(link, sizeof(*link));
	*link = D_RO(gone)->next[TOID_IS_NULL(D_RO(gone)->next[0])];
	TX_FREE(gone);
}

static void map_remove(TOID(struct node) * link)
{
	TX_BEGIN(pop)
	{
		TX_ADD_FIELD(root, count);
		D_RW(root)->count--;
		unlink_node(link);
	}
	TX_END
}

static void map_put(TOID(struct node) * link, uint64_t key, uint64_t value)
{
	TX_BEGIN(pop)
	{
		if (TOID_IS_NULL(*link)) {
			pmemobj_tx_add_range_direct(link, sizeof(*link));
			*link = TX_ZNEW(struct node);
			D_RW(*link)->key = key;
			TX_ADD_FIELD(root, count);
			D_RW(root)->count++;
		} else {
			TX_ADD_FIELD(*link, value);
		}
		D_RW(*link)->value = value;
	}
	TX_END
}

static uint64_t map_operate(TOID(struct node) * link, uint64_t key, uint64_t random)
{
	if (random % 4 < 2)
		map_put(link, key, random);
	else if (!TOID_IS_NULL(*link) && random % 4 == 2)
		map_remove(link);
	else if (!TOID_IS_NULL(*link))
		return D_RO(*link)->value;
	return 0;
}

/* ---- the ledger ---- */

static void ledger_transfer(uint64_t from, uint64_t to, uint64_t amount)
{
	struct root *r = D_RW(root);

	TX_BEGIN(pop)
	{
		TOID(struct transfer) transfer = TX_NEW(struct transfer);
		struct transfer *t = D_RW(transfer);

		TX_ADD_FIELD(root, count);
		*t = (struct transfer){r->count++, from, to, amount, r->last};
		TX_ADD_FIELD(root, last);
		r->last = transfer;
		TX_ADD_FIELD(root, balance[from]);
		TX_ADD_FIELD(root, balance[to]);
		r->balance[from] -= amount;
		r->balance[to] += amount;
	}
	TX_END
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

int main(int argc, char **argv)
{
	uint64_t state = 88172645463325252ul, sum = 0;

	if (argc != 4) {
		fprintf(stderr, "usage: map_obj FILE OPERATIONS hash | tree | ledger\n");
		return 2;
	}
	pop = pmemobj_create(argv[1], POBJ_LAYOUT_NAME(map), 64u << 20, 0644);
	if (!pop) {
		fprintf(stderr, "%s: %s\n", argv[1], pmemobj_errormsg());
		return 3;
	}
	root = POBJ_ROOT(pop, struct root);
	for (unsigned long n = strtoul(argv[2], NULL, 10); n > 0; n--) {
		uint64_t random = random_next(&state) >> 8, key = random / 4 % KEYS + 1;

		if (!strcmp(argv[3], "hash"))
			sum += map_operate(hash_link(key), key, random);
		else if (!strcmp(argv[3], "tree"))
			sum += map_operate(tree_link(key), key, random);
		else
			ledger_transfer(key % ACCOUNTS, random % ACCOUNTS, random % 100);
	}
	printf("%lu %lu\n", (unsigned long)D_RO(root)->count, (unsigned long)sum);
	pmemobj_close(pop);
	return 0;
}
