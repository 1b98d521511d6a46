/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-container-buggy.cc - the user's stores into objects of a container, and assignments to pointers, are not in the
 * transaction.  What the container keeps for itself is its own affair. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

#include "libpmemobj++/container/shelf.hpp"
#include "libpmemobj++/experimental/short_ptr.hpp"

struct book {
	uint64_t pages;
	short_ptr next;
	/* Called by the container. */
	void read()
	{
		ST8(&pages, pages + 1); //! unlogged-store error
	}
};

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	tx_create(argv[1]);
	shelf<book> *books = (shelf<book> *)root->text;
	TX_BEGIN(pop)
	{
		TX_COVER(&root->a);
		ST8(&root->a, 1);
		books->open();
		books->each([](book &b) { b.read(); });
		ST8(&books->at(1).pages, 200); //! unlogged-store error
		books->at(0).next = 16;        //! unlogged-store error
	}
	TX_END
	TX_BEGIN(pop)
	{
		TX_COVER(books);
		books->each([](book &b) { ST8(&b.pages, 7); });
		books->at(0).next = 24;
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
