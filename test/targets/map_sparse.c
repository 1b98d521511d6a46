/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_sparse.c - a sparse pool of 1 GiB costs what is in it.  With a second argument: made before, by this. */
#include "target.h"

#define GIB (1ul << 30)

int main(int argc, char **argv)
{
	char *p;
	int fd;

	CHECK(argc >= 2);
	if (argc > 2) {
		fd = file_create(argv[1], GIB);
		CHECK(pwrite(fd, "start", 5, 0) == 5);
		CHECK(pwrite(fd, "middle", 6, GIB / 2 - 3) == 6);
		CHECK(pwrite(fd, "end", 3, GIB - 3) == 3);
		return 0;
	}
	fd = open(argv[1], O_RDWR);
	CHECK(fd >= 0);
	p = file_map(fd, POOL_ADDR, GIB);
	CHECK(memcmp(p + GIB / 2 - 3, "middle", 6) == 0);
	begin(p);
	ST8(p + GIB / 4, 1);       //! store pool+0x10000000 8 0x1
	ST8(p + GIB - 16, 2);      //! store pool+0x3ffffff0 8 0x2
	ST1(p + GIB / 2 - 1, 'X'); //! store pool+0x1fffffff 1 0x58
	end(p);
	return 0;
}
