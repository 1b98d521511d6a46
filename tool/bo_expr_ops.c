/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_ops.c - the expressions of results of VEX's operations. */
#include "bo_expr.h"

Bool bo_expr_operation(IROp op, const struct bo_value *args, UInt n, struct bo_value *result)
{
	return False;
}
