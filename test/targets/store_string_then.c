/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_string_then.c - a string store keeps the bytes that it stored, whatever happens to them next: a newer store, a
 * write, and memory that is protected, cut off or unmapped. */
#include "target.h"

#include <sys/syscall.h>

static void stosb(char *to, int value, unsigned long n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(value) : "memory");
}

/* Without the C library, which might execute something that is an event. */
static long call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	register unsigned long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

int main(int argc, char **argv)
{
	static const char byte = 0x77;
	char *p, *second;
	int fd, fd2;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = open(argv[1], O_RDWR);
	fd2 = file_create("second", POOL_BYTES);
	second = file_map(fd2, SECOND_ADDR, POOL_BYTES);
	begin(p);

	stosb(p, 0x11, 4); //! repstore pool+0x0 4 0x11111111
	ST1(p + 1, 0x77);  //! store pool+0x1 1 0x77

	stosb(p + 0x40, 0x22, 4); //! repstore pool+0x40 4 0x22222222
	CHECK(call(SYS_pwrite64, (unsigned long)fd, (unsigned long)&byte, 1, 0x41) == 1);
	//! write pool+0x41 1

	stosb(second, 0x33, 4); //! repstore second+0x0 4 0x33333333
	CHECK(call(SYS_mprotect, SECOND_ADDR, POOL_BYTES, PROT_NONE, 0) == 0);
	//! protect 0x140000000 16384 ---
	CHECK(call(SYS_mprotect, SECOND_ADDR, POOL_BYTES, PROT_READ | PROT_WRITE, 0) == 0);
	//! protect 0x140000000 16384 rw-

	stosb(second + PAGE, 0x44, 4); //! repstore second+0x1000 4 0x44444444
	CHECK(call(SYS_ftruncate, (unsigned long)fd2, PAGE, 0, 0) == 0);
	//! truncate second 4096

	stosb(second + 8, 0x55, 4); //! repstore second+0x8 4 0x55555555
	CHECK(call(SYS_munmap, SECOND_ADDR, POOL_BYTES, 0, 0) == 0);
	//! unmap 0x140000000 16384

	end(p);
	return 0;
}
