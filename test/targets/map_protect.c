/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_protect.c - a file mapped read-only becomes PM when mprotect makes it writable. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", 2 * PAGE);
	CHECK(pwrite(fd, "content", 7, 0x10) == 7);
	begin(p);
	q = mmap((void *)SECOND_ADDR, 2 * PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
	CHECK(q == (char *)SECOND_ADDR);
	CHECK(mprotect(q, 2 * PAGE, PROT_READ | PROT_WRITE) == 0);
	//! file pool.b id=2 size=8192 created
	//! map pool.b+0x0 8192 at=0x140000000 prot=r-- flags=shared,fixed
	//! protect 0x140000000 8192 rw-
	ST8(q, 1);                                                 //! store pool.b+0x0 8 0x1
	CHECK(mprotect(q, PAGE, PROT_READ) == 0);                  //! protect 0x140000000 4096 r--
	ST8(q + PAGE, 2);                                          //! store pool.b+0x1000 8 0x2
	CHECK(mprotect(q, PAGE, PROT_READ | PROT_WRITE) == 0);     //! protect 0x140000000 4096 rw-
	ST8(q + 8, 3);                                             //! store pool.b+0x8 8 0x3
	CHECK(mprotect(q, 2 * PAGE, PROT_NONE) == 0);              //! protect 0x140000000 8192 ---
	CHECK(mprotect(q, 2 * PAGE, PROT_READ | PROT_WRITE) == 0); //! protect 0x140000000 8192 rw-
	ST8(q + 24, 4);                                            //! store pool.b+0x18 8 0x4
	end(p);
	CHECK(memcmp(q + 0x10, "content", 7) == 0);
	return 0;
}
