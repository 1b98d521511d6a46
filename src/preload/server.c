/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.c - the recovery program, stopped at its first call that names a PM file, forks a child for each crash state.
 *
 * A child must find everything as a newly started program would.  State that fork does not copy is restored before each
 * child (offsets and flags of files, which checkpoints change, too), or refused from the start (threads, pipes and sockets,
 * shared memory).
 *
 * A checkpoint (walk.h) is another server, further on.  It runs in the handler of a signal, which interrupted the program
 * anywhere. */
#include "preload/stub.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "preload/call.h"
#include "preload/repeat.h"
#include "preload/walk.h"

enum { OFFSETS_MAX = 256, KILL_ROUNDS_MAX = 1000 };

struct offset {
	int fd, flags;
	off_t at;
};

static struct {
	int request, reply;
	int thread;                    /* our own thread ID */
	bool reads_ops;                /* the operations are our standard input */
	bool further;                  /* we are a checkpoint */
	const char *problem;           /* why we cannot be a server */
	pid_t checkpoints[WALK_STOPS]; /* those that we have; 0: none */
	struct offset offsets[OFFSETS_MAX];
	size_t offset_count;
	sigset_t mask;
	struct sigaction chld;
} server;

static int control_open(const char *name, int flags)
{
	char path[4096];

	if (!stub_control(path, sizeof(path), name))
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC);
}

static void reply_send(const struct stub_reply *reply)
{
	if (syscall(SYS_write, server.reply, reply, sizeof(*reply)) != (long)sizeof(*reply))
		syscall(SYS_exit_group, STUB_EXIT_LOST);
}

static int number_of(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

/* Call `each` for the entries of a /proc directory that are numbers.  Without malloc. */
static void numbers_each(const char *dir, void (*each)(int number))
{
	struct entry {
		uint64_t inode;
		int64_t next;
		unsigned short bytes;
		unsigned char type;
		char name[];
	};
	_Alignas(struct entry) char entries[2048];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	if (fd < 0)
		server.problem = "a directory of /proc cannot be read";
	while (fd >= 0 && (n = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n; at += ((struct entry *)(entries + at))->bytes) {
			const char *name = ((struct entry *)(entries + at))->name;

			if (isdigit((unsigned char)*name) && number_of(name) != fd)
				each(number_of(name));
		}
	}
	if (fd >= 0)
		syscall(SYS_close, fd);
}

static int thread_count;

static void thread_note(int tid)
{
	(void)tid;
	thread_count++;
}

static void fd_note(int fd)
{
	struct stat st;

	if (fd == server.request || fd == server.reply || fstat(fd, &st) < 0)
		return;
	/* blackout provides the standard streams, and they are the same for each child.  But the operations, and files
	 * to which the command redirects its output ({out}), have an offset that children change. */
	if (fd <= STDERR_FILENO && !S_ISREG(st.st_mode))
		return;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISCHR(st.st_mode))
		server.problem = "recovery has an open pipe or connection before it opens a PM file";
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return;
	if (fd == STDIN_FILENO && server.reads_ops && !server.further && lseek(fd, 0, SEEK_CUR) != 0)
		atomic_store(&stub_page->ops_used, 1);
	if (server.offset_count == OFFSETS_MAX)
		server.problem = "recovery has too many files open before it opens a PM file";
	else
		server.offsets[server.offset_count++] =
			(struct offset){.fd = fd, .flags = fcntl(fd, F_GETFL), .at = lseek(fd, 0, SEEK_CUR)};
}

void server_restore(void)
{
	for (size_t i = 0; i < server.offset_count; i++) {
		CALL(SYS_lseek, server.offsets[i].fd, server.offsets[i].at, SEEK_SET);
		CALL(SYS_fcntl, server.offsets[i].fd, F_SETFL, server.offsets[i].flags);
	}
}

/* Standard input may be another file, to which the command redirects it. */
static bool input_is_ops(void)
{
	char path[4096];
	struct stat in, ops;

	return stub_beside(path, sizeof(path), STUB_OPS) && fstat(STDIN_FILENO, &in) == 0 &&
	       syscall(SYS_newfstatat, AT_FDCWD, path, &ops, 0) == 0 && in.st_ino == ops.st_ino &&
	       in.st_dev == ops.st_dev;
}

/* The operations may be others than those that the server was started with. */
static void input_change(void)
{
	char path[4096];

	if (!stub_page->ops_changed || !server.reads_ops)
		return;
	int fd = stub_beside(path, sizeof(path), STUB_OPS)
			 ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC)
			 : -1;
	if (fd < 0)
		stub_refuse("the operations are hidden");
	syscall(SYS_dup2, fd, STDIN_FILENO);
	syscall(SYS_close, fd);
}

/* Is this memory that children would share with each other? */
static bool line_is_shared(const char *line)
{
	uintptr_t start = strtoul(line, NULL, 16);
	const char *flags = strchr(line, ' '); /* " rw-s" */

	return flags && strlen(flags) > 4 && flags[2] == 'w' && flags[4] == 's' && start != (uintptr_t)stub_page;
}

