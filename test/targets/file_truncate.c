/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_truncate.c - a mapped PM file gets shorter and longer; what was cut off comes back as zeroes. */
// events: store,truncate,write
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *q;
	int fd, b;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	b = file_create("pool.b", POOL_BYTES);
	q = file_map(b, SECOND_ADDR, POOL_BYTES);
	begin(p);

	ST8(q + 0x3000, 1);                         //! store pool.b+0x3000 8 0x1
	ST8(q + 0x1800, 2);                         //! store pool.b+0x1800 8 0x2
	ST8(q + 0x17f8, 3);                         //! store pool.b+0x17f8 8 0x3
	CHECK(ftruncate(b, 0x1800) == 0);           //! truncate pool.b 6144
	CHECK(truncate("pool.b", POOL_BYTES) == 0); //! truncate pool.b 16384
	CHECK(load8(q + 0x3000) == 0 && load8(q + 0x1800) == 0 && load8(q + 0x17f8) == 3);
	mark("pool.b", q + 0x3ff0, 1); //! store pool.b+0x3ff0 8 0x6d61726b01
	CHECK(truncate("pool.b", -1) == -1);
	fd = open("pool.b", O_RDWR | O_TRUNC); //! truncate pool.b 0
	CHECK(fd >= 0);
	CHECK(pwrite(fd, "short", 5, 0) == 5); //! write pool.b+0x0 5
	CHECK(ftruncate(fd, 3) == 0);          //! truncate pool.b 3
	/* the bytes past the end of a file's last page are no content, even when stored to */
	ST8(q + 0x100, 9); //! store pool.b+0x100 8 0x9
	close(fd);
	fd = creat("pool.b", 0644);                 //! truncate pool.b 0
	CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0); //! truncate pool.b 4096
	ST8(q, 4);                                  //! store pool.b+0x0 8 0x4
	end(p);
	return 0;
}
