/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reorder-torn-buggy.c - two tokens that must change together are stored by one instruction, but are two words. */
// recover: check
// run: --detect inject,explore
#include "crash.h"

#define ST16(p, v)                                                                         \
	__asm__ volatile("movq %1, %%xmm0; punpcklqdq %%xmm0, %%xmm0; movups %%xmm0, (%0)" \
			 :                                                                 \
			 : "r"(p), "r"((uint64_t)(v))                                      \
			 : "memory", "xmm0")

struct pool {
	_Alignas(LINE) uint64_t first;
	uint64_t second;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	for (uint64_t i = 1; i <= 3; i++) {
		ST16(&pool->first, i); //! recovery-error error
		PERSIST(&pool->first);
	}
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->first != pool->second)
		REFUSE("the tokens differ");
	return 0;
}
