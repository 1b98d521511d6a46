/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.h - the outcomes of recovery by content: the same files, the same outcome.  Kept in a journal, so that a
 * campaign can go on later.
 *
 *     struct known *k;
 *     known_open(&k, "DIR/crash.journal", &options, &err);
 *     if (!known_claim(k, digest))              // nobody has tested this content, nor is about to
 *             ... known_set(k, digest, ending)
 *     known_get(k, digest)
 *     known_close(k);
 *
 * A content costs 40 bytes of memory, and a line of the journal.  The journal is a text:
 *
 *     blackout-journal 2 0123456789abcdef 10     hash of what the outcomes depend on; the time limit, in seconds
 *     0123456789abcdef 0123456789abcdef e 3      digest (high, low); exit, signal or time-out; status or number */
#ifndef BLACKOUT_CRASH_KNOWN_H
#define BLACKOUT_CRASH_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "image/state.h"
#include "run/outcome.h"

/* What is kept of an outcome. */
struct ending {
	bool known; /* false: recovery was not run, or is still running */
	enum outcome_kind kind;
	int value;
};

static inline bool ending_passed(struct ending e)
{
	return e.known && e.kind == OUTCOME_EXIT && e.value == 0;
}

static inline bool ending_same(struct ending a, struct ending b)
{
	return a.known && b.known && a.kind == b.kind && a.value == b.value;
}

/* As a number, which is never 0. */
static inline uint64_t ending_code(struct ending e)
{
	return (uint64_t)(e.kind + 1) << 32 | (uint32_t)e.value;
}

struct known;

struct known_options {
	const char *depends; /* what the outcomes depend on */
	double timeout;      /* seconds */
	bool resume;         /* an old journal is read, if it depends on the same; otherwise it is replaced */
};

/* `path` may be NULL: no journal.  With more time than before, what has exceeded the limit is not known; with less,
 * what has ended has ended. */
int known_open(struct known **known, const char *path, const struct known_options *options, struct err *err);

/* Write what is left, and free.  A journal that cannot be written costs nothing but the chance to go on later. */
void known_close(struct known *known);

/* Is the content known, or claimed by an earlier call?  If not, it is claimed now. */
bool known_claim(struct known *known, struct digest digest);

struct ending known_get(const struct known *known, struct digest digest);
void known_set(struct known *known, struct digest digest, struct ending ending);

/* The same, and what recovery printed where it failed is kept as well, up to some MiB in all: there may be no time to
 * run it again. */
void known_learn(struct known *known, struct digest digest, const struct outcome *outcome);

/* The outcome of a failing recovery on this content, with what it printed; NULL if that was not kept. */
const struct outcome *known_outcome(const struct known *known, struct digest digest);

/* What was said of it is not to be relied on; the journal keeps it. */
void known_drop(struct known *known, struct digest digest);

#endif
