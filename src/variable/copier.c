/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copier.c - see copier.h. */
#include "variable/copier.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* fnmatch(3) patterns; the first that matches counts.  The C library has its functions under many names, one for each
 * kind of processor. */
static const struct {
	const char *pattern;
	int target, length;
} copiers[] = {
	{"memcpy", 0, 2},
	{"memmove", 0, 2},
	{"memset", 0, 2},
	{"mempcpy", 0, 2},
	{"__memcpy*", 0, 2},
	{"__memmove*", 0, 2},
	{"__memset*", 0, 2},
	{"__mempcpy*", 0, 2},
	{"__builtin_mem*", 0, 2},
	{"pmem_memcpy*", 0, 2},
	{"pmem_memmove*", 0, 2},
	{"pmem_memset*", 0, 2},
	{"pmemobj_memcpy*", 1, 3},
	{"pmemobj_memmove*", 1, 3},
	{"pmemobj_memset*", 1, 3},
	{"TX_MEMCPY", 0, 2},
	{"TX_MEMSET", 0, 2},
	{"__tsan_memcpy", 0, 2},
	{"__tsan_memmove", 0, 2},
	{"__tsan_memset", 0, 2},
	{"bzero", 0, 1},
	{"explicit_bzero", 0, 1},
	{"strncpy", 0, 2},
	{"stpncpy", 0, 2},
	{"strcpy", 0, COPIER_NONE},
	{"stpcpy", 0, COPIER_NONE},
	{"__str*cpy*", 0, COPIER_NONE},
	{"__stp*cpy*", 0, COPIER_NONE},
	{"__builtin_str*cpy*", 0, COPIER_NONE},
	{"__tsan_atomic*", 0, COPIER_NONE},
	{"atomic_store*", 0, COPIER_NONE},
	{"atomic_exchange*", 0, COPIER_NONE},
	{"atomic_fetch_*", 0, COPIER_NONE},
	{"atomic_compare_exchange*", 0, COPIER_NONE},
	{"atomic_init", 0, COPIER_NONE},
	{"__atomic_*", 0, COPIER_NONE},
	{"__sync_*", 0, COPIER_NONE},
	{"_mm*_stream_*", 0, COPIER_NONE},
	{"_mm*_store*", 0, COPIER_NONE},
};

/* The entries of blackout-cc's runtime for atomic accesses have the number of bits in their names. */
static uint32_t entry_size(const char *function)
{
	static const char prefix[] = "__tsan_atomic";

	if (strncmp(function, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	return (uint32_t)(strtoul(function + sizeof(prefix) - 1, NULL, 10) / 8);
}

bool copier_find(const char *function, struct copier *copier)
{
	for (size_t i = 0; i < sizeof(copiers) / sizeof(*copiers); i++) {
		if (fnmatch(copiers[i].pattern, function, 0) != 0)
			continue;
		*copier = (struct copier){copiers[i].target, copiers[i].length, entry_size(function)};
		return true;
	}
	return false;
}
