/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_local.c - shards are processes of this machine, all at the same time.
 *
 * Each is in a process group of its own: Ctrl-C in the terminal reaches only us, and we tell them once.  They die with
 * us. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "cluster/engine.h"

struct engine {
	const char *script;
	pid_t *running; /* those that were started and not yet waited for */
	size_t count;
};

static int local_open(struct engine **engine, const struct engine_options *options, struct err *err)
{
	if (options->args) {
		err_set(err, "--cluster-args is for an engine that takes options, and local takes none");
		return err_status(err, ERR_USAGE);
	}
	*engine = mem_alloc(sizeof(**engine));
	(*engine)->script = options->script;
	return 0;
}

static unsigned local_capacity(struct engine *engine)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	(void)engine;
	return cores > 0 ? (unsigned)cores : 1;
}

static void task_exec(const char *script, unsigned shard, pid_t parent)
{
	char number[16];
	sigset_t none;

	snprintf(number, sizeof(number), "%u", shard);
	sigemptyset(&none);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || setpgid(0, 0) < 0 || unsetenv("SLURM_ARRAY_TASK_ID") < 0)
		_exit(127);
	/* What we catch or ignore must not change how the shard is told to stop. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execl("/bin/sh", "sh", script, number, (char *)NULL);
	_exit(127);
}

static int local_submit(struct engine *e, struct cluster_task *const *tasks, size_t count, const struct words *avoid,
			struct err *err)
{
	pid_t self = getpid();

	(void)avoid;
	for (size_t i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			task_exec(e->script, tasks[i]->shard, self);
		if (pid < 0)
			return err_sys(err, "cannot start a process for shard %u", tasks[i]->shard);
		setpgid(pid, pid); /* no matter who is first, we or the process */
		e->running = mem_resize(e->running, e->count + 1, sizeof(*e->running));
		e->running[e->count++] = pid;
		tasks[i]->job = pid;
		tasks[i]->state = TASK_RUNNING;
	}
	return 0;
}

static void running_drop(struct engine *e, pid_t pid)
{
	for (size_t i = 0; i < e->count; i++)
		if (e->running[i] == pid)
			e->running[i--] = e->running[--e->count];
}

static int local_poll(struct engine *e, struct cluster_task *const *tasks, size_t count, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < count; i++) {
		struct cluster_task *task = tasks[i];

		if (task->state != TASK_RUNNING || !waitpid((pid_t)task->job, &task->status, WNOHANG))
			continue;
		task->state = TASK_ENDED;
		running_drop(e, (pid_t)task->job);
	}
	return 0;
}

static void local_cancel(struct engine *e)
{
	for (size_t i = 0; i < e->count; i++)
		kill(e->running[i], SIGTERM);
}

static void local_close(struct engine *e)
{
	for (size_t i = 0; i < e->count; i++) {
		kill(-e->running[i], SIGKILL);
		waitpid(e->running[i], NULL, 0);
	}
	free(e->running);
	free(e);
}

const struct engine_ops engine_local = {
	.name = "local",
	.poll_ms = 50,
	.open = local_open,
	.capacity = local_capacity,
	.submit = local_submit,
	.poll = local_poll,
	.cancel = local_cancel,
	.close = local_close,
};
