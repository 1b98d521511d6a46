/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmem_force.c - see pmem_force.h. */
#include "run/pmem_force.h"

#include <stdlib.h>

void pmem_force_add(struct words *environment)
{
	if (!getenv("PMEM_IS_PMEM_FORCE"))
		words_add(environment, "PMEM_IS_PMEM_FORCE=1");
	if (!getenv("PMEM2_FORCE_GRANULARITY"))
		words_add(environment, "PMEM2_FORCE_GRANULARITY=CACHE_LINE");
}
