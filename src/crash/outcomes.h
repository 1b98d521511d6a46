/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcomes.h - the verdicts on cases (crash_context.h): what oracles said about recovery on a content, in a context.
 * The same case is assumed to have the same verdict each time.  A journal keeps them, so that a campaign can be
 * resumed.
 *
 *     struct outcomes *o;
 *     outcomes_open(&o, "DIR/crash.journal", &options, &err);
 *     struct digest name = crash_case(content, &crash);
 *     if (!outcomes_claim(o, name, &crash))                   // not tested, and not about to be
 *             ... outcomes_learn(o, name, &crash, &outcome)   // the oracles judge it
 *     outcomes_get(o, name)
 *     outcomes_close(o);
 *
 * Each case costs 40 bytes of memory and a line of the journal.  The journal is a text file:
 *
 *     blackout-journal 5 0123456789abcdef 10                hash of the options that matter; the time limit, in seconds
 *     0123456789abcdef 0123456789abcdef e 3 exit-status     name (high, low); ending; the oracle that rejects it
 *     0123456789abcdef 0123456789abcdef e 3 exit-status orderly                         it fails so without a crash, too
 *     0123456789abcdef 0123456789abcdef e 0 passed          no oracle rejects it
 *     0123456789abcdef 0123456789abcdef e 0 passed unconfirmed     from a checkpoint, and not from the start (checkpoints.h)
 *     distrusted                                            from here on, no unconfirmed verdict counts, wherever it stands
 *
 * Of two lines with the same name, the second counts.  Version 4 had no checkpoints, and is read, too.  A journal of
 * another version or of other options is not read, but replaced. */
#ifndef BLACKOUT_CRASH_OUTCOMES_H
#define BLACKOUT_CRASH_OUTCOMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "crash/oracle.h"
#include "crash/shard.h"

struct outcomes;

struct outcomes_options {
	const struct oracles *oracles;   /* must live as long as the outcomes */
	const char *depends;             /* text of the options that outcomes depend on */
	double timeout;                  /* seconds */
	bool resume;                     /* read an old journal if its options are the same; otherwise replace it */
	bool confirmed;                  /* but not its unconfirmed passes */
	const struct shard_parts *parts; /* read their journals, too, whose options must be the same; NULL: none */
};

#define OUTCOMES_JOURNAL "crash.journal" /* in the directory of a campaign's results */

/* `path` may be NULL: no journal.  If the time limit is longer than the journal's, old time-outs are not known.  If it
 * is shorter, runs that ended keep their outcome.  -1, ERR_USAGE: a part has other options. */
int outcomes_open(struct outcomes **outcomes, const char *path, const struct outcomes_options *options,
		  struct err *err);

/* Flush the journal, and free.  If the journal cannot be written, the campaign only loses the chance to be resumed. */
void outcomes_close(struct outcomes *outcomes);

/* Is the verdict on this case known, or will it be?  If not, claim it: the caller is going to test it.  If the same
 * recovery ran on the same content in another context, its outcome is judged in this one, if the oracles are ready for
 * it; a run that is still under way is not waited for. */
bool outcomes_claim(struct outcomes *outcomes, struct digest name, const struct crash_context *crash);

struct verdict outcomes_get(const struct outcomes *outcomes, struct digest name);
/* The same, but does not miss the outcome of the same recovery in another context. */
struct verdict outcomes_find(struct outcomes *outcomes, struct digest name, const struct crash_context *crash);
void outcomes_set(struct outcomes *outcomes, struct digest name, struct verdict verdict);

/* Judge an outcome and remember the verdict.  The output of a failing recovery is kept, up to a few MiB in total: there
 * may be no time to run it again. */
struct verdict outcomes_learn(struct outcomes *outcomes, struct digest name, const struct crash_context *crash,
			      const struct outcome *outcome);

/* Remember an outcome without a verdict, for contexts that run the same recovery; see outcomes_claim. */
void outcomes_keep(struct outcomes *outcomes, struct digest name, const struct crash_context *crash,
		   const struct outcome *outcome);

/* The outcome of recovery in this case, with its output; NULL if that was not kept. */
const struct outcome *outcomes_kept(const struct outcomes *outcomes, struct digest name,
				    const struct crash_context *crash);

/* Forget an outcome that proved unreliable.  The journal keeps it. */
void outcomes_drop(struct outcomes *outcomes, struct digest name);

/* A run from a checkpoint has proved wrong: the verdicts of unconfirmed passes are not known any more, and their cases
 * may be claimed again. */
void outcomes_distrust(struct outcomes *outcomes);
bool outcomes_are_distrusted(const struct outcomes *outcomes);
/* Is there a verdict on this case that is not known any more for that reason? */
bool outcomes_is_doubtful(const struct outcomes *outcomes, struct digest name);

/* A hash of the options that outcomes depend on. */
uint64_t outcomes_depend_on(const struct outcomes_options *options);

/* The oracles that judge. */
const struct oracles *outcomes_oracles(const struct outcomes *outcomes);

#endif
