/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library_user.c - a program without a mistake in its use of library.c, which has one; and with a mistake of its own,
 * made by way of that library (`own`).
 *
 *     library_user POOL LIBRARY alloc|own      run
 *     library_user POOL LIBRARY check          what recovery does: status 1 if the heap is damaged, 2 if the program's data are */
// needs: clwb
// link: -ldl
#include "target.h"

#include <dlfcn.h>

#include "library.h"

static uint64_t *(*alloc)(struct heap *heap);
static void (*clear)(uint64_t *word);
static struct heap *heap;

static void library_load(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);

	CHECK(handle);
	*(void **)&alloc = dlsym(handle, "library_alloc");
	*(void **)&clear = dlsym(handle, "library_clear");
	CHECK(alloc && clear);
}

static __attribute__((noinline)) void value_set(uint64_t *chunk, uint64_t value)
{
	ST8(&chunk[1], value);
	CLWB(&chunk[1]);
	SFENCE();
}

static __attribute__((noinline)) void list_add(void)
{
	value_set(alloc(heap), 1);
}

static __attribute__((noinline)) void tree_add(void)
{
	value_set(alloc(heap), 2);
}

static __attribute__((noinline)) void log_add(void)
{
	value_set(alloc(heap), 3);
	value_set(alloc(heap), 4);
}

/* words[2] may be set only while words[0] is not. */
static __attribute__((noinline)) void own_mistake(void)
{
	uint64_t *words = heap->chunks[0];

	ST8(&words[0], 1);
	CLWB(&words[0]);
	SFENCE();
	clear(&words[0]); //! own
	ST8(&words[8], 1);
	CLWB(&words[8]);
	SFENCE();
	CLWB(&words[0]);
	SFENCE();
}

static int check(void)
{
	for (int i = 0; i < CHUNKS; i++)
		if (heap->bitmap[i].used && heap->headers[i].type != CHUNK_USED) {
			fprintf(stderr, "invalid chunk type\n");
			return 1;
		}
	return heap->chunks[0][0] && heap->chunks[0][8] ? 2 : 0;
}

int main(int argc, char **argv)
{
	CHECK(argc == 4);
	if (!strcmp(argv[3], "check")) {
		heap = (struct heap *)file_map(open(argv[1], O_RDWR), POOL_ADDR, POOL_BYTES);
		return check();
	}
	library_load(argv[2]);
	heap = (struct heap *)pool_create(argv[1]);
	if (!strcmp(argv[3], "own")) {
		own_mistake();
		return 0;
	}
	list_add();
	tree_add();
	log_add();
	return 0;
}
