/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing-fence-thread-buggy.c - one thread flushes, and only another one fences: that completes nothing.
 * (Bound at once: the lock that lazy binding takes would complete it.) */
// link: -lpthread -Wl,-z,now
#include "pair.h"

#include <pthread.h>

static char *p;
static volatile int step;

static void *work(void *unused)
{
	(void)unused;
	ST8(p, 1); //! missing-fence error
	CLWB(p);
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
	ST8(p + LINE, 1);
	CLWB(p + LINE);
	SFENCE();
	step = 2;
	pthread_join(thread, NULL);
	return 0;
}
