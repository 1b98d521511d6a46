/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-cxx-copy-fixed.cc - an assignment of a class is a copy of its members; recovery reads it if it is complete. */
// wrapped: g++
// recover: check
// run: --detect races
#include <atomic>

#include "race.h"

struct range {
	uint64_t begin, end, step;
};

struct pool {
	alignas(LINE) range current;
	alignas(LINE) std::atomic<uint64_t> ready;
};

/* The compiler does not see the members here. */
__attribute__((noinline)) static void set(pool *p, const range &wanted)
{
	p->current = wanted;
}

static int work(const char *path)
{
	auto *p = reinterpret_cast<pool *>(pool_create(path));

	set(p, {7, 70, 7});
	PERSIST(&p->current);
	p->ready.store(1, std::memory_order_release);
	PERSIST(&p->ready);
	return 0;
}

static int check(const char *path)
{
	auto *p = static_cast<pool *>(pool_open(path, POOL_ADDR, POOL_BYTES));

	if (!p)
		return 0;
	if (!p->ready.load(std::memory_order_acquire))
		return 0;
	uint64_t begin = p->current.begin;
	if (begin != 7)
		REFUSE("half a range");
	return 0;
}
