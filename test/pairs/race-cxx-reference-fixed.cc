/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-cxx-reference-fixed.cc - a counter is changed through a std::atomic_ref, and read by recovery. */
// wrapped: g++
// recover: check
// run: --detect races
#include <atomic>

#include "race.h"

struct pool {
	alignas(LINE) uint64_t counter;
};

static int work(const char *path)
{
	auto *p = reinterpret_cast<pool *>(pool_create(path));

	for (uint64_t i = 1; i <= 3; i++) {
		std::atomic_ref<uint64_t>(p->counter).store(i, std::memory_order_release);
		PERSIST(&p->counter);
	}
	return 0;
}

static int check(const char *path)
{
	auto *p = static_cast<pool *>(pool_open(path, POOL_ADDR, POOL_BYTES));

	if (p && p->counter > 3)
		REFUSE("a counter that never was");
	return 0;
}
