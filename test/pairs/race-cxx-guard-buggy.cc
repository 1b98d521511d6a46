/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-cxx-guard-buggy.cc - a value is made once by hand, with a flag that orders nothing. */
// wrapped: g++
// link: -pthread
// recover: check
// run: --detect races
#include <atomic>
#include <thread>

#include "race.h"

struct pool {
	alignas(LINE) uint64_t value;
	alignas(LINE) std::atomic<uint64_t> ready;
};

static uint64_t make(pool *p)
{
	p->value = 7; //! persistency-race warning
	return 7;
}

static int made;

/* Whoever comes first makes it. */
static uint64_t get(pool *p)
{
	if (!__atomic_load_n(&made, __ATOMIC_RELAXED)) {
		make(p);
		SAY(&made, 1);
	}
	return 7;
}

static int work(const char *path)
{
	auto *p = reinterpret_cast<pool *>(pool_create(path));
	std::thread thread([p] { get(p); });

	AWAIT(&made, 1);
	get(p);
	PERSIST(&p->value);
	p->ready.store(1, std::memory_order_release);
	PERSIST(&p->ready);
	thread.join();
	return 0;
}

static int check(const char *path)
{
	auto *p = static_cast<pool *>(pool_open(path, POOL_ADDR, POOL_BYTES));

	if (p && p->ready.load(std::memory_order_acquire) && p->value != 7) //+ load
		REFUSE("ready without a value");
	return 0;
}
