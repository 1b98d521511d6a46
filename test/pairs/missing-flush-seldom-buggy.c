/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-flush-seldom-buggy.c - a count of hits beside a name.  It runs 214 times, and is persisted three times, when
 * the name is flushed; the name itself is forgotten once. */
#include "pair.h"

struct root {
	uint64_t hits;
	_Alignas(32) uint64_t name;
};

int main(int argc, char **argv)
{
	struct root *root = (struct root *)pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 214; i++) {
		ST8(&root->hits, root->hits + 1); //! missing-flush warning
		if (i % 60 != 20)
			continue;
		ST8(&root->name, i); //! missing-flush error
		if (i > 180)
			continue;
		CLWB(&root->name);
		SFENCE();
	}
	return 0;
}
