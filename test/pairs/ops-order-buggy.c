/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-order-buggy.c - operations whose order matters overlap, and one of them happens in two steps. */
// link: -lpthread
// arguments: {ops} 4
// recover: {ops} 1
// run: --detect inject,explore --op-marks annotated
// op: add 5; double; add 3; double; show; show; show; show
#include "order.h"

#include "blackout/annotate.h"

static void change(uint64_t *total, const struct operation *op)
{
	uint64_t next = is(op, "double") ? *total * 2 : *total + op->a;

	ST8(total, *total + 1); //! output-mismatch error
	PERSIST(total);
	ST8(total, next);
	PERSIST(total);
}

static void perform(const char *line, int at)
{
	BLACKOUT_OP_BEGIN(line);
	performed(at);
	BLACKOUT_OP_END();
}
