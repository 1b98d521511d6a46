/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-bits-buggy.c - bits of a word are changed plainly, so a compiler may store the word in parts. */
// wrapped: gcc
// recover: check
// run: --detect races
#include "race.h"

struct pool {
	_Alignas(LINE) struct {
		uint32_t low : 4, high : 28;
	} bits;
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	pool->bits.high = 77; //! persistency-race warning
	PERSIST(&pool->bits);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint32_t high;

	if (!pool)
		return 0;
	high = pool->bits.high; //+ load
	if (high && high != 77)
		REFUSE("wrong bits");
	return 0;
}
