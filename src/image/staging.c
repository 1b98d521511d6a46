/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory of all stages of a command: create it, and remove it afterwards. */
#include <stdio.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "image/place.h"
#include "image/stage_in.h"
#include "image/tree.h"

#define ROOM_LEAST ((uint64_t)64 << 20) /* required room for one stage, even if the files hold little at the start */

static bool has_room(const char *path, uint64_t bytes)
{
	struct statvfs fs;

	return access(path, W_OK | X_OK) == 0 && statvfs(path, &fs) == 0 &&
	       (uint64_t)fs.f_bavail * fs.f_frsize >= bytes;
}

int staging_open(struct staging **staging, const struct origin *origin, const char *fallback, unsigned stages,
		 struct err *err)
{
	uint64_t each = origin_bytes(origin) > ROOM_LEAST ? origin_bytes(origin) : ROOM_LEAST;
	struct staging *s = mem_alloc(sizeof(*s));
	const char *under = PLACE_MEMORY;

	s->origin = origin;
	s->fd = -1;
	s->owner = getpid();
	place_sweep(PLACE_MEMORY);
	if (fallback)
		place_sweep(fallback);
	if (fallback && !has_room(PLACE_MEMORY, stages * each))
		under = fallback;
	s->fd = place_make(under, &s->path, err);
	if (s->fd < 0) {
		err_hint(err, "crash states are kept in %s, or in the directory that --out names", PLACE_MEMORY);
		staging_close(s);
		return -1;
	}
	*staging = s;
	return 0;
}

void staging_remove(const struct staging *staging)
{
	if (staging->path && staging->owner == getpid())
		tree_remove(staging->path);
}

void staging_close(struct staging *staging)
{
	if (!staging)
		return;
	while (staging->stages)
		stage_free(staging->stages);
	staging_remove(staging);
	if (staging->fd >= 0)
		close(staging->fd);
	free(staging->path);
	free(staging);
}

const char *staging_path(const struct staging *staging)
{
	return staging->path;
}
