/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_long.c - stores enough for several chunks of trace. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	for (uint64_t i = 0; i < 250000; i++)
		ST8(p + i % 512 * 8, i * 0x9e3779b97f4a7c15ul);
	return 0;
}
