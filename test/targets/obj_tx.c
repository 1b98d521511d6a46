/* SPDX-License-Identifier: GPL-2.0-or-later */
/* obj_tx.c - libpmemobj transactions: commits, aborts, nesting, allocation and freeing, large ranges; copies of the
 * pool on the way. */
// link: -lpmemobj
// cflags: -Wno-array-bounds -Wno-stringop-overflow
#include <libpmemobj.h>

#include "target.h"

POBJ_LAYOUT_BEGIN(tx);
POBJ_LAYOUT_ROOT(tx, struct root);
POBJ_LAYOUT_TOID(tx, struct node);
POBJ_LAYOUT_END(tx);

struct node {
	TOID(struct node) next;
	uint64_t value;
	char text[200];
};

struct root {
	TOID(struct node) head;
	uint64_t count;
	uint64_t marker;
	char big[32 * 1024];
};

static PMEMobjpool *pop;
static TOID(struct root) root;

static void push(uint64_t value)
{
	TX_BEGIN(pop)
	{
		TOID(struct node) node = TX_ZNEW(struct node);

		TX_ADD(root);
		ST8(&D_RW(node)->value, 1000000);
		ST8(&D_RW(node)->value, value);
		memset(D_RW(node)->text, (int)value, sizeof(D_RW(node)->text));
		D_RW(node)->next = D_RO(root)->head;
		D_RW(root)->head = node;
		D_RW(root)->count++;
	}
	TX_ONABORT
	{
		CHECK(!"aborted");
	}
	TX_END
}

static void pop_node(void)
{
	TX_BEGIN(pop)
	{
		TOID(struct node) head = D_RO(root)->head;

		TX_ADD_FIELD(root, head);
		TX_ADD_FIELD(root, count);
		D_RW(root)->head = D_RO(head)->next;
		D_RW(root)->count--;
		TX_FREE(head);
	}
	TX_ONABORT
	{
		CHECK(!"aborted");
	}
	TX_END
}

/* Everything in it must be as before. */
static void give_up(void)
{
	uint64_t count = D_RO(root)->count;

	TX_BEGIN(pop)
	{
		TX_ADD(root);
		D_RW(root)->count = 12345;
		memset(D_RW(root)->big, 0xee, sizeof(D_RW(root)->big));
		(void)TX_NEW(struct node);
		TX_BEGIN(pop)
		{
			TX_ADD_FIELD(D_RO(root)->head, value);
			D_RW(D_RW(root)->head)->value = 999;
			pmemobj_tx_abort(ECANCELED);
		}
		TX_END
	}
	TX_END
	CHECK(D_RO(root)->count == count && D_RO(root)->big[0] == 0);
}

static void fill_big(int value)
{
	TX_BEGIN(pop)
	{
		TX_ADD_FIELD(root, big);
		pmemobj_memset(pop, D_RW(root)->big, value, sizeof(D_RW(root)->big), PMEMOBJ_F_MEM_NODRAIN);
	}
	TX_ONABORT
	{
		CHECK(!"aborted");
	}
	TX_END
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	pop = pmemobj_create(argv[1], POBJ_LAYOUT_NAME(tx), PMEMOBJ_MIN_POOL, 0644);
	CHECK(pop);
	root = POBJ_ROOT(pop, struct root);
	for (uint64_t i = 1; i <= 100; i++)
		push(i);
	mark(argv[1], (char *)&D_RW(root)->marker, 1);
	give_up();
	mark(argv[1], (char *)&D_RW(root)->marker, 2);
	for (int i = 0; i < 30; i++)
		pop_node();
	fill_big(0x11);
	mark(argv[1], (char *)&D_RW(root)->marker, 3);
	fill_big(0);
	push(1000);
	CHECK(D_RO(root)->count == 71 && D_RO(D_RO(root)->head)->value == 1000);
	pmemobj_close(pop);

	/* recovery and use in the same run */
	pop = pmemobj_open(argv[1], POBJ_LAYOUT_NAME(tx));
	CHECK(pop);
	root = POBJ_ROOT(pop, struct root);
	push(2000);
	mark(argv[1], (char *)&D_RW(root)->marker, 4);
	pmemobj_close(pop);
	return 0;
}
