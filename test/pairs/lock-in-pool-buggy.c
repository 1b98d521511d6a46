/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock-in-pool-buggy.c - a mutex beside the data that it guards.  The flush of the data writes it back too, but nobody
 * wants it persistent: that it is unlocked and not flushed at the end is no error. */
// link: -lpthread
#include "pair.h"

#include <pthread.h>

struct root {
	pthread_mutex_t lock;
	uint64_t value;
};

static void *work(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	struct root *root = (struct root *)pool_create(argc > 1 ? argv[1] : "pool");
	pthread_t thread;

	/* With a second thread the C library uses atomic instructions. */
	CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
	for (int i = 1; i < 4; i++) {
		pthread_mutex_lock(&root->lock);
		ST8(&root->value, i);
		CLWB(&root->value);
		SFENCE();
		pthread_mutex_unlock(&root->lock); //! transient-data warning
	}
	pthread_join(thread, NULL);
	return 0;
}