/* Is it a mapping of this file?  "START-END FLAGS OFFSET DEVICE INODE ..." */
static bool line_is_of(const char *line, const struct stat *file)
{
	for (int i = 0; line && i < 4; i++)
		line = strchr(line, ' ') ? strchr(line, ' ') + 1 : NULL;
	return line && strtoull(line, NULL, 10) == file->st_ino;
}

static void memory_check(void)
{
	char line[4096 + 128];
	FILE *maps = NEXT(fopen)("/proc/self/maps", "re");
	bool shared = false;
	struct stat in;
	bool reads = server.reads_ops && fstat(STDIN_FILENO, &in) == 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		shared = shared || line_is_shared(line);
		if (reads && line_is_of(line, &in))
			atomic_store(&stub_page->ops_used, 1);
	}
	if (maps)
		fclose(maps);
	if (shared)
		stub_refuse("recovery has shared memory before it opens a PM file");
}

static void state_check(void)
{
	thread_count = 0;
	numbers_each("/proc/self/task", thread_note);
	if (thread_count > 1)
		stub_refuse("recovery starts threads before it opens a PM file");
	numbers_each("/proc/self/fd", fd_note);
	if (server.problem)
		stub_refuse("%s", server.problem);
	memory_check();
}

static bool pid_is_checkpoint(pid_t pid)
{
	for (unsigned i = 0; i < WALK_STOPS; i++)
		if (server.checkpoints[i] == pid)
			return true;
	return false;
}

/* Kill the processes that the child left behind.  They have become our children, because we reap orphans.  Several
 * rounds, because the children of a killed process become our children, too.  Checkpoints are children without an exit
 * signal, for which waitpid does not wait. */
static void orphans_kill(void)
{
	char list[4096];

	for (int round = 0; round < KILL_ROUNDS_MAX; round++) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);
		if (pid < 0)
			return;
		if (pid > 0)
			continue;
		snprintf(list, sizeof(list), "/proc/self/task/%d/children", (int)syscall(SYS_gettid));
		int fd = (int)syscall(SYS_openat, AT_FDCWD, list, O_RDONLY | O_CLOEXEC);
		long n = fd < 0 ? 0 : syscall(SYS_read, fd, list, sizeof(list) - 1);
		list[n > 0 ? n : 0] = 0;
		syscall(SYS_close, fd);
		char *rest = NULL;
		for (char *word = strtok_r(list, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
			if (!pid_is_checkpoint(number_of(word)))
				kill(number_of(word), SIGKILL);
		usleep(100);
	}
}

/* At a checkpoint, handlers for fork must not run.  A child on a walk has no exit signal, and neither have the checkpoints
 * that it leaves. */
static pid_t child_fork(uint32_t op)
{
	if (op == STUB_WALK)
		return (pid_t)call_copy(0);
	return server.further ? (pid_t)call_copy(SIGCHLD) : NEXT(fork)();
}

/* This process is new: keep its locks, and do not outlive the one that it serves. */
static void process_begin(void)
{
	int thread = (int)syscall(SYS_gettid);

	locks_adopt(server.thread, thread);
	server.thread = thread;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
}

/* What a child does. */
struct run {
	uint32_t op;
	bool repeats; /* it may go on with other states: */
	struct repeat_last last;
	pid_t pid;
};

/* Returns in the child, which continues where the program was stopped. */
static bool child_start(struct run *run)
{
	uint32_t op = run->op;

	run->repeats = op == STUB_RUN && server.further && repeat_prepare();
	heap_copy_before(run->repeats);
	run->pid = child_fork(op);
	if (run->pid != 0)
		return false;
	heap_copy_child();
	process_begin();
	if (run->repeats)
		repeat_adopt(server.request, server.reply, run->last.start);
	syscall(SYS_close, server.request);
	syscall(SYS_close, server.reply);
	sigaction(SIGCHLD, &server.chld, NULL);
	sigprocmask(SIG_SETMASK, &server.mask, NULL);
	stub_is_child = true;
	if (!server.further)
		input_change();
	if (op == STUB_LAZY)
		lazy_stub_child();
	else
		processor_free();
	if (op == STUB_WALK)
		walk_arm(run->last.start);
	return true;
}

/* A walk replaces the checkpoints. */
static void checkpoints_end(void)
{
	for (unsigned i = 0; i < WALK_STOPS; i++) {
		if (!server.checkpoints[i])
			continue;
		kill(server.checkpoints[i], SIGKILL);
		waitpid(server.checkpoints[i], NULL, __WALL);
		server.checkpoints[i] = 0;
	}
}

static void walk_ended(struct stub_reply *reply)
{
	const struct walk_block *block = walk_block();

	for (unsigned i = 0; i < block->stop_count; i++) {
		pid_t pid = atomic_load(&block->stops[i].server);
		server.checkpoints[i] = pid > 0 ? pid : 0;
		if (pid < 0)
			waitpid(-pid, NULL, __WALL);
	}
	reply->nanoseconds -= block->own_ns;
	walk_over();
}

