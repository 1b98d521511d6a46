/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fix.h - the vocabulary of `fix`: what a reader is told to do, in few words that mean one thing each.
 *
 * A fix is followed to the letter by test/fixes/follow, and the finding must then be gone without a new error
 * (e2e/fixes.test).  So "persist" means: flush, and fence, right after the store; and what comes first in a sentence is
 * enough by itself.  What stands in braces is filled in as kind.h and crash_text.c say. */
#ifndef BLACKOUT_FINDING_FIX_H
#define BLACKOUT_FINDING_FIX_H

#define FIX_PERSIST "persist what is stored at {here}"
#define FIX_PERSIST_FIRST FIX_PERSIST " before the store at {store}"
#define FIX_OR_TRANSACTION ", or change both in one transaction"

/* Two stores that must come together: neither may be persisted first. */
#define FIX_TOGETHER \
	"change what is stored at {here} and at {store} in one transaction, or log the change first: recovery needs both or neither"

/* Stores in the work stage of a libpmemobj transaction: what is added is persisted by the commit, or rolled back. */
#define FIX_ADD                                                                                                   \
	"add what is stored at {here} to the transaction before the store, with TX_ADD or pmemobj_tx_add_range: " \
	"{bytes} at {pool}+{offset}"
#define FIX_VOLATILE_OR_ADD "keep it in volatile memory, or " FIX_ADD

#define FIX_FENCE_FLUSH "fence after the flush at {flush}"
#define FIX_FENCE_DIRECT "fence after the non-temporal store at {here}"
#define FIX_REMOVE_FLUSH "remove the flush at {here}"
#define FIX_REMOVE_FENCE "remove the fence at {here}"
#define FIX_VOLATILE "keep it in volatile memory, or " FIX_PERSIST " if it must survive"

#endif
