/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.h - what a search has done, so that --resume can go on: DIR/search/journal, a line for each step.
 *
 *     blackout search 1 OPTIONS            OPTIONS: a digest of all that decides what the search does
 *     input N PARENT BOUND ORIGIN          an input was made; its bytes are in DIR/search/N
 *     executed N NATIVE RECORDED JUDGED    and how it ended: x for "not run natively", e0, s11, t0 (base/ending.h)
 *     turned N BRANCH TRIES VERDICT        a candidate was taken from the queue
 *
 * A line is complete or missing: a last line without its end is dropped. */
#ifndef BLACKOUT_SEARCH_JOURNAL_H
#define BLACKOUT_SEARCH_JOURNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/ending.h"
#include "base/err.h"

/* Of a turned candidate; both are a key together. */
#define SEARCH_TRIES_BITS 8
#define SEARCH_TRIES_MOST ((1u << SEARCH_TRIES_BITS) - 1)
#define SEARCH_BRANCH_MOST (UINT64_MAX >> SEARCH_TRIES_BITS)

enum search_step_kind { SEARCH_STEP_INPUT, SEARCH_STEP_EXECUTED, SEARCH_STEP_TURNED };

struct search_step {
	enum search_step_kind kind;
	uint64_t execution;
	/* INPUT */
	uint64_t parent, bound;
	unsigned origin; /* enum attempt_origin */
	/* EXECUTED */
	bool was_native, judged;
	struct ending native, recorded;
	/* TURNED */
	uint64_t branch;
	unsigned tries, verdict; /* enum solver_verdict */
};

struct search_journal {
	FILE *file; /* NULL: not open */
	char path[PATH_MAX];
};

/* Begin a new journal, or append to the one that is there. */
int search_journal_open(struct search_journal *journal, const char *dir, uint64_t options, bool append,
			struct err *err);
void search_journal_close(struct search_journal *journal);

/* The line is with the kernel when this returns. */
int search_journal_add(struct search_journal *journal, const struct search_step *step, struct err *err);

/* Call `take` for each step, until it returns -1.  A journal of other options is ERR_USAGE; a damaged one is an error, too. */
int search_journal_read(const char *dir, uint64_t options,
			int (*take)(void *arg, const struct search_step *step, struct err *err), void *arg,
			struct err *err);

#endif
