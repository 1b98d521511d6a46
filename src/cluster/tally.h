/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - how many crash states a shard has tested so far: the lines of its journal, read as they are written. */
#ifndef BLACKOUT_CLUSTER_TALLY_H
#define BLACKOUT_CLUSTER_TALLY_H

#include <stdint.h>
#include <sys/types.h>

struct tally {
	off_t read; /* bytes */
	uint64_t lines;
};

/* Read what was added to the journal at `path`.  A journal that became shorter was begun anew. */
void tally_update(struct tally *tally, const char *path);

/* The first line says what the journal is. */
static inline uint64_t tally_states(const struct tally *tally)
{
	return tally->lines ? tally->lines - 1 : 0;
}

#endif
