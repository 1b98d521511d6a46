/* SPDX-License-Identifier: GPL-2.0-or-later */
/* analysis.h - one analysis of one recording: options in, findings, figures, notes and reports out.
 *
 *     struct analysis *a;
 *     if (analysis_new(&a, &options, &err) == 0) {          // finds all mistakes in the options before anything is run
 *             analysis_follow(a, dir);                      // optional: read behind the recorder, in another thread
 *             if (analysis_read(a, dir, &err) == 0) {       // the rest of the recording, or all of it
 *                     result = analysis_judge(a, &facts);   // test crash states, make findings, write reports
 *                     ... result->findings ...
 *             }
 *     }
 *     analysis_free(a);
 *
 * An analysis prints nothing, does not look at the terminal, and has no globals.  So one process can run many of them,
 * one after the other, interleaved, or on several threads.  Only one of these threads may run recovery on this machine,
 * because that waits for all children of the process; the others need a tester of their own (testing.maker).
 *
 * The options, and everything they point to, must outlive the analysis. */
#ifndef BLACKOUT_ANALYSIS_ANALYSIS_H
#define BLACKOUT_ANALYSIS_ANALYSIS_H

#include "analysis/operation_judging.h"
#include "analysis/scan.h"
#include "crash/options.h"
#include "finding/finding.h"
#include "plugin/plugin.h"

struct analysis_options {
	struct choice choice;
	/* Plug-in oracles (--oracle); NULL: none.  With them, analysis_read forks, and only one analysis at a time may
	 * run. */
	const struct plugins *plugins;
	bool stats; /* list the segments with the most crash states */

	/* What to test, and how.  If `recover` is NULL, no crash state is tested.  The analysis sets the fields that
	 * depend on the recording: dir, out, cwd, pmem_force, the platforms, inject, explore, segments, suspects,
	 * callers, leftovers, the oracles; and `stop`, `progress` and `arg`, from those below. */
	struct campaign_options testing;
	struct analysis_operations operations;
	bool elsewhere; /* recovery will run in the directory of a recording that was not read yet */

	/* Where findings are, in the program.  Only own, fold and no_fold are used. */
	struct findings_options places;

	/* What is known already of functions and lines, for a process that makes many analyses; NULL: nothing. */
	struct symbols *symbols;

	/* Files with findings that do not count. */
	const char *const *suppress;
	size_t suppress_count;
	const char *baseline;           /* findings.json; NULL: none */
	const char *write_suppressions; /* write a suppression for each finding to this file; NULL: do not */
	enum severity fail_on;          /* the lowest severity that counts as a failure in a JUnit report */

	/* The analysis ends early, with its findings so far, when it is told to stop. */
	struct stop stop;
	/* Called often, with `arg`; may be NULL.  `reading`: not while the target still runs; the number of events. */
	void (*reading)(void *arg, uint64_t events);
	void (*progress)(void *arg, const struct campaign_progress *progress);
	void *arg;
};

/* Facts about the recorded run that the recording does not contain. */
struct analysis_facts {
	const char *out;       /* directory for the reports */
	const char *out_shown; /* the same, as the user wrote it */
	const char *untested;  /* why crash states cannot be tested though they should be; NULL: they can */
	const char *warning;   /* why a result without findings is not a success; NULL: it is one */
};

/* Belongs to the analysis.  A NULL error means that all went well. */
struct analysis_result {
	const struct findings *findings; /* with their numbers; NULL: see `unwritten` */
	const struct err *unwritten;     /* findings could not be made, or a report could not be written */
	const struct err *untested;      /* crash states could not be counted or tested */
	const struct err *unproven;      /* recovery passed everywhere, but never opened a PM file */
	const char *printed;             /* if recovery fails without a crash, the end of its output; else "" */
	bool tests_left;                 /* stopped, or out of time, before all crash states were tested */
};

struct analysis;

/* Check the options and read the files that they name; -1, usually ERR_USAGE.  *analysis must be freed in any case. */
int analysis_new(struct analysis **analysis, const struct analysis_options *options, struct err *err);
void analysis_free(struct analysis *analysis); /* NULL is fine */

/* See scan.h.  After analysis_read, the scan has everything that the first pass over the recording tells. */
void analysis_follow(struct analysis *analysis, const char *dir);
int analysis_read(struct analysis *analysis, const char *dir, struct err *err);
struct scan *analysis_scan(struct analysis *analysis);

/* After analysis_read: will analysis_judge test crash states?  It may still find that there is none. */
bool analysis_will_test(const struct analysis *analysis);

/* Count and test crash states; collect the findings; write the reports.  Whatever fails, the rest is still done. */
const struct analysis_result *analysis_judge(struct analysis *analysis, const struct analysis_facts *facts);

#endif
