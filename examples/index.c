// SPDX-License-Identifier: GPL-2.0-or-later
// index.c - a sorted index in persistent memory that performs operations: an example with deliberate bugs.
//
//     index POOL [OPERATIONS]     perform the operations of a file, or of standard input, one a line:
//
//     put KEY VALUE               add or change a key, and print "new" or "changed"
//     get KEY                     print its value, or "none"
//     delete KEY                  remove it, and print "deleted" or "none"
//     list                        print all pairs
//
// Keys and values are numbers.  The pool is one file, mapped shared: a list of nodes, sorted by key.  A file of zeros
// is an empty index, so nothing has to be created.  After a crash the program just opens the pool and goes on.  It has
// no check of its own.
//
// The program works, never crashes, and persists all that it stores.  Yet after a power failure, a key may be lost, or
// have a value that it never had.  The two mistakes are marked MISTAKE.  Only the outputs of later operations show them:
//
//     blackout ops --count 20 --keys 5 --seed 60 index.spec >ops
//     blackout run --ops ops --recover './index pool' -- ./index pool

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODES 8192

struct node { // half a cache line
	uint64_t key, value;
	uint64_t next; // number of the next node in order of keys; 0 ends the list
	uint64_t pad;
};

struct pool {
	uint64_t used;       // nodes that were ever taken; those of deleted keys are not used again
	uint64_t pad[7];     // the rest of the cache line
	struct node nodes[]; // node 0 holds no key: its `next` is the start of the list
};

#define POOL_BYTES (sizeof(struct pool) + NODES * sizeof(struct node))

static struct pool *pool;

static void die(const char *what)
{
	fprintf(stderr, "index: %s\n", what);
	exit(1);
}

// Make a field, or a node, persistent; neither crosses a cache line.
static void persist(const void *address)
{
	static unsigned features; // CPUID leaf 7, EBX
	unsigned a, c, d;

	if (!features)
		__get_cpuid_count(7, 0, &a, &features, &c, &d);
	if (features & bit_CLWB)
		__asm__ volatile("clwb %0" : "+m"(*(volatile char *)address));
	else if (features & bit_CLFLUSHOPT)
		__asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)address));
	else
		_mm_clflush(address);
	_mm_sfence();
}

// ---- the index

// The last node before the place of a key.
static struct node *node_before(uint64_t key)
{
	struct node *node = &pool->nodes[0];

	while (node->next && pool->nodes[node->next].key < key)
		node = &pool->nodes[node->next];
	return node;
}

// The node of a key that comes after `before`, or NULL if the index does not have the key.
static struct node *node_of(const struct node *before, uint64_t key)
{
	struct node *node = &pool->nodes[before->next];

	return before->next && node->key == key ? node : NULL;
}

static void node_link(struct node *before, uint64_t key, uint64_t value)
{
	uint64_t number = pool->used + 1;
	struct node *node = &pool->nodes[number];

	if (number == NODES)
		die("the pool is full");
	pool->used = number;
	persist(&pool->used);
	node->key = key;
	node->next = before->next;
	persist(node);
	before->next = number;
	persist(&before->next);
	// MISTAKE: the node is in the list before it has its value: after a crash, the value may be 0
	node->value = value;
	persist(&node->value);
}

static void node_unlink(struct node *before)
{
	before->next = pool->nodes[before->next].next;
	persist(&before->next);
}

static void index_put(uint64_t key, uint64_t value)
{
	struct node *before = node_before(key);
	const struct node *old = node_of(before, key);

	// MISTAKE: a change takes two steps: after a crash, both the old and the new value may be lost
	if (old)
		node_unlink(before);
	node_link(before, key, value);
	puts(old ? "changed" : "new");
}

static void index_get(uint64_t key)
{
	const struct node *node = node_of(node_before(key), key);

	if (node)
		printf("%" PRIu64 "\n", node->value);
	else
		puts("none");
}

static void index_delete(uint64_t key)
{
	struct node *before = node_before(key);
	const struct node *node = node_of(before, key);

	if (node)
		node_unlink(before);
	puts(node ? "deleted" : "none");
}

static void index_list(void)
{
	fputs("all:", stdout);
	for (uint64_t i = pool->nodes[0].next; i; i = pool->nodes[i].next)
		printf(" %" PRIu64 "=%" PRIu64, pool->nodes[i].key, pool->nodes[i].value);
	putchar('\n');
}

// ---- the operations

static uint64_t number(const char *word)
{
	return strtoull(word, NULL, 10);
}

static __attribute__((noinline)) void perform(const char *operation) // so that --op-marks call:perform sees it
{
	char verb[16], key[32], value[32];
	int words = sscanf(operation, "%15s %31s %31s", verb, key, value);

	if (words == 3 && !strcmp(verb, "put"))
		index_put(number(key), number(value));
	else if (words == 2 && !strcmp(verb, "get"))
		index_get(number(key));
	else if (words == 2 && !strcmp(verb, "delete"))
		index_delete(number(key));
	else if (words == 1 && !strcmp(verb, "list"))
		index_list();
	else
		puts("no such operation");
}

static void pool_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0666);

	if (fd < 0 || ftruncate(fd, POOL_BYTES) < 0)
		die(strerror(errno));
	pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		die(strerror(errno));
	close(fd);
}

int main(int argc, char **argv)
{
	FILE *operations = argc == 3 ? fopen(argv[2], "r") : stdin;
	char line[128];

	if (argc < 2 || argc > 3)
		die("usage: index POOL [OPERATIONS]");
	if (!operations)
		die(strerror(errno));
	pool_open(argv[1]);
	while (fgets(line, sizeof(line), operations))
		perform(line);
	return 0;
}
