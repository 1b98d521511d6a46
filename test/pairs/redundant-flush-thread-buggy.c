/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-flush-thread-buggy.c - two threads flush one line.  The second flush is needless if the first was fenced;
 * if not, the thread that wants the line persistent must flush it itself. */
// link: -lpthread
#include "pair.h"

#include <pthread.h>

static char *p;
static volatile int step;

static void *work(void *unused)
{
	(void)unused;
	ST8(p, 1);
	CLWB(p);
	SFENCE();
	step = 1;
	while (step != 2)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	p = pool_create(argc > 1 ? argv[1] : "pool");
	CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
	while (step != 1)
		;
	CLWB(p); //! redundant-flush performance
	SFENCE();
	step = 2;
	pthread_join(thread, NULL);
	return 0;
}
