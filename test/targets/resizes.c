/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resizes.c - resizes FILE OPERATIONS good|bad; resizes FILE check: a list of numbers in an array that doubles when it
 * is full.
 *
 * A number is persisted before the count that makes it valid.  When the array is full its numbers are copied to a new
 * one, and that is put in its place: `bad` has one fence for the copy and for the pointer to it. */
// needs: clwb
#include "target.h"

#define FIRST 4u
#define ROOM ((POOL_BYTES - 192) / 8)

struct list {
	_Alignas(64) uint64_t array; /* number of its first word */
	_Alignas(64) uint64_t count;
	_Alignas(64) uint64_t words[];
};

static uint64_t size = FIRST, used = FIRST;

static void persist(const void *p)
{
	CLWB(p);
	SFENCE();
}

static void resize(struct list *list, int bad)
{
	uint64_t to = used;

	CHECK(used + 2 * size <= ROOM);
	for (uint64_t i = 0; i < size; i++) {
		ST8(&list->words[to + i], list->words[list->array + i]);
		CLWB(&list->words[to + i]);
	}
	if (!bad)
		SFENCE();
	ST8(&list->array, to); /* too early, if it is bad */
	persist(&list->array);
	used += 2 * size;
	size *= 2;
}

static void append(struct list *list, uint64_t number, int bad)
{
	uint64_t count = list->count;

	if (count == size)
		resize(list, bad);
	ST8(&list->words[list->array + count], number);
	persist(&list->words[list->array + count]);
	ST8(&list->count, count + 1);
	persist(&list->count);
}

static int check(const char *path)
{
	int fd = open(path, O_RDWR);
	const struct list *list =
		fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (list == MAP_FAILED)
		return 0;
	for (uint64_t i = 0; i < list->count; i++)
		if (list->array + i >= ROOM || list->words[list->array + i] != i + 1)
			return 3;
	return 0;
}

int main(int argc, char **argv)
{
	struct list *list;

	CHECK(argc >= 3);
	if (!strcmp(argv[2], "check"))
		return check(argv[1]);
	CHECK(argc == 4);
	list = (struct list *)pool_create(argv[1]);
	for (uint64_t i = 1; i <= strtoull(argv[2], NULL, 10); i++)
		append(list, i, !strcmp(argv[3], "bad"));
	return 0;
}
