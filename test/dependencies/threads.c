/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.c - each thread has its own decisions and registers; volatile memory is shared. */
// link: -lpthread
#include "depend.h"

#include <pthread.h>

static void words_prepare(struct words *words)
{
	(void)words;
}

/* Threads take turns by pipes, because what the kernel delivers depends on nothing. */
static int there[2], back[2];

static APART void turn_give(int *pipe_ends)
{
	CHECK(write(pipe_ends[1], "t", 1) == 1);
}

static APART void turn_await(int *pipe_ends)
{
	char c;

	CHECK(read(pipe_ends[0], &c, 1) == 1);
}

static void thread_run(pthread_t *thread, void *(*function)(void *), struct words *pm)
{
	CHECK(pipe(there) == 0 && pipe(back) == 0);
	CHECK(pthread_create(thread, NULL, function, pm) == 0);
}

static void thread_end(pthread_t thread)
{
	pthread_join(thread, NULL);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

static void *y_set_in_turn(void *arg)
{
	struct words *pm = (struct words *)arg;

	turn_await(there);
	pm->y = 1;
	turn_give(back);
	return NULL;
}

CASE(decision_of_another_thread)
{
	pthread_t thread;

	thread_run(&thread, y_set_in_turn, pm);
	if (pm->flag) {
		turn_give(there);
		turn_await(back); //! store y: nothing
		pm->w = 1;        //! store w: control flag
	}
	thread_end(thread);
	pm->v = 1; //! store v: nothing
}

static void *z_keep(void *arg)
{
	kept = ((struct words *)arg)->z;
	return NULL;
}

CASE(value_of_another_thread)
{
	pthread_t thread;

	thread_run(&thread, z_keep, pm);
	thread_end(thread);
	pm->y = kept; //! store y: data z
}

/* Each holds a value, with -O2 in a register, while the other runs. */
static APART void value_hold(word *from, word *to, int *give, int *await)
{
	uint64_t held = *from;

	turn_give(give);
	turn_await(await);
	*to = held;
}

static void *z_hold(void *arg)
{
	struct words *pm = (struct words *)arg;

	value_hold(&pm->z, &pm->w, there, back);
	return NULL;
}

CASE(registers_of_threads)
{
	pthread_t thread;

	thread_run(&thread, z_hold, pm);
	value_hold(&pm->x, &pm->y, back, there);
	thread_end(thread);
}
//! store y: data x
//! store w: data z

static void *locked_add(void *arg)
{
	struct words *pm = (struct words *)arg;
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	kept = kept + pm->x;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

/* Locks that PM has nothing to do with add nothing. */
CASE(mutex)
{
	pthread_t thread;

	kept = 0;
	thread_run(&thread, locked_add, pm);
	locked_add(pm);
	thread_end(thread);
	pm->y = kept; //! store y: data x
}
