/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupted - stores of blackout-cc in signal handlers and between them, after longjmp, in threads, coroutines and
 * children. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define THREADS 8
#define PAGE 4096

static struct pm {
	uint64_t a, b;
	_Atomic uint64_t n;
	volatile uint64_t v;
	uint64_t of_thread[THREADS];
	_Alignas(PAGE) uint64_t guarded;
} * pm;

static volatile int hits;
static sigjmp_buf before;
static ucontext_t outside, inside;
static char stack[65536];

static void on_alarm(int signal)
{
	(void)signal;
	pm->b = 0xb;
	pm->v = 0xc;
	atomic_fetch_add_explicit(&pm->n, 1, memory_order_acq_rel);
	hits++;
}

static void on_signal(int signal)
{
	(void)signal;
	pm->b = 0xd;
	siglongjmp(before, 1);
}

/* The store that faulted was announced before, and is repeated without another announcement. */
static void on_fault(int signal)
{
	mprotect(&pm->guarded, PAGE, PROT_READ | PROT_WRITE);
	on_alarm(signal);
}

static void *work(void *place)
{
	for (int i = 0; i < 300; i++) {
		*(uint64_t *)place = 0xe;
		atomic_fetch_add_explicit(&pm->n, 1, memory_order_relaxed);
	}
	return NULL;
}

static void coroutine(void)
{
	for (int i = 0; i < 5; i++) {
		pm->a = 0xf;
		swapcontext(&inside, &outside);
	}
}

static void alarms(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	/* Signals come after a certain number of blocks of code; so their number must vary. */
	for (unsigned i = 0; hits < 10; i = i * 1103515245 + 12345) {
		pm->a = 0xa;
		__asm__ volatile("" : : : "memory"); /* or it is stored once, after the loop */
		if (i >> 16 & 1)
			pm->a = 0xa;
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static void faults(void)
{
	signal(SIGSEGV, on_fault);
	mprotect(&pm->guarded, PAGE, PROT_READ);
	pm->guarded = 0x12;
	signal(SIGSEGV, SIG_DFL);
}

static void jumps(void)
{
	signal(SIGUSR1, on_signal);
	for (volatile int i = 0; i < 100; i++) {
		if (!sigsetjmp(before, 1))
			raise(SIGUSR1);
		pm->a = 0xa;
	}
}

static void threads(void)
{
	pthread_t all[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, work, &pm->of_thread[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

static void coroutines(void)
{
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	for (int i = 0; i < 5; i++) {
		swapcontext(&outside, &inside);
		pm->a = 0xa;
	}
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_CREAT | O_RDWR, 0666);

	if (fd < 0 || ftruncate(fd, sizeof(*pm)) < 0)
		return 1;
	pm = mmap(NULL, sizeof(*pm), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 1;
	alarms();
	faults();
	jumps();
	threads();
	coroutines();
	if (fork() == 0) {
		pm->a = 0x10;
		atomic_store(&pm->n, 5);
		work(&pm->b);
		_exit(0);
	}
	wait(NULL);
	if (fork() == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	pm->a = 0x11;
	return 0;
}
