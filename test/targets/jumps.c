/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jumps.c - setjmp and longjmp over several frames, many times. */
// events: store
#include "target.h"

#include <setjmp.h>

static jmp_buf back;
static char *pool;

static __attribute__((noinline)) void deep(int n)
{
	if (n == 0) {
		ST8(pool + 64, 1);
		longjmp(back, 1);
	}
	if (n > 0)
		deep(n - 1);
	ST8(pool + 72, 1); /* never reached */
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	begin(pool);
	for (volatile int i = 0; i < 3; i++) {
		if (setjmp(back) == 0)
			deep(5);
		ST8(pool, i);
	}
	//! store pool+0x40 8 0x1
	//! store pool+0x0 8 0x0
	//! store pool+0x40 8 0x1
	//! store pool+0x0 8 0x1
	//! store pool+0x40 8 0x1
	//! store pool+0x0 8 0x2
	end(pool);
	return 0;
}
