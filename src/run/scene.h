/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.h - the directories of PM files as one worker's recovery sees them.
 *
 * A stage (image/stage.h) holds the state's files in STAGE/K/NAME, and belongs to the code that loads states.  The
 * scene, STAGE.scene/K/NAME, has hard links to the same files.  Recovery may unlink, rename and replace these without
 * the stage losing a name.  For a mount namespace (namespace.h) the scene also has the other entries of the original
 * directory.  Small files and links are private copies, which are made anew after a recovery has changed them.
 * Programs, directories and large files are empty entries on which the originals are mounted.  Sockets are left out,
 * because a socket that a dead server left is in the way of the next one.  If a PM file has a second name, that name
 * leads to the state's file, too. */
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
	struct stat stat; /* right after the copy was made */
};

/* A hard link to a PM file, under a name that the recording does not contain. */
struct scene_alias {
	char *name;
	size_t path; /* of the PM file: its index in the origin */
};

/* Which file is at a path of the user; 0, 0: none. */
struct scene_identity {
	uint64_t device, inode;
};

struct scene_dir {
	const char *original;      /* owned by the origin */
	char *path;                /* STAGE.scene/K */
	char *stage;               /* STAGE/K */
	struct words names;        /* of PM files, sorted */
	struct words others;       /* the other entries of the original directory, sorted */
	struct words mounts;       /* those that are mounted here, sorted */
	struct scene_copy *copies; /* those that are copied */
	size_t copy_count;
	uint64_t copy_bytes;
	struct scene_alias *aliases; /* those that are PM files */
	size_t alias_count;
	struct words before; /* entries of the original directory before a run in place */
	bool is_there;       /* the original directory exists */
	int lock;            /* the original directory, locked during a run in place (dirlock.h); 0: none */
	int entry;           /* descriptor of the scene's directory, for links in place; 0: none */
};

struct scene {
	char path[PATH_MAX]; /* STAGE.scene; our control files may be beside the directories */
	struct scene_dir *dirs;
	size_t count;
	const struct origin *origin;
	struct scene_identity *identities; /* indexed by path of the origin */
	struct journal journal;            /* of the files that are swapped in place */
	struct owner owner;                /* the process that swapped them */
	bool swapped;                      /* not all files were put back: the journal stays, for the next command */
	/* paths that appeared beside PM files during runs in place, and were not created by recovery */
	struct words foreign_files;
};

int scene_open(struct scene *scene, const struct origin *origin, const char *stage_dir, struct err *err);

/* Remove the whole scene. */
void scene_close(struct scene *scene);

/* Make the names refer to the stage's files, which were just loaded.  `sweep`: also remove what an earlier recovery
 * created beside them. */
int scene_refresh(struct scene *scene, bool sweep, struct err *err);

/* Do all original directories exist, and is none of them "/"? */
bool scene_can_be_mounted(const struct scene *scene);

/* Where a PM path is in the scene.  True for every path of a scene that was opened. */
bool scene_path(const struct scene *scene, const char *path, char *buffer, size_t size);

/* Called for each path in the user's directories that leads to a PM file (recorded paths and aliases), with its place
 * in the scene, until a call returns -1. */
typedef int scene_visit(void *arg, const char *path, const char *actual);
int scene_each(const struct scene *scene, scene_visit *visit, void *arg);

#endif
