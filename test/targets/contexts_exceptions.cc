/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts_exceptions.cc - C++ exceptions: through frames with stores, with clean-up on the way, rethrown, out of
 * recursion, out of a callback of the C library, in a thread; where they are caught, and after that, contexts must be
 * right. */
// cflags: -fno-omit-frame-pointer -fcf-protection=none
// link: -lpthread
#include "contexts.h"

#include <cstdlib>
#include <stdexcept>
#include <thread>

struct guard {
	NOINLINE ~guard()
	{
		SAMPLE(); /* runs during the unwinding */
	}
};

static NOINLINE void thrower(int n)
{
	SAMPLE();
	if (n >= 0)
		throw std::runtime_error("thrown");
}

static NOINLINE void passed_through(int n)
{
	guard g;

	SAMPLE();
	thrower(n);
	SAMPLE();
}

static NOINLINE void recurse(int n)
{
	SAMPLE();
	if (n == 0)
		passed_through(n);
	else
		recurse(n - 1);
	SAMPLE();
}

static NOINLINE void rethrower(int n)
{
	try {
		passed_through(n);
	} catch (const std::exception &) {
		SAMPLE();
		throw;
	}
}

static NOINLINE int compare(const void *, const void *)
{
	thrower(0);
	return 0;
}

static NOINLINE void sorter()
{
	int numbers[] = {3, 1, 2};

	std::qsort(numbers, 3, sizeof(*numbers), compare);
}

template <typename F> static NOINLINE void catcher(F f)
{
	try {
		f();
	} catch (const std::exception &) {
		SAMPLE();
		thrower(-1);
	}
	SAMPLE();
}

static NOINLINE void all_of_it()
{
	catcher([] { thrower(1); });
	catcher([] { passed_through(2); });
	catcher([] { recurse(3); });
	catcher([] { rethrower(4); });
	catcher(sorter);
	catcher([] { catcher([] { recurse(20); }); });
	for (int i = 0; i < 50; i++)
		catcher([] { passed_through(1); });
	SAMPLE();
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	contexts_start(argv[1]);
	all_of_it();
	std::thread(all_of_it).join();
	SAMPLE();
	return 0;
}
