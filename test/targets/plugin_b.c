/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_b.c - another library that writes PM, as large as plugin_a.c and so likely to be loaded where that was. */
// cflags: -shared -fPIC
#include "target.h"

void plugin_store(char *p);

static __attribute__((noinline)) void from_b(char *p)
{
	ST8(p, 0xb);
}

void plugin_store(char *p)
{
	from_b(p);
	SFENCE();
}
