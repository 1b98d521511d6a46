/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h - the message that `record` prints when it is done.
 *
 *     recorded 1 842 PM stores, 611 flushes, 304 fences in 2 threads         1.9 s
 *       files      /tmp/pool (1.0 MiB, existing)
 *       flushes    clwb 611
 *       copies     memmove_movnt_avx_clwb (ntstore 32), memcpy (store 16)
 *       target     PMEM_IS_PMEM_FORCE=1; offered clflush clflushopt clwb; hidden avx512f
 *       recording  blackout.out, 31 KiB */
#ifndef BLACKOUT_CLI_SUMMARY_H
#define BLACKOUT_CLI_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/stats.h"

/* Facts from the caller. */
struct summary {
	const char *dir; /* as the user wrote it */
	bool is_script;  /* the target is a script */
	bool pm_given;   /* --pm was used */
	double seconds;
	uint64_t disk_bytes;
};

/* Print all of it, from a trace that was read to its end. */
void summary_print(const struct summary *summary, struct trace *trace, const struct stats *stats, FILE *out);

/* Print the first of those lines, or why nothing was recorded; for callers that already have totals.  `started`: the
 * target forked or executed other programs. */
void summary_line(const struct summary *summary, struct trace *trace, const struct stats_summary *totals, bool started,
		  FILE *out);

/* Say that nothing was recorded, with the likely reason as a hint. */
void summary_nothing(const struct summary *summary, const struct trace *trace, bool started, struct err *err);

/* Format a number in groups of three digits, or a size with its unit.  Return `text`. */
const char *number_text(char text[32], uint64_t number);
const char *bytes_text(char text[32], uint64_t bytes);

#endif
