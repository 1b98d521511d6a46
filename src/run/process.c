/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process.c - start, watch and stop a command; see process.h.
 *
 * All waiting is in one place, sigtimedwait.  The relevant signals are blocked in this process while the command runs,
 * so nothing is interrupted half-way, and there are no signal handlers.  This process reaps orphaned descendants
 * (PR_SET_CHILD_SUBREAPER): everything that the command leaves behind becomes our child, where we can wait for it or
 * kill it. */
#include "run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/children.h"

enum { ENDING_MS = 60000, KILL_ROUNDS_MAX = 50, KILL_ROUND_MS = 100, LATER_MS = 3600 * 1000 };
enum { NUDGE_LOOK_MS = 200, NUDGE_AT_LAST = 10 /* times nudge_ms, for a debugger that is never idle */ };

enum stage {
	STAGE_RUN,
	STAGE_LEFT,   /* the server has ended well, but its client has not ended */
	STAGE_ENDING, /* the client is done, and the server was told to end */
	STAGE_ASKED,  /* the command was asked to end */
	STAGE_TERM,
	STAGE_KILL,
	STAGE_GIVE_UP, /* some process survives even SIGKILL */
};

struct watch {
	pid_t target;
	bool wait_all, attended;
	bool ended;     /* the command itself has ended */
	bool childless; /* no descendant is left */
	int wait_status;
	pid_t client; /* 0: none, or it has ended */
	int client_status;
	bool interrupted;
	enum stage stage;
	int kill_rounds;
	int64_t deadline_ms; /* of the current stage */
	int64_t nudge_ms;    /* 0: never */
	int64_t nudged_ms;   /* last time; at first, the start time */
	int64_t rests_ms;    /* idle since */
	int64_t worked_ns;   /* processor time used by then */
};

/* The signal state that the command must inherit unchanged. */
struct signals {
	sigset_t watched;
	sigset_t ignored; /* of the watched ones; whoever started us ignored them */
	sigset_t old_mask;
	struct sigaction old_chld;
};

static void signals_take(struct signals *s)
{
	static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
	struct sigaction plain = {.sa_handler = SIG_DFL}, old;

	sigemptyset(&s->watched);
	sigemptyset(&s->ignored);
	for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++) {
		sigaddset(&s->watched, watched[i]);
		if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			sigaddset(&s->ignored, watched[i]);
	}
	/* Some parents leave SIGCHLD ignored; then the kernel would discard exit statuses. */
	sigaction(SIGCHLD, &plain, &s->old_chld);
	sigprocmask(SIG_BLOCK, &s->watched, &s->old_mask);
}

static void signals_restore(const struct signals *s)
{
	sigaction(SIGCHLD, &s->old_chld, NULL);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

/* In the child: become the command.  Returns only on failure, with errno set. */
static void child_exec(const struct process *p, const struct signals *s, pid_t parent)
{
	/* If we die of SIGKILL, the command must not continue unwatched.  We may already be dead. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (p->input) {
		int fd = open(p->input, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
			return;
	}
	if (p->output && dup2(p->output, STDOUT_FILENO) < 0)
		return;
	for (size_t i = 0; p->environment && p->environment[i]; i++)
		if (putenv(p->environment[i]) != 0)
			return;
	/* This comes last.  From here on a signal can end us before the command starts, which does no harm. */
	signals_restore(s);
	execvp(p->argv[0], p->argv);
}

/* Fork and exec.  A failed exec is reported through a pipe; a successful exec closes it. */
static pid_t child_start(const struct process *p, const struct signals *s, struct err *err)
{
	int report[2], failure = 0;
	pid_t self = getpid();

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, "cannot create a pipe");
	pid_t pid = fork();
	if (pid == 0) {
		child_exec(p, s, self);
		failure = errno;
		_exit(write(report[1], &failure, sizeof(failure)) < 0 ? 126 : 127);
	}
	close(report[1]);
	if (pid < 0) {
		err_sys(err, "cannot start a process");
	} else if (read(report[0], &failure, sizeof(failure)) == sizeof(failure)) {
		waitpid(pid, NULL, 0);
		errno = failure;
		err_sys(err, "cannot start %s", p->argv[0]);
		pid = -1;
	}
	close(report[0]);
	return pid;
}

