/* SPDX-License-Identifier: GPL-2.0-or-later */
/* survey.h - the results of a first reading of the recording, while it is still being written, for a campaign
 * (campaign.h).
 *
 *     struct survey *s = survey_new(POINTS_PERSIST);
 *     while (trace_next(trace, &ev, &err) > 0)
 *             survey_event(s, &ev, ++number);
 *     survey_end(s);                                           // the reading is over, complete or not
 */
#ifndef BLACKOUT_CRASH_SURVEY_H
#define BLACKOUT_CRASH_SURVEY_H

#include "detect/points.h"
#include "image/content.h"
#include "image/origin.h"

struct survey {
	struct points *points;
	struct origin *origin;
	struct content *final; /* the files as the program left them */
	uint64_t events;
};

struct survey *survey_new(enum points_at at);
void survey_free(struct survey *survey);

void survey_event(struct survey *survey, const struct event *ev, uint64_t number);
void survey_end(struct survey *survey);

#endif
