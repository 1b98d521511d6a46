/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_a.c - a library that writes PM, for plugins.c. */
// cflags: -shared -fPIC
#include "target.h"

void plugin_store(char *p);

static __attribute__((noinline)) void from_a(char *p)
{
	ST8(p, 0xa);
}

void plugin_store(char *p)
{
	from_a(p);
	SFENCE();
}
