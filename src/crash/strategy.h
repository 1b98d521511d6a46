/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strategy.h - what chooses the crash states to test.
 *
 * A strategy is a row of a table (campaign/strategies.h): a name, what it needs, and functions.  The campaign does the
 * rest.  It reads the recording for the strategy, tests the states that the strategy names, judges them, explains the
 * failures and reports them under the strategy's name.
 *
 *     static int mine_moment(struct pass *pass, const struct event *ev, struct err *err)
 *     {
 *             if (!ev || ev->type != EVENT_SFENCE)
 *                     return 0;
 *             return pass_try(pass, (struct trial){.which = TRIAL_NONE, .context = ev->context, .op = op_of(ev)}, err);
 *     }
 *
 *     const struct strategy strategy_mine = {.name = "mine", .moment = mine_moment};
 *
 * Strategies work one after the other, in the order of the table.  A content that an earlier strategy tested is not
 * tested again, but is judged for each strategy that names it. */
#ifndef BLACKOUT_CRASH_STRATEGY_H
#define BLACKOUT_CRASH_STRATEGY_H

#include "crash/campaign_in.h"

struct candidates; /* crash/candidates.h */

/* A strategy at work in one campaign. */
struct chooser {
	const struct strategy *strategy;
	struct campaign *campaign;
	unsigned number;       /* its place among the campaign's strategies, from 0 */
	struct trials *trials; /* by platform */
	bool stopped;          /* the campaign ended early, before this strategy was through */
	void *state;           /* the strategy's own */
};

/* One reading of the recording, for one strategy and platform. */
struct pass {
	struct chooser *chooser;
	struct reading *reading;
	size_t platform;
	unsigned number;      /* from 0 */
	uint64_t last;        /* the reading ends after this event; `open` may lower it */
	bool stopped;         /* for `close`: the campaign ended early in this pass */
	uint64_t orderly;     /* the next event where an oracle judges recovery without a crash; or ORDERLY_NEVER */
	VEC_OF(uint32_t) met; /* by context: the stamp of the trial that counted it last */
	uint32_t stamp;
	void *state; /* the strategy's own */
};

/* All functions but `moment` may be NULL. */
struct strategy {
	const char *name; /* for --detect, and in findings */
	uint32_t layers;  /* BO_LAYER_*: what the recording should have */
	uint32_t needs;   /* those without which the strategy has nothing to work with */
	bool all_sets;    /* tests all legal sets of persisted stores, and counts them without a recovery command */
	bool observes;    /* may record recovery to see what it reads (campaign_watch) */
	bool nests;       /* with --nested, crashes recovery too even if it was not asked for */
	bool at_points;   /* chooses failure points, so that --points narrows it */
	bool outermost;   /* never crashes recovery: it needs more than recordings of recovery have */

	/* How often each platform is read; NULL: once. */
	unsigned (*passes)(const struct campaign_options *options);
	/* Makes and frees chooser->state. */
	void (*begin)(struct chooser *chooser);
	void (*free)(struct chooser *chooser);

	/* Is there anything to do in this pass?  May begin a phase of the progress line. */
	bool (*due)(struct chooser *chooser, size_t platform, unsigned pass);
	/* Before and after a reading. */
	void (*open)(struct pass *pass);
	void (*close)(struct pass *pass);
	/* The power may fail just before `ev`, or at the end if it is NULL.  Tests the states that it chooses, with
	 * pass_try or with the campaign's tester.  0, TESTER_STOPPED or -1. */
	int (*moment)(struct pass *pass, const struct event *ev, struct err *err);
	/* After the last moment of a reading that was not stopped: 0 or -1, for example if the user's options named
	 * what never occurred. */
	int (*check)(const struct pass *pass, struct err *err);

	/* Tests again what passed from a checkpoint only, if that proved wrong; the trials are tested again anyway (recheck.h).
	 * What cannot be tested again stays untested.  0 or -1. */
	int (*recheck)(struct chooser *chooser, size_t platform, struct err *err);

	/* Makes jobs of the failures so far.  NULL: chooser_jobs, which applies the rules of trials.h. */
	void (*jobs)(struct chooser *chooser, size_t platform, const struct judge_seen *seen, struct jobs *jobs);

	/* Other states that recovery passes on, and may be crashed on in turn: those at the index-th place, or NULL
	 * after the last.  *event: the crash is just after it.  Only the first platform matters. */
	const struct candidates *(*candidates)(const struct chooser *chooser, size_t index, uint64_t *event);

	/* Adds what it knows to the sighting of a result that it found.  `trace` was read to its end.  What it adds must
	 * live as long as the campaign. */
	void (*tell)(const struct chooser *chooser, const struct trace *trace, struct crash_sighting *sighting);

	/* Adds findings that are no failures of recovery.  `trace` was read to its end. */
	void (*findings)(const struct chooser *chooser, struct findings *findings, const struct trace *trace,
			 struct symbols *symbols, const struct findings_options *options);

	/* Without a recovery command: adds to the report what can be said without any test.  0 or -1. */
	int (*untested)(const struct campaign_options *options, const struct survey *survey, struct findings *findings,
			struct err *err);

	/* Adds figures to the report. */
	void (*figures)(const struct chooser *chooser, struct findings *findings);
	/* Adds notes on limits that it met, which come before the campaign's notes. */
	void (*limits)(const struct chooser *chooser, struct findings *findings);
	/* Adds notes on what was left out, which come after them. */
	void (*notes)(const struct chooser *chooser, struct findings *findings);
	/* Were states left out?  A nested campaign is asked. */
	bool (*partly)(const struct chooser *chooser);
};

/* Make and free the choosers of campaign->options.strategies. */
void choosers_begin(struct campaign *campaign);
void choosers_free(struct campaign *campaign);

/* Read the recording once, if there is anything to do.  0 also when stopped. */
int chooser_read(struct chooser *chooser, size_t platform, unsigned pass, struct err *err);

/* Test a state of the image's moment.  The caller sets `which`, or `persisted` for any other legal set, and the place:
 * `point`, or `context` and `op`.  The rest is filled in.  The same content is tested once only.  `persisted` must live
 * as long as the campaign (campaign_block).  0, TESTER_STOPPED or -1. */
int pass_try(struct pass *pass, struct trial trial, struct err *err);

/* The campaign's layers, and whether one of its strategies tests all legal sets. */
uint32_t strategies_layers(const struct strategy *const *strategies, size_t count);
bool strategies_all_sets(const struct strategy *const *strategies, size_t count);

/* The result as a sighting that names its strategies, with what they know about it.  The names are in `names`, which
 * has STRATEGY_SET_MAX elements.  `trace` is the recording, read to its end. */
struct crash_sighting result_sighting(const struct campaign *campaign, const struct result *result,
				      const struct trace *trace, const char **names);

/* Apply the rules of trials.h to the chooser's trials. */
void chooser_jobs(struct chooser *chooser, size_t platform, const struct judge_seen *seen, struct jobs *jobs);

#endif
