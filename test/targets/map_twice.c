/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_twice.c - one file, several mappings: events name the file's offset, whichever address they went through. */
// needs: clwb
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *q, *r;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = open(argv[1], O_RDWR);
	begin(p);

	q = file_map(fd, SECOND_ADDR, POOL_BYTES);
	//! map pool+0x0 16384 at=0x140000000 prot=rw- flags=shared,fixed
	ST8(p, 1);   //! store pool+0x0 8 0x1
	ST8(q, 2);   //! store pool+0x0 8 0x2
	CLWB(q + 1); //! clwb pool+0x1
	CHECK(load8(p) == 2);
	r = mmap((void *)VOLATILE_ADDR, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0x2000);
	//! map pool+0x2000 4096 at=0x200000000 prot=rw- flags=shared,fixed
	ST8(r + 8, 3); //! store pool+0x2008 8 0x3
	CHECK(load8(p + 0x2008) == 3);
	CLFLUSH(r + 8);                    //! clflush pool+0x2008
	CHECK(munmap(q, POOL_BYTES) == 0); //! unmap 0x140000000 16384
	CLWB(p + 4);                       //! clwb pool+0x4
	ST8(p + 16, 4);                    //! store pool+0x10 8 0x4
	ST8(r + 16, 5);                    //! store pool+0x2010 8 0x5
	CHECK(munmap(r, PAGE) == 0);       //! unmap 0x200000000 4096
	/* the same file through another descriptor, elsewhere, and a path that is a link */
	CHECK(link(argv[1], "pool.link") == 0);
	CHECK(close(fd) == 0);
	fd = open("pool.link", O_RDWR);
	q = file_map(fd, SECOND_ADDR, PAGE);
	//! map pool+0x0 4096 at=0x140000000 prot=rw- flags=shared,fixed
	ST1(q + 0x20, 6); //! store pool+0x20 1 0x6
	end(p);
	CHECK(p[0x20] == 6);
	return 0;
}
