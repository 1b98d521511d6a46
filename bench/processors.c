/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processors.c - a library to preload: the machine seems to have as many processors as PROCESSORS says. */
// cflags: -shared -fPIC
// link: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

long sysconf(int name)
{
	long (*next)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
	const char *count = getenv("PROCESSORS");

	return count && name == _SC_NPROCESSORS_ONLN ? atol(count) : next(name);
}
