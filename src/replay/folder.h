/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder.h - the folder of a crash finding: the data that `blackout replay` needs, on this machine or another with the
 * same binaries.
 *
 *     DIR/crash/F1/replay.json     what to run, and the expected outcome
 *     DIR/crash/F1/state.img       content of the PM files (image/snapshot.h)
 *     DIR/crash/F1/operations      with --ops: the operations that recovery performs, one a line
 *
 * A campaign makes folders before findings have their ids:
 *
 *     folders_clear(dir, &err);                         // remove the folders of an earlier campaign
 *     folder_new(path, dir, "0001", &err);              // DIR/crash/.0001, empty; crash_sighting.folder: ".0001"
 *     ... snapshot_write to `path`/state.img, folder_keep_operations ...
 *     folders_finish(findings, dir, &facts, &err);      // after findings_number; removes unused folders
 *
 * and replay reads one back:
 *
 *     struct folder *f;
 *     folder_read(&f, "DIR/crash/F1", &err);
 */
#ifndef BLACKOUT_REPLAY_FOLDER_H
#define BLACKOUT_REPLAY_FOLDER_H

#include <limits.h>

#include "base/err.h"
#include "finding/finding.h"

#define FOLDER_STATE "state.img"       /* name of the snapshot in the folder */
#define FOLDER_OPERATIONS "operations" /* name of the file with the operations that recovery performs */

/* How recovery was run; the same for all findings of a campaign. */
struct folder_facts {
	const char *recover;        /* --recover */
	const char *client, *ready; /* NULL: none */
	const char *cwd;
	double timeout;            /* seconds */
	uint64_t memory;           /* bytes; 0: no limit */
	uint64_t disk;             /* bytes; 0: no limit */
	bool pmem_force;           /* run/pmem_force.h */
	const char *const *ignore; /* --ignore-output */
	size_t ignore_count;
};

/* A folder read back. */
struct folder {
	struct folder_facts facts; /* the folder owns the strings and arrays */
	const char *id, *kind, *message, *fingerprint, *location;
	const char *mode;     /* NULL: not known */
	const char *version;  /* of the blackout that wrote it */
	struct ending ending; /* how recovery failed on this state */
	struct finding_operation operation;
	struct finding_mismatch mismatch; /* what it printed then */
	char state[PATH_MAX];             /* path of the snapshot */
	char operations[PATH_MAX];        /* absolute path of the operations; "" if there are none */
	struct arena texts;
};

/* Remove all of DIR/crash. */
int folders_clear(const char *dir, struct err *err);

/* Make DIR/crash/.NAME, empty; its path is written to `path`. */
int folder_new(char path[PATH_MAX], const char *dir, const char *name, struct err *err);

/* Copy the file `operations` into the folder at `path`. */
int folder_keep_operations(const char *path, const char *operations, struct err *err);

/* Write replay.json into the folder of each crash finding, and rename the folder to the finding's id.  Remove folders
 * without a finding.  -1: some could not be finished; their findings have no folder.  *err describes the first. */
int folders_finish(struct findings *findings, const char *dir, const struct folder_facts *facts, struct err *err);

/* Read the folder at `path`; the caller must free *folder.  A damaged folder is ERR_CANNOT. */
int folder_read(struct folder **folder, const char *path, struct err *err);
int folder_parse(struct folder **folder, const char *name, const char *text, size_t size, struct err *err);
void folder_free(struct folder *folder);

#endif
