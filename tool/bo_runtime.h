/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_runtime.h - the runtimes of blackout-cc in the target's modules: functions that compilers call for accesses
 * (blackout/atomicity.h).
 *
 * A runtime is no code of the program's own.  What it does is done by its caller: contexts have no frames of it. */
#ifndef BO_RUNTIME_H
#define BO_RUNTIME_H

#include "blackout/atomicity.h"
#include "pub_tool_basics.h"

#define BO_RUNTIMES_MAX 1023u

struct bo_runtime_entry {
	Addr addr;
	UInt runtime; /* its number, from 1 */
	UChar kind, bytes, flags, size_argument, order_argument, failure_argument;
	Bool is_empty; /* it only returns */
};

struct bo_runtime {
	UInt number;
	Addr begin, end; /* the code of all entries */
	UInt count;
	struct bo_runtime_entry *entries; /* by address */
};

/* Read the note of the module that has code at this address; NULL: it has no runtime.  If its runtime cannot be used, a
 * META says so. */
const struct bo_runtime *bo_runtime_read(Addr addr, const HChar *path);

/* The entry that the code at an address belongs to; NULL: none. */
const struct bo_runtime_entry *bo_runtime_entry_of(const struct bo_runtime *runtime, Addr addr);

/* An atomic load that stands in place of a call. */
struct bo_inline_load {
	UInt runtime, bytes, order;
};

/* Is the instruction at an address one? */
Bool bo_runtime_inline_load(const struct bo_runtime *runtime, Addr addr, struct bo_inline_load *load);

/* Is the instruction at an address the announcement of a store?  Then *entry is what it stands for, without an address. */
Bool bo_runtime_inline_store(const struct bo_runtime *runtime, Addr addr, struct bo_runtime_entry *entry);

#endif
