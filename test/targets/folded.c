/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folded.c - a function that is meant to be folded keeps one thing persistent, and another that need not be, for one
 * line of its caller. */
#include "target.h"

struct box {
	_Alignas(64) uint64_t value;
	_Alignas(64) uint64_t hint;
};

static void __attribute__((noinline)) box_put(struct box *box, uint64_t value)
{
	ST8(&box->value, value);
	CLFLUSH(&box->value);
	ST8(&box->hint, value);
}

int main(int argc, char **argv)
{
	struct box *boxes;

	CHECK(argc == 2);
	boxes = (struct box *)pool_create(argv[1]);
	for (uint64_t i = 0; i < 8; i++)
		box_put(&boxes[i], i + 1);
	return 0;
}
