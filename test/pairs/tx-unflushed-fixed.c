/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-unflushed-fixed.c - the transaction persists what it changes; the program persists the rest. */
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
		TX_COVER(&record->uncovered.value);
		ST8(&record->uncovered.value, 1);
	}
	TX_END
	ST8(&record->outside.value, 1);
	pmemobj_persist(pop, &record->outside.value, sizeof(record->outside.value));
	pmemobj_close(pop);
	return 0;
}
