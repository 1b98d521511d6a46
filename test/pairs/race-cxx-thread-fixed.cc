/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-cxx-thread-fixed.cc - std::thread: what it stored is flushed under the same std::mutex. */
// wrapped: clang++
// link: -pthread
// recover: check
// run: --detect races
#include <atomic>
#include <mutex>
#include <thread>

#include "race.h"

struct pool {
	alignas(LINE) uint64_t value;
	alignas(LINE) std::atomic<uint64_t> ready;
};

static std::mutex mutex;
static int turn;

static int work(const char *path)
{
	auto *p = reinterpret_cast<pool *>(pool_create(path));
	std::thread thread([p] {
		std::lock_guard<std::mutex> guard(mutex);
		p->value = 7;
		SAY(&turn, 1);
	});

	AWAIT(&turn, 1);
	{
		std::lock_guard<std::mutex> guard(mutex);
		PERSIST(&p->value);
		p->ready.store(1, std::memory_order_release);
	}
	PERSIST(&p->ready);
	thread.join();
	return 0;
}

static int check(const char *path)
{
	auto *p = static_cast<pool *>(pool_open(path, POOL_ADDR, POOL_BYTES));

	if (p && p->ready.load(std::memory_order_acquire) &&
	    p->value != 7)
		REFUSE("ready without a value");
	return 0;
}
