/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drawings.h - make the drawings of cache lines in report.html again, for findings that were read from findings.json,
 * which does not contain them.
 *
 *     findings_read(&findings, "blackout.out/findings.json", &err);
 *     drawings_make(findings, "blackout.out", &err);                   // needs the recording */
#ifndef BLACKOUT_ANALYSIS_DRAWINGS_H
#define BLACKOUT_ANALYSIS_DRAWINGS_H

#include "finding/finding.h"

/* -1: the recording cannot be read. */
int drawings_make(struct findings *findings, const char *dir, struct err *err);

#endif
