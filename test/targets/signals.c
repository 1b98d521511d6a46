/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signals.c - handlers that write PM: on the stack of the thread and on their own, nested, and left by siglongjmp. */
// events: store,signal,protect
#include "target.h"

#include <setjmp.h>

static char *pool;
static sigjmp_buf back;
static char alternate[65536];

static void on_usr1(int signal)
{
	(void)signal;
	ST8(pool + 8, 2);
}

static void on_usr2(int signal)
{
	(void)signal;
	ST8(pool + 16, 3);
	raise(SIGUSR1);
	ST8(pool + 16, 4);
}

static void on_alarm(int signal)
{
	(void)signal;
	ST8(pool + 24, 5);
	siglongjmp(back, 1);
}

/* A page that a store finds protected: the store must be in the trace once, after the protection was lifted. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	CHECK(info->si_addr == pool + 0x1008);
	CHECK(mprotect(pool + 0x1000, PAGE, PROT_READ | PROT_WRITE) == 0);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	CHECK(sigaction(signal, &action, NULL) == 0);
}

int main(int argc, char **argv)
{
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	CHECK(argc == 2);
	handle(SIGUSR1, on_usr1, 0);
	handle(SIGUSR2, on_usr2, SA_ONSTACK);
	handle(SIGALRM, on_alarm, SA_ONSTACK);
	CHECK(sigaction(SIGSEGV, &fault, NULL) == 0);
	CHECK(sigaltstack(&stack, NULL) == 0);
	pool = pool_create(argv[1]);
	begin(pool);

	ST8(pool, 1); //! store pool+0x0 8 0x1
	raise(SIGUSR1);
	//! signal 10
	//! store pool+0x8 8 0x2
	ST8(pool, 2); //! store pool+0x0 8 0x2
	raise(SIGUSR2);
	//! signal 12
	//! store pool+0x10 8 0x3
	//! signal 10
	//! store pool+0x8 8 0x2
	//! store pool+0x10 8 0x4
	ST8(pool, 3); //! store pool+0x0 8 0x3
	for (volatile int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(SIGALRM);
		ST8(pool, 4);
	}
	//! signal 14
	//! store pool+0x18 8 0x5
	//! store pool+0x0 8 0x4
	//! signal 14
	//! store pool+0x18 8 0x5
	//! store pool+0x0 8 0x4
	//! signal 14
	//! store pool+0x18 8 0x5
	//! store pool+0x0 8 0x4
	CHECK(mprotect(pool + 0x1000, PAGE, PROT_READ) == 0); //! protect 0x100001000 4096 r--
	ST8(pool + 0x1008, 6);
	//! signal 11
	//! protect 0x100001000 4096 rw-
	//! store pool+0x1008 8 0x6
	end(pool);
	CHECK(load8(pool + 0x1008) == 6);
	return 0;
}
