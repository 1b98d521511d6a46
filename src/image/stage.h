/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stage.h - real files that hold a crash state, for a recovery to open.
 *
 *     struct staging *staging;                                        // one for the whole command: a directory in memory
 *     staging_open(&staging, origin, out_dir, jobs, &err);
 *     struct stage *stage = stage_new(staging, image, &err);          // one for each worker
 *     stage_load(stage, state, &err);                                 // the files are now the state
 *     ... run recovery on stage_path(stage, "/pm/pool") ...
 *     stage_distrust(stage);                                          // if recovery could write to them
 *     stage_load(stage, another, &err);
 *     staging_close(staging);                                         // frees the stages too, and removes everything
 *
 * A stage is a directory, stage_root().  In it the directory K stands for the K-th directory that holds PM files
 * (origin_dir), so that a mount namespace can put ROOT/K over it, and a redirection turn DIRECTORY/NAME into
 * ROOT/K/NAME (origin_place).
 *
 * Loading costs the pages that differ: those that became certain since this stage was last loaded, those of the units
 * of the state that it holds and of the one that it gets.  Each stage keeps count for itself, so workers may be at
 * different moments; but a state can only be loaded while the image is at its event, and an image belongs to one
 * thread.
 *
 * After stage_distrust nothing is taken on trust: the next load looks at everything in the stage, mends every page that
 * is not as it should be, and removes what does not belong there.  That costs the pages that have something in them,
 * but writes only what differs. */
#ifndef BLACKOUT_IMAGE_STAGE_H
#define BLACKOUT_IMAGE_STAGE_H

#include "image/state.h"

#define STAGES_MAX 63u /* of one image */

struct staging;
struct stage;

/* Find a place: /dev/shm/blackout-PID-XXXXXX if there is room for `stages` copies of what the files hold, else
 * `fallback`/blackout-PID-XXXXXX.  Places of processes that died without removing theirs are removed, in both.
 * `origin` must live as long; `fallback` may be NULL. */
int staging_open(struct staging **staging, const struct origin *origin, const char *fallback, unsigned stages,
		 struct err *err);
void staging_close(struct staging *staging);

/* Remove it from a signal handler's last moments or after fork, say: only what this process made is touched.  For
 * staging_close without freeing anything. */
void staging_remove(const struct staging *staging);

const char *staging_path(const struct staging *staging);

/* An empty stage of the image: no files.  The staging owns it.  NULL: err says why. */
struct stage *stage_new(struct staging *staging, struct image *image, struct err *err);

/* The image goes on, or away, without this stage.  Its directory is removed. */
void stage_free(struct stage *stage);

/* Bring existence, names, sizes and bytes of the stage's files to the state.  -1: no space, mostly; the stage is then
 * distrusted. */
int stage_load(struct stage *stage, const struct state *state, struct err *err);

/* Recovery may have changed anything in the stage. */
void stage_distrust(struct stage *stage);

/* ROOT, and ROOT/K.  Valid as long as the stage. */
const char *stage_root(const struct stage *stage);
const char *stage_dir(const struct stage *stage, size_t index);

/* Where a PM path is in the stage, in `buffer`: false if it is none of the origin's, or does not fit.  Whether a file
 * is there is another question. */
bool stage_path(const struct stage *stage, const char *path, char *buffer, size_t size);

/* What loading has cost so far. */
struct stage_cost {
	uint64_t loads;
	uint64_t pages_written;  /* to the files */
	uint64_t pages_compared; /* because of distrust */
};
struct stage_cost stage_cost(const struct stage *stage);

#endif
