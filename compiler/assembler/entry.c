/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "entry.h"

#include "../runtime/entries.h"

bool entry_read(struct span name, struct entry *entry)
{
#define COMPARE(NAME, KIND, BYTES, FLAGS, SIZE, ORDER, FAILURE) \
	if (span_is(name, #NAME)) {                             \
		*entry = (struct entry){KIND, BYTES, FLAGS};    \
		return true;                                    \
	}
	ALL_ENTRIES(COMPARE)
#undef COMPARE
	return false;
}

int entry_scale(int order)
{
#define CHOOSE(ORDER, SCALE) \
	if (order == ORDER)  \
		return SCALE;
	BO_INLINE_ORDERS(CHOOSE)
#undef CHOOSE
	return 0;
}
