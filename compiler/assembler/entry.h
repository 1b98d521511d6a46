/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.h - the entries of the runtime (../runtime/entries.h) by name, and the instructions that stand for their calls. */
#ifndef BLACKOUT_ASSEMBLER_ENTRY_H
#define BLACKOUT_ASSEMBLER_ENTRY_H

#include "blackout/atomicity.h"
#include "span.h"

struct entry {
	unsigned kind, bytes, flags;
};

/* `name` is what follows "__tsan_".  Return false if there is no such entry. */
bool entry_read(struct span name, struct entry *entry);

/* The scale that tells the order of an atomic load (BO_INLINE_ORDERS); 0: it is none of a load. */
int entry_scale(int order);

#endif
