/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu.c - print which flush instructions CPUID offers, and whether we run under Valgrind; recorded or not, it must be
 * the same. */
#include "target.h"

#include <cpuid.h>
#include <valgrind/valgrind.h>

int main(void)
{
	unsigned a, b, c, d;

	CHECK(__get_cpuid(1, &a, &b, &c, &d));
	printf("clflush %u, line %u\n", d >> 19 & 1, (b >> 8 & 0xff) * 8);
	CHECK(__get_cpuid_count(7, 0, &a, &b, &c, &d));
	printf("clflushopt %u clwb %u\n", b >> 23 & 1, b >> 24 & 1);
	printf("running on valgrind %u\n", (unsigned)RUNNING_ON_VALGRIND);
	printf("client request %lu\n", VALGRIND_DO_CLIENT_REQUEST_EXPR(42ul, 0x12345678, 1, 2, 3, 4, 5));
	VALGRIND_PRINTF("this must not be seen\n");
	return 0;
}