/* Before a child is forked.  NULL, or the reason why it is not possible. */
static const char *op_begin(uint32_t op)
{
	if (op == STUB_LAZY)
		return lazy_stub_begin();
	if (op != STUB_WALK)
		return NULL;
	checkpoints_end();
	heap_copy_anew();
	return walk_begin();
}

static void child_wait(struct run *run)
{
	struct stub_reply reply = {.op = STUB_ENDED};
	struct rusage used = {0};
	pid_t pid = run->pid;
	siginfo_t info;

	/* Do not reap the child before its process ID is withdrawn from the page: until then the ID must not be
	 * reused. */
	while (pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | __WALL) < 0 && errno == EINTR)
		;
	atomic_store(&stub_page->running, 0);
	if (run->repeats && pid > 0)
		repeat_over(&run->last);
	reply.nanoseconds = clock_ns() - run->last.start;
	if (pid > 0)
		wait4(pid, &reply.status, __WALL, &used);
	reply.memory = (uint64_t)used.ru_maxrss * 1024;
	if (run->op == STUB_LAZY)
		lazy_stub_over(pid, reply.status);
	if (run->op == STUB_WALK)
		walk_ended(&reply);
	orphans_kill();
	heap_copy_after();
	heap_consider(&used);
	processor_reconsider(run->last.start + reply.nanoseconds);
	if (atomic_load(&stub_page->refused) || pid < 0)
		reply.op = STUB_REFUSED;
	if (!run->last.replied)
		reply_send(&reply);
}

static bool op_is_known(uint32_t op)
{
	return op == STUB_RUN || op == STUB_LAZY || (op == STUB_WALK && !server.further);
}

/* False: blackout is gone. */
static bool request_read(struct stub_request *request)
{
	long n;

	while ((n = syscall(SYS_read, server.request, request, sizeof(*request))) < 0 && errno == EINTR)
		;
	return n == (long)sizeof(*request);
}

/* Serve until blackout is gone; returns in children. */
void server_serve(void)
{
	struct run run = {0};
	struct stub_request request;

	while (run.last.leaves || request_read(&request)) {
		if (run.last.leaves)
			request = run.last.request;
		if (!op_is_known(request.op))
			break;
		run = (struct run){.op = request.op, .last.start = clock_ns()};
		processor_keep(run.last.start);
		const char *why = op_begin(request.op);
		if (why) {
			snprintf(stub_page->reason, STUB_REASON, "%s", why);
			reply_send(&(struct stub_reply){.op = STUB_REFUSED});
			continue;
		}
		server_restore();
		if (child_start(&run))
			return;
		if (run.pid < 0)
			snprintf(stub_page->reason, STUB_REASON, "a process cannot be forked");
		else
			atomic_store(&stub_page->running, run.pid);
		child_wait(&run);
	}
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* Signals wait.  The program may ignore SIGCHLD or handle it, but these are not its children. */
static void signals_block(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &server.mask);
	sigaction(SIGCHLD, &plain, &server.chld);
}

static uint64_t usage_ns(int who)
{
	struct rusage usage = {0};

	getrusage(who, &usage);
	return ((uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)) *
	       1000;
}

/* A shell script that became the program counts, with what it has run. */
static uint64_t start_cost(void)
{
	uint64_t before = (uint64_t)stub_page->began_us * 1000, now = usage_ns(RUSAGE_SELF);

	return (now > before ? now - before : 0) + usage_ns(RUSAGE_CHILDREN);
}

void server_start(void)
{
	int saved = errno;

	if (stub_is_child)
		return;
	if (getpid() != stub_page->started)
		stub_refuse("recovery consists of several processes");
	server.request = control_open(STUB_FILE_REQUEST, O_RDONLY);
	server.reply = control_open(STUB_FILE_REPLY, O_WRONLY);
	if (server.request < 0 || server.reply < 0)
		stub_refuse("recovery hides the control files from the stub");
	server.reads_ops = input_is_ops();
	state_check();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	stub_next_all();
	pmemobj_memory_start();
	server.thread = (int)syscall(SYS_gettid);
	processor_start();
	signals_block();
	reply_send(&(struct stub_reply){.op = STUB_HELLO, .nanoseconds = start_cost()});
	server_serve();
	errno = saved;
}

bool server_continue(const char *request, const char *reply)
{
	server.further = true;
	server.offset_count = 0;
	memset(server.checkpoints, 0, sizeof(server.checkpoints));
	process_begin();
	server.request = server.reply = -1;
	numbers_each("/proc/self/fd", fd_note);
	/* To open must not block: blackout may be gone. */
	server.request = (int)syscall(SYS_openat, AT_FDCWD, request, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	server.reply = (int)syscall(SYS_openat, AT_FDCWD, reply, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (server.problem || getppid() != stub_page->started ||
	    syscall(SYS_fcntl, server.request, F_SETFL, O_RDONLY) < 0 ||
	    syscall(SYS_fcntl, server.reply, F_SETFL, O_WRONLY) < 0)
		return false;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	processor_start();
	signals_block();
	return true;
}
