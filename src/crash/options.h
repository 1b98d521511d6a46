/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - what a campaign (campaign/campaign.h) is asked to do, and how it tells its progress.
 *
 *     const struct campaign_options options = {.dir = recording, .out = dir, .recover = "./kv check", ...};
 */
#ifndef BLACKOUT_CRASH_OPTIONS_H
#define BLACKOUT_CRASH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stop.h"
#include "crash/shard.h"
#include "model/platform.h"

struct strategy;

/* States done so far, for a progress line. */
struct campaign_progress {
	const char *phase; /* "testing", "minimizing" */
	uint64_t done;     /* states whose outcome is known */
	uint64_t known;    /* total states of this phase; 0: not known */
	uint64_t tested;   /* of those done, the ones that recovery ran on */
	uint64_t failed;
	uint64_t segments;       /* segments of this phase that exploring has begun */
	uint64_t segments_known; /* total; 0: not known, or the phase does not explore */
	double seconds;          /* of this phase */
	double budget_left;      /* seconds; negative: no budget */
};

struct oracle;       /* oracle.h */
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
	bool pmem_force, huge_pages, lean_pmemobj;
	bool checkpoints;    /* see checkpoints.h */
	const char *depends; /* all options that the outcomes depend on, except the timeout, as text: for `resume` */

	/* Runs recovery, instead of the fields above; NULL: workers on this machine. */
	const struct tester_maker *maker;

	/* What recovery must do; NULL: the oracles of oracle.h. */
	const struct oracle *const *oracles;
	/* Lines that do not count in the outputs of recovery, as regular expressions: for the folders of findings. */
	const char *const *ignore_output;
	size_t ignore_output_count;
	size_t oracle_count;

	/* what to test */
	const struct strategy *const *strategies; /* strategy.h; in the order in which they work */
	size_t strategy_count;
	bool prune_segments, prune_reads; /* explore.h */
	uint64_t segments;                /* total that explore will look at, for progress; 0: not known */
	uint64_t representatives;         /* how many segments of the same code to explore; 0: 1 */
	uint64_t per_segment; /* at most this many states of one segment; a random sample if there are more */
	uint64_t visits;      /* of each point, at most: the first, the last, and evenly spaced ones; 0: 1 */
	/* The same while recovery itself is crashed. */
	uint64_t nested_visits, nested_representatives;
	const char *points; /* comma list of numbers, ranges, functions and file:line; NULL: all */
	const char *after;  /* test only after this function has first returned; NULL: from the start */
	double budget;      /* seconds; 0: no limit */
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
	/* The strategy races: crash at this many random moments; 0: at the failure points.  Loads in the functions of
	 * `checksums` do not race. */
	uint64_t race_executions;
	const char *const *checksums;
	size_t checksum_count;
	uint64_t seed;
	bool nested;           /* crash recovery itself as well */
	unsigned folder_first; /* number folders from the next number on */
	bool resume;           /* reuse the outcomes in the journal of `out`, if they depend on the same options */

	/* Test only this part, and explain nothing. */
	struct shard shard;
	/* Put these parts together; NULL: there are none. */
	const struct shard_parts *parts;

	struct stop stop; /* ends the campaign, which keeps its results so far */
	/* Called often; may be NULL. */
	void (*progress)(void *arg, const struct campaign_progress *progress);
	void *arg;
};

#endif
