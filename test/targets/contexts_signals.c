/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts_signals.c - handlers, on the stack of the thread and on their own, nested, and left by siglongjmp.
 *
 * A handler's recorded chain starts at the handler.  So SAMPLE there is compared up to and including the handler
 * itself; what matters as much is that the interrupted code has its own chain back afterwards. */
// cflags: -fno-omit-frame-pointer
#include "contexts.h"

#include <setjmp.h>

static sigjmp_buf back;
static char alternate[131072];

static NOINLINE void leaf(void)
{
	SAMPLE();
}

static NOINLINE void in_handler(int n)
{
	if (n > 0)
		in_handler(n - 1);
	SAMPLE();
}

static void on_usr1(int signal)
{
	(void)signal;
	SAMPLE();
	in_handler(2);
}

static void on_usr2(int signal)
{
	(void)signal;
	leaf();
	raise(SIGUSR1);
	leaf();
}

static void on_alarm(int signal)
{
	(void)signal;
	in_handler(1);
	siglongjmp(back, 1);
}

static NOINLINE void interrupted(int n)
{
	if (n > 0)
		interrupted(n - 1);
	raise(SIGUSR1);
	SAMPLE();
	raise(SIGUSR2);
	SAMPLE();
	leaf();
}

static NOINLINE void jumping(int n)
{
	for (volatile int i = 0; i < n; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(SIGALRM);
		SAMPLE();
		leaf();
		raise(SIGUSR1);
		SAMPLE();
	}
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	CHECK(sigaction(signal, &action, NULL) == 0);
}

int main(int argc, char **argv)
{
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

	CHECK(argc == 2);
	contexts_start(argv[1]);
	CHECK(sigaltstack(&stack, NULL) == 0);
	handle(SIGUSR1, on_usr1, 0);
	handle(SIGUSR2, on_usr2, SA_ONSTACK);
	handle(SIGALRM, on_alarm, SA_ONSTACK);
	interrupted(2);
	jumping(4);
	handle(SIGALRM, on_alarm, 0);
	jumping(4);
	interrupted(1);
	SAMPLE();
	return 0;
}
