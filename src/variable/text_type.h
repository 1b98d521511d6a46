/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_type.h - the type of what a text of the source names: `node->items[].key`, where `node` is a variable in scope.
 *
 * Knows members, elements, `*`, the implicit `this->` of C++, and D_RW and D_RO of libpmemobj, which make a pointer of a
 * typed object id. */
#ifndef BLACKOUT_VARIABLE_TEXT_TYPE_H
#define BLACKOUT_VARIABLE_TEXT_TYPE_H

#include "variable/scope.h"

struct text_type {
	Dwarf_Die type;
	bool member;      /* it is a member of `holder`: */
	Dwarf_Die holder; /* not stripped */
	uint64_t offset;
};

/* False: a variable or member is not known, or the text has something else in it. */
bool text_type(const struct scope *scope, const char *text, struct text_type *result);

#endif
