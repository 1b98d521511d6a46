/* SPDX-License-Identifier: GPL-2.0-or-later */
/* equivalence.h - the oracle that compares outputs: after a crash, recovery must print what one of the legal histories
 * of operations prints.
 *
 *     struct equivalence *e;
 *     equivalence_open(&e, &options, &err);                          // reads the operations of the recording
 *     const struct oracle *list[] = {&oracle_exit_status, equivalence_oracle(e)};
 *     campaign_options.oracles = list;                               // the oracle gives settings and output rules
 *     campaign_run(...);
 *     equivalence_figures(e)
 *     equivalence_close(e);                                          // after campaign_free
 *
 * DESIGN.  A crash is inside of an operation or between two.  Recovery then performs the operations that are left, or a
 * probe.  What it should print is found out by running the very same recovery, in the same setting (run/setting.h), on
 * the orderly contents of the recording: everything that was stored up to the begin and up to the end of the operation
 * is on media.  So whatever recovery prints by itself cannot be mistaken for a difference.
 *
 *  1. Inside of operation i the outputs after i and before i are legal.  Between operations it is the output after the
 *     last one.  With a lag of N, so are those after up to N operations less.
 *  2. The content before the next operation counts like the one after the last: the program may tidy up in between.
 *     As long as no operation has happened, the initial content is legal too: the pool was being created.
 *  3. Expectations are made when a crash in such a place is first tested, by the tester of that moment (prepare in
 *     crash/oracle.h), once for each content and setting.  They run as any other state does, on all workers.
 *  4. An orderly run is repeated, and lines that differ do not count (ops/compare.h).  If the first few places show no
 *     such lines, later ones are repeated only where a mismatch is to be reported.
 *  5. If recovery fails on an orderly content, nothing can be compared in this place.  The same holds if operations
 *     overlap in ways that rule 7 cannot judge.  Then any output is accepted, and counted.  Crash states of this place
 *     on which recovery fails in the same way blame no store; all of them are one finding (explain/orderly.c).
 *  6. At the end of each operation, with everything on media, recovery must print what the recorded run printed for the
 *     operations that are left.  Otherwise the program kept an effect of the earlier ones in volatile memory only.
 *  7. Inside of operations that overlap, up to four, recovery itself performs them in every legal order on the content
 *     before them.  One of these outputs must come.
 *  8. A crash may rightly change what recovery prints by itself, its banner ("repairing the index").  So before a
 *     failure becomes a finding, recovery runs on the same state without operations (`excuses` in crash/oracle.h), and
 *     what it prints then is taken off its output.  Outputs that are legal except for lines before them are failures
 *     of a class of their own, one for each text of these lines, so that they cannot hide others.  They are not
 *     reported if no time is left for that run.
 */
#ifndef BLACKOUT_EQUIVALENCE_EQUIVALENCE_H
#define BLACKOUT_EQUIVALENCE_EQUIVALENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "crash/oracle.h"
#include "equivalence/timeline.h"
#include "ops/oplist.h"
#include "ops/output.h"

struct equivalence_options {
	const char *dir;                  /* the recording, which has the layer `operations` */
	const struct oplist *list;        /* --ops */
	const struct oplist *probe;       /* --probe; NULL: recovery performs the operations that are left */
	size_t after;                     /* --ops-after; SIZE_MAX: all of them */
	uint64_t lag;                     /* --lag */
	const struct output_rules *rules; /* --ignore-output, and how long an output may be */
	const char *recover, *client;     /* the commands, with their words; client may be NULL */
	const char *folder;               /* an existing directory for files with operations */
	/* What the recorded run itself printed, ended; NULL: it is not known.  Without a probe it is compared with what
	 * recovery prints at the border of two operations. */
	const struct output *printed;
};

struct equivalence;

/* All of the options must live as long as the result.  -1: the recording cannot be read. */
int equivalence_open(struct equivalence **equivalence, const struct equivalence_options *options, struct err *err);
void equivalence_close(struct equivalence *equivalence);

/* For campaign_options.oracles, behind oracle_exit_status. */
const struct oracle *equivalence_oracle(const struct equivalence *equivalence);

struct equivalence_figures {
	uint64_t total;               /* operations that the recording shows */
	uint64_t crashed_in;          /* operations with a crash inside that was tested */
	uint64_t nondeterministic;    /* operations around whose crashes two orderly runs printed different lines */
	uint64_t places;              /* places of crashes, inside of operations or between them, that were prepared */
	uint64_t failing;             /* of these, where recovery fails on an orderly content */
	struct place failing_first;   /* the first of them */
	struct ending failing_ending; /* how it fails there */
	uint64_t overlapping;         /* of these, where operations of several threads overlap too much to compare */
	bool unlike_run;  /* rule 6 cannot be applied: recovery never prints what the recorded run printed */
	uint64_t endless; /* of these, where an orderly run prints more than the rules allow */
};

struct equivalence_figures equivalence_figures(const struct equivalence *equivalence);

#endif
