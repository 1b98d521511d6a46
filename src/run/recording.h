/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording.h - the directory of a recording, before and after the recorder writes to it.
 *
 *     DIR/trace/NNNN.bo    one file per recorded process; `clock` beside them orders the events of several processes
 *     DIR/recorder.log     messages of the recorder itself; normally empty
 *     DIR/operations/      with --ops: the list, and what the program printed (kept_operations.h)
 *
 * Only these are ever removed.  A directory that contains anything else and no recording is the user's, and is
 * refused. */
#ifndef BLACKOUT_RUN_RECORDING_H
#define BLACKOUT_RUN_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct recording {
	char dir[PATH_MAX]; /* absolute */
	int fd;             /* descriptor of dir */
	int trace;          /* DIR/trace, locked until recording_close; 0: not open */
};

/* Make `dir` an empty recording that we can write: create it, or remove the recording in it. -1, ERR_USAGE: it is
 * something else, or another recording is being written there. */
int recording_create(struct recording *recording, const char *dir, struct err *err);
void recording_close(struct recording *recording);

/* Remove the directory with its recording, and close. */
void recording_remove(struct recording *recording);

/* Did the recorder start writing a trace? */
bool recording_started(const struct recording *recording);

/* Size of the trace on disk. */
uint64_t recording_bytes(const struct recording *recording);

/* The last line of the recorder's log, or "". */
void recording_last_words(const struct recording *recording, char *line, size_t size);

/* Is there less space in the directory than a recorder needs to start? */
bool recording_lacks_room(const char *dir);

/* Did the recorder of any process run out of space?  If so, `why` is one of BO_STOPPED_...  (trace_format.h); otherwise
 * "". */
bool recording_stopped(const struct recording *recording, char *why, size_t size);

/* Did Valgrind itself fail?  If so, `line` is its message; otherwise "". */
bool recording_failed(const struct recording *recording, char *line, size_t size);

#endif
