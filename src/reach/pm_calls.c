/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pm_calls.c - see pm_calls.h. */
#include "reach/pm_calls.h"

#include <fnmatch.h>
#include <stddef.h>

static const char *const changing[] = {
	"msync", /* PM that is a mapped file */
	/* libpmem */
	"pmem_persist",
	"pmem_msync",
	"pmem_deep_*",
	"pmem_flush",
	"pmem_drain",
	"pmem_mem*",
	/* libpmemobj: what is done at once */
	"pmemobj_persist",
	"pmemobj_xpersist",
	"pmemobj_flush",
	"pmemobj_xflush",
	"pmemobj_drain",
	"pmemobj_mem*",
	"pmemobj_*alloc",
	"pmemobj_strdup",
	"pmemobj_wcsdup",
	"pmemobj_free",
	"pmemobj_defrag",
	"pmemobj_root*",
	"pmemobj_list_*",
	/* actions */
	"pmemobj_*reserve",
	"pmemobj_defer_free",
	"pmemobj_set_value",
	"pmemobj_publish",
	/* transactions */
	"pmemobj_tx_*add*",
	"pmemobj_tx_*alloc",
	"pmemobj_tx_*strdup",
	"pmemobj_tx_*wcsdup",
	"pmemobj_tx_*free",
	"pmemobj_tx_*publish",
	"pmemobj_tx_commit",
	/* the others */
	"pmemblk_write",
	"pmemblk_set_*",
	"pmemlog_append*",
	"pmemlog_rewind",
	NULL,
};

bool pm_calls_match(const char *function)
{
	for (const char *const *pattern = changing; *pattern; pattern++)
		if (!fnmatch(*pattern, function, 0))
			return true;
	return false;
}
