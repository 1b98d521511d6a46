/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice.h - which detectors and strategies judge a recording, and for which platforms.
 *
 *     struct choice choice;
 *     if (choice_parse(&choice, "patterns,transactions,inject", "adr", &err) < 0) ...   // the error lists the names */
#ifndef BLACKOUT_ANALYSIS_CHOICE_H
#define BLACKOUT_ANALYSIS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "campaign/strategies.h"
#include "detect/detector.h"
#include "detect/points.h"
#include "model/model.h"

#define CHOICE_ONE(...) +1 /* to count the rows of a table */

/* The values of --detect and --platform. */
struct choice {
	const struct detector *detectors[0 DETECTORS(CHOICE_ONE)];
	const struct strategy *strategies[0 STRATEGIES(CHOICE_ONE)]; /* if any, scan_survey */
	const struct platform *platforms[0 PLATFORMS(CHOICE_ONE)];
	size_t detector_count, strategy_count, platform_count;
	bool places; /* also count events by place: scan_stats */
	enum points_at at;
};

/* What --detect takes, as "|a|b,...", and its default, as ",a,b". */
#define DETECT_NAMES DETECTORS(DETECT_BAR) STRATEGIES(DETECT_BAR) ",..."
#define DETECT_USUAL DETECTORS(DETECT_DEFAULT) STRATEGIES(DETECT_DEFAULT)

/* Parse the two comma-separated lists; -1, ERR_USAGE. */
int choice_parse(struct choice *choice, const char *detect, const char *platform, struct err *err);

/* Without recovery, nothing is tested: keep the strategies that count states, or have something else to tell. */
void choice_without_recovery(struct choice *choice);

/* BO_LAYER_*: what the recording should have for the strategies. */
uint32_t choice_layers(const struct choice *choice);

/* The name of a strategy that cannot work with a recording of these layers, and what it lacks; NULL: all can. */
const char *choice_lacks(const struct choice *choice, uint32_t layers, uint32_t *lacks);

/* Does a strategy test all legal sets of persisted stores? */
bool choice_all_sets(const struct choice *choice);

#endif
