/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shapes FILE OPERATIONS copy | string | fence | threads - programs on a mapped file, each of which does mostly one
 * thing: memcpy of up to 4 KiB, string instructions, a fence after each store, or four threads with a log each. */
// link: -lpthread
#include "persist.h"

#include <pthread.h>

#define THREADS 4
#define BLOCK 4096u
#define BLOCKS 1024u

static unsigned char *pool;
static unsigned long operations;

static unsigned char *block_of(uint64_t random)
{
	return pool + random / 8192 % BLOCKS * BLOCK;
}

static void copy(uint64_t random)
{
	static const unsigned char source[2 * BLOCK] = {1, 2, 3};
	size_t size = 64 + random % (BLOCK - 64);

	memcpy(block_of(random), source + random % BLOCK, size);
	persist(block_of(random), size);
}

static void fill_by_string(uint64_t random)
{
	void *at = block_of(random);
	size_t words = 8 + random % 120;

	__asm__ volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(random) : "memory");
	persist(block_of(random), 64);
}

static void fence(uint64_t random)
{
	uint64_t *word = (uint64_t *)block_of(random) + random % 64;

	for (int i = 0; i < 4; i++) {
		word[i] = random;
		__asm__ volatile("sfence" : : : "memory");
	}
	persist(word, 8);
}

/* Appends records to the log of a thread, a quarter of the pool. */
static void *append(void *log)
{
	uint64_t *words = log, state = 88172645463325252ul;

	for (unsigned long n = operations; n > 0; n--) {
		uint64_t *record = words + 1 + words[0] % (BLOCKS / THREADS * BLOCK / 8 - 16);

		for (int i = 0; i < 6; i++)
			record[i] = random_next(&state);
		persist(record, 6 * sizeof(*record));
		words[0] += 6;
		persist(words, 8);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	operations /= THREADS;
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, append, pool + i * (BLOCKS / THREADS * BLOCK)))
			exit(3);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void repeat(void (*operation)(uint64_t random))
{
	uint64_t state = 88172645463325252ul;

	for (unsigned long n = operations; n > 0; n--)
		operation(random_next(&state));
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: shapes FILE OPERATIONS copy | string | fence | threads\n");
		return 2;
	}
	persist_choose("auto");
	pool = pool_map(argv[1], BLOCKS * BLOCK);
	operations = strtoul(argv[2], NULL, 10);
	if (!strcmp(argv[3], "threads"))
		run_threads();
	else
		repeat(!strcmp(argv[3], "copy") ? copy : !strcmp(argv[3], "string") ? fill_by_string : fence);
	return 0;
}
