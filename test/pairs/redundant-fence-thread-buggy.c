/* SPDX-License-Identifier: GPL-2.0-or-later */
/* redundant-fence-thread-buggy.c - a fence with nothing to wait for, while another thread may rely on the order it
 * gives: a warning. */
// link: -lpthread
#include "pair.h"

#include <pthread.h>

static volatile int step;

static void *work(void *unused)
{
	(void)unused;
	while (step != 1)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
	ST8(p, 1);
	CLWB(p);
	SFENCE();
	MFENCE(); //! redundant-fence warning
	step = 1;
	pthread_join(thread, NULL);
	return 0;
}
