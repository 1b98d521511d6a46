/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow_own.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__asm__(".pushsection .text\n"
	".globl t_returns, t_aborts, t_fails, t_again, t_again_branch, t_again_out, t_twice, t_exits, t_ends_all\n"
	"t_returns: test %edi, %edi; je 1f; nop; 1: ret\n"
	"t_aborts: nop; ud2\n"
	"t_fails: push %rax; call t_aborts\n"
	"t_again: test %edi, %edi\n"
	"t_again_branch: je t_again_out\n"
	"  jmp t_again\n"
	"t_again_out: ret\n"
	"t_twice: ret\n"
	"t_exits: syscall\n"
	"  ret\n"
	"t_ends_all: push %rax; call t_exits\n"
	".popsection");

void *flow_own_resize(void *block, size_t bytes)
{
	if (!bytes) {
		free(block);
		return NULL;
	}
	block = realloc(block, bytes);
	assert_non_null(block);
	return block;
}

static size_t read_own(void *arg, uint64_t at, void *to, size_t size)
{
	(void)arg;
	memcpy(to, (const void *)(uintptr_t)at, size);
	return size;
}

static bool begins(void *arg, uint64_t at)
{
	(void)arg;
	return at == AT(t_returns) || at == AT(t_aborts) || at == AT(t_fails) || at == AT(t_again) ||
	       at == AT(t_twice) || at == AT(t_exits) || at == AT(t_ends_all);
}

static enum flow_return returns(void *arg, uint64_t callee);
const struct flow_code flow_own = {flow_own_resize, read_own, begins, returns, NULL};

static enum flow_return returns(void *arg, uint64_t callee)
{
	(void)arg;
	if (callee == AT(t_twice))
		return FLOW_RETURNS_TWICE;
	if (callee == AT(t_exits))
		return FLOW_RETURNS_NOT;
	return begins(NULL, callee) ? flow_returns(&flow_own, callee) : FLOW_RETURNS;
}

struct flow_graph *graph_seen(uint64_t entry, uint64_t end, const struct flow_seen *seen, uint32_t count)
{
	const struct flow_range part = {entry, end};
	struct flow_graph *g = flow_graph_new(&flow_own, &(struct flow_function){entry, &part, end != 0, seen, count});

	assert_non_null(g);
	return g;
}

struct flow_point point(const struct flow_graph *g, uint64_t at)
{
	for (uint32_t i = 0; i < flow_graph_count(g); i++)
		if (flow_graph_point(g, i).at == at)
			return flow_graph_point(g, i);
	fail_msg("%#lx is not in the graph", (unsigned long)at);
	return (struct flow_point){0};
}

void expect_join(const struct flow_graph *g, uint64_t branch, uint64_t join)
{
	struct flow_point p = point(g, branch);

	assert_int_equal(p.after, join);
	if (join)
		assert_true(point(g, join).is_join);
}
