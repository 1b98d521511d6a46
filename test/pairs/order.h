/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order.h - operations of several threads whose order matters: they are under way at the same time, and happen in the
 * opposite order of the list.
 *
 * `PROGRAM POOL {ops} THREADS` performs THREADS operations of the list at a time.  All of a round begin in the order of
 * the list, then they happen one after the other, the last one first, and then all end.  Recovery has one thread, so
 * there they happen as listed.  The file that includes this defines, before: */
#ifndef ORDER_H
#define ORDER_H

#include <pthread.h>

#include "ops.h"

/* Add to the number in the pool, or double it. */
static void change(uint64_t *number, const struct operation *op);

/* Call performed(at), between begin and end of the operation. */
static void perform(const char *line, int at);

static uint64_t *number;
static char lines[64][64], results[64][64];
static int count, threads;
static pthread_barrier_t barrier;

/* What happens while the operation is under way. */
static inline void performed(int at)
{
	struct operation op = operation_of(lines[at]);
	int self = at % threads;

	for (int turn = self; turn < threads; turn++) /* until all have begun */
		pthread_barrier_wait(&barrier);
	for (int turn = threads - 1; turn >= 0; turn--) {
		if (turn == self && !is(&op, "show"))
			change(number, &op);
		if (turn == self)
			snprintf(results[at], sizeof(results[at]), is(&op, "show") ? "%lu" : "done", *number);
		pthread_barrier_wait(&barrier);
	}
}

static inline void *work(void *argument)
{
	int self = (int)(intptr_t)argument;

	for (int round = 0; round < count; round += threads) {
		for (int turn = 0; turn < self; turn++) /* until those before it have begun */
			pthread_barrier_wait(&barrier);
		perform(lines[round + self], round + self);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	FILE *list = list_open(argv[2]);
	pthread_t others[4];

	number = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	threads = atoi(argv[argc - 1]);
	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	while (fgets(lines[count], sizeof(lines[count]), list))
		count++;
	CHECK(threads <= 4 && count % threads == 0);
	for (int i = 1; i < threads; i++)
		CHECK(pthread_create(&others[i], NULL, work, (void *)(intptr_t)i) == 0);
	work(NULL);
	for (int i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	for (int i = 0; i < count; i++)
		printf("%s\n", results[i]);
	return 0;
}

#endif
