/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls_threads.c - calls of several threads: nested into each other in time, left by the end of a thread, and a
 * function that is itself the start of one. */
// link: -lpthread
// events: store,call,return,left,thread-exit
// record: --calls op_*
#include "target.h"

#include <pthread.h>

static char *pool;
static int turn;

static void await_turn(int n)
{
	while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != n)
		sched_yield();
}

static void next_turn(void)
{
	__atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST);
}

long op_long(long a, long b, long c, long d, long e, long f);
long op_ends(long a, long b, long c, long d, long e, long f);

__attribute__((noinline)) long op_long(long a, long b, long c, long d, long e, long f)
{
	ST8(pool + 8 * a, b);
	next_turn();
	await_turn((int)c);
	return d + e + f;
}

__attribute__((noinline)) long op_ends(long a, long b, long c, long d, long e, long f)
{
	ST8(pool + 8 * a, b + c + d + e + f);
	pthread_exit(NULL);
}

static void *op_thread(void *argument)
{
	next_turn();
	await_turn(2);
	op_long(2, 0xb, 4, 4, 5, 6);
	op_ends(2, 3, 4, 5, 6, 7);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	begin(pool);
	CHECK(pthread_create(&thread, NULL, op_thread, (void *)0x77) == 0);
	/* clang-format off */
	await_turn(1);               //! t2 call calls_threads:op_thread 0x77 *
	op_long(1, 0xa, 3, 4, 5, 6); //! call calls_threads:op_long 0x1 0xa 0x3 0x4 0x5 0x6
		//! store pool+0x8 8 0xa
		//! t2 call calls_threads:op_long 0x2 0xb 0x4 0x4 0x5 0x6
		//! t2 store pool+0x10 8 0xb
		//! return calls_threads:op_long 0xf
	ST8(pool, 1); //! store pool+0x0 8 0x1
	next_turn();  //! t2 return calls_threads:op_long 0xf
		//! t2 call calls_threads:op_ends 0x2 0x3 0x4 0x5 0x6 0x7
		//! t2 store pool+0x10 8 0x19
		//! t2 left calls_threads:op_ends
		//! t2 left calls_threads:op_thread
		//! t2 thread-exit
	/* clang-format on */
	CHECK(pthread_join(thread, NULL) == 0);
	end(pool);
	return 0;
}
