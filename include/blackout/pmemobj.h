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

/* X(name, result, arguments): the function is pmemobj_NAME.  `arguments` is the number of registers that hold its arguments;
 * a PMEMoid takes two, and what a variable list has does not count. */
#define BO_PMEMOBJ_FUNCTIONS(X)               \
	X(tx_begin, NUMBER, 2)                \
	X(tx_commit, NUMBER, 0)               \
	X(tx_abort, NUMBER, 1)                \
	X(tx_process, NUMBER, 0)              \
	X(tx_end, NUMBER, 0)                  \
	X(tx_set_failure_behavior, NUMBER, 1) \
	X(tx_lock, NUMBER, 2)                 \
	X(tx_xlock, NUMBER, 3)                \
	X(tx_log_append_buffer, NUMBER, 3)    \
	X(tx_xlog_append_buffer, NUMBER, 4)   \
	X(tx_add_range, NUMBER, 4)            \
	X(tx_add_range_direct, NUMBER, 2)     \
	X(tx_xadd_range, NUMBER, 5)           \
	X(tx_xadd_range_direct, NUMBER, 3)    \
	X(tx_alloc, OID, 2)                   \
	X(tx_zalloc, OID, 2)                  \
	X(tx_xalloc, OID, 3)                  \
	X(tx_realloc, OID, 4)                 \
	X(tx_zrealloc, OID, 4)                \
	X(tx_strdup, OID, 2)                  \
	X(tx_xstrdup, OID, 3)                 \
	X(tx_wcsdup, OID, 2)                  \
	X(tx_xwcsdup, OID, 3)                 \
	X(tx_free, NUMBER, 2)                 \
	X(tx_xfree, NUMBER, 3)                \
	X(tx_publish, NUMBER, 2)              \
	X(tx_xpublish, NUMBER, 3)             \
	X(reserve, OID, 4)                    \
	X(xreserve, OID, 5)                   \
	X(defer_free, NUMBER, 4)              \
	X(publish, NUMBER, 3)                 \
	X(cancel, NUMBER, 3)                  \
	X(alloc, STORED, 6)                   \
	X(xalloc, STORED, 6)                  \
	X(zalloc, STORED, 4)                  \
	X(realloc, STORED, 4)                 \
	X(zrealloc, STORED, 4)                \
	X(strdup, STORED, 4)                  \
	X(wcsdup, STORED, 4)                  \
	X(create, NUMBER, 4)                  \
	X(open, NUMBER, 2)                    \
	X(close, NUMBER, 1)                   \
	X(root, OID, 2)                       \
	X(root_construct, OID, 4)             \
	X(list_insert_new, OID, 6)            \
	X(memcpy, NUMBER, 5)                  \
	X(memmove, NUMBER, 5)                 \
	X(memset, NUMBER, 5)                  \
	X(memcpy_persist, NUMBER, 4)          \
	X(memset_persist, NUMBER, 4)

/* BO_PMEMOBJ_tx_begin and so on. */
enum bo_pmemobj_function {
	BO_PMEMOBJ_NONE,
#define X(name, result, arguments) BO_PMEMOBJ_##name,
	BO_PMEMOBJ_FUNCTIONS(X)
#undef X
		BO_PMEMOBJ_COUNT
};

#endif
