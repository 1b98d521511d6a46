/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_remap.c - mremap: grown in place, moved, moved and grown, shrunk. */
#include "target.h"

#define THIRD_ADDR 0x280000000ul

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", 8 * PAGE);
	q = file_map(fd, SECOND_ADDR, 2 * PAGE);
	begin(p);

	CHECK(mremap(q, 2 * PAGE, 4 * PAGE, 0) == q); //! remap 0x140000000 8192 -> 0x140000000 16384
	ST8(q + 3 * PAGE, 1);                         //! store pool.b+0x3000 8 0x1
	CHECK(mremap(q, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)THIRD_ADDR) == (void *)THIRD_ADDR);
	//! remap 0x140000000 16384 -> 0x280000000 16384
	q = (char *)THIRD_ADDR;
	ST8(q + 8, 2); //! store pool.b+0x8 8 0x2
	CHECK(mremap(q, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)SECOND_ADDR) == (void *)SECOND_ADDR);
	//! remap 0x280000000 16384 -> 0x140000000 32768
	q = (char *)SECOND_ADDR;
	ST8(q + 7 * PAGE, 3);                     //! store pool.b+0x7000 8 0x3
	CHECK(mremap(q, 8 * PAGE, PAGE, 0) == q); //! remap 0x140000000 32768 -> 0x140000000 4096
	ST8(q + PAGE - 8, 4);                     //! store pool.b+0xff8 8 0x4
	/* what was cut off is no PM any more */
	CHECK(mmap(q + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q + PAGE);
	ST8(q + PAGE, 5);
	ST8(q + PAGE - 4, 0x1122334455667788); //! store pool.b+0xffc 4 0x55667788
	end(p);

	/* into a hole that the kernel chooses */
	q = mremap(q, PAGE, 8 * PAGE, MREMAP_MAYMOVE);
	CHECK(q != MAP_FAILED);
	begin(p);
	ST8(q + 0x100, 6);        //! store pool.b+0x100 8 0x6
	ST8(q + 7 * PAGE + 8, 7); //! store pool.b+0x7008 8 0x7
	end(p);
	return 0;
}
