/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.h - the directories of PM files as one worker's recovery sees them.
 *
 * A stage (image/stage.h) holds the state's files in ROOT/K/NAME, and belongs to whoever loads states.  The scene,
 * ROOT.scene/K/NAME, has hard links to the same files, which recovery may unlink, rename and replace without the stage
 * losing a name.  For a mount namespace (namespace.h) it also has what else is in the original directory: small files
 * and links as private copies, which are made anew after a recovery has changed them; programs, directories and large
 * files as empty entries on which the originals are mounted.  Sockets are left out: a server that died leaves one in
 * the way of the next.  A second name of a PM file is one of the state's file, too. */
#ifndef BLACKOUT_RUN_SCENE_H
#define BLACKOUT_RUN_SCENE_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "image/origin.h"
#include "run/journal.h"
#include "run/words.h"

struct scene_copy {
	char *name;
	struct stat stat; /* as it was when it was made */
};

/* A hard link to a PM file, under a name that the recording does not have. */
struct scene_alias {
	char *name;
	size_t path; /* of the PM file, by its number in the origin */
};

/* Which file is at a path of the user; 0, 0: none. */
struct scene_identity {
	uint64_t device, inode;
};

struct scene_dir {
	const char *original;      /* the origin's */
	char *path;                /* ROOT.scene/K */
	char *stage;               /* ROOT/K */
	struct words names;        /* of PM files, sorted */
	struct words others;       /* the other entries of the original directory, sorted */
	struct words mounts;       /* those of them that are mounted here, sorted */
	struct scene_copy *copies; /* and those that are copied */
	size_t copy_count;
	uint64_t copy_bytes;
	struct scene_alias *aliases; /* those of the others that are PM files */
	size_t alias_count;
	struct words before; /* what was in the original directory before a run in place */
	bool is_there;       /* the original directory */
	int lock;            /* the original directory, locked during a run in place (dirlock.h); 0: none */
	int entry;           /* of the scene's directory, for links in place; 0: none */
};

struct scene {
	char root[PATH_MAX]; /* ROOT.scene; control files of ours may be beside the directories */
	struct scene_dir *dirs;
	size_t count;
	const struct origin *origin;
	struct scene_identity *identities; /* by path of the origin */
	struct journal journal;            /* of what is put in place */
	struct owner owner;                /* who put it there */
	bool swapped;           /* not all of it was put back: then the journal stays, for the next command */
	struct words strangers; /* paths that appeared beside PM files during runs in place, and are not recovery's */
};

int scene_open(struct scene *scene, const struct origin *origin, const char *stage_root, struct err *err);

/* Remove it all. */
void scene_close(struct scene *scene);

/* Let the names be those of the stage's files, which were just loaded.  `sweep`: remove what an earlier recovery
 * created beside them. */
int scene_refresh(struct scene *scene, bool sweep, struct err *err);

/* Are the original directories there, and none of them the root? */
bool scene_can_be_mounted(const struct scene *scene);

/* Where a PM path is in the scene; true for every path of a scene that was opened. */
bool scene_path(const struct scene *scene, const char *path, char *buffer, size_t size);

/* Call for each path in the user's directories that leads to a PM file, recorded ones and aliases, with its place in
 * the scene, until one returns -1. */
typedef int scene_visit(void *arg, const char *path, const char *actual);
int scene_each(const struct scene *scene, scene_visit *visit, void *arg);

#endif
