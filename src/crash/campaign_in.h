/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_in.h - a campaign from within: what its files share.
 *
 *     campaign.c   the course of it: before, testing, judging, explaining
 *     campaign_report.c
 *     inject.c     the readings that make trials
 *     explore.c    the readings that try all legal states
 *     hangs.c      recoveries that exceed the time limit
 *     explain.c    the reading that finds the cause of what failed; loss.c and prefix.c do the work
 *     result.c     what becomes a finding
 *     record.c     recordings of recovery
 *     leftovers.c  what recovery makes of stores that were never written back
 *     nested.c     campaigns in recordings of recovery */
#ifndef BLACKOUT_CRASH_CAMPAIGN_IN_H
#define BLACKOUT_CRASH_CAMPAIGN_IN_H

#include "base/arena.h"
#include "base/vec.h"
#include "crash/campaign.h"
#include "crash/creation.h"
#include "crash/explore.h"
#include "crash/folder.h"
#include "crash/leftovers.h"
#include "crash/reading.h"
#include "crash/select.h"
#include "crash/tester.h"
#include "crash/trials.h"
#include "finding/crash.h"

enum {
	CAMPAIGN_PLATFORMS_MAX = 8,
	RESULT_STORES_MAX = 4096,
	RESULT_FRAMES_MAX = 64,
	RESULT_CONTEXTS_MAX = 16,
	HANG_DISTANCE = 4
};

/* There is nothing to be told of a job. */
#define EXPLAINED_FINE UINT64_MAX

/* A finding in the making; all it points to is the campaign's. */
struct result {
	struct crash_sighting sighting;
	struct ending ending;
	bool by_loss;
	uint32_t contexts[RESULT_CONTEXTS_MAX]; /* whose stores must be lost; 0 ends it */
};

/* The latest states of a failure point; see hangs.c. */
struct hang_place {
	struct digest last[HANG_DISTANCE]; /* a ring */
	uint32_t count;
	bool hangs; /* it was confirmed */
};

/* A campaign in the recording of a recovery. */
struct nested {
	const char *dir; /* the recording, until campaign_finish */
	struct survey *survey;
	struct campaign *campaign;
};

struct campaign {
	struct campaign_options options;
	const struct survey *survey;
	struct tester_options testing;
	struct known *known;
	bool known_borrowed; /* from the campaign that this one is nested in */
	struct select *select;
	struct creation *creation;

	struct trials trials[CAMPAIGN_PLATFORMS_MAX]; /* of inject */
	struct map injected[CAMPAIGN_PLATFORMS_MAX];  /* contents of these that fail -> 1 */
	struct map explained
		[CAMPAIGN_PLATFORMS_MAX]; /* first states of jobs -> 1 + index of the result, or EXPLAINED_FINE */
	struct explored *explored;        /* by platform; of inject, the pages that it tried (inject.c) */
	struct judgement found;           /* on all platforms */
	struct ending initial;
	bool stopped;        /* interrupted, or out of time: not all was tested */
	bool inject_stopped; /* so it was while inject had states to test */
	bool begun;          /* the orderly end was tested */
	VEC_OF(struct result) results;
	uint64_t fickle; /* states where recovery failed, but not again when it was run alone */
	unsigned folders;

	/* hangs.c */
	struct map hanging;    /* contents, points and losses where a hang was confirmed */
	struct map hang_index; /* (platform and point, which) -> 1 + index of its place */
	VEC_OF(struct hang_place) hang_places;
	struct map hangs_left_out;  /* contents that were not tested, because others of their point hang */
	uint64_t hangs_unconfirmed; /* states where it is not known */
	bool hang_late;             /* one was looked at though the time was over */

	/* leftovers.c */
	VEC_OF(struct leftover) leftovers;
	uint64_t leftovers_event; /* the last one of the recording */
	bool leftovers_watched;   /* it was seen what recovery does with their bytes */

	/* for progress and figures */
	const char *phase;
	double start, phase_start, seconds;
	double explaining;                   /* seconds spent on causes so far */
	uint64_t jobs_left;                  /* times that a job had to wait for a later judging */
	uint64_t failed_told;                /* of failed_before, those whose causes are known */
	uint64_t runs_before, failed_before; /* of testers that are closed */
	uint64_t phase_known, phase_runs;
	uint64_t segments, segments_known; /* of the phase; see struct campaign_progress */
	uint64_t unopened;                 /* recoveries that opened no PM file, though there were some */
	struct tester *tester;             /* the one at work, or NULL */

	/* nested.c */
	VEC_OF(struct nested) nested;
	uint64_t nested_states; /* from which recovery could be crashed in turn, */
	uint64_t nested_done;   /* and from which it was */
	uint64_t nested_partly; /* of these, the ones where some states of the second crash were left out */
	/* States whose recovery was not crashed, because */
	uint64_t nested_unreadable; /* its recording is not whole, */
	uint64_t nested_failing;    /* or it fails on what it has left */

	/* What could not be kept, for lack of space mostly; its findings are reported all the same. */
	bool is_unkept;
	struct err unkept;

	struct arena texts;
	VEC_OF(void *) blocks;
	const char *mode, *reason;      /* NULL: not known; nothing to be said */
	VEC_OF(const char *) strangers; /* files that appeared beside PM files while recovery ran in place */
	const char *printed;            /* by a recovery that fails on the orderly end */
};

