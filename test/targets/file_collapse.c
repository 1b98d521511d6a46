/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_collapse.c - fallocate that takes a range out of a PM file or pushes one in. */
// events: store,allocate
#include "target.h"

#include <linux/falloc.h>

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", POOL_BYTES);
	for (int i = 0; i < 4; i++) {
		char page[PAGE];

		memset(page, 'a' + i, PAGE);
		CHECK(pwrite(fd, page, PAGE, (off_t)(i * PAGE)) == PAGE);
	}
	q = file_map(fd, SECOND_ADDR, POOL_BYTES);
	begin(p);
	if (fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0x1000, 0x1000) < 0) { //! allocate pool.b mode=8 0x1000 4096
		fprintf(stderr, "skip: this file system cannot collapse a range\n");
		return 77;
	}
	CHECK(q[0xfff] == 'a' && q[0x1000] == 'c');
	ST8(q, 1);                                                         //! store pool.b+0x0 8 0x1
	mark("pool.b", q + 8, 1);                                          //! store pool.b+0x8 8 0x6d61726b01
	CHECK(fallocate(fd, FALLOC_FL_INSERT_RANGE, 0x2000, 0x1000) == 0); //! allocate pool.b mode=32 0x2000 4096
	CHECK(q[0x1000] == 'c' && q[0x2000] == 0 && q[0x3000] == 'd');
	ST8(q + 0x2008, 2); //! store pool.b+0x2008 8 0x2
	end(p);
	return 0;
}
