/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.c - two writers that hand over to each other: one global order, and who did what. */
// link: -lpthread
// needs: clwb
// events: store,clwb,sfence,thread-start,thread-exit
#include "target.h"

#include <pthread.h>
#include <sched.h>

static char *pool;
static volatile int turn; /* volatile memory: a plain store and plain loads hand over on x86 */

static void wait_for(int n)
{
	while (turn != n)
		sched_yield();
}

static void *second(void *arg)
{
	wait_for(1);
	ST8(pool + 64, 2);
	CLWB(pool);
	turn = 2;
	wait_for(3);
	SFENCE();
	ST8(pool + 64, 4);
	turn = 4;
	return arg;
}

static void *third(void *arg)
{
	ST8(pool + 128, 6);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	begin(pool);
	CHECK(pthread_create(&thread, NULL, second, NULL) == 0); //! t2 thread-start t2 by t1
	ST8(pool, 1);                                            //! store pool+0x0 8 0x1
	turn = 1;
	wait_for(2);
	//! t2 store pool+0x40 8 0x2
	//! t2 clwb pool+0x0
	ST8(pool, 3); //! store pool+0x0 8 0x3
	SFENCE();     //! sfence
	turn = 3;
	wait_for(4);
	//! t2 sfence
	//! t2 store pool+0x40 8 0x4
	CHECK(pthread_join(thread, NULL) == 0); //! t2 thread-exit
	ST8(pool, 5);                           //! store pool+0x0 8 0x5
	/* a number is never used again */
	CHECK(pthread_create(&thread, NULL, third, NULL) == 0); //! t3 thread-start t3 by t1
	CHECK(pthread_join(thread, NULL) == 0);
	//! t3 store pool+0x80 8 0x6
	//! t3 thread-exit
	end(pool);
	return 0;
}
