/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-order-call-buggy.c - operations whose order matters overlap, and one of them happens in two steps. */
// link: -lpthread
// arguments: {ops} 2
// recover: {ops} 1
// run: --detect inject,explore --op-marks call:perform
// op: add 5; double; show; show; add 3; double; show; show
#include "order.h"

static void change(uint64_t *total, const struct operation *op)
{
	uint64_t next = is(op, "double") ? *total * 2 : *total + op->a;

	ST8(total, *total + 1); //! output-mismatch error
	PERSIST(total);
	ST8(total, next);
	PERSIST(total);
}

/* The operation: it must be a function of its own in the compiled program. */
static __attribute__((noinline)) void perform(const char *line, int at)
{
	(void)line;
	performed(at);
}
