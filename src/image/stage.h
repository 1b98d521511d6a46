/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stage.h - real files that hold a crash state, for recovery to open.
 *
 *     struct staging *staging;                                        // one per command: a directory in memory
 *     staging_open(&staging, origin, out_dir, jobs, &err);
 *     struct stage *stage = stage_new(staging, image, &err);          // one for each worker
 *     stage_load(stage, state, &err);                                 // the files are now the state
 *     ... run recovery on stage_path(stage, "/pm/pool") ...
 *     stage_distrust(stage);                                          // if recovery could write to them
 *     stage_load(stage, another, &err);
 *     staging_close(staging);                                         // frees the stages too, and removes everything
 *
 * A stage is a directory, stage_dir().  Directory K in it represents the K-th directory that holds PM files
 * (origin_dir), so that a mount namespace can mount STAGE/K over it, and a redirection can map DIRECTORY/NAME to
 * STAGE/K/NAME (origin_place).
 *
 * Loading costs the pages that differ: those that became certain since this stage was last loaded, those of the units
 * of the old state, and those of the units of the new state.  Each stage keeps track by itself, so workers may be at
 * different moments.  But a state can be loaded only while the image is at its event, and an image belongs to one
 * thread.
 *
 * After stage_distrust nothing is assumed: the next load checks everything in the stage, repairs every page that is
 * wrong, and removes what does not belong there.  That reads all pages with data, but writes only those that differ. */
#ifndef BLACKOUT_IMAGE_STAGE_H
#define BLACKOUT_IMAGE_STAGE_H

#include "image/state.h"

#define STAGES_MAX 63u /* per image */

struct staging;
struct stage;

/* Create the directory for all stages: /dev/shm/blackout-PID-XXXXXX if there is room for `stages` copies of the files'
 * data, otherwise `fallback`/blackout-PID-XXXXXX.  In both locations, directories left behind by processes that died
 * are removed.  `origin` must live as long as the staging; `fallback` may be NULL. */
int staging_open(struct staging **staging, const struct origin *origin, const char *fallback, unsigned stages,
		 struct err *err);
void staging_close(struct staging *staging);

/* Like staging_close, but frees nothing: for example at the end of a signal handler or after fork.  Removes only what
 * this process created. */
void staging_remove(const struct staging *staging);

const char *staging_path(const struct staging *staging);

/* Create an empty stage for the image, without files.  The staging owns it.  NULL: err says why. */
struct stage *stage_new(struct staging *staging, struct image *image, struct err *err);

/* Detach the stage from the image and remove its directory. */
void stage_free(struct stage *stage);

/* Change existence, names, sizes and bytes of the stage's files to those of the state. -1: mostly because there is no
 * space; the stage is then distrusted. */
int stage_load(struct stage *stage, const struct state *state, struct err *err);

/* Recovery may have changed anything in the stage. */
void stage_distrust(struct stage *stage);

/* The directory of the stage.  Valid as long as the stage. */
const char *stage_dir(const struct stage *stage);

/* Write the place of a PM path in the stage to `buffer`.  False if the path is not one of the origin's, or does not
 * fit.  Does not check whether the file exists. */
bool stage_path(const struct stage *stage, const char *path, char *buffer, size_t size);

#endif
