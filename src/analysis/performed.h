/* SPDX-License-Identifier: GPL-2.0-or-later */
/* performed.h - did the recorded program perform the operations of its list, and does the recording show when?
 *
 *     if (performed_check(&summary, "reads", oplist_count(list), &err) < 0) ...          // a sentence and a hint */
#ifndef BLACKOUT_ANALYSIS_PERFORMED_H
#define BLACKOUT_ANALYSIS_PERFORMED_H

#include "base/err.h"
#include "trace/operations.h"

/* `marks`: how operations are recognized (--op-marks).  -1, ERR_USAGE: another way would show more.  -1, ERR_TARGET:
 * the program performs none. */
int performed_check(const struct operations_summary *summary, const char *marks, uint64_t listed, struct err *err);

#endif
