/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.h - the directories of PM files as one worker's recovery sees them.
 *
 * A stage (image/stage.h) holds the state's files in ROOT/K/NAME, and belongs to whoever loads states.  The scene, ROOT.scene/K/NAME, has hard links to
 * the same files, which recovery may unlink, rename and replace without the stage losing a name; and, for a mount namespace, an empty entry for everything
 * else that is in the original directory, on which the original entry is mounted (namespace.h). */
#ifndef BLACKOUT_RUN_SCENE_H
#define BLACKOUT_RUN_SCENE_H

#include <limits.h>

#include "base/err.h"
#include "image/origin.h"
#include "run/words.h"

struct scene_dir {
	const char *original; /* the origin's */
	char *path;           /* ROOT.scene/K */
	char *stage;          /* ROOT/K */
	struct words names;   /* of PM files, sorted */
	struct words others;  /* the other entries of the original directory, sorted; mounted, or links that are copied */
	struct words before; /* what was in the original directory before a run in place */
	bool is_there;        /* the original directory */
};

struct scene {
	char root[PATH_MAX]; /* ROOT.scene; control files of ours may be beside the directories */
	struct scene_dir *dirs;
	size_t count;
	const struct origin *origin;
};

int scene_open(struct scene *scene, const struct origin *origin, const char *stage_root, struct err *err);

/* Remove it all. */
void scene_close(struct scene *scene);

/* Let the names be those of the stage's files, which were just loaded.  `sweep`: remove what an earlier recovery created beside them. */
int scene_refresh(struct scene *scene, bool sweep, struct err *err);

/* Where a PM path is in the scene. */
void scene_path(const struct scene *scene, const char *path, char *buffer, size_t size);

#endif
