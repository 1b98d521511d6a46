/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-thread-index-buggy.cc - a hash table of two threads that is atomic throughout, but for one store. */
// wrapped: g++
// link: -pthread
// recover: check
// run: --detect races
#include <atomic>
#include <thread>

#include "race.h"

struct slot {
	std::atomic<uint64_t> key; /* 0: free; set last */
	std::atomic<uint64_t> value;
};

struct pool {
	alignas(LINE) slot slots[64];
	alignas(LINE) std::atomic<uint64_t> count; /* at least so many are used */
	alignas(LINE) uint64_t newest;
};

static void insert(pool *p, uint64_t key)
{
	for (uint64_t at = key * 31;; at++) {
		slot &s = p->slots[at % 64];
		uint64_t none = 0;

		/* Reserve it by its value, which nobody reads before the key is there. */
		if (!s.value.compare_exchange_strong(none, key * 10, std::memory_order_acq_rel))
			continue;
		PERSIST(&s);
		s.key.store(key, std::memory_order_release);
		PERSIST(&s);
		break;
	}
	p->count.fetch_add(1, std::memory_order_acq_rel);
	PERSIST(&p->count);
}

static int work(const char *path)
{
	auto *p = reinterpret_cast<pool *>(pool_create(path));
	std::thread thread([p] {
		for (uint64_t key = 1; key < 10; key++)
			insert(p, key);
	});

	for (uint64_t key = 11; key < 20; key++)
		insert(p, key);
	thread.join();
	p->newest = 19; //! persistency-race warning
	PERSIST(&p->newest);
	return 0;
}

static int check(const char *path)
{
	auto *p = static_cast<pool *>(pool_open(path, POOL_ADDR, POOL_BYTES));
	uint64_t count, used = 0;

	if (!p)
		return 0;
	count = p->count.load(std::memory_order_acquire);
	for (slot &s : p->slots) {
		uint64_t key = s.key.load(std::memory_order_acquire);

		if (key && s.value.load(std::memory_order_acquire) != key * 10)
			REFUSE("a key without its value");
		used += key != 0;
	}
	if (used < count)
		REFUSE("a key is lost");
	if (p->newest > 19) //+ load
		REFUSE("newer than the newest");
	return 0;
}
