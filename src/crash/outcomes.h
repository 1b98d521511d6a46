/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcomes.h - the outcomes of recovery by content.  The same content is assumed to give the same outcome.  A journal
 * keeps them, so that a campaign can be resumed.
 *
 *     struct outcomes *k;
 *     outcomes_open(&k, "DIR/crash.journal", &options, &err);
 *     if (!outcomes_claim(k, digest))              // not tested, and not about to be
 *             ... outcomes_set(k, digest, verdict)
 *     outcomes_get(k, digest)
 *     outcomes_close(k);
 *
 * Each content costs 40 bytes of memory and a line of the journal.  The journal is a text file:
 *
 *     blackout-journal 2 0123456789abcdef 10     hash of the options that matter; the time limit, in seconds
 *     0123456789abcdef 0123456789abcdef e 3      digest (high, low); exit, signal or time-out; status or number */
#ifndef BLACKOUT_CRASH_OUTCOMES_H
#define BLACKOUT_CRASH_OUTCOMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "image/state.h"
#include "run/outcome.h"

/* The part of an outcome that is kept. */
struct verdict {
	bool known; /* false: recovery was not run, or is still running */
	struct ending ending;
};

static inline bool verdict_passed(struct verdict e)
{
	return e.known && e.ending.kind == ENDING_EXIT && e.ending.value == 0;
}

static inline bool verdict_same(struct verdict a, struct verdict b)
{
	return a.known && b.known && ending_same(a.ending, b.ending);
}

/* The verdict as a number, never 0. */
static inline uint64_t verdict_code(struct verdict e)
{
	return (uint64_t)(e.ending.kind + 1) << 32 | (uint32_t)e.ending.value;
}

struct outcomes;

struct outcomes_options {
	const char *depends; /* text of the options that outcomes depend on */
	double timeout;      /* seconds */
	bool resume;         /* read an old journal if its options are the same; otherwise replace it */
};

/* `path` may be NULL: no journal.  If the time limit is longer than the journal's, old time-outs are not known.  If it
 * is shorter, runs that ended keep their outcome. */
int outcomes_open(struct outcomes **outcomes, const char *path, const struct outcomes_options *options,
		  struct err *err);

/* Flush the journal, and free.  If the journal cannot be written, the campaign only loses the chance to be resumed. */
void outcomes_close(struct outcomes *outcomes);

/* Is the content known or already claimed?  If not, claim it. */
bool outcomes_claim(struct outcomes *outcomes, struct digest digest);

struct verdict outcomes_get(const struct outcomes *outcomes, struct digest digest);
void outcomes_set(struct outcomes *outcomes, struct digest digest, struct verdict verdict);

/* Like outcomes_set, but also keeps the output of a failing recovery, up to a few MiB in total: there may be no time to
 * run it again. */
void outcomes_learn(struct outcomes *outcomes, struct digest digest, const struct outcome *outcome);

/* The outcome of a failing recovery on this content, with its output; NULL if that was not kept. */
const struct outcome *outcomes_kept(const struct outcomes *outcomes, struct digest digest);

/* Forget an outcome that proved unreliable.  The journal keeps it. */
void outcomes_drop(struct outcomes *outcomes, struct digest digest);

#endif
