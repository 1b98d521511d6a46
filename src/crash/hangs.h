/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs.h - recoveries that exceed the time limit: do they hang, or are they slow?  The rules are in hangs.c.
 *
 *     advice = hangs_look(campaign, platform, &trial, &err);          // while testing: a state of a failure point
 *     if (advice == HANGS_CONFIRM)
 *             hangs_try(campaign, platform, &trial, state, &err);     // instead of tester_submit
 *     ...
 *     hangs_confirm(campaign, platform, trials, &err);                // before judging
 *     hangs_figures(campaign)                                         // for the report */
#ifndef BLACKOUT_CRASH_HANGS_H
#define BLACKOUT_CRASH_HANGS_H

#include "crash/trials.h"

struct campaign;
struct hangs; /* all that is known about hangs in one campaign */

struct hangs *hangs_new(void);
void hangs_free(struct hangs *hangs);

/* Decide how to handle a trial.  Negative: TESTER_STOPPED, -1. */
enum hangs_advice { HANGS_TEST, HANGS_CONFIRM /* with hangs_try, if it is to run at all */, HANGS_LEAVE };
int hangs_look(struct campaign *campaign, size_t platform, const struct trial *trial, struct err *err);
/* After HANGS_CONFIRM: is a time-out all that the shards know about this trial? */
bool hangs_are_merged(const struct campaign *campaign, const struct trial *trial);
/* Run a state alone with a longer time limit.  0, TESTER_STOPPED or -1. */
int hangs_try(struct campaign *campaign, size_t platform, const struct trial *trial, const struct state *state,
	      struct err *err);
/* Does recovery hang on this state?  1: yes.  0: it ends if it has more time, as *how says.  TESTER_STOPPED: there is
 * no time to find out.  -1: error.  A state without a digest (0, 0) is always run. */
int hangs_certainly(struct campaign *campaign, const struct state *state, const struct crash_context *crash,
		    struct verdict *how, struct err *err);
/* The same for all trials that exceeded the time limit; 0 also when stopped. */
int hangs_confirm(struct campaign *campaign, size_t platform, const struct trials *trials, struct err *err);

/* Count states that exceeded the time limit and were neither confirmed nor refuted, for lack of time. */
void hangs_leave_unconfirmed(struct campaign *campaign, uint64_t states);

struct hangs_figures {
	uint64_t left_out;    /* contents not tested because others of their failure point hang */
	uint64_t unconfirmed; /* time-outs that were neither confirmed nor refuted */
};

struct hangs_figures hangs_figures(const struct campaign *campaign);

#endif
