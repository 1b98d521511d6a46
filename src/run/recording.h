/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording.h - the directory of a recording before and after the recorder writes into it.
 *
 *     DIR/trace/NNNN.bo    one file per recorded process; `clock` beside them orders those of several processes
 *     DIR/recorder.log     what the recorder itself had to say; normally empty
 *
 * Only these are ever removed: a directory that holds anything else and no recording is somebody's, and refused. */
#ifndef BLACKOUT_RUN_RECORDING_H
#define BLACKOUT_RUN_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct recording {
	char dir[PATH_MAX]; /* absolute */
	int fd;             /* of it */
	int trace;          /* DIR/trace, locked until recording_close; 0: not open */
};

/* Make `dir` an empty recording of ours to write: create it, or remove the recording in it.  -1 with ERR_USAGE if it is
 * something else, or if another recording is being written there. */
int recording_create(struct recording *recording, const char *dir, struct err *err);
void recording_close(struct recording *recording);

/* Remove the directory, with the recording that it holds, and close. */
void recording_remove(struct recording *recording);

/* Did the recorder get as far as writing a trace? */
bool recording_started(const struct recording *recording);

/* Bytes that the trace takes on disk. */
uint64_t recording_bytes(const struct recording *recording);

/* The last line of the recorder's log, or "". */
void recording_last_words(const struct recording *recording, char *line, size_t size);

/* Did the recorder, of any process, run out of room?  Then `why` is one of BO_STOPPED_... (trace_format.h), otherwise
 * "". */
bool recording_stopped(const struct recording *recording, char *why, size_t size);

/* Did Valgrind itself fail?  Then `line` is what it said of it, otherwise "". */
bool recording_failed(const struct recording *recording, char *line, size_t size);

#endif