/* The client has the same streams as the server, except for its input. */
static pid_t client_start(const struct process *p, const struct signals *s, struct err *err)
{
	pid_t self = getpid(), pid = fork();

	if (pid < 0)
		return err_sys(err, "cannot start the client");
	if (pid > 0)
		return pid;
	int in = open(p->client_input ? p->client_input : "/dev/null", O_RDONLY | O_CLOEXEC);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != self || dup2(in, STDIN_FILENO) < 0)
		_exit(127);
	if (p->client_output)
		dup2(p->client_output, STDOUT_FILENO);
	signals_restore(s);
	service_drive(p->service);
}

static void watch_enter(struct watch *w, enum stage stage, int64_t ms)
{
	w->stage = stage;
	w->deadline_ms = clock_ms() + ms;
}

/* Processor time; 0 if the process has ended. */
static int64_t worked_ns(const struct watch *w)
{
	struct timespec t;
	clockid_t clock;

	if (w->ended || clock_getcpuclockid(w->target, &clock) != 0 || clock_gettime(clock, &t) < 0)
		return 0;
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A debugger that starts on a busy machine takes long, but it is not idle. */
static bool watch_rests(struct watch *w, int64_t now)
{
	int64_t worked = worked_ns(w);

	if (worked != w->worked_ns)
		w->rests_ms = now;
	w->worked_ns = worked;
	return now - w->rests_ms >= w->nudge_ms || now - w->nudged_ms >= NUDGE_AT_LAST * w->nudge_ms;
}

/* The debugger continues, but stops the program that it runs. */
static void watch_nudge(struct watch *w)
{
	int64_t now = clock_ms();

	if (!w->nudge_ms)
		return;
	watch_enter(w, STAGE_RUN, NUDGE_LOOK_MS);
	if (!watch_rests(w, now))
		return;
	if (w->ended)
		children_signal(SIGKILL);
	else
		kill(w->target, SIGINT);
	w->nudged_ms = w->rests_ms = now;
}

/* The time of the current stage is up: take the next, harsher step. */
static void watch_escalate(struct watch *w)
{
	switch (w->stage) {
	case STAGE_RUN: watch_nudge(w); break;
	case STAGE_LEFT:
		kill(w->client, SIGKILL);
		watch_enter(w, STAGE_LEFT, SERVICE_TERM_MS);
		break;
	case STAGE_ASKED:
		children_signal(SIGTERM);
		watch_enter(w, STAGE_TERM, PROCESS_TERM_MS);
		break;
	case STAGE_ENDING:
	case STAGE_TERM:
	case STAGE_KILL:
		/* Several rounds, because the children of a killed process become our children. */
		children_signal(SIGKILL);
		watch_enter(w, w->kill_rounds++ < KILL_ROUNDS_MAX ? STAGE_KILL : STAGE_GIVE_UP, KILL_ROUND_MS);
		break;
	case STAGE_GIVE_UP: break;
	}
}

/* Somebody wants us to stop.  A second request skips the rest of the current grace period. */
static void watch_interrupt(struct watch *w, const siginfo_t *info, const sigset_t *ignored)
{
	/* by kill(2), and not by the terminal, which signals its whole foreground group */
	bool sent = info->si_code <= 0;
	int signal = info->si_signo;

	if (sigismember(ignored, signal)) {
		/* We run under nohup, or a script started us with &.  An explicit kill -INT is still meant for us, but
		 * the command ignores SIGINT too, so send it SIGTERM. */
		if (signal != SIGINT || !sent)
			return;
		signal = SIGTERM;
	}
	if (w->interrupted) {
		watch_escalate(w);
		return;
	}
	w->interrupted = true;
	if (!w->ended && (sent || getpgid(w->target) != getpgrp()))
		kill(w->target, signal);
	watch_enter(w, STAGE_ASKED, PROCESS_GRACE_MS);
}

/* With wait_all, processes in the background must end, too. */
static void watch_client_ended(struct watch *w, int status)
{
	w->client = 0;
	w->client_status = status;
	if (w->attended) {
		children_signal_tree(w->target, SIGTERM);
		return;
	}
	if (w->stage != STAGE_RUN || (w->ended && !w->wait_all))
		return;
	if (w->wait_all)
		children_signal(SIGTERM);
	else
		kill(w->target, SIGTERM);
	watch_enter(w, STAGE_ENDING, ENDING_MS);
}

/* The client has no server to talk to any more, unless the server went to the background.  A server that ended well may
 * have done so because its client told it to, and the client may still have work to do. */
static void watch_server_ended(struct watch *w)
{
	if (w->client <= 0)
		return;
	if (w->attended) {
		children_kill_tree(w->client);
		w->client = 0;
	} else if (!w->wait_all) {
		if (w->wait_status == 0 && w->stage == STAGE_RUN)
			watch_enter(w, STAGE_LEFT, SERVICE_TERM_MS);
		else
			kill(w->client, SIGKILL);
	}
}

static void watch_reap(struct watch *w)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == w->client)
			watch_client_ended(w, status);
		if (pid != w->target)
			continue;
		w->ended = true;
		w->wait_status = status;
		watch_server_ended(w);
	}
	w->childless = pid < 0 && errno == ECHILD;
}

