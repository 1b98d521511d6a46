/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - a second, slow and obvious computation of the bytes of a crash state: apply all events again, with only
 * the stores of the set.
 *
 * The set is one of the reference's (reference.h).  It shares no code with src/image. */
#ifndef BLACKOUT_TEST_REPLAY_H
#define BLACKOUT_TEST_REPLAY_H

#include "reference.h"

struct replay_file {
	bool known;
	const char *path; /* NULL: no name */
	uint64_t size;
	uint8_t bytes[REFERENCE_BYTES];
};

struct replay {
	struct replay_file files[REFERENCE_FILES];
};

/* Compute the files after `point` events if exactly the units in `set` are on media. */
void replay_run(struct replay *replay, const struct event *events, size_t point, const struct reference *reference,
		uint32_t set);

#endif
