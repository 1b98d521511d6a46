/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-iostream-buggy.cc - a transfer between two accounts, in C++, that can be cut in two. */
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
	void recover() {}

	void transfer(uint64_t a, uint64_t b, uint64_t amount)
	{
		ST8(&accounts[a].balance, accounts[a].balance - amount); //! output-mismatch error
		PERSIST(&accounts[a].balance);
		ST8(&accounts[b].balance, accounts[b].balance + amount);
		PERSIST(&accounts[b].balance);
	}

	int64_t balance(uint64_t a) const { return static_cast<int64_t>(accounts[a].balance); }

private:
	Account accounts[4];
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
