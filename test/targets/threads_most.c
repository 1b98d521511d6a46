/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads_most.c - more threads at once than Valgrind allows by itself. */
// link: -lpthread
// events: store
#include "target.h"

#include <pthread.h>

enum { THREADS = 1900 };

static char *pool;
static pthread_barrier_t all_there;

static void *work(void *n)
{
	pthread_barrier_wait(&all_there);
	__asm__ volatile("lock; incq (%0)" : : "r"(pool) : "memory");
	return n;
}

int main(int argc, char **argv)
{
	static pthread_t threads[THREADS];
	pthread_attr_t attr;

	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_barrier_init(&all_there, NULL, THREADS);
	begin(pool);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], &attr, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	ST8(pool + 8, load8(pool)); //! store pool+0x8 8 0x76c
	end(pool);
	return 0;
}
