/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_attend.c - run an interactive command (a debugger, a shell) in place of recovery; see recovery.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/tree.h"
#include "run/inplace.h"
#include "run/mend.h"
#include "run/namespace.h"
#include "run/recovery_in.h"

/* The report of the process that entered the namespace. */
struct answer {
	int result;
	struct process_end end;
	struct err err;
};

static void attend(const struct recovery *r, const struct worker *w, const struct recovery_visit *visit,
		   struct answer *answer)
{
	const struct service service = {.client = w->command.client, .ready = r->common.ready};
	struct namespace_options how = {.network = r->common.network};
	struct process process = {
		.argv = visit->argv,
		.environment = r->environment.items,
		.wait_all = true,
		.nudge_ms = (int64_t)(visit->limit * 1000),
		.client_input = w->command.reads ? w->ops : NULL,
		.service = visit->client && service.client ? &service : NULL,
		.attended = true,
	};

	answer->result = r->common.namespaces ? namespace_enter(&w->scene, &how, &answer->err) : 0;
	if (answer->result == 0 && chdir(r->cwd) < 0)
		answer->result = err_sys(&answer->err, "cannot change to %s", r->cwd);
	if (answer->result == 0)
		answer->result = process_run(&process, &answer->end, &answer->err);
}

/* In place.  If we are killed, this process continues until the user is done, and puts the files back.  If it is
 * killed, the command dies with it. */
static void attend_in_place(const struct recovery *r, struct worker *w, const struct recovery_visit *visit,
			    pid_t parent, struct answer *answer)
{
	struct scene *scene = &w->scene;

	answer->result = inplace_put(scene, &answer->err);
	if (answer->result < 0)
		return;
	inplace_mark(scene);
	attend(r, w, visit, answer);
	inplace_restore(scene);
	journal_close(&scene->journal, !scene->swapped);
	if (getppid() != parent)
		tree_remove(scene->path);
}

/* Use a separate process, because a namespace cannot be left again, and because the user's command may outlive us. */
static int attend_apart(const struct recovery *r, struct worker *w, const struct recovery_visit *visit,
			struct answer *answer)
{
	pid_t parent = getpid();
	int report[2];
	sigset_t signals, old;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(&answer->err, "cannot create a pipe");
	/* The terminal signals both processes; the other one handles it. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &old);
	pid_t pid = fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (r->common.namespaces)
			attend(r, w, visit, answer);
		else
			attend_in_place(r, w, visit, parent, answer);
		_exit(write(report[1], answer, sizeof(*answer)) != sizeof(*answer));
	}
	close(report[1]);
	ssize_t n = pid < 0 ? -1 : read(report[0], answer, sizeof(*answer));
	close(report[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (n == sizeof(*answer))
		return answer->result;
	mend_journals();
	return err_set(&answer->err, "the process that watched %s died", visit->argv[0]);
}

int recovery_attend(struct recovery *r, unsigned worker, const struct recovery_visit *visit, struct process_end *end,
		    struct err *err)
{
	struct worker *w = &r->slots[worker].worker;
	struct answer answer = {0};

	if (recovery_prepare(r, worker, err) < 0 || (w->command.writes_file && outfile_reset(&w->file, false, err) < 0))
		return -1;
	if (scene_refresh(&w->scene, true, err) < 0)
		return -1;
	int result = attend_apart(r, w, visit, &answer);
	*end = answer.end;
	if (result < 0)
		*err = answer.err;
	return result;
}