/* Something could not be kept; the first time is told at the end. */
void campaign_unkept(struct campaign *campaign, const struct err *err);

/* A file that is not recovery's has appeared; several workers, and the campaign within, may see the same. */
void campaign_stranger(struct campaign *campaign, const char *path);

const char *campaign_text(struct campaign *campaign, const char *text);
void *campaign_block(struct campaign *campaign, const void *from, size_t size); /* a copy; NULL of nothing */

/* Rule 1 of creation.h. */
bool campaign_is_creating(const struct campaign *campaign, const struct trial *trial);

/* Who runs recovery. */
const struct tester_maker *campaign_maker(const struct campaign *campaign);

/* Open and close the tester of a reading. */
int campaign_tester(struct campaign *campaign, struct reading *reading, struct err *err);
void campaign_tester_close(struct campaign *campaign);
/* What came of the reading is `r`: 0, TESTER_STOPPED or -1.  Wait for what was submitted, and close.  A campaign that
 * is stopped goes on with what it has: 0, or -1. */
int campaign_tester_end(struct campaign *campaign, int r, struct err *err);
void campaign_phase(struct campaign *campaign, const char *phase, uint64_t known);

/* When all must have ended, but for one that is believed to hang: a quarter of the budget is for what was found.  0: no
 * budget. */
double campaign_end(const struct campaign *campaign);

/* How many states inject will have, at most: two for each visit.  0: that is not known. */
uint64_t campaign_expects(const struct campaign *campaign);

/* inject.c: before the first crash, once; recovery must pass where there was none.  0, TESTER_STOPPED or -1. */
int campaign_begin(struct campaign *campaign, struct reading *reading, struct err *err);

/* inject.c: make trials on a platform, in one round; 0 also when stopped. */
int inject_read(struct campaign *campaign, size_t platform, unsigned round, struct err *err);

/* hangs.c: what is to be done with a trial?  Negative: TESTER_STOPPED, -1. */
enum hangs_advice { HANGS_TEST, HANGS_CONFIRM /* by hangs_try, if it is to be run at all */, HANGS_LEAVE };
int hangs_look(struct campaign *campaign, size_t platform, const struct trial *trial, struct err *err);
/* Run a state alone, and with more patience: 0, TESTER_STOPPED or -1. */
int hangs_try(struct campaign *campaign, size_t platform, const struct trial *trial, const struct state *state,
	      struct err *err);
/* Does recovery hang on this state?  1; 0: it ends, if it has more time; *how says in which way; TESTER_STOPPED: there
 * is no time to see that; -1.  A state without a digest (0, 0) is run in any case. */
int hangs_certainly(struct campaign *campaign, const struct state *state, struct ending *how, struct err *err);
/* The same with what has exceeded the time limit; 0 also when stopped. */
int hangs_confirm(struct campaign *campaign, size_t platform, const struct trials *trials, struct err *err);
void hangs_free(struct campaign *campaign);

/* Judge what was tested so far, and find the causes of what is new: so that they are known if the user interrupts
 * later.  It may be done any number of times; what is found does not depend on how often, unless time runs out. */
enum judge_extent {
	JUDGE_QUICKLY, /* while testing goes on: without recoveries that hang; with a budget, for a part of it */
	JUDGE_ALL,
};

int campaign_judge(struct campaign *campaign, size_t platform, enum judge_extent extent, struct err *err);
/* The same, quickly, in the middle of a phase that then goes on.  No tester may be open. */
int campaign_judge_meanwhile(struct campaign *campaign, size_t platform, struct err *err);

/* explain.c: one result for each job, or a share in one that is there already.  Before the event `created` the initial
 * ending is accepted. */
int explain_jobs(struct campaign *campaign, size_t platform, uint64_t created, struct jobs *jobs,
		 enum judge_extent extent, struct err *err);

/* campaign.c: a campaign with the outcomes of another. */
int campaign_run_within(struct campaign **campaign, const struct campaign_options *options, const struct survey *survey,
			struct known *known, struct err *err);

/* record.c: record recovery on a state, or if it is NULL on what the program left, into the directory of a recording;
 * how recovery ends does not matter.  0, TESTER_STOPPED or -1. */
int campaign_record(struct campaign *campaign, const char *dir, const struct state *state, bool loads, struct err *err);

/* record.c: the same, and tell of each event of that recording, which is then removed.  *whole is false if it could not
 * be made or read to its end.  0 or TESTER_STOPPED. */
typedef void campaign_told(void *arg, const struct trace *trace, const struct event *ev);
/* Before the first tester, and after the last.  Recovery may see a directory beside its PM files only if that was there
 * before testing began. */
void campaign_watch_prepare(struct campaign *campaign);
void campaign_watch_end(struct campaign *campaign);
int campaign_watch(struct campaign *campaign, const struct state *state, campaign_told *told, void *arg, bool *whole);

/* nested.c: crash recoveries of states that pass; 0 also when stopped. */
int nested_run(struct campaign *campaign, struct err *err);
void nested_report(struct campaign *campaign, struct findings *findings, struct symbols *symbols,
		   const struct findings_options *options);
void nested_free(struct campaign *campaign);

#endif