static bool watch_over(const struct watch *w)
{
	if (w->childless || w->stage == STAGE_GIVE_UP)
		return true;
	/* Daemons that the command left running are the command's business, unless we have to clean up. */
	return w->stage <= STAGE_ENDING && w->ended && !w->client && !w->wait_all;
}

/* Report the end of the server, unless it ended as it was told to; then report the end of the client. */
static struct process_end watch_end(const struct watch *w, bool served, int64_t start_ms)
{
	int status = w->wait_status;
	bool well = served &&
		    (status == 0 || (w->stage == STAGE_ENDING && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));

	if (well)
		status = w->client_status;
	return (struct process_end){
		.interrupted = w->interrupted,
		.by_client = well,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
		.seconds = (double)(clock_ms() - start_ms) / 1000,
	};
}

static void watch_wait(struct watch *w, const struct signals *signals)
{
	siginfo_t info;
	int64_t left = w->stage == STAGE_RUN && !w->nudge_ms ? LATER_MS : w->deadline_ms - clock_ms();
	struct timespec timeout = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};

	if (left <= 0) {
		watch_escalate(w);
		return;
	}
	int signal = sigtimedwait(&signals->watched, &info, &timeout);
	if (signal == SIGCHLD)
		watch_reap(w);
	else if (signal > 0)
		watch_interrupt(w, &info, &signals->ignored);
}

int process_run(const struct process *process, struct process_end *end, struct err *err)
{
	struct watch w = {
		.wait_all = process->wait_all,
		.attended = process->attended,
		.nudge_ms = process->nudge_ms,
	};
	struct signals signals;
	int64_t start = clock_ms();

	w.nudged_ms = w.rests_ms = start;
	watch_enter(&w, STAGE_RUN, NUDGE_LOOK_MS);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signals_take(&signals);
	w.target = child_start(process, &signals, err);
	if (w.target > 0 && process->service && (w.client = client_start(process, &signals, err)) < 0) {
		children_kill();
		w.target = -1;
	}
	while (w.target > 0 && !watch_over(&w))
		watch_wait(&w, &signals);
	signals_restore(&signals);
	if (w.target < 0)
		return -1;
	*end = watch_end(&w, process->service && !process->attended, start);
	return 0;
}
