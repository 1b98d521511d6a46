/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_sync.c - MAP_SYNC, refused by the kernel where there is no DAX: the program falls back, and only the fallback is
 * recorded. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", POOL_BYTES);
	begin(p);
	q = mmap((void *)SECOND_ADDR, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC | MAP_FIXED,
		 fd, 0);
	if (q != MAP_FAILED) {
		fprintf(stderr, "skip: this file system has DAX\n");
		return 77;
	}
	CHECK(errno == EOPNOTSUPP);
	q = mmap((void *)SECOND_ADDR, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_FIXED, fd, 0);
	CHECK(q == (char *)SECOND_ADDR);
	//! file pool.b id=2 size=16384 created
	//! map pool.b+0x0 16384 at=0x140000000 prot=rw- flags=shared,fixed
	ST8(q + 8, 1); //! store pool.b+0x8 8 0x1
	end(p);
	return 0;
}
