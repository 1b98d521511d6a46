/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-msync-buggy.c - pages are synchronized in the wrong order. */
// recover: check
#include "crash.h"

static int work(const char *path)
{
	char *pool = pool_create(path);

	ST8(pool + PAGE, 42); //! recovery-error error
	ST8(pool, 1);
	CHECK(msync(pool, PAGE, MS_SYNC) == 0);
	CHECK(msync(pool + PAGE, PAGE, MS_SYNC) == 0);
	return 0;
}

static int check(const char *path)
{
	char *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && load8(pool) && load8(pool + PAGE) != 42)
		REFUSE("a valid pool without data");
	return 0;
}
