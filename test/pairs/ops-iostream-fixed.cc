/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-iostream-fixed.cc - a transfer between two accounts, in C++, that is logged and made again after a crash. */
// arguments: {ops}
// run: --detect inject
// ops: --count 24
// kind: 3 transfer {int:0-1} {int:2-3} {int:1-20}
// kind: 1 transfer {int:2-3} {int:0-1} {int:1-20}
// kind: 2 balance {int:0-3}
// kind: 1 total
#include "ops.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

namespace {

struct alignas(LINE) Account {
	uint64_t balance;
};

class Bank {
public:
	void recover()
	{
		if (!committed)
			return;
		set(accounts[from].balance, new_from);
		set(accounts[to].balance, new_to);
		set(committed, 0);
	}

	void transfer(uint64_t a, uint64_t b, uint64_t amount)
	{
		ST8(&from, a);
		ST8(&to, b);
		ST8(&new_from, accounts[a].balance - amount);
		ST8(&new_to, accounts[b].balance + amount);
		set(committed, 1);
		recover();
	}

	int64_t balance(uint64_t a) const { return static_cast<int64_t>(accounts[a].balance); }

private:
	static void set(uint64_t &word, uint64_t value)
	{
		ST8(&word, value);
		PERSIST(&word);
	}

	Account accounts[4];
	alignas(LINE) uint64_t committed; /* the fields below hold; they are in its line, and stored before it */
	uint64_t from, to, new_from, new_to;
};

} // namespace

int main(int argc, char **argv)
{
	auto *bank = static_cast<Bank *>(pool_attach(argv[1], POOL_ADDR, POOL_BYTES));
	std::ifstream list(argv[argc - 1]);
	std::string line, name;

	bank->recover();
	while (std::getline(list, line)) {
		std::istringstream words(line);
		uint64_t a = 0, b = 0, amount = 0;

		words >> name >> a >> b >> amount;
		if (name == "transfer") {
			bank->transfer(a, b, amount);
			std::cout << "transferred " << amount << std::endl;
		} else if (name == "balance") {
			std::cout << "balance of " << a << ": " << bank->balance(a) << '\n';
		} else {
			std::cout << "all accounts: ";
			for (int i = 0; i < 4; i++)
				std::cout << bank->balance(i) << ' ';
			std::cout << '\n';
		}
	}
	return 0;
}
