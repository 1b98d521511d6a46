/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jit.c - code that is generated, and changed where it stands. */
// events: store,clwb,sfence
// needs: clwb
#include "target.h"

int main(int argc, char **argv)
{
	/* movb $VALUE, (%rdi); clwb (%rdi); ret */
	unsigned char code[] = {0xc6, 0x07, 0x11, 0x66, 0x0f, 0xae, 0x37, 0xc3};
	char *p, *area;
	void (*run)(char *);

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	area = mmap((void *)VOLATILE_ADDR, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(area != MAP_FAILED);
	*(void **)&run = area;
	begin(p);
	memcpy(area, code, sizeof(code));
	run(p);
	//! store pool+0x0 1 0x11
	//! clwb pool+0x0
	CHECK(munmap(area, PAGE) == 0);
	area = mmap((void *)VOLATILE_ADDR, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK(area != MAP_FAILED);
	code[2] = 0x22;
	memcpy(area, code, sizeof(code));
	run(p + 0x45);
	//! store pool+0x45 1 0x22
	//! clwb pool+0x45
	end(p);
	return 0;
}
