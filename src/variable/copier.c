/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copier.c - see copier.h. */
#include "variable/copier.h"

#include <fnmatch.h>
#include <stddef.h>

/* fnmatch(3) patterns.  The C library has its functions under many names, one for each kind of processor. */
static const char *const first_argument[] = {
	"memcpy",         "memmove",          "memset",         "mempcpy",
	"strcpy",         "strncpy",          "stpcpy",         "stpncpy",
	"bzero",          "explicit_bzero",   "__memcpy*",      "__memmove*",
	"__memset*",      "__mempcpy*",       "__strcpy*",      "__strncpy*",
	"__stpcpy*",      "__stpncpy*",       "__bzero*",       "__builtin_mem*",
	"__builtin_str*", "pmem_memcpy*",     "pmem_memmove*",  "pmem_memset*",
	"__tsan_memcpy",  "__tsan_memmove",   "__tsan_memset",  "__tsan_atomic*",
	"atomic_store*",  "atomic_exchange*", "atomic_fetch_*", "atomic_compare_exchange*",
	"atomic_init",    "__atomic_*",       "__sync_*",       "_mm*_stream_*",
	"_mm*_store*",    "TX_MEMCPY",        "TX_MEMSET",      NULL,
};

static const char *const second_argument[] = {
	"pmemobj_memcpy*",
	"pmemobj_memmove*",
	"pmemobj_memset*",
	NULL,
};

static int matches(const char *name, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, name, 0))
			return 1;
	return 0;
}

int copier_argument(const char *function)
{
	return matches(function, first_argument) ? 0 : matches(function, second_argument) ? 1 : COPIER_NONE;
}
