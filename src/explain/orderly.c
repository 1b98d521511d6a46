/* SPDX-License-Identifier: GPL-2.0-or-later */
/* orderly.c - failures that recovery shows without a crash, too (`fails_orderly` in crash/oracle.h).  No store makes the
 * difference, so nothing is minimized, and all that fail in the same way are one result. */
#include <string.h>

#include "explain/explain.h"

static struct result *orderly_known(const struct explain *e, struct verdict verdict)
{
	struct campaign *c = e->campaign;

	for (size_t i = 0; i < c->results.all.count; i++) {
		struct result *result = &c->results.all.at[i];

		if (result->sighting.cause == CAUSE_ORDERLY && verdict_same(result->verdict, verdict) &&
		    !strcmp(result->sighting.platform, e->platform))
			return result;
	}
	return NULL;
}

static struct state *job_state(const struct job *job, struct image *image)
{
	return job->persisted ? state_new(image, job->persisted) : trial_state(job->trial, image);
}

/* A run that exceeded the time limit may have been slow.  1: *verdict is how it ends.  0: it needs no finding. */
static int orderly_settle(struct explain *e, const struct job *job, const struct state *state,
			  const struct crash_context *crash, struct verdict *verdict, struct err *err)
{
	int r;

	if (!verdict_hangs(*verdict))
		return 1;
	r = hangs_certainly(e->campaign, state, crash, verdict, err);
	if (r == TESTER_STOPPED)
		hangs_leave_unconfirmed(e->campaign, job->states);
	if (r < 0)
		return r == -1 ? -1 : 0;
	return !explain_is_fine(e, job, *verdict);
}

int orderly_explain(struct explain *e, struct job *job, struct err *err)
{
	struct result result = {.verdict = job->verdict, .sighting = {.cause = CAUSE_ORDERLY}};
	struct result *known = orderly_known(e, job->verdict);
	struct crash_context crash;
	struct state *state;
	int r;

	if (known) {
		result_join(e, known, job);
		return 0;
	}
	if (reading_number(e->reading) < job->trial->event) {
		job->start = job->trial->event;
		return 1;
	}
	crash = explain_crash(e);
	state = job_state(job, reading_image(e->reading));
	result_point(e, job->trial, &result.sighting);
	r = orderly_settle(e, job, state, &crash, &result.verdict, err);
	if (r == 1)
		r = result_add(e, job, &result, state, &crash, err);
	state_free(state);
	return r;
}
