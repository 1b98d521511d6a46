/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads_many.c - eight threads write without asking each other; every store must be there, and each thread's in its
 * own order. */
// link: -lpthread
#include "target.h"

#include <pthread.h>

#define THREADS 8
#define ROUNDS 2000

static char *pool;

static void *writer(void *arg)
{
	long n = (long)arg;

	for (long i = 1; i <= ROUNDS; i++) {
		ST8(pool + n * 64, i);
		__asm__ volatile("lock incq (%0)" : : "r"(pool + 0x1000) : "memory", "cc");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, writer, (void *)i) == 0);
	for (long i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	CHECK(load8(pool + 0x1000) == THREADS * ROUNDS);
	return 0;
}
