/* SPDX-License-Identifier: GPL-2.0-or-later */
/* valgrind_fails.c - a call that natively fails with EFAULT, and on which Valgrind 3.19 itself crashes: its wrapper
 * reads the limits without looking where they are. */
#include <sys/resource.h>
#include <sys/syscall.h>

#include "target.h"

int main(int argc, char **argv)
{
	char *p;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	ST8(p, 0x1a57);
	CHECK(syscall(SYS_prlimit64, 0, RLIMIT_DATA, (void *)8, NULL) == -1);
	return 0;
}
