/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_in.h - the part of a campaign that its files share.  campaign/campaign.h is what the rest of the program
 * sees.
 *
 *     campaign_common.c  texts, progress, testers, time
 *     campaign_watch.c   what does recovery do on a state?
 *     campaign_begin.c   recovery without a crash, before the first crash state
 *     hangs.c            recoveries that exceed the time limit
 *     recheck.c          outcomes that were taken from checkpoints, and proved doubtful
 *     results.c          failures that have been explained
 *
 * Above this room: explain/ finds the causes of failures, inject/ and explore/ choose the crash states, campaign/ puts
 * all of it together. */
#ifndef BLACKOUT_CRASH_CAMPAIGN_IN_H
#define BLACKOUT_CRASH_CAMPAIGN_IN_H

#include <limits.h>

#include "base/arena.h"
#include "base/vec.h"
#include "crash/checkpoints.h"
#include "crash/creation.h"
#include "crash/hangs.h"
#include "crash/options.h"
#include "crash/reading.h"
#include "crash/recovery_trace.h"
#include "crash/results.h"
#include "crash/select.h"
#include "crash/survey.h"
#include "crash/tester.h"
#include "crash/trials.h"
#include "finding/crash_finding.h"
#include "replay/folder.h"

/* A stretch of a campaign, for the progress line. */
struct phase {
	const char *name;
	double start;
	uint64_t known;                    /* total states; 0: not known */
	uint64_t runs;                     /* before the phase */
	uint64_t segments, segments_known; /* see struct campaign_progress */
};

struct progress {
	double start, seconds; /* of the campaign */
	struct phase phase;
	uint64_t runs, failed; /* in testers that are closed */
	uint64_t explained;    /* of `failed`, the states whose causes are known */
};

struct chooser;   /* strategy.h */
struct flights;   /* explore/flights.h */
struct leftovers; /* campaign/leftovers.h */
struct nested;    /* campaign/nested.h */

struct campaign {
	/* Judges the states of a platform that were tested so far, and finds the causes of new failures, so that they
	 * are known if the user interrupts later.  For the middle of a phase; no tester may be open.  The result does
	 * not depend on how often it is called, unless time runs out. */
	int (*judge_meanwhile)(struct campaign *campaign, size_t platform, struct err *err);

	struct campaign_options options;
	const struct survey *survey;
	struct tester_options testing;
	struct oracles *oracles;
	struct outcomes *outcomes;
	struct flights *flights; /* NULL: the campaign is neither a shard nor a merge */
	/* In a campaign in the recording of a recovery, the crash that it recovers from; NULL: the program's recording.
	 * Oracles and outcomes then belong to the campaign of that crash. */
	const struct crash_context *first;
	struct select *select;
	struct creation *creation;

	struct chooser *choosers; /* one for each of options.strategies */
	struct judgement found;   /* on all platforms */
	bool renewed;             /* results and found were, since a run from a checkpoint has proved wrong */
	struct verdict initial;
	bool stopped;     /* interrupted or out of time before all was tested */
	bool begun;       /* recovery was tested without a crash */
	uint64_t orderly; /* a bit for each platform where contents without a crash were tested in the middle */

	VEC_OF(uint64_t) suspects; /* events of stores that strategies suspect, besides options.suspects */

	struct results results;
	struct hangs *hangs;
	struct checkpoints *checkpoints; /* NULL: every recovery is run from its start */
	struct leftovers *leftovers;     /* NULL: not looked at */
	struct nested *nested;

	struct progress progress;
	struct tester *tester; /* the open one, or NULL */
	uint64_t unopened;     /* recoveries that opened no PM file although there was one */

	struct arena texts;
	VEC_OF(void *) blocks;
	const char *mode, *reason;          /* NULL: not known; no reason given */
	VEC_OF(const char *) foreign_files; /* files that appeared beside PM files while recovery ran in place */
	const char *printed;                /* by recovery, if it fails without a crash */
};

/* Note a file that appeared and is not recovery's.  Several workers and nested campaigns may report the same file. */
void campaign_foreign_file(struct campaign *campaign, const char *path);

const char *campaign_text(struct campaign *campaign, const char *text);
void *campaign_block(struct campaign *campaign, const void *from, size_t size); /* a copy; NULL if size is 0 */

/* Rule 1 of creation.h. */
bool campaign_is_creating(const struct campaign *campaign, const struct trial *trial);

/* The context of a crash just after an event of the recording; or CRASH_NONE. */
struct crash_context campaign_crash(const struct campaign *campaign, size_t platform, uint64_t event);

/* Do crashes after `ev`, the next event of the reading, have another context, while stores are pending?  Oracles may
 * judge the same states differently there. */
bool campaign_context_ends(const struct campaign *campaign, size_t platform, struct reading *reading,
			   const struct event *ev);

/* Tell later strategies that this store should not be lost.  With a budget, explore looks there first. */
void campaign_suspect(struct campaign *campaign, uint64_t event);

/* The maker of testers to use. */
const struct tester_maker *campaign_maker(const struct campaign *campaign);

/* Open and close the tester of a reading. */
int campaign_tester(struct campaign *campaign, struct reading *reading, struct err *err);
void campaign_tester_close(struct campaign *campaign);
/* End the tester of a reading that returned `r`: 0, TESTER_STOPPED or -1.  Waits for the submitted states, and closes.
 * Returns 0 if stopped, since a stopped campaign goes on with the results so far; or -1. */
int campaign_tester_end(struct campaign *campaign, int r, struct err *err);

/* Begin a phase with `known` states; 0: not known. */
void campaign_phase(struct campaign *campaign, const char *name, uint64_t known);

/* The time when all runs must have ended, except one that is believed to hang.  A quarter of the budget is reserved for
 * findings.  0: no budget. */
double campaign_end(const struct campaign *campaign);

/* Seconds that are left for testing; negative: no limit. */
double campaign_time_left(const struct campaign *campaign);

/* Fill in campaign.testing from the options. */
void campaign_testing(struct campaign *campaign);

/* Once, before the first crash state: recovery must pass without a crash.  0, TESTER_STOPPED or -1. */
int campaign_begin(struct campaign *campaign, struct reading *reading, struct err *err);

/* How recovery is recorded; see struct recovery_trace_options. */
struct campaign_watching {
	uint32_t layers; /* besides loads */
	unsigned patience;
	uint64_t most;
};

/* Record recovery on a state, with its loads, for a consumer that wants to see what recovery does.  If
 * `state` is NULL, use the files as the program left them.  *whole is false if the consumer did not see all of it.  0
 * or TESTER_STOPPED. */
int campaign_watch(struct campaign *campaign, const struct state *state, const struct crash_context *crash,
		   struct campaign_watching how, const struct recovery_consumer *consumer, bool *whole);
/* The same, beside other runs, without waiting for the end (recovery_trace_start): several states are recorded at a time.
 * `number` tells apart those that are under way.  0, TESTER_STOPPED or -1. */
int campaign_watch_start(struct campaign *campaign, const struct state *state, const struct crash_context *crash,
			 struct campaign_watching how, uint64_t number, const struct recovery_consumer *consumer,
			 recovery_traced_done *done, struct err *err);
/* The directory of the recordings. */
bool campaign_watch_dir(const struct campaign *campaign, char dir[PATH_MAX]);
/* Call these before the first tester opens and after the last closes.  Recovery may see the directory of the recordings
 * beside its PM files only if that directory existed before testing began. */
void campaign_watch_prepare(struct campaign *campaign);
void campaign_watch_end(struct campaign *campaign);

#endif
