/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_unmap.c - munmap of the head, the middle and the tail of a mapping. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", 8 * PAGE);
	q = file_map(fd, SECOND_ADDR, 8 * PAGE);
	begin(p);

	CHECK(munmap(q + 3 * PAGE, 2 * PAGE) == 0); //! unmap 0x140003000 8192
	ST8(q + 3 * PAGE - 8, 1);                   //! store pool.b+0x2ff8 8 0x1
	ST8(q + 5 * PAGE, 2);                       //! store pool.b+0x5000 8 0x2
	CHECK(munmap(q, PAGE) == 0);                //! unmap 0x140000000 4096
	ST8(q + PAGE, 3);                           //! store pool.b+0x1000 8 0x3
	CHECK(munmap(q + 7 * PAGE, PAGE) == 0);     //! unmap 0x140007000 4096
	ST8(q + 6 * PAGE, 4);                       //! store pool.b+0x6000 8 0x4
	CHECK(munmap((char *)(VOLATILE_ADDR + 64 * PAGE), PAGE) == 0);
	CHECK(munmap(q + 1, PAGE) == -1);
	ST8(q + PAGE + 8, 5); //! store pool.b+0x1008 8 0x5
	end(p);
	/* what is left, with its hole, in one call */
	CHECK(munmap(q, 8 * PAGE) == 0);
	begin(p);
	ST8(p, 6); //! store pool+0x0 8 0x6
	CHECK(mmap(q, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q);
	ST8(q, 7);
	end(p);
	return 0;
}
