/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_reuse.c - another file at the same address, the first one again later, with a change by write(2) while it was not
 * mapped. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *q;
	int a, b;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	a = file_create("pool.a", PAGE);
	b = file_create("pool.b", PAGE);
	begin(p);

	q = file_map(a, SECOND_ADDR, PAGE);
	//! file pool.a id=2 size=4096 created
	//! map pool.a+0x0 4096 at=0x140000000 prot=rw- flags=shared,fixed
	ST8(q, 1);                   //! store pool.a+0x0 8 0x1
	CHECK(munmap(q, PAGE) == 0); //! unmap 0x140000000 4096
	q = file_map(b, SECOND_ADDR, PAGE);
	//! file pool.b id=3 size=4096 created
	//! map pool.b+0x0 4096 at=0x140000000 prot=rw- flags=shared,fixed
	ST8(q, 2);                          //! store pool.b+0x0 8 0x2
	CHECK(pwrite(a, "\7", 1, 64) == 1); //! write pool.a+0x40 1
	/* over it, without munmap */
	q = file_map(a, SECOND_ADDR, PAGE);
	//! unmap 0x140000000 4096
	//! map pool.a+0x0 4096 at=0x140000000 prot=rw- flags=shared,fixed
	CHECK(load8(q) == 1 && q[64] == 7);
	ST8(q + 8, 3); //! store pool.a+0x8 8 0x3
	end(p);
	return 0;
}
