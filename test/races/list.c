/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list POOL ACTION - a list in PM whose head is published by a plain store, and things that recovery may do.
 *
 *   fill [N]      make the pool with N nodes (3); at the end, the pool is marked as done
 *   threads       the same by two threads, one after the other, with a mutex
 *   ops           perform the operations of standard input: `add KEY` and `sum`
 *   check         read the list
 *   fail, crash, hang   the same, and then what the name says, unless the pool is done
 *   spin          the same, and then wait in PM for someone who is not there, and store that it waits
 *   record        store a record with a checksum;  verify: is its checksum right?  If so, is the pool done?
 *
 * With -DATOMIC the head is stored atomically.  Comments `//! race` mark stores that race, `//+ NAME` loads. */
#include <fcntl.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODES 1000

struct node {
	_Alignas(64) long key;
	long next;
};

struct record {
	long key, value, sum;
};

struct pool {
	_Alignas(64) long head; /* number of the newest node, from 1 */
	_Alignas(64) long done;
	long waiting;
	_Alignas(64) struct record record;
	struct node nodes[NODES];
};

static struct pool *pool;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void persist(const void *from)
{
	_mm_clflush(from);
	_mm_sfence();
}

static void add(long key)
{
	long number = pool->head + 1;
	struct node *node = &pool->nodes[number - 1];

	node->key = key;
	node->next = pool->head;
	persist(node);
#ifdef ATOMIC
	__atomic_store_n(&pool->head, number, __ATOMIC_RELEASE);
#else
	pool->head = number; //! race
#endif
	persist(&pool->head);
}

static long sum(void)
{
	long total = 0;

	for (long n = pool->head; n; n = pool->nodes[n - 1].next) //+ head
		total += pool->nodes[n - 1].key;
	return total;
}

static void finish(void)
{
	__atomic_store_n(&pool->done, 1, __ATOMIC_RELEASE);
	persist(&pool->done);
}

static int perform(void)
{
	char line[80];

	while (fgets(line, sizeof(line), stdin)) {
		if (!strncmp(line, "add ", 4))
			add(atol(line + 4));
		printf("%ld\n", sum());
	}
	return 0;
}

static void *add_one(void *key)
{
	pthread_mutex_lock(&mutex);
	add((long)key);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void add_in_threads(void)
{
	pthread_t thread;

	for (long i = 1; i <= 2; i++) {
		pthread_create(&thread, NULL, add_one, (void *)i);
		pthread_join(thread, NULL);
	}
}

/* Records */

static long checksum(const struct record *r)
{
	return r->key * 31 + r->value * 17 + 1; //+ checksum
}

static int is_right(const struct record *r, long expected)
{
	if (checksum(r) != expected)
		return 0;
	return 1;
}

static void record_store(void)
{
	pool->record.key = 7;
	pool->record.value = 8;
	pool->record.sum = 7 * 31 + 8 * 17 + 1; //! sum
	persist(&pool->record);
}

static int record_read(void)
{
	const volatile long *expected = &pool->record.sum;

	if (is_right(&pool->record, *expected)) //+ sum
		printf("done: %ld\n", pool->done);
	return 0;
}

static int recover(const char *action)
{
	printf("%ld\n", sum());
	fflush(stdout);
	if (pool->done)
		return 0;
	while (!strcmp(action, "hang"))
		pause();
	while (!strcmp(action, "spin") && !*(volatile long *)&pool->done)
		*(volatile long *)&pool->waiting = 1;
	if (!strcmp(action, "crash"))
		abort();
	return !strcmp(action, "fail");
}

int main(int argc, char **argv)
{
	const char *action = argc > 2 ? argv[2] : "";
	int fd = open(argv[1], O_RDWR | O_CREAT, 0666);

	if (fd < 0 || ftruncate(fd, sizeof(*pool)) < 0)
		return 2;
	pool = mmap(NULL, sizeof(*pool), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		return 2;
	if (!strcmp(action, "verify"))
		return record_read();
	if (!strcmp(action, "ops"))
		return perform();
	if (strcmp(action, "fill") && strcmp(action, "threads") && strcmp(action, "record"))
		return recover(action);
	if (!strcmp(action, "fill"))
		for (long i = 1; i <= (argc > 3 ? atol(argv[3]) : 3); i++)
			add(i);
	else if (!strcmp(action, "threads"))
		add_in_threads();
	else
		record_store();
	finish();
	return 0;
}
