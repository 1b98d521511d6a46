/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.c - see checkpoint.h. */
#include "run/checkpoint_in.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

void checkpoint_set_open(struct checkpoint_set *c)
{
	*c = (struct checkpoint_set){0};
	for (unsigned i = 0; i < CHECKPOINTS_MAX; i++)
		c->servers[i] = (struct checkpoint_server){.request = -1, .watch = -1};
}

void checkpoint_set_close(struct checkpoint_set *c)
{
	checkpoint_set_drop(c);
	free(c->plan);
	c->plan = NULL;
}

void checkpoint_set_drop(struct checkpoint_set *c)
{
	for (unsigned i = 0; i < CHECKPOINTS_MAX; i++) {
		struct checkpoint_server *server = &c->servers[i];

		if (server->request >= 0)
			close(server->request);
		if (server->watch >= 0)
			close(server->watch);
		server->request = server->watch = -1;
	}
	if (c->block)
		munmap(c->block, c->block->bytes);
	c->block = NULL;
	free(c->files);
	c->files = NULL;
	c->count = 0;
}

/* Plans */

static size_t plan_bytes(size_t way, size_t ranges)
{
	return sizeof(struct walk_block) + (WALK_EVENTS_MAX + way) * sizeof(struct walk_event) +
	       ranges * sizeof(struct walk_range);
}

static size_t plan_ranges(const struct checkpoint_plan *plan, size_t stops)
{
	size_t ranges = 0;

	for (size_t i = 0; i < stops; i++)
		ranges += plan->stops[i].stored_count;
	return ranges;
}

static void stop_put(struct walk_block *block, const struct checkpoint_stop *stop)
{
	block->stops[block->stop_count++] = (struct walk_stop){.event = (uint32_t)stop->event,
							       .visits = stop->visits,
							       .hash = stop->hash,
							       .first = block->range_count,
							       .count = (uint32_t)stop->stored_count};
	if (stop->stored_count)
		memcpy(walk_block_ranges(block) + block->range_count, stop->stored,
		       stop->stored_count * sizeof(*stop->stored));
	block->range_count += (uint32_t)stop->stored_count;
}

void checkpoint_set_plan(struct checkpoint_set *c, const struct checkpoint_plan *plan, size_t stops)
{
	size_t way = plan ? plan->way_count : 0, bytes = plan_bytes(way, plan_ranges(plan, stops));
	struct walk_block *block = mem_alloc(bytes);

	block->bytes = bytes;
	block->event_max = WALK_EVENTS_MAX;
	block->way_count = (uint32_t)way;
	if (way)
		memcpy(walk_block_way(block), plan->way, way * sizeof(*plan->way));
	for (size_t i = 0; i < stops; i++)
		stop_put(block, &plan->stops[i]);
	free(c->plan);
	c->plan = block;
	c->wish.walk = true;
}

struct checkpoint_wish checkpoint_set_wish(struct checkpoint_set *c)
{
	struct checkpoint_wish wish = c->wish;

	c->wish = (struct checkpoint_wish){0};
	return wish;
}

/* Walks */

static struct checkpoint_file file_look(const struct scene *scene, size_t number)
{
	char path[2 * PATH_MAX];
	struct stat st;

	if (!scene_path(scene, origin_path(scene->origin, number), path, sizeof(path)) || stat(path, &st) < 0)
		return (struct checkpoint_file){0};
	return (struct checkpoint_file){st.st_ino, (uint64_t)st.st_size};
}

static void files_note(struct checkpoint_set *c, const struct scene *scene)
{
	c->file_count = origin_path_count(scene->origin);
	c->files = mem_alloc(c->file_count * sizeof(*c->files));
	for (size_t i = 0; i < c->file_count; i++)
		c->files[i] = file_look(scene, i);
}

bool checkpoint_set_outdated(const struct checkpoint_set *c, const struct scene *scene)
{
	for (size_t i = 0; c->files && i < c->file_count; i++) {
		struct checkpoint_file now = file_look(scene, i);

		if (now.inode != c->files[i].inode || now.size != c->files[i].size)
			return true;
	}
	return false;
}

static bool block_put(struct checkpoint_set *c, const struct control *control)
{
	size_t bytes = c->plan->bytes;
	char path[PATH_MAX];

	if (!path_format(path, sizeof(path), "%s/" STUB_FILE_WALK, control->dir))
		return false;
	unlink(path);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool there = fd >= 0 && posix_fallocate(fd, 0, (off_t)bytes) == 0;
	void *block = there ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (fd >= 0)
		close(fd);
	if (block == MAP_FAILED)
		return false;
	memcpy(block, c->plan, bytes);
	c->block = block;
	return true;
}

static bool request_open(struct checkpoint_server *server, const struct control *control, unsigned number)
{
	char path[PATH_MAX];

	if (!path_format(path, sizeof(path), "%s/" STUB_FILE_REQUEST ".%u", control->dir, number + 1))
		return false;
	unlink(path);
	if (mkfifo(path, 0600) == 0)
		server->request = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return server->request >= 0;
}

bool checkpoint_set_begin(struct checkpoint_set *c, const struct control *control, const struct scene *scene)
{
	bool ready;

	checkpoint_set_drop(c);
	ready = block_put(c, control);
	for (unsigned i = 0; ready && i < c->block->stop_count; i++)
		ready = request_open(&c->servers[i], control, i);
	if (!ready) {
		checkpoint_set_drop(c);
		return false;
	}
	files_note(c, scene);
	return true;
}

void checkpoint_set_take(struct checkpoint_set *c)
{
	while (c->block && c->count < c->block->stop_count) {
		pid_t pid = atomic_load(&c->block->stops[c->count].server);
		int watch = pid > 0 ? pidfd_open(pid, 0) : -1;

		if (watch < 0)
			break;
		c->servers[c->count++].watch = watch;
	}
}
