/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_role.c - see bo_role.h. */
#include "bo.h"

#include "bo_role.h"
#include "bo_symbol.h"

static Bool starts_with(const HChar *s, const HChar *prefix)
{
	return VG_(strncmp)(s, prefix, VG_(strlen)(prefix)) == 0;
}

static Bool starts_with_any(const HChar *s, const HChar *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (starts_with(s, *prefixes))
			return True;
	return False;
}

static Bool is_in_module(Addr addr, const HChar *const *prefixes)
{
	DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), addr);
	const HChar *path = info ? VG_(DebugInfo_get_filename)(info) : NULL, *slash;

	if (!path)
		return False;
	slash = VG_(strrchr)(path, '/');
	return starts_with_any(slash ? slash + 1 : path, prefixes);
}

Bool bo_role_restores(Addr insn)
{
	static const HChar *const modules[] = {"ld-", "libgcc_s", NULL};
	static const HChar *const functions[] = {"_Unwind_",    "uw_",           "__longjmp",
						 "____longjmp", "setcontext",    "__setcontext",
						 "swapcontext", "__swapcontext", NULL};
	struct bo_symbol symbol;

	return is_in_module(insn, modules) || (bo_symbol_at(insn, &symbol) && starts_with_any(symbol.name, functions));
}

Bool bo_role_serves(Addr insn)
{
	static const HChar *const modules[] = {"libpmem", "librpmem", "libvmem", "libmemkind", NULL};

	return is_in_module(insn, modules);
}

Bool bo_role_allocates(Addr insn)
{
	static const HChar *const names[] = {
		"malloc",         "calloc", "realloc", "free",         "memalign",           "aligned_alloc",
		"posix_memalign", "valloc", "pvalloc", "reallocarray", "malloc_usable_size",
	};
	const HChar *name;

	if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), insn, &name))
		return False;
	for (UInt i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (VG_(strcmp)(name, names[i]) == 0)
			return True;
	return False;
}
