/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attempt.c - what has become of an attempt to run a shard, and what follows from it. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "cluster/cluster_in.h"

enum {
	ARRIVAL_MS =
		60000, /* what a node has written is seen here after this time, on any file system that is shared */
};

static void __attribute__((format(printf, 2, 3))) note(const struct cluster *c, const char *fmt, ...)
{
	char *sentence;
	va_list args;

	va_start(args, fmt);
	BUG_ON(vasprintf(&sentence, fmt, args) < 0);
	va_end(args);
	c->options.note(c->options.arg, sentence);
	free(sentence);
}

static void __attribute__((format(printf, 2, 3))) problem_set(struct cluster_shard *shard, const char *fmt, ...)
{
	va_list args;

	free(shard->problem);
	va_start(args, fmt);
	BUG_ON(vasprintf(&shard->problem, fmt, args) < 0);
	va_end(args);
}

static const char *place_of(const struct cluster_task *task, char *text, size_t size)
{
	snprintf(text, size, *task->node ? " on node %s" : "%s", task->node);
	return text;
}

/* "killed by SIGKILL on node far", "no space is left on the device of ..., on node far" */
static void problem_describe(const struct cluster *c, struct work *w)
{
	const struct cluster_task *task = &w->task;
	char said[256], place[96];
	int signal = !task->lost && WIFSIGNALED(task->status) ? WTERMSIG(task->status) : 0;

	place_of(task, place, sizeof(place));
	folder_error(c, task->shard, said, sizeof(said));
	if (task->lost)
		problem_set(&w->shard, "it disappeared%s", place);
	else if (task->reason)
		problem_set(&w->shard, "it %s%s", task->reason, place);
	else if (signal)
		problem_set(&w->shard, "it was killed by SIG%s%s", sigabbrev_np(signal) ? sigabbrev_np(signal) : "?",
			    place);
	else if (WEXITSTATUS(task->status) == TASK_NO_LOG)
		problem_set(&w->shard, "it could not write %s/%u.log%s", c->dir, task->shard, place);
	else if (*said)
		problem_set(&w->shard, "%s%s%s", said, *place ? "," : "", place);
	else
		problem_set(&w->shard, "exit status %d%s", WEXITSTATUS(task->status), place);
}

/* What the node lacks, if the script itself refused to go on there; NULL: it did not. */
static const char *refusal_text(const struct cluster *c, const struct cluster_task *task, const char **path)
{
	int status = !task->lost && WIFEXITED(task->status) ? WEXITSTATUS(task->status) : 0;

	switch (status) {
	case TASK_SEES_NOTHING:
		*path = c->dir;
		return "the output directory must be on a file system that all nodes share";
	case TASK_NO_DIRECTORY: *path = c->cwd; return "the working directory must be there on all nodes";
	case TASK_NO_PROGRAM: *path = c->options.command->items[0]; return "Blackout must be there on all nodes";
	default: return NULL;
	}
}

/* Only engines with nodes can avoid one. */
static void node_avoid(struct cluster *c, struct work *w, const char *path, const char *rule)
{
	const char *node = w->task.node;
	bool known = false;

	problem_set(&w->shard, "node %s does not see %s: %s", node, path, rule);
	for (size_t i = 0; i < c->blind.count; i++)
		known |= !strcmp(c->blind.items[i], node);
	if (known)
		return;
	words_add(&c->blind, "%s", node);
	note(c, "node %s does not see %s, and gets no more shards; %s", node, path, rule);
}

static void attempt_failed(struct cluster *c, struct work *w)
{
	const char *which, *rule = refusal_text(c, &w->task, &which);

	if (rule && *w->task.node) {
		node_avoid(c, w, which, rule);
		w->shard.state = SHARD_TO_DO;
		return;
	}
	problem_describe(c, w);
	w->shard.attempts++;
	w->shard.state = w->shard.attempts == CLUSTER_ATTEMPTS || w->task.cancelled ? SHARD_FAILED : SHARD_TO_DO;
	if (w->shard.state == SHARD_TO_DO)
		note(c, "shard %u of %u failed and is run again: %s", w->task.shard, c->total, w->shard.problem);
}

/* Every shard would fail so. */
static void fatal_note(struct cluster *c, struct work *w)
{
	char said[256];

	folder_error(c, w->task.shard, said, sizeof(said));
	err_set(&c->fatal, "%s", *said ? said : "a shard refuses its command line");
	err_status(&c->fatal, ERR_USAGE);
	c->is_fatal = true;
	w->shard.state = SHARD_FAILED;
}

void attempt_end(struct cluster *c, struct work *w, bool stopping)
{
	int status = !w->task.lost && WIFEXITED(w->task.status) ? WEXITSTATUS(w->task.status) : -1;
	enum folder_part part = folder_part(c, w->task.shard);

	if (!w->ended_ms)
		w->ended_ms = clock_ms();
	w->shard.has_results = part != PART_NONE;
	if ((status == 0 && part == PART_FINISHED) || (status == ERR_TARGET && part != PART_NONE))
		w->shard.state = SHARD_DONE; /* that the target is broken is for the merge to say */
	else if (stopping)
		w->shard.state = SHARD_TO_DO;
	else if (status == 0 && clock_ms() - w->ended_ms < ARRIVAL_MS)
		return;
	else if (status == ERR_USAGE)
		fatal_note(c, w);
	else
		attempt_failed(c, w);
}
