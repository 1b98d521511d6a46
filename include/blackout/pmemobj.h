/* SPDX-License-Identifier: 0BSD */
/* pmemobj.h - the functions of libpmemobj whose calls are always recorded (layer CALLS), for the detector of
 * transactions.
 *
 * They are found by symbol, in libpmemobj.so of any version and in programs that it is linked into.  A function that a
 * version lacks is simply never called.  The list has what decides which bytes a transaction covers, and who stores:
 * transactions, objects that come and go, and copies that the library makes for its caller.
 *
 * This file includes nothing, because the recorder has no C library. */
#ifndef BLACKOUT_PMEMOBJ_H
#define BLACKOUT_PMEMOBJ_H

#define BO_PMEMOBJ_PREFIX "pmemobj_"

/* What a RETURN of the function tells besides the register of its result. */
enum bo_pmemobj_result {
	BO_RESULT_NUMBER, /* nothing more */
	BO_RESULT_OID,    /* it returns a PMEMoid: the second word is the offset of the object in its pool */
	BO_RESULT_STORED, /* it stores a PMEMoid where its second argument points to: the second word is that offset */
};

/* X(name, result): the function is pmemobj_NAME. */
#define BO_PMEMOBJ_FUNCTIONS(X)            \
	X(tx_begin, NUMBER)                \
	X(tx_commit, NUMBER)               \
	X(tx_abort, NUMBER)                \
	X(tx_process, NUMBER)              \
	X(tx_end, NUMBER)                  \
	X(tx_set_failure_behavior, NUMBER) \
	X(tx_lock, NUMBER)                 \
	X(tx_xlock, NUMBER)                \
	X(tx_log_append_buffer, NUMBER)    \
	X(tx_xlog_append_buffer, NUMBER)   \
	X(tx_add_range, NUMBER)            \
	X(tx_add_range_direct, NUMBER)     \
	X(tx_xadd_range, NUMBER)           \
	X(tx_xadd_range_direct, NUMBER)    \
	X(tx_alloc, OID)                   \
	X(tx_zalloc, OID)                  \
	X(tx_xalloc, OID)                  \
	X(tx_realloc, OID)                 \
	X(tx_zrealloc, OID)                \
	X(tx_strdup, OID)                  \
	X(tx_xstrdup, OID)                 \
	X(tx_wcsdup, OID)                  \
	X(tx_xwcsdup, OID)                 \
	X(tx_free, NUMBER)                 \
	X(tx_xfree, NUMBER)                \
	X(tx_publish, NUMBER)              \
	X(tx_xpublish, NUMBER)             \
	X(reserve, OID)                    \
	X(xreserve, OID)                   \
	X(defer_free, NUMBER)              \
	X(publish, NUMBER)                 \
	X(cancel, NUMBER)                  \
	X(alloc, STORED)                   \
	X(xalloc, STORED)                  \
	X(zalloc, STORED)                  \
	X(realloc, STORED)                 \
	X(zrealloc, STORED)                \
	X(strdup, STORED)                  \
	X(wcsdup, STORED)                  \
	X(create, NUMBER)                  \
	X(open, NUMBER)                    \
	X(close, NUMBER)                   \
	X(root, OID)                       \
	X(root_construct, OID)             \
	X(list_insert_new, OID)            \
	X(memcpy, NUMBER)                  \
	X(memmove, NUMBER)                 \
	X(memset, NUMBER)                  \
	X(memcpy_persist, NUMBER)          \
	X(memset_persist, NUMBER)

/* BO_PMEMOBJ_tx_begin and so on. */
enum bo_pmemobj_function {
	BO_PMEMOBJ_NONE,
#define X(name, result) BO_PMEMOBJ_##name,
	BO_PMEMOBJ_FUNCTIONS(X)
#undef X
		BO_PMEMOBJ_COUNT
};

#endif
