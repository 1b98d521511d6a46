/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fix.h - the phrases used in `fix`, the advice to the user.  Each has exactly one meaning.
 *
 * test/fixes/follow applies a fix literally; the finding must then be gone without a new error (e2e/fixes.test).  So
 * "persist" means to flush and fence right after the store, and the first advice in a sentence must be enough by
 * itself.  kind.h and crash_text.c say what replaces the words in braces. */
#ifndef BLACKOUT_FINDING_FIX_H
#define BLACKOUT_FINDING_FIX_H

#define FIX_PERSIST "persist what is stored at {here}"
#define FIX_PERSIST_FIRST FIX_PERSIST " before the store at {store}"
#define FIX_OR_TRANSACTION ", or change both in one transaction"

/* Two stores that recovery needs together: neither may be persisted before the other. */
#define FIX_TOGETHER \
	"change what is stored at {here} and at {store} in one transaction, or log the change first: recovery needs both or neither"

/* Stores in the work stage of a libpmemobj transaction: the commit persists the added ranges, and an abort rolls
 * them back. */
#define FIX_ADD                                                                                                   \
	"add what is stored at {here} to the transaction before the store, with TX_ADD or pmemobj_tx_add_range: " \
	"{what} at {pool}+{offset}"
#define FIX_VOLATILE_OR_ADD "keep it in volatile memory, or " FIX_ADD

#define FIX_FENCE_FLUSH "fence after the flush at {flush}"
#define FIX_FENCE_DIRECT "fence after the non-temporal store at {here}"
#define FIX_REMOVE_ADD "remove the add at {here}"
#define FIX_REMOVE_FLUSH "remove the flush at {here}"
#define FIX_REMOVE_FENCE "remove the fence at {here}"
#define FIX_VOLATILE "keep it in volatile memory, or " FIX_PERSIST " if it must survive"

/* Stores that recovery reads.  An atomic store of up to 8 bytes is not torn; larger data must be complete on media before
 * recovery can find it. */
#define FIX_ATOMIC                                                                                                              \
	"make the store at {here} atomic, with atomic_store_explicit(..., memory_order_release) or std::atomic; or persist it " \
	"before a release store that recovery reads first"
#define FIX_PUBLISH                                                                                                             \
	"persist what is stored at {here} before a release store that recovery reads first; or let recovery verify a checksum " \
	"of it (--checksum)"

#endif
