// SPDX-License-Identifier: GPL-2.0-or-later
/* Input that other threads and processes look at, and handlers of signals.  Arguments: a word for each. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "look.h"
#include "target.h"

static uint8_t in[8];
static volatile int handled;

static void *in_thread(void *byte)
{
	for (int i = 0; i < 100; i++)
		sched_yield();
	look(byte);
	return NULL;
}

/* Two threads at once; each has registers of its own. */
static void threads(void)
{
	pthread_t others[2];

	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&others[i], NULL, in_thread, in + i) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	look(in + 2);
}

static void on_signal(int signal)
{
	(void)signal;
	look(in + 1);
	handled = 1;
}

/* The handler has other registers; afterwards they are what they were. */
static void signals(void)
{
	register uint64_t kept __asm__("rbx") = in[3];

	__asm__ volatile("" : "+r"(kept));
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	CHECK(handled);
	look_number(kept);
}

static void forks(void)
{
	pid_t child;

	look(in);
	child = fork();
	if (!child) {
		look(in + 1);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	look(in + 2);
}

/* The new program's argument is not the user's, but standard input still is. */
static void execs(char **argv)
{
	look(in);
	execl(argv[0], argv[0], "rest", "x", NULL);
}

int main(int argc, char **argv)
{
	CHECK(argc > 1 && read(0, in, 4) == 4);
	switch (argv[1][0]) {
	case 't': threads(); break;
	case 's': signals(); break;
	case 'f': forks(); break;
	case 'e': execs(argv); break;
	default: look(in); look(argv[2]);
	}
	return 0;
}
