/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock-in-pool-fixed.c - see lock-in-pool-buggy.c. */
// link: -lpthread
#include "pair.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	char *p = pool_create(argc > 1 ? argv[1] : "pool");
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
	for (int i = 1; i < 4; i++) {
		pthread_mutex_lock(&lock);
		ST8(p, i);
		CLWB(p);
		SFENCE();
		pthread_mutex_unlock(&lock);
	}
	pthread_join(thread, NULL);
	return 0;
}
