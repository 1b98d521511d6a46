/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster.c - see cluster.h. */
#include "cluster/cluster.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "cluster/cluster_in.h"

enum {
	PAUSE_US = 20000,
	SILENCE_MS = 300000, /* an engine may be silent for this long: its controller is restarted */
	CANCEL_MS = 60000,   /* shards end within this time after they were told to */
};

/* How many shards: what the user says, what there was before, or what the engine has room for. */
static int total_choose(struct cluster *c, struct err *err)
{
	unsigned before = c->options.resume ? folder_total(c) : 0;

	c->total = c->options.shards ? c->options.shards : before;
	if (!c->total)
		c->total = c->options.engine->capacity(c->engine);
	if (!c->total) {
		err_set(err, "it is not known how many nodes there are");
		return err_hint(err, "--nodes N says how many shards to make");
	}
	if (before && before != c->total) {
		err_set(err, "the parts in %s are of %u shards, not of %u", c->dir, before, c->total);
		err_hint(err, "leave out --nodes, or --resume");
		return err_status(err, ERR_USAGE);
	}
	return 0;
}

/* Nobody else has this word. */
static void token_make(struct cluster *c)
{
	char host[32] = "";

	gethostname(host, sizeof(host) - 1);
	snprintf(c->token, sizeof(c->token), "blackout-%s-%d-%llx", host, (int)getpid(),
		 (unsigned long long)clock_ns());
}

int cluster_open(struct cluster **cluster, const struct cluster_options *options, struct err *err)
{
	struct cluster *c = mem_alloc(sizeof(*c));

	*cluster = c;
	c->options = *options;
	token_make(c);
	if (!getcwd(c->cwd, sizeof(c->cwd)))
		return err_sys(err, "cannot find the working directory");
	if (path_make(c->dir, sizeof(c->dir), err, "%s", options->dir) < 0 ||
	    path_make(c->script, sizeof(c->script), err, "%s/shard.sh", c->dir) < 0)
		return -1;
	const struct engine_options engine = {.script = c->script, .name = c->token, .args = options->args};
	if (options->engine->open(&c->engine, &engine, err) < 0 || total_choose(c, err) < 0 || folder_make(c, err) < 0)
		return -1;
	c->works = mem_alloc(c->total * sizeof(*c->works));
	return 0;
}

void cluster_close(struct cluster *c)
{
	if (!c)
		return;
	if (c->engine)
		c->options.engine->close(c->engine);
	words_free(&c->blind);
	for (unsigned i = 0; c->works && i < c->total; i++)
		free(c->works[i].shard.problem);
	free(c->works);
	free(c);
}

unsigned cluster_total(const struct cluster *c)
{
	return c->total;
}

const struct cluster_shard *cluster_shard(const struct cluster *c, unsigned number)
{
	return &c->works[number - 1].shard;
}

/* Running them */

static unsigned works_count(const struct cluster *c, enum shard_state state)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->total; i++)
		count += c->works[i].shard.state == state;
	return count;
}

/* Submit all that are to do. */
static int works_submit(struct cluster *c, struct err *err)
{
	struct cluster_task **tasks = mem_alloc(c->total * sizeof(*tasks));
	size_t count = 0;
	int r = 0;

	for (unsigned i = 0; i < c->total; i++) {
		struct work *w = &c->works[i];

		if (w->shard.state != SHARD_TO_DO)
			continue;
		w->shard.state = SHARD_UNDER_WAY;
		w->ended_ms = 0;
		w->task = (struct cluster_task){.shard = i + 1};
		tasks[count++] = &w->task;
	}
	if (count)
		r = c->options.engine->submit(c->engine, tasks, count, &c->blind, err);
	free(tasks);
	return r;
}

/* A node was avoided, and there is no other.  What is known about it says more than the engine does. */
static void works_give_up(struct cluster *c, const struct err *err)
{
	for (unsigned i = 0; i < c->total; i++) {
		struct work *w = &c->works[i];

		if (w->shard.state != SHARD_UNDER_WAY || w->task.job)
			continue;
		w->shard.state = SHARD_FAILED;
		if (!w->shard.problem)
			BUG_ON(!(w->shard.problem = strdup(err->sentence)));
	}
}

static int works_poll(struct cluster *c, bool stopping, struct err *err)
{
	const struct engine_ops *engine = c->options.engine;
	int64_t now = clock_ms();
	struct cluster_task **tasks;
	size_t count = 0;

	if (now - c->asked_ms < engine->poll_ms)
		return 0;
	c->asked_ms = now;
	tasks = mem_alloc(c->total * sizeof(*tasks));
	for (unsigned i = 0; i < c->total; i++)
		if (c->works[i].shard.state == SHARD_UNDER_WAY)
			tasks[count++] = &c->works[i].task;
	int r = engine->poll(c->engine, tasks, count, err);
	free(tasks);
	if (r < 0)
		return clock_ms() - c->heard_ms > SILENCE_MS ? -1 : 0;
	c->heard_ms = clock_ms();
	for (unsigned i = 0; i < c->total; i++) {
		struct work *w = &c->works[i];

		if (w->shard.state == SHARD_UNDER_WAY && w->task.state == TASK_ENDED)
			attempt_end(c, w, stopping);
	}
	return 0;
}

static void progress_tell(struct cluster *c)
{
	struct cluster_progress p = {.total = c->total, .waits_for = ""};
	char path[PATH_MAX];

	if (!c->options.progress)
		return;
	for (unsigned i = 0; i < c->total; i++) {
		struct work *w = &c->works[i];
		bool under_way = w->shard.state == SHARD_UNDER_WAY;

		if (path_format(path, sizeof(path), "%s/%u/crash.journal", c->dir, i + 1))
			tally_update(&w->tally, path);
		p.states += tally_states(&w->tally);
		p.done += w->shard.state == SHARD_DONE;
		p.failed += w->shard.state == SHARD_FAILED;
		p.running += under_way && w->task.state == TASK_RUNNING;
		p.waiting += under_way && w->task.state == TASK_WAITING;
		if (under_way && w->task.state == TASK_WAITING)
			p.waits_for = w->task.waits_for;
	}
	c->options.progress(c->options.arg, &p);
}

/* Tell all to end, and wait until they have. */
static void works_stop(struct cluster *c)
{
	int64_t end = clock_ms() + CANCEL_MS;
	struct err ignored;

	c->options.engine->cancel(c->engine);
	c->asked_ms = 0;
	while (works_count(c, SHARD_UNDER_WAY) && clock_ms() < end) {
		works_poll(c, true, &ignored);
		usleep(PAUSE_US);
	}
}

/* Whoever cannot be repeated has failed. */
static int works_again(struct cluster *c, bool first, struct err *err)
{
	struct err refused;

	if (works_submit(c, &refused) == 0)
		return 0;
	if (first) {
		*err = refused;
		return -1;
	}
	works_give_up(c, &refused);
	return 0;
}

int cluster_run(struct cluster *c, struct err *err)
{
	int r = works_again(c, true, err);

	c->heard_ms = clock_ms();
	while (r == 0 && works_count(c, SHARD_UNDER_WAY) && !c->is_fatal && !stop_asked(&c->options.stop)) {
		usleep(PAUSE_US);
		r = works_poll(c, false, err);
		progress_tell(c);
		if (r == 0 && !c->is_fatal && !stop_asked(&c->options.stop))
			r = works_again(c, false, err);
	}
	if (works_count(c, SHARD_UNDER_WAY))
		works_stop(c);
	if (!c->is_fatal)
		return r;
	*err = c->fatal;
	return -1;
}
