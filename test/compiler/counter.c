/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counter - a shared library for objects.cc. */
#include <stdatomic.h>

static _Atomic long count;
static volatile int last;

long counter_add(int n);
int counter_last(void);

long counter_add(int n)
{
	last = n;
	return atomic_fetch_add(&count, n) + n;
}

int counter_last(void)
{
	return last;
}
