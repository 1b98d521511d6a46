/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.h - the bytes of a crash state once more, slow and obvious: all events are done again, with the stores of the
 * set alone.
 *
 * The set is one of the reference's (reference.h).  It shares nothing with src/image. */
#ifndef BLACKOUT_TEST_REPLAY_H
#define BLACKOUT_TEST_REPLAY_H

#include "reference.h"

struct replay_file {
	bool known;
	const char *path; /* NULL: it has no name */
	uint64_t size;
	uint8_t bytes[REFERENCE_BYTES];
};

struct replay {
	struct replay_file files[REFERENCE_FILES];
};

/* The files after `point` events, if of all units those in `set` are on media. */
void replay_run(struct replay *replay, const struct event *events, size_t point, const struct reference *reference,
		uint32_t set);

#endif
