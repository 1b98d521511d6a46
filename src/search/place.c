/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.c - see place.h. */
#include "search/place.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "image/stage.h"
#include "image/write.h"
#include "run/namespace.h"
#include "run/recovery.h"

struct place {
	struct staging *staging;
	struct stage *stage;
	struct state *state; /* the files of the start */
	struct recovery *recovery;
	struct recovery_setting setting; /* the standard input of the next run */
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
		result = recovery_other(place->recovery, 0, run->argv, run->environment, run->patience, outcome, err);
	return result == RECOVERY_INTERRUPTED ? PLACE_STOPPED : result;
}
