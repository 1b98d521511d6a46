/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice.h - which detectors judge a recording, and for which platforms.
 *
 *     struct choice choice;
 *     if (choice_parse(&choice, "patterns,inject", "adr", &err) < 0) ...                // the error lists the names */
#ifndef BLACKOUT_ANALYSIS_CHOICE_H
#define BLACKOUT_ANALYSIS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "detect/detector.h"
#include "detect/points.h"
#include "model/model.h"

enum { DETECTORS_MAX = 8, PLATFORMS_MAX = 8 };

/* The values of --detect and --platform. */
struct choice {
	const struct detector *detectors[DETECTORS_MAX];
	const struct platform *platforms[PLATFORMS_MAX];
	size_t detector_count, platform_count;
	bool places;          /* also count events by place: scan_stats */
	bool inject, explore; /* crash states will be tested: scan_survey */
	enum points_at at;
};

/* Parse the two comma-separated lists; -1, ERR_USAGE. */
int choice_parse(struct choice *choice, const char *detect, const char *platform, struct err *err);

#endif
