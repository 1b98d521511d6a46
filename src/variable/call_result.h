/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_result.h - what a function returned: `next()->count`; of an overloaded operator, what it was applied to. */
#ifndef BLACKOUT_VARIABLE_CALL_RESULT_H
#define BLACKOUT_VARIABLE_CALL_RESULT_H

#include "variable/value.h"

/* The result of the call at `index`; false: not the address of an object, or the function is not known. */
bool call_result(struct evaluation *e, uint32_t index, struct value *value);

#endif
