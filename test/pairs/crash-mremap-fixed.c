/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-mremap-fixed.c - a pool grows and moves; the header counts the new pages once they are made. */
// recover: check
#include "crash.h"

#define PAGE_MAGIC 0x65676170ul /* "page" */

struct header {
	_Alignas(LINE) uint64_t pages; /* header included */
};

static struct header *pool_grow(struct header *pool, const char *path)
{
	void *moved;

	CHECK(truncate(path, 2 * POOL_BYTES) == 0);
	moved = mremap(pool, POOL_BYTES, 2 * POOL_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)SECOND_ADDR);
	CHECK(moved == (void *)SECOND_ADDR);
	return moved;
}

static void page_make(struct header *pool, uint64_t n)
{
	char *page = (char *)pool + n * PAGE;

	ST8(page, PAGE_MAGIC);
	PERSIST(page);
}

static int work(const char *path)
{
	struct header *pool = (struct header *)pool_create(path);

	for (uint64_t n = 1; n < POOL_BYTES / PAGE; n++)
		page_make(pool, n);
	ST8(&pool->pages, POOL_BYTES / PAGE);
	PERSIST(&pool->pages);
	pool = pool_grow(pool, path);
	page_make(pool, POOL_BYTES / PAGE);
	ST8(&pool->pages, POOL_BYTES / PAGE + 1);
	PERSIST(&pool->pages);
	return 0;
}

static int check(const char *path)
{
	char *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && load8(pool) * PAGE > POOL_BYTES && !(pool = pool_open(path, POOL_ADDR, 2 * POOL_BYTES)))
		REFUSE("the pool is shorter than it says");
	for (uint64_t n = 1; pool && n < load8(pool); n++)
		if (load8(pool + n * PAGE) != PAGE_MAGIC)
			REFUSE("a page was never made");
	return 0;
}
