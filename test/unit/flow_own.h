/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_own.h - graphs of functions of the test program itself.
 *
 * The functions are written in assembly, so that every label is an address that the tests can name.  They are never
 * executed.
 *
 *     __asm__(".pushsection .text\n"
 *             "t_if: test %edi, %edi\n"
 *             "t_if_branch: je t_if_join\n"
 *             ...
 *     PLACE(t_if);
 *     struct flow_graph *g = GRAPH(t_if);                       // up to t_if_end
 *     expect_join(g, AT(t_if_branch), AT(t_if_join)); */
#ifndef BLACKOUT_TEST_FLOW_OWN_H
#define BLACKOUT_TEST_FLOW_OWN_H

#include "flow/flow.h"

/* A label in assembly. */
#define PLACE(name) extern const uint8_t name[] __attribute__((visibility("hidden")))
#define AT(name) ((uint64_t)(uintptr_t)(name))

/* Functions that others may call: one returns, one fails, one calls the one that fails, one is a loop.  One returns twice
 * and one ends the process, because flow_own says so. */
PLACE(t_returns);
PLACE(t_aborts);
PLACE(t_fails);
PLACE(t_again);
PLACE(t_again_branch);
PLACE(t_again_out);
PLACE(t_twice);
PLACE(t_exits);
PLACE(t_ends_all);

extern const struct flow_code flow_own;
void *flow_own_resize(void *block, size_t bytes);

/* The graph of a function, with jumps that were seen; end 0: not known. */
struct flow_graph *graph_seen(uint64_t entry, uint64_t end, const struct flow_seen *seen, uint32_t count);
#define GRAPH(name) graph_seen(AT(name), AT(name##_end), NULL, 0)

/* The point of an instruction, which must be in the graph. */
struct flow_point point(const struct flow_graph *g, uint64_t at);

/* All ways from the branch meet at `join`, or outside if that is 0. */
void expect_join(const struct flow_graph *g, uint64_t branch, uint64_t join);

#endif
