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
#ifndef BLACKOUT_CRASH_CAMPAIGN_H
#define BLACKOUT_CRASH_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/survey.h"
#include "finding/finding.h"
#include "model/model.h"

/* States done so far, for a progress line. */
struct campaign_progress {
	const char *phase; /* "testing", "minimising" */
	uint64_t done;     /* states whose outcome is known */
	uint64_t known;    /* total states of this phase; 0: not known */
	uint64_t tested;   /* of those done, the ones that recovery ran on */
	uint64_t failed;
	uint64_t segments;       /* segments of this phase that exploring has begun */
	uint64_t segments_known; /* total; 0: not known, or the phase does not explore */
	double seconds;          /* of this phase */
	double budget_left;      /* seconds; negative: no budget */
};

struct tester_maker; /* tester.h */

struct campaign_options {
	const char *dir; /* the recording */
	const char *out; /* directory for crash/ and the journal */
	const struct platform *const *platforms;
	size_t platform_count;

	/* recovery; see run/recovery.h */
	const char *recover, *client, *ready;
	const char *mode; /* NULL: the first that works */
	const char *cwd;  /* of the target */
	double timeout;   /* seconds */
	uint64_t memory;  /* bytes; 0: no limit */
	uint64_t disk;    /* bytes that a run may write; 0: no limit */
	unsigned jobs;
	bool pmem_force;
	const char *depends; /* all options that the outcomes depend on, except the timeout, as text: for `resume` */

	/* Runs recovery, instead of the fields above; NULL: workers on this machine. */
	const struct tester_maker *maker;

	/* what to test */
	bool inject, explore;             /* inject: two states at each failure point; explore: all legal states */
	bool prune_segments, prune_reads; /* explore.h */
	uint64_t segments;                /* total that explore will look at, for progress; 0: not known */
	uint64_t representatives;         /* how many segments of the same code to explore */
	uint64_t per_segment; /* at most this many states of one segment; a random sample if there are more */
	uint64_t visits;      /* of each point, at most: the first, the last, and evenly spaced ones */
	const char *points;   /* comma list of numbers, ranges, functions and file:line; NULL: all */
	const char *after;    /* test only after this function has first returned; NULL: from the start */
	double budget;        /* seconds; 0: no limit */
	/* With a budget, places that other detectors reported are tested first.  `suspects` are the events of stores
	 * that may be lost (for explore).  `callers` are the contexts that called the functions around them (for
	 * inject). */
	const uint64_t *suspects;
	const uint32_t *callers;
	/* Contexts whose stores were never written back: does recovery need them? */
	const uint32_t *leftovers;
	size_t leftover_count;
	size_t leftover_platform; /* index of the platform on which they were never written back */
	size_t suspect_count, caller_count;
	uint64_t seed;
	bool nested;           /* crash recovery itself as well */
	unsigned folder_first; /* number folders from the next number on */
	bool resume;           /* reuse the outcomes in the journal of `out`, if they depend on the same options */

	/* Called often; true ends the campaign, which keeps its results so far. */
	bool (*interrupted)(void);
	/* Called often; may be NULL. */
	void (*progress)(void *arg, const struct campaign_progress *progress);
	void *arg;
};

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
