/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts_threads.c - several threads, deep in calls of their own when the scheduler switches. */
// cflags: -fno-omit-frame-pointer
// link: -lpthread
#include "contexts.h"

#include <pthread.h>
#include <sched.h>

static NOINLINE void work(int n)
{
	sched_yield();
	SAMPLE();
	if (n > 0)
		work(n - 1);
	sched_yield();
	SAMPLE();
}

static void *thread_a(void *arg)
{
	for (int i = 0; i < 4; i++)
		work(i);
	return arg;
}

static void *thread_b(void *arg)
{
	work(5);
	SAMPLE();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	CHECK(argc == 2);
	contexts_start(argv[1]);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, i & 1 ? thread_b : thread_a, NULL) == 0);
	work(4);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	SAMPLE();
	return 0;
}
