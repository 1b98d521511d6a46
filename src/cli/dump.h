/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump.h - the parts of `blackout dump`. */
#ifndef BLACKOUT_CLI_DUMP_H
#define BLACKOUT_CLI_DUMP_H

#include "cli/out.h"
#include "trace/stats.h"
#include "trace/symbols.h"
#include "trace/trace.h"

/* Print the name and the operands of an event, without a newline: "store pool+0x40 8 0x1". */
void dump_event(struct out *out, const struct trace *trace, const struct event *ev);

/* Print a place in PM: NAME+0xOFFSET. */
void dump_place(struct out *out, const struct trace *trace, uint32_t file, uint64_t offset);

/* Print what a load or store depends on: " data=pool+0x40:8 control=pool+0x0:4"; nothing if it depends on nothing. */
void dump_dependencies(struct out *out, const struct trace *trace, const struct event *ev);

/* Print the operands of BRANCH, INPUT and VALUE. */
void dump_inputs(struct out *out, const struct trace *trace, const struct event *ev);

/* Print the loads that others depend on, a line each.  Without symbols, leave out the code. */
void dump_reads(struct out *out, const struct trace *trace, struct symbols *symbols);

/* Read the recording, and print all invariants that it shows. -1 on damage. */
int dump_invariants(struct out *out, struct trace *trace, struct symbols *symbols, struct err *err);

/* Print all counts of a recording that was read to its end, or up to the damage.  Without symbols, print only those
 * that need none. */
void dump_stats(struct out *out, const char *dir, const struct trace *trace, const struct stats *stats,
		struct symbols *symbols);

#endif
