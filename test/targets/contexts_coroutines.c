/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts_coroutines.c - stacks that the program switches by itself. */
// cflags: -fno-omit-frame-pointer
#include "contexts.h"

#include <ucontext.h>

static ucontext_t main_context, coroutine[2];
static char stacks[2][131072] __attribute__((aligned(64)));

static NOINLINE void leaf(void)
{
	SAMPLE();
}

static NOINLINE void step(int n)
{
	leaf();
	CHECK(swapcontext(&coroutine[n], &main_context) == 0);
	leaf();
	SAMPLE();
}

static void body(int n)
{
	SAMPLE();
	for (int i = 0; i < 3; i++)
		step(n);
}

static NOINLINE void resume(int n)
{
	SAMPLE();
	CHECK(swapcontext(&main_context, &coroutine[n]) == 0);
	SAMPLE();
	leaf();
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	contexts_start(argv[1]);
	for (int i = 0; i < 2; i++) {
		CHECK(getcontext(&coroutine[i]) == 0);
		coroutine[i].uc_stack.ss_sp = stacks[i];
		coroutine[i].uc_stack.ss_size = sizeof(stacks[i]);
		coroutine[i].uc_link = &main_context;
		makecontext(&coroutine[i], (void (*)(void))body, 1, i);
	}
	for (int round = 0; round < 4; round++) {
		resume(0);
		resume(1);
	}
	leaf();
	SAMPLE();
	return 0;
}
