/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_search.h - make inputs that take a program to more of what it does to PM, and judge each run.
 *
 *     struct input_search *search;
 *     if (input_search_new(&search, &options, &err) == 0 && input_search_run(search, &err) == 0) {
 *             struct findings *findings = input_search_findings(search);        // the caller frees it, before:
 *             ...
 *     }
 *     input_search_free(search);
 *
 * Each input is executed (execution.h).  The recording has the branches that depend on the input.  Each of them, after the
 * one that made this input, is a candidate: an input that takes its other side may be worth an execution.  Candidates are
 * turned in the order of the strategy (queue.h), until none is left or time is up.  doc/SEARCH.md explains it to users.
 *
 * With one job and no budget that ends it, the same seed gives the same executions. */
#ifndef BLACKOUT_SEARCH_INPUT_SEARCH_H
#define BLACKOUT_SEARCH_INPUT_SEARCH_H

#include "search/execution.h"
#include "search/strategy.h"

/* For a progress line. */
struct input_search_progress {
	uint64_t executions, inputs, branches, findings;
	uint64_t pm_reached, pm_known; /* PM-modifying instructions */
	uint64_t waiting;              /* candidates */
	double budget_left;            /* seconds; negative: no budget */
};

struct input_search_options {
	struct execution_plan plan; /* the search sets `behavior` */
	const struct input *seeds;
	size_t seed_count;
	size_t max_input; /* bytes of one source */
	enum search_strategy strategy;
	double budget;           /* seconds; 0: no limit */
	uint64_t max_executions; /* without those that make inputs smaller; 0: no limit */
	uint64_t stop_after;     /* findings of severity `fail_on` or a higher one; 0: go on */
	enum severity fail_on;
	uint64_t seed;
	bool resume;
	/* Called often; may be NULL. */
	void (*progress)(void *arg, const struct input_search_progress *progress);
	void *arg;
};

struct input_search;

int input_search_new(struct input_search **search, const struct input_search_options *options, struct err *err);
void input_search_free(struct input_search *search); /* NULL is fine */

/* 0: it is over, or out of time, or stopped. -1, perhaps ERR_TARGET: it cannot go on; there may still be findings. */
int input_search_run(struct input_search *search, struct err *err);

/* The union of all findings, with figures and notes, numbered; it must be freed before the search.  NULL: nothing was
 * executed. */
struct findings *input_search_findings(struct input_search *search);

/* Make the folders of crash findings in DIR/crash; after suppressions and numbers. */
int input_search_folders(struct input_search *search, struct findings *findings, struct err *err);

/* Remove the results of an earlier search from DIR. */
void input_search_forget(const char *dir);

#endif
