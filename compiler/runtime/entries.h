/* SPDX-License-Identifier: 0BSD */
/* entries.h - every function of the runtime that compilers insert calls of, as gcc 12-14 and clang 14-19 name them.
 *
 * X(NAME, KIND, BYTES, FLAGS, SIZE_ARGUMENT, ORDER_ARGUMENT, FAILURE_ARGUMENT); see blackout/atomicity.h.  NAME follows
 * "__tsan_", because the calls are those of -fsanitize=thread. */
#ifndef BLACKOUT_RUNTIME_ENTRIES_H
#define BLACKOUT_RUNTIME_ENTRIES_H

#include "blackout/atomicity.h"

/* Accesses of one size that the caller itself makes next. */
#define ACCESS_ENTRIES(X, BYTES)                                                                                 \
	X(read##BYTES, BO_ENTRY_READ, BYTES, 0, 0, 0, 0)                                                         \
	X(write##BYTES, BO_ENTRY_WRITE, BYTES, 0, 0, 0, 0)                                                       \
	X(read_write##BYTES, BO_ENTRY_READ_WRITE, BYTES, 0, 0, 0, 0)                                             \
	X(volatile_read##BYTES, BO_ENTRY_READ, BYTES, BO_ENTRY_VOLATILE, 0, 0, 0)                                \
	X(volatile_write##BYTES, BO_ENTRY_WRITE, BYTES, BO_ENTRY_VOLATILE, 0, 0, 0)                              \
	X(unaligned_read##BYTES, BO_ENTRY_READ, BYTES, BO_ENTRY_UNALIGNED, 0, 0, 0)                              \
	X(unaligned_write##BYTES, BO_ENTRY_WRITE, BYTES, BO_ENTRY_UNALIGNED, 0, 0, 0)                            \
	X(unaligned_read_write##BYTES, BO_ENTRY_READ_WRITE, BYTES, BO_ENTRY_UNALIGNED, 0, 0, 0)                  \
	X(unaligned_volatile_read##BYTES, BO_ENTRY_READ, BYTES, BO_ENTRY_VOLATILE | BO_ENTRY_UNALIGNED, 0, 0, 0) \
	X(unaligned_volatile_write##BYTES, BO_ENTRY_WRITE, BYTES, BO_ENTRY_VOLATILE | BO_ENTRY_UNALIGNED, 0, 0, 0)

/* Entries that are called and return: nothing else is to be done there. */
#define EMPTY_ENTRIES(X)                                          \
	ACCESS_ENTRIES(X, 1)                                      \
	ACCESS_ENTRIES(X, 2)                                      \
	ACCESS_ENTRIES(X, 4)                                      \
	ACCESS_ENTRIES(X, 8)                                      \
	ACCESS_ENTRIES(X, 16)                                     \
	X(read_range, BO_ENTRY_READ, 0, 0, 2, 0, 0)               \
	X(write_range, BO_ENTRY_WRITE, 0, 0, 2, 0, 0)             \
	X(vptr_read, BO_ENTRY_READ, 8, BO_ENTRY_VPTR, 0, 0, 0)    \
	X(vptr_update, BO_ENTRY_WRITE, 8, BO_ENTRY_VPTR, 0, 0, 0) \
	X(init, BO_ENTRY_NOTHING, 0, 0, 0, 0, 0)                  \
	X(func_entry, BO_ENTRY_NOTHING, 0, 0, 0, 0, 0)            \
	X(func_exit, BO_ENTRY_NOTHING, 0, 0, 0, 0, 0)             \
	X(ignore_thread_begin, BO_ENTRY_NOTHING, 0, 0, 0, 0, 0)   \
	X(ignore_thread_end, BO_ENTRY_NOTHING, 0, 0, 0, 0, 0)

/* Atomic accesses of one size.  A value takes REGISTERS arguments; ORDER is 2 + REGISTERS, and so on. */
#define ATOMIC_ENTRIES(X, BITS, BYTES, ORDER, COMPARE_ORDER, COMPARE_FAILURE, VAL_ORDER, VAL_FAILURE)            \
	X(atomic##BITS##_load, BO_ENTRY_ATOMIC_LOAD, BYTES, 0, 0, 2, 0)                                          \
	X(atomic##BITS##_store, BO_ENTRY_ATOMIC_STORE, BYTES, 0, 0, ORDER, 0)                                    \
	X(atomic##BITS##_exchange, BO_ENTRY_ATOMIC_UPDATE, BYTES, 0, 0, ORDER, 0)                                \
	X(atomic##BITS##_fetch_add, BO_ENTRY_ATOMIC_UPDATE, BYTES, 0, 0, ORDER, 0)                               \
	X(atomic##BITS##_fetch_sub, BO_ENTRY_ATOMIC_UPDATE, BYTES, 0, 0, ORDER, 0)                               \
	X(atomic##BITS##_fetch_and, BO_ENTRY_ATOMIC_UPDATE, BYTES, 0, 0, ORDER, 0)                               \
	X(atomic##BITS##_fetch_or, BO_ENTRY_ATOMIC_UPDATE, BYTES, 0, 0, ORDER, 0)                                \
	X(atomic##BITS##_fetch_xor, BO_ENTRY_ATOMIC_UPDATE, BYTES, 0, 0, ORDER, 0)                               \
	X(atomic##BITS##_fetch_nand, BO_ENTRY_ATOMIC_UPDATE, BYTES, 0, 0, ORDER, 0)                              \
	X(atomic##BITS##_compare_exchange_strong, BO_ENTRY_COMPARE, BYTES, 0, 0, COMPARE_ORDER, COMPARE_FAILURE) \
	X(atomic##BITS##_compare_exchange_weak, BO_ENTRY_COMPARE, BYTES, 0, 0, COMPARE_ORDER, COMPARE_FAILURE)   \
	X(atomic##BITS##_compare_exchange_val, BO_ENTRY_COMPARE, BYTES, 0, 0, VAL_ORDER, VAL_FAILURE)

#define ALL_ENTRIES(X)                                               \
	EMPTY_ENTRIES(X)                                             \
	ATOMIC_ENTRIES(X, 8, 1, 3, 4, 5, 4, 5)                       \
	ATOMIC_ENTRIES(X, 16, 2, 3, 4, 5, 4, 5)                      \
	ATOMIC_ENTRIES(X, 32, 4, 3, 4, 5, 4, 5)                      \
	ATOMIC_ENTRIES(X, 64, 8, 3, 4, 5, 4, 5)                      \
	ATOMIC_ENTRIES(X, 128, 16, 4, 5, 6, 6, 7)                    \
	X(atomic_thread_fence, BO_ENTRY_THREAD_FENCE, 0, 0, 0, 1, 0) \
	X(atomic_signal_fence, BO_ENTRY_SIGNAL_FENCE, 0, 0, 0, 1, 0) \
	X(memcpy, BO_ENTRY_COPY, 0, 0, 3, 0, 0)                      \
	X(memmove, BO_ENTRY_COPY, 0, 0, 3, 0, 0)                     \
	X(memset, BO_ENTRY_FILL, 0, 0, 3, 0, 0)

#endif
