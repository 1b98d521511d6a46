// SPDX-License-Identifier: GPL-2.0-or-later
/* calls_exceptions.cc - C++: calls left by exceptions, cleanups on the way, overloads, members and templates. */
#include "target.h"

static char *pool;

struct cleanup {
	~cleanup()
	{
		ST8(pool + 8, 1);
	}
};

namespace store
{
struct table {
	__attribute__((noinline)) int put(int key, long value)
	{
		ST8(pool, value);
		return key + 1;
	}
	__attribute__((noinline)) int operator()(int key)
	{
		ST8(pool, key);
		return key + 2;
	}
};

__attribute__((noinline)) void put(long value)
{
	cleanup guard;

	ST8(pool, value);
	if (value > 1)
		throw value;
}

template <typename T> __attribute__((noinline)) T get(T value)
{
	put(value);
	return value;
}
} // namespace store

int main(int argc, char **argv)
{
	store::table table;

	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	begin(pool);
	table.put(1, 2);
	table(3);
	store::put(1);
	for (int i = 0; i < 2; i++) {
		try {
			store::get(4l);
		} catch (long thrown) {
			ST8(pool, thrown + 1);
		}
	}
	end(pool);
	return 0;
}
