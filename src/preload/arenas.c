/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arenas.c - libpmemobj is told of one processor.
 *
 * When libpmemobj opens a pool, it makes an arena for each processor of the machine, and fills about 120 KB of memory for
 * it.  With 200 processors, this takes longer than all the rest of a recovery, and every crash state pays for it.  Arenas
 * only keep threads from waiting for each other: a thread uses one arena, and several may share one.  So recovery does the
 * same with one arena as with many.
 *
 * Only the question of libpmemobj is answered in this way.  The program itself is told of all processors. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "preload/stub.h"

static bool is_in_libpmemobj(const void *code)
{
	static const char name[] = "libpmemobj.so";
	Dl_info found;

	if (!dladdr(code, &found) || !found.dli_fname)
		return false;
	const char *slash = strrchr(found.dli_fname, '/');
	return strncmp(slash ? slash + 1 : found.dli_fname, name, sizeof(name) - 1) == 0;
}

PUBLIC long sysconf(int name)
{
	bool counts = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;

	if (counts && stub_page && stub_page->lean_pmemobj && is_in_libpmemobj(__builtin_return_address(0)))
		return 1;
	return NEXT(sysconf)(name);
}
