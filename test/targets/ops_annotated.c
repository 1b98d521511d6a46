/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_annotated.c - operations told by annotations, or by calls of op_put; two threads overlap. */
// link: -lpthread
// cflags: -Iinclude
// events: store,op-begin,op-end,op-note
// record: --op-marks annotated
#include "target.h"

#include <pthread.h>

#include "blackout/annotate.h"

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

static __attribute__((noinline)) void op_put(int n)
{
	ST8(pool + 8 * n, n);
	if (n > 100)
		op_put(n - 100);
	__asm__ volatile("" : : : "memory");
}

static void *other(void *argument)
{
	await_turn(1);
	BLACKOUT_OP_BEGIN("other one");
	op_put(3);
	next_turn();
	await_turn(3);
	BLACKOUT_OP_END();
	next_turn();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	begin(pool);
	BLACKOUT_OP_BEGIN("put 1"); //! op-begin 0 put\0401
	op_put(1);                  //! store pool+0x8 8 0x1
	BLACKOUT_OP_END();          //! op-end 0
	ST8(pool, 1);               //! store pool+0x0 8 0x1
	BLACKOUT_OP_BEGIN(NULL);    //! op-begin 1
	BLACKOUT_OP_BEGIN("nested");
	op_put(102); //! store pool+0x330 8 0x66
		     //! store pool+0x10 8 0x2
	BLACKOUT_OP_END();
	ST8(pool, 2);       //! store pool+0x0 8 0x2
	BLACKOUT_OP_END();  //! op-end 1
	BLACKOUT_DURABLE(); //! op-note durable 0
	BLACKOUT_OP_END();
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	BLACKOUT_OP_BEGIN("mine"); //! op-begin 2 mine
	next_turn();               //! t2 op-begin 3 other\040one
				   //! t2 store pool+0x18 8 0x3
	await_turn(2);
	BLACKOUT_OP_END(); //! op-end 2
	next_turn();       //! t2 op-end 3
	await_turn(4);
	CHECK(pthread_join(thread, NULL) == 0);
	end(pool);
	return 0;
}
