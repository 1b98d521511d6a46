/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race-cxx-object-fixed.cc - an object is made in PM, persisted and then published. */
// wrapped: clang++
// recover: check
// run: --detect races
#include <atomic>
#include <new>

#include "race.h"

class account {
	uint64_t number;
	uint32_t balance;

public:
	account(uint64_t n, uint32_t b) : number(n), balance(b)
	{
	}
	bool is_right() const
	{
		return number + balance == 10;
	}
};

struct pool {
	alignas(LINE) unsigned char room[sizeof(account)];
	alignas(LINE) std::atomic<account *> published;
};

static int work(const char *path)
{
	auto *p = reinterpret_cast<pool *>(pool_create(path));
	auto *made = new (p->room) account(7, 3);

	PERSIST(p->room);
	p->published.store(made, std::memory_order_release);
	PERSIST(&p->published);
	return 0;
}

static int check(const char *path)
{
	auto *p = static_cast<pool *>(pool_open(path, POOL_ADDR, POOL_BYTES));
	account *published = p ? p->published.load(std::memory_order_acquire) : nullptr;

	if (published && !published->is_right())
		REFUSE("an account without its members");
	return 0;
}
