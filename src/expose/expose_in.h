/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expose_in.h - shared by the files of expose.
 *
 *     expose.c     the strategy: its passes over the recording, and the moments that it chooses
 *     watch.c      recovery is recorded on a state of a moment
 *     tell.c       findings, figures and notes
 *     script.c     what a recovery loads and stores
 *     checksums.c  the functions of --checksum
 *     follow.c     the history of the program's stores, to which scripts are played
 *     tally.c      the races that come of it */
#ifndef BLACKOUT_EXPOSE_EXPOSE_IN_H
#define BLACKOUT_EXPOSE_EXPOSE_IN_H

#include "base/random.h"
#include "crash/strategy.h"
#include "expose/follow.h"
#include "expose/tally.h"

/* The latest scripts, by the content that recovery ran on. */
struct scripts {
	struct map index; /* digest -> 1 + place in `all` */
	VEC_OF(struct script *) all;
	VEC_OF(struct digest) contents;
	size_t first; /* those before it were dropped */
};

void scripts_free(struct scripts *scripts);

struct expose_figures {
	uint64_t points;     /* moments that were looked at */
	uint64_t recoveries; /* that were recorded */
	uint64_t loads;      /* in their scripts */
	uint64_t hung;       /* recoveries that did not end in time */
	uint64_t limited;    /* recoveries that were ended because their recordings were too large */
	uint64_t unrecorded; /* recordings that failed, or are damaged */
	uint64_t cut;        /* scripts that are not whole */
};

/* The state of the chooser. */
struct expose {
	struct code_stacks *stacks; /* of recoveries */
	struct checksums *checksums;
	struct tally tally;
	struct scripts *scripts; /* by platform */
	struct expose_figures figures;
	struct follow_figures stores;
	VEC_OF(uint64_t) picks; /* random mode: the chosen visits of failure points, ascending */
	uint64_t number;        /* of the last recording */
	double enough;          /* no moment is chosen after this time; 0: no limit */
	uint64_t untried;       /* moments that were not looked at for this reason */
	struct err why;         /* the first recording that failed */
};

/* One reading. */
struct exposing {
	struct points *points;
	struct follow *follow;
	uint64_t stores; /* so far */
	/* The last visit with all stores on media. */
	struct digest content;
	uint64_t content_stores; /* stores before it */
	uint64_t visits;         /* random mode: of failure points, so far */
	size_t pick;             /* random mode: the next pick */
};

/* watch.c: record recovery on the state with all stores so far on media, or on a random legal one, unless it is known
 * what recovery does there.  0, TESTER_STOPPED or -1. */
int watch_all(struct pass *pass, struct err *err);
int watch_random(struct pass *pass, size_t pick, struct err *err);

/* tell.c */
void expose_findings(const struct chooser *chooser, struct findings *findings, const struct trace *trace,
		     struct symbols *symbols, const struct findings_options *options);
void expose_figures(const struct chooser *chooser, struct findings *findings);
void expose_limits(const struct chooser *chooser, struct findings *findings);
void expose_notes(const struct chooser *chooser, struct findings *findings);

#endif
