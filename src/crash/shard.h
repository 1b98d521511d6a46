/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shard.h - one part of a campaign, if several processes share its crash states; and the parts, to put them together.
 *
 *     const struct campaign_options part = {..., .shard = {.index = 2, .total = 7}};            // blackout check --shard
 *     const struct campaign_options whole = {..., .parts = &(struct shard_parts){.dirs = ...}};       // blackout merge
 *
 * DESIGN.  Every shard reads the whole recording and meets the same cases in the same sequence, but tests only its own.
 * It explains nothing.  A merge is a campaign whose verdicts are known: it reads the recording once more, finds each
 * verdict in the journals of the parts, and judges and explains as always.  So it gives what one campaign gives.
 *
 *  1. A case belongs to a shard by its content, so the same content is tested once, wherever it occurs.
 *  2. If recovery itself decides what is tested at a moment (run/lazy.h), the moment belongs to a shard by its name.
 *     All that is tested there belongs to this shard, too: only it knows what recovery reads.
 *  3. Every shard and the merge prepare the oracles for each context, in the same sequence: what an oracle knows may
 *     depend on what it was asked before.
 *  4. What is no case is left to the merge: recordings of recovery for races, crashes of recovery, and whether a
 *     time-out is a hang.
 *  5. If all parts are there and complete, a merge tests a case that no part has tested.  This is rare: a shard may leave
 *     out a state because recovery hung on other states of its own (hangs.c). */
#ifndef BLACKOUT_CRASH_SHARD_H
#define BLACKOUT_CRASH_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/digest.h"

struct shard {
	uint32_t index; /* from 1 */
	uint32_t total; /* 0: the campaign is not divided */
};

/* Is this content, or the moment of this name, one of the shard's own?  Digests are evenly distributed. */
static inline bool shard_takes(const struct shard *shard, struct digest digest)
{
	return shard->total <= 1 || digest.high % shard->total == shard->index - 1;
}

struct shard_parts {
	const char *const *dirs; /* `out` of the shards' campaigns */
	size_t count;
	uint32_t total;          /* how many there should be */
	const uint32_t *missing; /* the indices of those that are not there */
	size_t missing_count;
	const uint32_t *cut; /* the indices of those that are not complete */
	size_t cut_count;
	bool whole; /* no part is missing, and all are complete */
};

#endif
