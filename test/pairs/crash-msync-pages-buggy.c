/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-msync-pages-buggy.c - one msync for two pages: the kernel may have written the second one back without the
 * first. */
// recover: check
#include "crash.h"

static int work(const char *path)
{
	char *pool = pool_create(path);

	ST8(pool, 42); //! recovery-error error
	ST8(pool + PAGE, 1);
	CHECK(msync(pool, 2 * PAGE, MS_SYNC) == 0);
	return 0;
}

static int check(const char *path)
{
	char *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && load8(pool + PAGE) && load8(pool) != 42)
		REFUSE("a valid pool without data");
	return 0;
}
