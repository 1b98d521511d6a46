/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loops - loops over arrays, which compilers make use vectors, and stores to structures: what hooks for accesses cost most.
 *
 *     loops NAME BYTES
 *
 * Runs the loop NAME over arrays of BYTES in volatile memory, so often that it has seen 2 GiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOTAL_SHIFT = 31 };

static volatile long result;

__attribute__((noinline)) static void sum(int *a, int *b, long n)
{
	long s = 0;

	(void)b;
	for (long i = 0; i < n; i++)
		s += a[i];
	result = s;
}

__attribute__((noinline)) static void number(int *a, int *b, long n)
{
	(void)b;
	for (long i = 0; i < n; i++)
		a[i] = (int)i;
}

__attribute__((noinline)) static void add(int *restrict a, int *restrict b, long n)
{
	for (long i = 0; i < n; i++)
		a[i] += b[i];
}

struct node {
	long key, value;
	struct node *next;
	int count, used;
};

__attribute__((noinline)) static void nodes(int *a, int *b, long n)
{
	struct node *node = (struct node *)a;
	long count = n * (long)sizeof(int) / (long)sizeof(*node);

	(void)b;
	for (long i = 0; i < count; i++) {
		node[i].key = i;
		node[i].value = i * 7;
		node[i].next = node + i + 1;
		node[i].count = 1;
		node[i].used = 0;
	}
}

static const struct loop {
	const char *name;
	void (*run)(int *a, int *b, long n);
} loops[] = {{"sum", sum}, {"number", number}, {"add", add}, {"nodes", nodes}};

int main(int argc, char **argv)
{
	long bytes = argc == 3 ? atol(argv[2]) : 0;
	int *a = calloc(1, (size_t)bytes), *b = calloc(1, (size_t)bytes);

	for (size_t i = 0; bytes > 0 && a && b && i < sizeof(loops) / sizeof(*loops); i++) {
		if (strcmp(argv[1], loops[i].name) != 0)
			continue;
		for (long done = 0; done < 1L << TOTAL_SHIFT; done += bytes)
			loops[i].run(a, b, bytes / (long)sizeof(*a));
		free(a);
		free(b);
		return 0;
	}
	fprintf(stderr, "usage: loops sum|number|add|nodes BYTES\n");
	return 2;
}
