/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processor.c - bind the server and its children, which take turns, to one processor.
 *
 * A process that is woken on an idle processor must wait until that processor has left its sleep state.  This can take
 * longer than a short recovery.  So the kernel chooses a processor, and we stay there for a while and tell blackout
 * about it.  Then the kernel chooses again.  If other processes wanted the processor as well, we let the kernel move us
 * freely for some time, because it knows better where there is room.
 *
 * A child may use all its processors again.  The exception is a child that decides lines lazily.  It stays bound,
 * because it forks itself for each alternative.  It has no threads (those are refused), and is released as soon as it
 * asks which processors there are. */
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/stub.h"

#define KEEP_NS (100 * (uint64_t)1000000)
#define REST_NS (10 * KEEP_NS)

static struct {
	cpu_set_t all; /* those that the program may use */
	bool choice;   /* we are bound to one */
	bool kept;
	uint64_t since_ns, used_ns; /* when it was chosen, and how long we had run by then */
	uint64_t rest_ns;           /* do not bind before this time */
} processor;

static bool use(const cpu_set_t *set)
{
	return syscall(SYS_sched_setaffinity, 0, sizeof(*set), set) == 0;
}

static uint64_t time_of(int who)
{
	struct rusage used;

	getrusage(who, &used);
	return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
}

/* The processor time that we and all ended children have used. */
static uint64_t time_used(void)
{
	return time_of(RUSAGE_SELF) + time_of(RUSAGE_CHILDREN);
}

void processor_start(void)
{
	CPU_ZERO(&processor.all);
	processor.choice = syscall(SYS_sched_getaffinity, 0, sizeof(processor.all), &processor.all) > 0 &&
			   CPU_COUNT(&processor.all) > 1;
}

void processor_keep(uint64_t now_ns)
{
	bool choose = processor.choice && !processor.kept && now_ns >= processor.rest_ns;
	int here = choose ? sched_getcpu() : -1;
	cpu_set_t one;

	if (here < 0 || here >= CPU_SETSIZE)
		return;
	CPU_ZERO(&one);
	CPU_SET(here, &one);
	processor.kept = processor.choice = use(&one);
	processor.since_ns = now_ns;
	processor.used_ns = time_used();
	atomic_store(&stub_page->processor, processor.kept ? here : -1);
}

void processor_reconsider(uint64_t now_ns)
{
	uint64_t kept_ns = now_ns - processor.since_ns;

	if (!processor.kept || kept_ns < KEEP_NS)
		return;
	processor_free();
	if (time_used() - processor.used_ns >= kept_ns / 2)
		return;
	processor.rest_ns = now_ns + REST_NS;
	atomic_store(&stub_page->processor, -1);
}

void processor_free(void)
{
	if (processor.kept)
		use(&processor.all);
	processor.kept = false;
}

/* The program asks which processors it may use, or sets them. */
static void program_asks(void)
{
	if (stub_is_child)
		processor_free();
}

PUBLIC int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	program_asks();
	return NEXT(sched_getaffinity)(pid, size, set);
}

PUBLIC int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	program_asks();
	return NEXT(sched_setaffinity)(pid, size, set);
}

PUBLIC int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	program_asks();
	return NEXT(pthread_getaffinity_np)(thread, size, set);
}

PUBLIC int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	program_asks();
	return NEXT(pthread_setaffinity_np)(thread, size, set);
}
