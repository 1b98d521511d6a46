/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transient-overwritten-buggy.c - a flag that is set and cleared, a count that goes up and down, both in PM and never
 * written back: each place that stores them is named once, and no pair of them is a dirty overwrite. */
#include "pair.h"

struct root {
	uint64_t value;
	_Alignas(LINE) uint64_t busy;
	_Alignas(LINE) uint64_t users;
};

int main(int argc, char **argv)
{
	struct root *root = (struct root *)pool_create(argc > 1 ? argv[1] : "pool");

	for (int i = 0; i < 5; i++) {
		ST8(&root->busy, 1);                //! transient-data warning
		ST8(&root->users, root->users + 1); //! transient-data warning
		ST8(&root->value, i + 1);
		CLWB(&root->value);
		SFENCE();
		ST8(&root->users, root->users - 1); //! transient-data warning
		ST8(&root->busy, 0);                //! transient-data warning
	}
	return 0;
}
