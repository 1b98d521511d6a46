/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-exceptions-fixed.cc - all fields add themselves, and an exception aborts the transaction. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

#include <stdexcept>

/* Transactions as libpmemobj-cpp makes them: without longjmp, aborted by exceptions. */
class transaction
{
      public:
	transaction()
	{
		CHECK(!pmemobj_tx_begin(pop, NULL, TX_PARAM_NONE));
	}
	~transaction()
	{
		if (pmemobj_tx_stage() == TX_STAGE_WORK)
			pmemobj_tx_abort(ECANCELED);
		(void)pmemobj_tx_end();
	}
	void commit()
	{
		pmemobj_tx_commit();
	}
};

/* A value that adds itself to the transaction. */
template <typename T> class logged
{
      public:
	logged &operator=(T value)
	{
		CHECK(!pmemobj_tx_add_range_direct(this, sizeof(*this)));
		ST8(&inside, value);
		return *this;
	}

      private:
	T inside;
};

struct account {
	logged<uint64_t> balance;
	logged<uint64_t> changes;
};

static void book(struct account *account, uint64_t amount)
{
	transaction inner;

	account->balance = amount;
	if (amount > 100)
		throw std::runtime_error("too much");
	inner.commit();
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	struct account *account = (struct account *)root->text;
	for (uint64_t amount = 50; amount <= 150; amount += 50)
		try {
			transaction outer;

			book(account, amount);
			account->changes = amount;
			outer.commit();
		} catch (std::runtime_error &) {
		}
	transaction last;
	account->balance = 1;
	last.commit();
	return 0;
}
