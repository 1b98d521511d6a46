/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariant-checksum-fixed.c - stores in any order are good, because the reader compares the checksum. */
// recover: check
// run: --detect invariants
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t key;
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) uint64_t header; /* the checksum of key and value, with the lowest bit set */
};

static uint64_t checksum(uint64_t key, uint64_t value)
{
	return ((key + 31) * (value + 17) * 0x9e3779b97f4a7c15ul) | 1;
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	ST8(&pool->key, 7);
	ST8(&pool->value, 49);
	ST8(&pool->header, checksum(7, 49));
	CLWB(&pool->key);
	CLWB(&pool->value);
	CLWB(&pool->header);
	SFENCE();
	return load8(&pool->header) && load8(&pool->value) != 49;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);
	uint64_t key, value, header;

	if (!pool)
		return 0;
	key = load8(&pool->key);
	value = load8(&pool->value);
	header = load8(&pool->header);
	if (header != checksum(key, value))
		return 0; /* there is no entry */
	if (key * key != value)
		REFUSE("an entry without its key or value");
	return 0;
}
