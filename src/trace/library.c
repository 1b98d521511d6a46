/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.c - see library.h. */
#include "trace/library.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>

/* With reasons.  These act on behalf of their caller: their stores count as the caller's. */
static const char *const servants[] = {
	/* memcpy and similar functions store for their caller */
	"libc.so*",
	"libc-*.so",
	"libm.so*",
	"libm-*.so",
	/* mutexes in PM */
	"libpthread.so*",
	"libpthread-*.so",
	/* lazy binding */
	"ld-linux*.so*",
	"ld-*.so",
	"ld.so*",
	/* containers, start-up */
	"libstdc++.so*",
	"libgcc_s.so*",
	"libatomic.so*",
	"libc++.so*",
	/* flush and fence for their caller */
	"libpmem.so*",
	"libpmem2.so*",
	/* preloaded by Blackout */
	"libblackout*.so*",
	"vgpreload_*.so",
	/* [vdso], code in no file */
	"[[]*",
	NULL,
};

/* These have data of their own: allocators and transactions. */
static const char *const owners[] = {
	"libpmemobj.so*",
	"libpmemobj_cpp.so*",
	"libpmemblk.so*",
	"libpmemlog.so*",
	"libpmempool.so*",
	"libpmemset.so*",
	"librpmem.so*",
	"libvmem.so*",
	"libvmmalloc.so*",
	"libmemkind.so*",
	"libdaxctl.so*",
	"libndctl.so*",
	NULL,
};

static bool matches_any(const char *name, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, name, 0))
			return true;
	return false;
}

enum library_kind library_kind(const char *module)
{
	if (!module)
		return LIBRARY_NONE;
	if (matches_any(module, servants))
		return LIBRARY_SERVANT;
	return matches_any(module, owners) ? LIBRARY_OWNER : LIBRARY_NONE;
}
