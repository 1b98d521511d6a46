/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operation_judging.h - judge crash states also by what recovery prints (--ops): from the options of an analysis to the
 * oracle of its campaign (equivalence/equivalence.h).
 *
 *     struct operation_judging judging = {0};
 *     if (operation_judging_open(&judging, &operations, &how, scan, &err) == 0)     // adds its oracle to `how`
 *             r = campaign_run(&campaign, &how, ...);
 *     operation_judging_report(&judging, scan, findings);
 *     operation_judging_close(&judging);                                            // after campaign_free */
#ifndef BLACKOUT_ANALYSIS_OPERATION_JUDGING_H
#define BLACKOUT_ANALYSIS_OPERATION_JUDGING_H

#include "analysis/scan.h"
#include "crash/options.h"
#include "equivalence/equivalence.h"
#include "finding/finding.h"

struct analysis_operations {
	const struct oplist *list;  /* NULL: what recovery prints does not count */
	const struct oplist *probe; /* NULL: recovery performs the operations that are left */
	size_t after;               /* at most so many of these; SIZE_MAX: all */
	uint64_t lag;
	const struct output_rules *rules;
	const char *marks; /* how the recording must recognize operations; NULL: no matter how */
};

struct operation_judging {
	struct equivalence *equivalence; /* NULL: nothing is judged */
	struct output *printed;          /* by the recorded program */
	char *folder;                    /* for files with operations */
	int lock;                        /* of the folder */
	const struct oplist *list;
	uint64_t listed; /* operations */
	const struct output_rules *rules;
	const struct oracle *oracles[2];
};

/* Does nothing without a list.  `how` has the recording and the commands.  -1, ERR_USAGE or ERR_TARGET: the recording
 * does not show the operations of the list.  operation_judging_close is needed in any case. */
int operation_judging_open(struct operation_judging *judging, const struct analysis_operations *operations,
			   struct campaign_options *how, const struct scan *scan, struct err *err);

/* Add figures and notes. */
void operation_judging_report(const struct operation_judging *judging, const struct scan *scan,
			      struct findings *findings);

void operation_judging_close(struct operation_judging *judging);

#endif
