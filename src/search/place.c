/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.c - see place.h. */
#include "search/place.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "image/stage.h"
#include "image/write.h"
#include "run/namespace.h"
#include "run/recovery.h"

enum { LEFT_MOST = 64 << 20 /* bytes in all: to hash them takes much less time than a recording */ };

struct place {
	const struct origin *origin;
	struct staging *staging;
	struct stage *stage;
	struct state *state; /* the files of the start */
	struct recovery *recovery;
	struct recovery_setting setting; /* the standard input of the next run */
	double timeout;                  /* seconds, for one run */
};

int place_check(struct err *err)
{
	if (namespace_try(false, err) == 0)
		return 0;
	return err_hint(err, "blackout search gives each execution private files; that needs mount namespaces, "
			     "such as an ordinary user has if kernel.unprivileged_userns_clone is 1");
}

int place_check_network(struct err *err)
{
	return namespace_try(true, err);
}

static const struct recovery_setting *setting_get(void *arg, uint64_t id)
{
	const struct place *place = arg;

	(void)id;
	return &place->setting;
}

static int recovery_open(struct place *place, const struct place_options *o, struct err *err)
{
	const struct recovery_options how = {
		.command = ":", /* only other commands are run (recovery_other) */
		.client = o->client,
		.ready = o->ready,
		.serves = true,
		.network = o->network,
		.timeout = o->timeout,
		.jobs = 1,
		.mode = RECOVERY_NAMESPACE,
		.settled = true,
		.origin = start_origin(o->start),
		.opens = true,
		.setting = setting_get,
		.setting_arg = place,
		.stop = o->stop,
	};

	return recovery_new(&place->recovery, &how, err);
}

int place_open(struct place **result, const struct place_options *o, struct err *err)
{
	struct place *place = mem_alloc(sizeof(*place));

	*result = place;
	place->origin = start_origin(o->start);
	place->timeout = o->timeout;
	if (recovery_open(place, o, err) < 0 ||
	    staging_open(&place->staging, start_origin(o->start), o->fallback, 1, err) < 0)
		return -1;
	place->stage = stage_new(place->staging, start_image(o->start), err);
	if (!place->stage)
		return -1;
	place->state = state_none(start_image(o->start));
	recovery_stage(place->recovery, 0, stage_dir(place->stage));
	return 0;
}

void place_close(struct place *place)
{
	if (!place)
		return;
	if (place->recovery)
		recovery_free(place->recovery);
	if (place->state)
		state_free(place->state);
	if (place->staging)
		staging_close(place->staging);
	free(place);
}

/* The stage does not know what is put there. */
static int file_put(struct place *place, const struct place_file *file, struct err *err)
{
	char path[PATH_MAX];
	int fd, result;

	if (!stage_path(place->stage, file->path, path, sizeof(path)))
		return err_set(err, "there is no place for the input file %s", file->path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(err, "cannot write %s", path);
	result = write_all(fd, file->bytes, 0, file->size, "an input file", err);
	close(fd);
	return result;
}

int place_run(struct place *place, const struct place_run *run, struct outcome *outcome, struct err *err)
{
	int result;

	place->setting = (struct recovery_setting){.id = place->setting.id + 1, .ops = run->input};
	recovery_set(place->recovery, 0, place->setting.id);
	result = stage_load(place->stage, place->state, err);
	for (size_t i = 0; result == 0 && i < run->file_count; i++)
		result = file_put(place, &run->files[i], err);
	stage_distrust(place->stage);
	if (result == 0)
		result = recovery_other(place->recovery, 0, run->argv, run->environment, run->patience * place->timeout,
					outcome, err);
	return result == RECOVERY_INTERRUPTED ? PLACE_STOPPED : result;
}

static bool is_among(const struct place_file *files, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(files[i].path, path) == 0)
			return true;
	return false;
}

/* Add a file; one that does not exist is another one than one that is empty. */
static bool file_hash(XXH3_state_t *hash, const char *path, uint64_t *room)
{
	char bytes[65536];
	struct stat status = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int64_t size = fd < 0 ? -1 : fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ? INT64_MAX : status.st_size;
	ssize_t got = size > 0 ? 1 : 0;

	if (size > (int64_t)*room)
		got = -1;
	XXH3_64bits_update(hash, &size, sizeof(size));
	while (got > 0 && (got = read(fd, bytes, sizeof(bytes))) > 0)
		XXH3_64bits_update(hash, bytes, (size_t)got);
	if (fd >= 0)
		close(fd);
	*room -= got == 0 && size > 0 ? (uint64_t)size : 0;
	return got == 0;
}

uint64_t place_left(const struct place *place, const struct place_file *inputs, size_t count)
{
	XXH3_state_t *hash = XXH3_createState();
	uint64_t room = LEFT_MOST;
	char path[PATH_MAX];
	bool known = hash && XXH3_64bits_reset(hash) == XXH_OK;

	for (size_t i = 0; known && i < origin_path_count(place->origin); i++)
		if (!is_among(inputs, count, origin_path(place->origin, i)))
			known = recovery_left(place->recovery, 0, origin_path(place->origin, i), path, sizeof(path)) &&
				file_hash(hash, path, &room);
	uint64_t left = known ? XXH3_64bits_digest(hash) : 0;
	XXH3_freeState(hash);
	return left;
}
