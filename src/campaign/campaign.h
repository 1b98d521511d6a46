/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign.h - test what happens if the power fails.  A campaign makes crash states of a recording and runs the
 * program's own recovery on them.
 *
 *     struct campaign *c;
 *     r = campaign_run(&c, &options, survey, &err);          // first without a crash, then the crash states
 *     campaign_report(c, findings, trace, symbols, &how);    // after findings_collect: findings, figures, notes
 *     ... findings_number ...
 *     campaign_finish(c, findings, &err);                    // DIR/crash/F1 ...
 *     campaign_free(c);
 *
 * DESIGN.  The recording is read again, once for each platform, with an image (image/image.h) that rolls forward.  Each
 * chosen visit of a failure point makes two crash states: one with all stores so far persisted, one with only the
 * guaranteed stores.  tester.h runs recovery on each new content, on several workers while the reading goes on, and
 * keeps the outcomes.  Outcomes are judged in trace order (trials.h), so the result does not depend on which worker was
 * faster.  Another reading finds the cause of each failure (explain.h): the fewest lost stores, or the shortest prefix,
 * that still fail.  Each such state is kept in a folder for `replay`.  Causes are looked for when inject has tested its
 * states, and now and then while explore tests its own.  Judging is then repeated, and causes already found are kept.
 *
 * Nothing here prints; the caller handles progress and interrupts. */
#ifndef BLACKOUT_CAMPAIGN_CAMPAIGN_H
#define BLACKOUT_CAMPAIGN_CAMPAIGN_H

#include "crash/options.h"
#include "crash/survey.h"
#include "finding/finding.h"

struct campaign;

/* Check the recovery command before anything is recorded or read.  `elsewhere`: it will run in a directory that is not
 * known yet.  -1, ERR_USAGE. */
int campaign_check(const struct campaign_options *options, bool elsewhere, struct err *err);

/* Remove the results of an earlier campaign in `dir`: they do not apply to another recording. */
void campaign_forget(const char *dir);

/* Test the crash states.  `survey` is the result of a first reading of the recording, and must live as long as the
 * campaign.  Returns 0 also if it was interrupted or ran out of budget; then campaign_complete is false.  -1,
 * ERR_TARGET: recovery fails without any crash.  -1, ERR_USAGE: recovery cannot be started, or `points` or `after`
 * names nothing.  On errors, too, the caller must free *campaign. */
int campaign_run(struct campaign **campaign, const struct campaign_options *options, const struct survey *survey,
		 struct err *err);
void campaign_free(struct campaign *campaign);

bool campaign_complete(const struct campaign *campaign);

/* True if recovery ran on PM files but never opened one.  Its verdicts are then worthless. */
bool campaign_judges_nothing(const struct campaign *campaign);

/* After ERR_TARGET: the end of recovery's output, or "". */
const char *campaign_printed(const struct campaign *campaign);

/* The fate of each of options.leftovers; valid as long as the campaign. */
const struct leftover_proof *campaign_proofs(struct campaign *campaign, size_t *count);

/* Add the findings, figures and notes.  `trace` must have been read to its end. */
void campaign_report(struct campaign *campaign, struct findings *findings, const struct trace *trace,
		     struct symbols *symbols, const struct findings_options *options);

/* Name the folders after the findings, which must have their numbers.  -1: some folders could not be written, now or
 * earlier.  The findings without a folder are still valid. */
int campaign_finish(struct campaign *campaign, struct findings *findings, struct err *err);

#endif
