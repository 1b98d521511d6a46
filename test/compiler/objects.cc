/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects - C++ as blackout-c++ compiles it: virtual functions, exceptions, threads, atomics, a shared library, an
 * archive.  Prints "ok". */
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "table.hh"

extern "C" {
long counter_add(int n);
int counter_last();
}

class Filled : public Table
{
public:
	explicit Filled(int n) : words(n, "word")
	{
		if (n > 100)
			throw std::length_error("too many");
	}
	int size() const override
	{
		return int(words.size());
	}

private:
	std::vector<std::string> words;
};

static bool throws()
{
	try {
		Filled many(101);
	} catch (const std::length_error &) {
		return true;
	}
	return false;
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([] {
			for (int k = 0; k < 1000; k++) {
				std::unique_ptr<Table> table(new Filled(k % 7));

				counter_add(table->size() - k % 7 + 1);
			}
		});
	for (auto &thread : threads)
		thread.join();
	if (counter_add(0) != 4000 || counter_last() != 0 || Table::destroyed.load() != 4000 || !throws())
		return 1;
	std::puts("ok");
	return 0;
}
