/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign.h - what becomes of the program if the power fails here?  Crash states of a recording are made and judged by
 * the program's own recovery.
 *
 *     struct campaign *c;
 *     r = campaign_run(&c, &options, survey, &err);          // before: recovery must pass on the orderly end; then all chosen crash states
 *     campaign_report(c, findings, trace, symbols, &how);    // after findings_collect: adds findings, figures and notes
 *     ... findings_number ...
 *     campaign_finish(c, findings, &err);                    // DIR/crash/F1 ...
 *     campaign_free(c);
 *
 * DESIGN.  The recording is read again, once for each platform, with an image (image/image.h) that rolls forward.  At
 * each chosen visit of a failure point two crash states are made: all so far persisted, and only what is guaranteed.
 * tester.h runs recovery on each content that was not seen before, on several workers while the reading goes on, and
 * keeps the outcomes.  Outcomes are judged in the order of the states (trials.h), so the result does not depend on who
 * was faster.  What fails is read once more for its cause (explain.h): the fewest stores lost, or the shortest prefix,
 * that still fail; each such state is kept in a folder for `replay`.  That is done when inject has tested its states,
 * and now and then while explore tests its own: judging is repeated, and what was explained stays.
 *
 * Nothing here prints: progress and interrupts are the caller's. */
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
	uint64_t known;    /* states that this phase will have in all; 0: that is not known */
	uint64_t tested;   /* of those done, the ones on which recovery was run */
	uint64_t failed;
	uint64_t segments;       /* of those to be explored in this phase, the ones that were begun */
	uint64_t segments_known; /* so many are to be explored; 0: that is not known, or not what the phase does */
	double seconds;          /* of this phase */
	double budget_left;      /* seconds; negative: there is no budget */
};

struct tester_maker; /* tester.h */

struct campaign_options {
	const char *dir; /* the recording */
	const char *out; /* where crash/ and the journal go */
	const struct platform *const *platforms;
	size_t platform_count;

	/* recovery; see run/recovery.h */
	const char *recover, *client, *ready;
	const char *mode; /* NULL: whichever works */
	const char *cwd;  /* of the target */
	double timeout;   /* seconds */
	uint64_t memory;  /* bytes; 0: no limit */
	uint64_t disk;    /* bytes that a run may write; 0: no limit */
	unsigned jobs;
	bool pmem_force;
	const char *depends; /* text of all options that its outcomes depend on, besides the timeout: for `resume` */

	const struct tester_maker *maker; /* who runs recovery, instead of all these; NULL: workers on this machine */

	/* what to test */
	bool inject, explore;             /* two states at each failure point; all that are legal */
	bool prune_segments, prune_reads; /* explore.h */
	uint64_t segments;                /* that explore will look at, for its progress; 0: not known */
	uint64_t representatives;         /* segments of the same code that are explored */
	uint64_t per_segment; /* states of one segment that are tested, if there are more; then some by chance */
	uint64_t visits;      /* of each point, at most: the first, the last, and evenly between */
	const char *points;   /* comma list of numbers, ranges, functions and file:line; NULL: all */
	const char *after;    /* only once this function has returned for the first time; NULL: from the start */
	double budget;        /* seconds; 0: no limit */
	/* With a budget, what other detectors complained of is tested first.  `suspects` are the events of stores that
	 * may be lost (explore); `callers` are the contexts from which the functions around them were called
	 * (inject). */
	const uint64_t *suspects;
	const uint32_t *callers;
	const uint32_t *leftovers; /* contexts whose stores were never written back: does recovery need them? */
	size_t leftover_count;
	size_t leftover_platform; /* index of the platform on which they were not */
	size_t suspect_count, caller_count;
	uint64_t seed;
	bool nested;           /* crash recovery itself, too */
	unsigned folder_first; /* folders are numbered after this one */
	bool resume;           /* outcomes in the journal of `out` are taken over, if they depend on the same */

	/* Asked often; true ends the campaign with what it has. */
	bool (*interrupted)(void);
	/* Told often; may be NULL. */
	void (*progress)(void *arg, const struct campaign_progress *progress);
	void *arg;
};

struct campaign;

/* What can be wrong with the recovery command and be seen before anything is recorded, or read.  `elsewhere`: it will
 * run in a directory that is not known yet.  -1, ERR_USAGE. */
int campaign_check(const struct campaign_options *options, bool elsewhere, struct err *err);

/* Remove what an earlier campaign has left in `dir`: it says nothing about another recording. */
void campaign_forget(const char *dir);

/* Test the crash states.  `survey` is what a first reading of the recording found; it must live as long as the
 * campaign.  -1, ERR_TARGET: recovery fails without any crash; ERR_USAGE: it cannot be started, or `points` or `after`
 * names nothing: *campaign is to be freed then, too.  0 also when it was interrupted, or ran out of budget: then
 * campaign_complete is false. */
int campaign_run(struct campaign **campaign, const struct campaign_options *options, const struct survey *survey,
		 struct err *err);
void campaign_free(struct campaign *campaign);

bool campaign_complete(const struct campaign *campaign);

/* Recovery was run on PM files, and never opened one: its verdicts are worth nothing. */
bool campaign_judges_nothing(const struct campaign *campaign);

/* After ERR_TARGET: the end of what recovery printed, or "". */
const char *campaign_printed(const struct campaign *campaign);

/* What recovery makes of each of options.leftovers; valid as long as the campaign. */
const struct leftover_proof *campaign_proofs(struct campaign *campaign, size_t *count);

/* Add what was found, the figures and the notes. `trace` must have been read to its end. */
void campaign_report(struct campaign *campaign, struct findings *findings, const struct trace *trace,
		     struct symbols *symbols, const struct findings_options *options);

/* Findings are numbered: name the folders after them.  -1: some could not be kept, also if that was found out before;
 * their findings are as good as the others, but have no folder. */
int campaign_finish(struct campaign *campaign, struct findings *findings, struct err *err);

#endif
