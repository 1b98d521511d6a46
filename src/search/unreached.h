/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unreached.h - what a search has not reached, for its report. */
#ifndef BLACKOUT_SEARCH_UNREACHED_H
#define BLACKOUT_SEARCH_UNREACHED_H

#include "finding/finding.h"
#include "reach/reach.h"
#include "trace/symbols.h"

/* A note that names the source lines of PM-modifying instructions that were never executed; none if there are none. */
void unreached_note(struct findings *findings, const struct reach *reach, struct symbols *symbols,
		    const struct findings_options *places);

#endif
