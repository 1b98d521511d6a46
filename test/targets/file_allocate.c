/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_allocate.c - fallocate in its modes. */
// events: store,allocate,truncate
#include "target.h"

#include <linux/falloc.h>

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", POOL_BYTES);
	if (fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, PAGE) < 0) {
		fprintf(stderr, "skip: this file system cannot zero a range\n");
		return 77;
	}
	q = file_map(fd, SECOND_ADDR, POOL_BYTES);
	memset(q, 0x5a, POOL_BYTES);
	begin(p);

	CHECK(fallocate(fd, 0, 0x1000, 0x1000) == 0);                   //! allocate pool.b mode=0 0x1000 4096
	CHECK(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0x4000, 0x2000) == 0); //! allocate pool.b mode=1 0x4000 8192
	CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0x800, 0x1000) == 0);
	//! allocate pool.b mode=3 0x800 4096
	CHECK(q[0x7ff] == 0x5a && q[0x800] == 0 && q[0x17ff] == 0 && q[0x1800] == 0x5a);
	ST8(q + 0x1000, 1);                                              //! store pool.b+0x1000 8 0x1
	CHECK(fallocate(fd, FALLOC_FL_ZERO_RANGE, 0x2000, 0x100) == 0);  //! allocate pool.b mode=16 0x2000 256
	CHECK(fallocate(fd, FALLOC_FL_ZERO_RANGE, 0x3800, 0x1800) == 0); //! allocate pool.b mode=16 0x3800 6144
	mark("pool.b", q + 8, 1);                                        //! store pool.b+0x8 8 0x6d61726b01
	CHECK(fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0x100, 0x80) ==
	      0);                                        //! allocate pool.b mode=17 0x100 128
	CHECK(posix_fallocate(fd, 0x5000, 0x1000) == 0); //! allocate pool.b mode=0 0x5000 4096
	CHECK(fallocate(fd, 0, 0, 0) == -1);
	/* the same by an address */
	CHECK(madvise(q + 0x3000, PAGE, MADV_REMOVE) == 0); //! allocate pool.b mode=3 0x3000 4096
	end(p);
	return 0;
}
