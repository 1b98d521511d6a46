/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_fixed.c - mapping over PM takes the part away; mapping without MAP_FIXED, and past the end of the file. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", POOL_BYTES);
	q = file_map(fd, SECOND_ADDR, POOL_BYTES);
	begin(p);

	ST8(q + 0x1000, 1); //! store pool.b+0x1000 8 0x1
	/* anonymous memory over the second page */
	CHECK(mmap(q + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q + PAGE);
	//! unmap 0x140001000 4096
	ST8(q + 0x1000, 2);
	ST8(q, 3);          //! store pool.b+0x0 8 0x3
	ST8(q + 0x2000, 4); //! store pool.b+0x2000 8 0x4
	/* another part of the same file over the third */
	CHECK(mmap(q + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, PAGE) == q + 2 * PAGE);
	//! unmap 0x140002000 4096
	//! map pool.b+0x1000 4096 at=0x140002000 prot=rw- flags=shared,fixed
	CHECK(load8(q + 0x2000) == 1);
	ST8(q + 0x2008, 5); //! store pool.b+0x1008 8 0x5
	ST8(q + 0x3008, 6); //! store pool.b+0x3008 8 0x6
	end(p);

	/* where the kernel likes, one page longer than the file; not fixed, so only the offsets can be told before */
	CHECK(munmap(q, POOL_BYTES) == 0);
	q = mmap(NULL, POOL_BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(q != MAP_FAILED);
	begin(p);
	ST8(q + 16, 7);                               //! store pool.b+0x10 8 0x7
	CHECK(ftruncate(fd, POOL_BYTES + PAGE) == 0); //! truncate pool.b 20480
	ST8(q + POOL_BYTES, 8);                       //! store pool.b+0x4000 8 0x8
	end(p);
	return 0;
}
