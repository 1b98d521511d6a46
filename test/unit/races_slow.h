/* SPDX-License-Identifier: GPL-2.0-or-later */
/* races_slow.h - a second implementation of the rules of races, slow and obvious, to compare src/races with.  It shares
 * no code with it.
 *
 * It is Theorem 1 of "Yashme: Detecting Persistency Races" (ASPLOS 2022), read literally: "happens before" is a
 * relation between all pairs of events, the consistent prefix is a set of events, and what a load could have read is
 * found by trying all legal crash states (reference.h).  The rules of doc/RACES.md that go beyond the paper are added
 * one by one. */
#ifndef BLACKOUT_TEST_RACES_SLOW_H
#define BLACKOUT_TEST_RACES_SLOW_H

#include "races/races.h"
#include "reference.h"

#define SLOW_LOADS 8
#define SLOW_RACES 128

/* What recovery does. */
struct slow_step {
	uint32_t file;
	uint64_t offset, size;
	bool stores; /* otherwise it loads */
	bool silent; /* in a checksum function */
};

struct slow_input {
	const struct event *events; /* numbered from 1 */
	size_t count;
	/* For each event, by its index: the index of the first event that the same store of the source consists of. */
	const size_t *source;
	const struct reference *reference;
	enum reference_platform platform;
	uint32_t state; /* one of the sets of the last point */
	struct slow_step steps[SLOW_LOADS];
	size_t step_count;
};

struct slow_race {
	size_t source, step; /* indices */
	unsigned reasons;    /* bits 1 << enum race_reason: of the pieces that race */
	bool several;        /* stored in several units */
};

/* Find all races.  Return their number. */
size_t races_slow(const struct slow_input *input, struct slow_race races[SLOW_RACES]);

#endif
