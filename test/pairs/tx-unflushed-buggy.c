/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-unflushed-buggy.c - a store that the transaction was not told of, and that nothing writes back: one mistake.
 * Outside, only the flush is missing. */
// link: -lpmemobj
// run: --detect patterns,transactions
#include "tx.h"

/* No two values are in one line of the cache. */
struct record {
	struct {
		uint64_t value, padding[15];
	} covered, uncovered, outside;
};

int main(int argc, char **argv)
{
	struct record *record;

	CHECK(argc == 2);
	tx_create(argv[1]);
	record = pmemobj_direct(pmemobj_root(pop, sizeof(*record)));
	pmemobj_memset(pop, record, 7, sizeof(*record), PMEMOBJ_F_MEM_TEMPORAL);
	TX_BEGIN(pop)
	{
		TX_COVER(&record->covered.value);
		ST8(&record->covered.value, 1);
		ST8(&record->uncovered.value, 1); //! unlogged-store error
	}
	TX_END
	ST8(&record->outside.value, 1); //! missing-flush error
	pmemobj_close(pop);
	return 0;
}
