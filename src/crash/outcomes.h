/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcomes.h - the outcomes of recovery by content.  The same content is assumed to give the same outcome.  A journal
 * keeps them, so that a campaign can be resumed.
 *
 *     struct known *k;
 *     known_open(&k, "DIR/crash.journal", &options, &err);
 *     if (!known_claim(k, digest))              // not tested, and not about to be
 *             ... known_set(k, digest, verdict)
 *     known_get(k, digest)
 *     known_close(k);
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

struct known;

struct known_options {
	const char *depends; /* text of the options that outcomes depend on */
	double timeout;      /* seconds */
	bool resume;         /* read an old journal if its options are the same; otherwise replace it */
};

/* `path` may be NULL: no journal.  If the time limit is longer than the journal's, old time-outs are not known.  If it
 * is shorter, runs that ended keep their outcome. */
int known_open(struct known **known, const char *path, const struct known_options *options, struct err *err);

/* Flush the journal, and free.  If the journal cannot be written, the campaign only loses the chance to be resumed. */
void known_close(struct known *known);

/* Is the content known or already claimed?  If not, claim it. */
bool known_claim(struct known *known, struct digest digest);

struct verdict known_get(const struct known *known, struct digest digest);
void known_set(struct known *known, struct digest digest, struct verdict verdict);

/* Like known_set, but also keeps the output of a failing recovery, up to a few MiB in total: there may be no time to
 * run it again. */
void known_learn(struct known *known, struct digest digest, const struct outcome *outcome);

/* The outcome of a failing recovery on this content, with its output; NULL if that was not kept. */
const struct outcome *known_outcome(const struct known *known, struct digest digest);

/* Forget an outcome that proved unreliable.  The journal keeps it. */
void known_drop(struct known *known, struct digest digest);

#endif
