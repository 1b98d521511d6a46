/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx-log-buffer-fixed.c - the program gives the transaction a buffer for its log, and adds what it changes. */
// link: -lpmemobj
// run: --detect transactions
#include "tx.h"

enum { BUFFER = 16384, OBJECT = 8192, LAST = OBJECT / 8 - 1 };

int main(int argc, char **argv)
{
	PMEMoid buffer = OID_NULL, object = OID_NULL;
	uint64_t *words;

	CHECK(argc == 2);
	tx_create(argv[1]);
	CHECK(pmemobj_zalloc(pop, &buffer, BUFFER, 1) == 0);
	CHECK(pmemobj_zalloc(pop, &object, OBJECT, 1) == 0);
	words = pmemobj_direct(object);
	TX_BEGIN(pop)
	{
		pmemobj_tx_log_auto_alloc(TX_LOG_TYPE_SNAPSHOT, 0);
		pmemobj_tx_log_append_buffer(TX_LOG_TYPE_SNAPSHOT, pmemobj_direct(buffer), BUFFER);
		pmemobj_tx_add_range(object, 0, OBJECT);
		ST8(&words[LAST], 1);
	}
	TX_ONABORT
	{
		CHECK(!"it is aborted");
	}
	TX_END
	pmemobj_close(pop);
	return 0;
}
