/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-threads-buggy.c - two threads add to accounts at the same time, and do not write them back. */
// link: -lpthread
// arguments: {ops} 2
// recover: {ops} 1
// run: --detect inject,explore --op-marks annotated
// op: add 0 5; add 1 6; add 0 7; add 1 8; add 0 9; add 1 10; add 0 11; add 1 12; add 0 13; add 1 14
// probe: show 0; show 1; add 0 1; show 0
#include "ops.h"

#include <pthread.h>

#include "blackout/annotate.h"

struct account {
	_Alignas(LINE) uint64_t both; /* total, and entries in the upper half */
};

static struct account *accounts;
static char lines[64][64], results[64][64];
static int count, threads;
static pthread_barrier_t barrier;

static void add(struct account *account, uint64_t amount)
{
	ST8(&account->both, account->both + amount + (1ul << 32)); //! output-mismatch error
}

static void show(const struct account *account, char *result, size_t room)
{
	snprintf(result, room, "%lu in %lu entries", account->both & 0xffffffff, account->both >> 32);
}

static void perform(int number)
{
	struct operation op = operation_of(lines[number]);

	if (is(&op, "add")) {
		add(&accounts[op.a], op.b);
		strcpy(results[number], "added");
	} else {
		show(&accounts[op.a], results[number], sizeof(results[number]));
	}
}

/* Every thread performs each operation whose turn it is.  They begin one after the other, and then run at the same time. */
static void *work(void *argument)
{
	int self = (int)(intptr_t)argument;

	for (int round = 0; round < count; round += threads) {
		for (int turn = 0; turn < threads; turn++) {
			if (turn == self && round + self < count)
				BLACKOUT_OP_BEGIN(lines[round + self]);
			pthread_barrier_wait(&barrier);
		}
		if (round + self < count) {
			perform(round + self);
			BLACKOUT_OP_END();
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	FILE *list = list_open(argv[2]);
	pthread_t second;

	accounts = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	threads = atoi(argv[argc - 1]);
	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	while (fgets(lines[count], sizeof(lines[count]), list))
		count++;
	if (threads == 2)
		CHECK(pthread_create(&second, NULL, work, (void *)1) == 0);
	work(NULL);
	if (threads == 2)
		pthread_join(second, NULL);
	for (int i = 0; i < count; i++)
		printf("%s\n", results[i]);
	return 0;
}
