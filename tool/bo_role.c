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

static Bool is_any(const HChar *s, const HChar *const *names)
{
	for (; *names; names++)
		if (VG_(strcmp)(s, *names) == 0)
			return True;
	return False;
}

/* Does a function with one of these names start here? */
static Bool is_entry_of(Addr insn, const HChar *const *names)
{
	struct bo_symbol symbol;

	if (!bo_symbol_at(insn, &symbol) || symbol.start != insn)
		return False;
	for (const HChar **other = symbol.others; other && *other; other++)
		if (is_any(*other, names))
			return True;
	return is_any(symbol.name, names);
}

Bool bo_role_allocates(Addr insn)
{
	static const HChar *const names[] = {
		"malloc",         "calloc", "realloc", "free",         "memalign",           "aligned_alloc",
		"posix_memalign", "valloc", "pvalloc", "reallocarray", "malloc_usable_size", NULL,
	};

	return is_entry_of(insn, names);
}

Bool bo_role_prints(Addr insn)
{
	static const HChar *const names[] = {
		"printf",
		"fprintf",
		"vprintf",
		"vfprintf",
		"puts",
		"fputs",
		"putchar",
		"fputc",
		"putc",
		"fwrite",
		"perror",
		"fflush",
		"__printf_chk",
		"__fprintf_chk",
		"__vprintf_chk",
		"__vfprintf_chk",
		"fputs_unlocked",
		"fwrite_unlocked",
		"putc_unlocked",
		"putchar_unlocked",
		NULL,
	};
	/* Of std::ostream: operator<<, _M_insert, put, write, flush; and operator<< of strings. */
	static const HChar *const methods[] = {"_ZNSols",     "_ZNSo9_M_insert",        "_ZNSo3put", "_ZNSo5write",
					       "_ZNSo5flush", "_ZSt16__ostream_insert", NULL};
	struct bo_symbol symbol;

	if (!bo_symbol_at(insn, &symbol) || symbol.start != insn)
		return False;
	return starts_with_any(symbol.name, methods) || is_entry_of(insn, names);
}
