/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - collects the races that readers report, by platform and by the code that stores.
 *
 *     struct tally tally = {.stacks = stacks, .checksums = checksums};
 *     tally_add(&tally, platform, &race);
 *     tally_report(&tally, platforms, findings, trace, symbols, &options);      // as findings
 *     tally_free(&tally); */
#ifndef BLACKOUT_EXPOSE_TALLY_H
#define BLACKOUT_EXPOSE_TALLY_H

#include "base/map.h"
#include "base/vec.h"
#include "expose/checksums.h"
#include "finding/finding.h"
#include "races/races.h"
#include "trace/code_stack.h"

/* The stores of one context that race, on one platform. */
struct racing {
	size_t platform;
	uint32_t context;
	bool torn;  /* the binary makes one of them in several units */
	bool known; /* the compiler said what kind of store it is */
	enum race_reason reason;
	uint32_t flush; /* context; 0: none */
	struct sighting_example first;
	VEC_OF(uint64_t) events;
	VEC_OF(uint32_t) loads; /* stacks */
};

struct tally {
	const struct code_stacks *stacks;
	const struct checksums *checksums;
	VEC_OF(struct racing) all;
	struct map index;  /* platform, context -> 1 + index */
	struct map events; /* platform, event -> 1: this store races */
};

/* The context of the race's load is a stack. */
void tally_add(struct tally *tally, size_t platform, const struct race *race);

/* `trace` is the program's recording, read to its end. */
void tally_report(const struct tally *tally, const struct platform *const *platforms, struct findings *findings,
		  const struct trace *trace, struct symbols *symbols, const struct findings_options *options);
void tally_free(struct tally *tally);

#endif
