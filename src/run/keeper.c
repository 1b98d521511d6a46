/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keeper.c - see keeper.h.
 *
 * child_become deals with the hazards of starting a program, one by one. */
#include "run/keeper.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/children.h"
#include "run/inplace.h"
#include "run/namespace.h"
#include "run/witness.h"

enum { MS = 1000000, DYING_MS = 300 };

static void signals_reset(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &plain, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void limits_set(uint64_t memory)
{
	struct rlimit none = {0}, space = {.rlim_cur = memory, .rlim_max = memory};

	/* Crashes are expected here, so do not write core files. */
	setrlimit(RLIMIT_CORE, &none);
	if (memory)
		setrlimit(RLIMIT_AS, &space);
}

static void stub_environment(const struct keeper_options *o)
{
	const char *preload = getenv(STUB_PRELOAD_VARIABLE), *asan = getenv("ASAN_OPTIONS");
	char *text;

	if (!o->control)
		return;
	setenv(STUB_VARIABLE, o->control->dir, 1);
	BUG_ON(asprintf(&text, "%s%s%s", o->stub, preload ? ":" : "", preload ? preload : "") < 0);
	setenv(STUB_PRELOAD_VARIABLE, text, 1);
	free(text);
	/* ASan's runtime insists on being the first library. */
	BUG_ON(asprintf(&text, "verify_asan_link_order=0%s%s", asan ? ":" : "", asan ? asan : "") < 0);
	setenv("ASAN_OPTIONS", text, 1);
	free(text);
}

/* From here on the process acts as a recovery, or as a client. */
static int child_prepare(const struct keeper_options *o, const struct keeper_streams *streams, struct err *err)
{
	int in = open(streams->in ? streams->in : "/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	if (dup2(in, STDIN_FILENO) < 0 || dup2(streams->out, STDOUT_FILENO) < 0 || dup2(o->err, STDERR_FILENO) < 0)
		return err_sys(err, "cannot redirect the input and output of recovery");
	/* Recovery must not get our descriptors. */
	close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
	/* Not before: a namespace may have changed what this path leads to. */
	if (o->cwd && chdir(o->cwd) < 0)
		return err_sys(err, "cannot change to %s", o->cwd);
	for (size_t i = 0; o->environment && o->environment[i]; i++)
		putenv(o->environment[i]);
	stub_environment(o);
	if (o->mode == RECOVERY_IN_PLACE)
		inplace_mark(o->scene);
	limits_set(o->memory);
	signals_reset();
	return 0;
}

static void child_become(const struct keeper_options *o, struct witness *witness)
{
	struct err err;

	/* The keeper may be killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (child_prepare(o, &o->main, &err) < 0)
		_exit(127);
	if (o->control)
		o->control->page->started = getpid();
	if (witness)
		witness_follow(witness);
	execvp(o->argv[0], o->argv);
	_exit(127);
}

static void client_become(const struct keeper_options *o, struct witness *witness)
{
	struct err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (child_prepare(o, &o->client, &err) < 0)
		_exit(127);
	if (witness)
		witness_follow(witness);
	service_drive(&o->service);
}

/* A process of the command that we wait for. */
struct member {
	pid_t pid; /* 0: none */
	bool ended;
	int status;
};

struct run {
	const struct keeper_options *options;
	struct witness *witness; /* NULL: recovery has its own directories */
	int requests, signals;
	struct member main, client;
	bool killed;      /* the time is up */
	bool left;        /* STUB_LEAVE was received meanwhile */
	bool terminating; /* the client is done, and the server was told to end */
	uint64_t start_ns, dying_ns, patience_ns;
};

static bool status_is_good(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A server that was told to end may end with any exit status, but must not crash. */
static bool server_failed(const struct run *run)
{
	int status = run->main.status;

	if (!run->main.ended || status_is_good(status))
		return false;
	if (!run->terminating)
		return true;
	return WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM && WTERMSIG(status) != SIGKILL;
}

static bool run_is_over(const struct run *run)
{
	if (run->killed || !run->options->service.client)
		return run->killed || run->main.ended;
	if (run->terminating)
		return run->main.ended || clock_ns() > run->patience_ns;
	/* A server that went to the background counts as having ended well. */
	return server_failed(run);
}

static void run_reap(struct run *run)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct member *m = pid == run->main.pid ? &run->main : pid == run->client.pid ? &run->client : NULL;
		if (!m)
			continue;
		m->ended = true;
		m->status = status;
	}
	if (run->client.ended && !run->dying_ns)
		run->dying_ns = clock_ns() + (status_is_good(run->client.status) ? 0 : (uint64_t)DYING_MS * MS);
}

/* A client may fail because the server is dying but is not dead yet.  Wait a moment: the server's crash would be the
 * outcome to report. */
static void run_terminate(struct run *run)
{
	if (!run->client.ended || run->terminating || clock_ns() < run->dying_ns)
		return;
	run->terminating = true;
	run->patience_ns = clock_ns() + (uint64_t)SERVICE_TERM_MS * MS;
	children_signal(SIGTERM);
}

static void run_wait(struct run *run)
{
	struct pollfd fds[2 + WITNESS_POLLS] = {{.fd = run->requests, .events = POLLIN},
						{.fd = run->signals, .events = POLLIN}};
	struct signalfd_siginfo info[16];
	struct stub_request request;
	size_t witnessed = run->witness ? witness_polls(run->witness, fds + 2) : 0;

	poll(fds, 2 + witnessed, run->client.ended ? 20 : -1);
	if (witnessed)
		witness_look(run->witness);
	if (fds[0].revents) {
		bool asked = recv(run->requests, &request, sizeof(request), 0) == sizeof(request);
		run->left |= asked && request.op == STUB_LEAVE;
		run->killed |= !asked || run->left || request.op == STUB_KILL;
	}
	if (fds[1].revents && read(run->signals, info, sizeof(info)) < 0)
		return;
	run_reap(run);
	run_terminate(run);
}

static pid_t member_start(struct run *run, void (*become)(const struct keeper_options *, struct witness *))
{
	pid_t pid;

	if (run->witness)
		witness_call(run->witness);
	pid = fork();
	if (pid == 0)
		become(run->options, run->witness);
	if (run->witness)
		witness_answer(run->witness);
	return pid;
}

static void run_start(struct run *run)
{
	run->start_ns = clock_ns();
	run->main.pid = member_start(run, child_become);
	if (run->options->service.client)
		run->client.pid = member_start(run, client_become);
}

static struct stub_reply run_reply(const struct run *run)
{
	struct stub_reply reply = {.op = STUB_ENDED,
				   .nanoseconds = clock_ns() - run->start_ns,
				   .status = run->main.status};

	if (run->killed)
		reply.flags = STUB_BY_KILL;
	else if (run->client.ended && !server_failed(run)) {
		reply.status = run->client.status;
		reply.flags = STUB_BY_CLIENT;
	}
	return reply;
}

static struct stub_reply run_command(struct run *run)
{
	struct stub_reply reply = {.op = STUB_REFUSED};

	run_start(run);
	if (run->main.pid > 0 && (!run->options->service.client || run->client.pid > 0)) {
		/* A command that ended before its time was up keeps its own outcome. */
		while (!run_is_over(run))
			run_wait(run);
		reply = run_reply(run);
	}
	children_kill();
	if (run->witness)
		witness_clear(run->witness);
	return reply;
}

/* The keeper shares the lock on the user's directories and the journal.  If the owner dies, no other process may take
 * the directories before the keeper is done. */
static bool is_shared(const struct scene *scene, int fd)
{
	if (scene->journal.path && scene->journal.fd == fd)
		return true;
	for (size_t i = 0; i < scene->count; i++)
		if (scene->dirs[i].lock == fd)
			return true;
	return false;
}

static bool is_stream(const struct keeper_options *o, int fd)
{
	return fd == o->main.out || fd == o->client.out || fd == o->err;
}

/* Close our other descriptors: recovery must not get them, and they would keep the ends of other workers' sockets
 * open. */
static void descriptors_close(const struct keeper_options *o, int keep)
{
	for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
		if (!is_stream(o, fd) && fd != keep && !is_shared(o->scene, fd))
			close(fd);
	close_range(1024, ~0u, 0);
}

/* Serve requests.  Returns true when the owner wants the keeper to end, false when the owner is gone. */
static bool requests_serve(const struct keeper_options *o, int requests, int signals)
{
	struct witness *witness = o->mode == RECOVERY_IN_PLACE ? witness_new(o->scene) : NULL;
	struct stub_request request;

	while (recv(requests, &request, sizeof(request), 0) == sizeof(request)) {
		if (request.op == STUB_LEAVE)
			return true;
		if (request.op != STUB_RUN)
			continue; /* too late: the command has ended by itself */
		struct run run = {.options = o, .witness = witness, .requests = requests, .signals = signals};
		struct stub_reply reply = run_command(&run);
		if (run.left)
			return true;
		if (send(requests, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
			break;
	}
	return false;
}

static void keeper_loop(const struct keeper_options *o, int requests)
{
	sigset_t all, chld;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	int signals = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	/* Do not check our parent: a dying process closes its sockets before it stops being our parent. */
	if (requests_serve(o, requests, signals) || o->mode != RECOVERY_IN_PLACE)
		return;
	inplace_restore(o->scene);
	journal_close(&o->scene->journal, !o->scene->swapped);
}

/* In the forked process: enter the place where recovery will run. */
static int place_enter(const struct keeper_options *o, bool namespaced, bool read_only, struct err *err)
{
	struct namespace_options how = {.read_only = read_only, .network = o->network};

	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return namespaced ? namespace_enter(o->scene, &how, err) : 0;
}

/* Wait until the forked process has closed its end of the report, or has reported why it cannot continue. */
static pid_t child_await(pid_t pid, int report[2], struct err *err)
{
	struct err why;

	close(report[1]);
	if (pid < 0) {
		err_sys(err, "cannot start a process");
	} else if (read(report[0], &why, sizeof(why)) == sizeof(why)) {
		waitpid(pid, NULL, 0);
		*err = why;
		pid = -1;
	}
	close(report[0]);
	return pid;
}

static void child_report(int fd, const struct err *err)
{
	_exit(write(fd, err, sizeof(*err)) < 0 ? 126 : 127);
}

pid_t keeper_start(const struct keeper_options *o, int *fd, struct err *err)
{
	int sockets[2], report[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0 || pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, "cannot create a socket");
	pid_t pid = fork();
	if (pid == 0) {
		struct err why = {0};
		if (place_enter(o, o->mode == RECOVERY_NAMESPACE, false, &why) < 0)
			child_report(report[1], &why);
		close(report[1]);
		descriptors_close(o, sockets[1]);
		keeper_loop(o, sockets[1]);
		_exit(0);
	}
	close(sockets[1]);
	*fd = sockets[0];
	pid = child_await(pid, report, err);
	if (pid < 0)
		close(sockets[0]);
	return pid;
}

static uint32_t processor_us(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint32_t)(t.tv_sec * 1000000 + t.tv_nsec / 1000);
}

pid_t keeper_start_server(const struct keeper_options *o, bool covered, struct err *err)
{
	int report[2];
	pid_t owner = getpid();

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(err, "cannot create a pipe");
	pid_t pid = fork();
	if (pid == 0) {
		struct err why = {0};
		if (place_enter(o, covered, true, &why) < 0 || child_prepare(o, &o->main, &why) < 0)
			child_report(report[1], &why);
		/* This comes after entering the namespace, which resets it.  Our parent may already be dead. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != owner)
			_exit(127);
		o->control->page->started = getpid();
		o->control->page->began_us = processor_us();
		execvp(o->argv[0], o->argv);
		err_sys(&why, "cannot start %s", o->argv[0]);
		child_report(report[1], &why);
	}
	return child_await(pid, report, err);
}
