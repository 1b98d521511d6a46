/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race_finding.h - turns persistency races into findings.
 *
 *     struct race_findings *r = race_findings_begin(findings, trace, symbols, &options);     // after findings_collect
 *     race_findings_add(r, &(struct race_sighting){.form = FORM_PERSISTENCY_RACE_..., ...});  // in a fixed sequence
 *     race_findings_end(r);                                                                  // sentences, fingerprints, ids
 *
 * The store is of the program's recording; the loads are of recordings of recovery, which are gone by now
 * (trace/code_stack.h).  There is one finding for each place that stores, with all places that load.  The most severe
 * sighting gives the sentence; of equals, the first.  A store that a library makes for its own purposes is placed in the
 * library.  If it was compiled without blackout-cc, and only the library itself loads it again, that is the library's
 * affair: it has its own ways to notice torn data.  Such places are only counted, in a note.  While a library creates a pool, its stores are no errors.  All arguments are copied. */
#ifndef BLACKOUT_FINDING_RACE_FINDING_H
#define BLACKOUT_FINDING_RACE_FINDING_H

#include "finding/finding.h"
#include "trace/code_stack.h"

/* A finding keeps this many places that load. */
#define RACE_LOADS_MAX 32

/* The stores of one context that race. */
struct race_sighting {
	enum finding_form form;
	const char *detector, *platform;
	uint32_t context;
	uint32_t flush; /* context of the flush that does not protect it; 0: none */
	struct sighting_example first;
	bool known;                            /* the compiler said what kind of store it is */
	uint64_t count;                        /* different stores */
	const struct code_stack *const *loads; /* that they race with */
	size_t load_count;
};

struct race_findings;

/* `trace` must have been read at least to the last store that a sighting names.  `options` may be NULL. */
struct race_findings *race_findings_begin(struct findings *findings, const struct trace *trace, struct symbols *symbols,
					  const struct findings_options *options);
void race_findings_add(struct race_findings *races, const struct race_sighting *sighting);
void race_findings_end(struct race_findings *races);

#endif
