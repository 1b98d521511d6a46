/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_edge.c - stores that begin or end outside a pool, and stores over two pools that lie side by side. */
#include "target.h"

#define HERE 0x180000000ul

int main(int argc, char **argv)
{
	char *p, *volatile_front, *second, name[4096];
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	snprintf(name, sizeof(name), "%s.b", argv[1]);
	fd = file_create(name, PAGE);
	second = file_map(fd, POOL_ADDR + POOL_BYTES, PAGE);
	fd = open(argv[1], O_RDWR);
	volatile_front =
		mmap((void *)HERE, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(volatile_front == (char *)HERE);
	CHECK(mmap((void *)(HERE + PAGE), PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	      (void *)(HERE + PAGE));
	begin(p);

	/* volatile to PM, and back */
	ST8(volatile_front + PAGE - 8, 0x1111111111111111);
	ST8(volatile_front + PAGE - 3, 0x0807060504030201);     //! store pool+0x0 5 0x807060504
	ST8(volatile_front + 2 * PAGE - 1, 0x0807060504030201); //! store pool+0xfff 1 0x1
	ST4(volatile_front + 2 * PAGE, 7);
	/* from one pool into the next */
	ST8(second - 6, 0x0807060504030201);
	//! store pool+0x3ffa 6 0x60504030201
	//! store pool.b+0x0 2 0x807
	ST1(second + PAGE - 1, 5); //! store pool.b+0xfff 1 0x5
	__asm__ volatile("movups (%0), %%xmm1; movups %%xmm1, (%1)"
			 :
			 : "r"(volatile_front + PAGE - 8), "r"(second - 8)
			 : "xmm1", "memory");
	//! store pool+0x3ff8 8 *
	//! store pool.b+0x0 8 *

	end(p);
	CHECK(load8(second - 8) == END_VALUE);
	return 0;
}
