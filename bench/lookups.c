/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lookups and nothing else, in memory that fits into the cache: what programs of blackout-cc do slowest if their loads cost
 * anything.
 *
 *     lookups [ROUNDS]
 *
 * Prints a line for each way to look up: its name and the processor time of the best of the rounds, in seconds. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { KEYS = 4096, SCANNED = 256 };

struct node {
	uint64_t key;
	struct node *child[2];
};

/* The same, for threads: children are published with release order. */
struct shared_node {
	uint64_t key;
	struct shared_node *_Atomic child[2];
};

static uint64_t unsorted[KEYS], sorted[KEYS];
static uint32_t small[KEYS];
static struct node nodes[KEYS], *root;
static struct shared_node shared_nodes[KEYS], *_Atomic shared_root;

static uint64_t in_sorted(uint64_t key)
{
	size_t low = 0, high = KEYS;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sorted[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t by_scan(uint64_t key)
{
	for (size_t i = 0; i < SCANNED; i++)
		if (unsorted[i] == key)
			return i;
	return SCANNED;
}

/* Compilers use vectors here. */
static uint64_t by_vectors(uint64_t key)
{
	uint32_t below = 0;

	for (size_t i = 0; i < SCANNED; i++)
		below += small[i] < (uint32_t)key;
	return below;
}

static uint64_t in_tree(uint64_t key)
{
	const struct node *node = root;
	uint64_t depth = 0;

	for (; node && node->key != key; depth++)
		node = node->child[node->key < key];
	return depth;
}

static uint64_t in_shared_tree(uint64_t key)
{
	struct shared_node *node = atomic_load_explicit(&shared_root, memory_order_acquire);
	uint64_t depth = 0;

	for (; node && node->key != key; depth++)
		node = atomic_load_explicit(&node->child[node->key < key], memory_order_acquire);
	return depth;
}

static const struct {
	const char *name;
	uint64_t (*lookup)(uint64_t key);
	unsigned count;
} ways[] = {
	{"sorted", in_sorted, 1000000},           {"scan", by_scan, 500000},
	{"vectors", by_vectors, 500000},          {"tree", in_tree, 1000000},
	{"shared-tree", in_shared_tree, 1000000},
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void tree_add(struct node *node)
{
	struct node **place = &root;

	while (*place)
		place = &(*place)->child[(*place)->key < node->key];
	*place = node;
}

static void shared_tree_add(struct shared_node *node)
{
	struct shared_node *_Atomic *place = &shared_root, *at;

	while ((at = atomic_load_explicit(place, memory_order_relaxed)))
		place = &at->child[at->key < node->key];
	atomic_store_explicit(place, node, memory_order_release);
}

static void fill(void)
{
	uint64_t key = 1;

	for (size_t i = 0; i < KEYS; i++) {
		key = key * 6364136223846793005u + 1442695040888963407u;
		unsorted[i] = sorted[i] = nodes[i].key = shared_nodes[i].key = key;
		small[i] = (uint32_t)(key >> 32);
		tree_add(&nodes[i]);
		shared_tree_add(&shared_nodes[i]);
	}
	qsort(sorted, KEYS, sizeof(*sorted), compare);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double time_of(uint64_t (*lookup)(uint64_t key), unsigned count)
{
	double begin = now();
	uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += lookup(unsorted[i % SCANNED]);
	if (sum == 0) /* use it */
		abort();
	return now() - begin;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 5;

	fill();
	for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		double best = 1e9;

		for (int i = 0; i < rounds; i++) {
			double seconds = time_of(ways[w].lookup, ways[w].count);

			best = seconds < best ? seconds : best;
		}
		printf("%s %.6f\n", ways[w].name, best);
	}
	return 0;
}
