/* SPDX-License-Identifier: GPL-2.0-or-later */
/* earlier.h - what `check` and `merge` share: the analysis of an earlier recording.
 *
 *     static const struct option options[] = {EARLIER_OPTIONS(&judging, &operating, ...), {0}};
 *     ...
 *     struct earlier earlier = {.analyze = {...}, .operating = &operating, .out = out};
 *     status = earlier_run(&earlier, &err); */
#ifndef BLACKOUT_CLI_EARLIER_H
#define BLACKOUT_CLI_EARLIER_H

#include "cli/analyze.h"
#include "cli/cluster_options.h"
#include "cli/operation_options.h"
#include "run/part.h"

/* The options that say what is tested, and how; `more` are rows of the command's own about crash states, each with a
 * comma behind it. */
#define EARLIER_OPTIONS(judging, operating, more)                                                                  \
	ANALYSIS_OPTIONS(judging), TESTING_OPTIONS(judging), more EXPLORE_OPTIONS(judging), RACE_OPTIONS(judging), \
		OPERATION_OPTIONS(operating), SERVICE_OPTIONS(judging)

struct earlier {
	struct analyze analyze;                 /* its directories are set */
	struct operation_words *operating;      /* the same as analyze.operation_words; `ops` may change */
	struct part *part;                      /* the results are this part; NULL: they are whole */
	const struct cluster_words *clustering; /* crash states are tested in shards; NULL: here */
	const char *out;                        /* made if it does not exist; NULL: the directory of the recording */
};

/* Check all options, read the recording, test, and report.  Returns the exit status. */
int earlier_run(struct earlier *earlier, struct err *err);

#endif
