/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_calls.c - the expressions of results of VEX's helper functions. */
#include "bo_expr.h"

Bool bo_expr_call(const HChar *name, const struct bo_value *args, UInt n, struct bo_value *result)
{
	return False;
}

Bool bo_expr_dirty_call(const HChar *name, const struct bo_value *args, UInt n, const struct bo_value *registers,
			UInt m, struct bo_value *result)
{
	return False;
}
