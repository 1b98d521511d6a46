/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.c - see child.h. */
#include "plugin/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { PROBE_BYTES = 1 << 20, STACK_BYTES = 64 << 10 };

/* ---- in the child ---- */

static struct wire *own_wire; /* for handlers */

static _Noreturn void on_no_memory(void)
{
	own_wire->no_memory = true;
	_exit(1);
}

/* A plug-in that gets no memory often crashes.  Then it is of no use to say where. */
static void on_crash(int number)
{
	void *probe = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (probe == MAP_FAILED)
		own_wire->no_memory = true;
	signal(number, SIG_DFL);
	raise(number);
}

static void signals_prepare(void)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
	static char stack[STACK_BYTES]; /* a stack overflow is a crash, too */
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
	sigset_t none;

	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The private memory that the process has already, in bytes: the sixth number of statm, in pages. */
static uint64_t memory_now(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	char line[256] = "", *at = line;
	uint64_t pages = 0;

	if (file && fgets(line, sizeof(line), file))
		for (int i = 0; i < 6; i++)
			pages = strtoull(at, &at, 10);
	if (file)
		fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limits_set(const struct child_limits *limits)
{
	struct rlimit memory;

	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (getrlimit(RLIMIT_DATA, &memory) < 0)
		return;
	if (limits->memory < memory.rlim_max && memory_now() < memory.rlim_max - limits->memory)
		memory.rlim_cur = memory.rlim_max = memory_now() + limits->memory;
	setrlimit(RLIMIT_DATA, &memory);
}

static void streams_prepare(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

static _Noreturn void child_main(const struct child *child, pid_t parent, void (*work)(void *), void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	own_wire = child->wire;
	mem_on_exhaustion(on_no_memory);
	signals_prepare();
	streams_prepare();
	limits_set(&child->limits);
	work(arg);
	fflush(NULL);
	_exit(0);
}

/* ---- in the parent ---- */

int child_start(struct child *child, void (*work)(void *), void *arg, struct err *err)
{
	pid_t parent = getpid();

	if (!child->wire)
		return err_set(err, "there is no memory for a plug-in");
	fflush(NULL); /* what is buffered must not be written twice */
	child->pid = fork();
	if (child->pid < 0) {
		child->pid = 0;
		return err_sys(err, "cannot start a process for a plug-in");
	}
	if (!child->pid)
		child_main(child, parent, work, arg);
	setpgid(child->pid, child->pid); /* also done by the child; whoever comes first */
	child->since = clock_seconds();
	return 0;
}

static void end_set(struct child *child, enum child_end end, int value)
{
	kill(-child->pid, SIGKILL); /* whatever it started */
	child->pid = 0;
	child->end = end;
	child->value = value;
}

static void end_judge(struct child *child, int status)
{
	if (child->wire->no_memory)
		end_set(child, CHILD_TOO_BIG, 0);
	else if (WIFSIGNALED(status))
		end_set(child, CHILD_KILLED, WTERMSIG(status));
	else if (!child->wire->done)
		end_set(child, CHILD_EXITED, WEXITSTATUS(status));
	else
		end_set(child, CHILD_DONE, 0);
}

/* Kill it, and take its end from `end`. */
static void child_kill(struct child *child, enum child_end end)
{
	int status;

	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	end_set(child, end, 0);
}

static bool hangs(struct child *child)
{
	uint32_t callback = child->wire->callback;
	uint64_t event = child->wire->event;
	double now = clock_seconds();

	if (callback == WIRE_IN_NONE || callback != child->callback || event != child->event) {
		child->callback = callback;
		child->event = event;
		child->since = now;
	}
	return now - child->since > child->limits.seconds;
}

bool child_poll(struct child *child)
{
	int status;

	if (!child->pid)
		return true;
	if (waitpid(child->pid, &status, WNOHANG) == child->pid)
		end_judge(child, status);
	else if (hangs(child))
		child_kill(child, CHILD_HUNG);
	return !child->pid;
}

void child_stop(struct child *child)
{
	if (child->pid)
		child_kill(child, CHILD_STOPPED);
}

void child_pause(unsigned turn)
{
	struct timespec pause = {.tv_nsec = turn < 20 ? 1000000 : 10000000};

	nanosleep(&pause, NULL);
}

void child_close(struct child *child)
{
	child_stop(child);
	wire_free(child->wire);
	child->wire = NULL;
}

static void where_text(const struct child *child, char *text, size_t size)
{
	uint32_t callback = child->wire->callback;
	uint64_t event = child->wire->event;

	if (!*wire_callback_text(callback))
		snprintf(text, size, "%s", "");
	else if (event && callback != WIRE_IN_END)
		snprintf(text, size, " %s, at event %" PRIu64, wire_callback_text(callback), event);
	else
		snprintf(text, size, " %s", wire_callback_text(callback));
}

void child_end_text(const struct child *child, char *text, size_t size)
{
	const char *name = child->end == CHILD_KILLED ? sigabbrev_np(child->value) : NULL;
	char where[120];

	where_text(child, where, sizeof(where));
	switch (child->end) {
	case CHILD_KILLED:
		if (name)
			snprintf(text, size, "crashed (SIG%s)%s", name, where);
		else
			snprintf(text, size, "crashed (signal %d)%s", child->value, where);
		break;
	case CHILD_EXITED: snprintf(text, size, "ended its process with status %d%s", child->value, where); break;
	case CHILD_HUNG: snprintf(text, size, "did not return within %g s%s", child->limits.seconds, where); break;
	case CHILD_TOO_BIG:
		snprintf(text, size, "needed more than %" PRIu64 " MiB of memory%s", child->limits.memory >> 20, where);
		break;
	case CHILD_STOPPED: snprintf(text, size, "was interrupted%s", where); break;
	case CHILD_RUNNING:
	case CHILD_DONE: snprintf(text, size, "ended"); break;
	}
}
