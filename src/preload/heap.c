/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap.c - children that fill much memory of their own get it in huge pages.
 *
 * libpmemobj fills megabytes of its heap whenever it opens a pool.  In small pages, that is thousands of page faults for
 * each crash state, and takes longer than everything that recovery does with the pool.  So when a child had many
 * faults, the server lets its own heap grow by as much as the child may have filled, without touching it, and asks the
 * kernel for huge pages there.  Later children find this room on top of their heap.  They get the same memory as
 * before, in larger pieces.
 *
 * An allocator other than the C library's leaves our room unused, which costs nothing: nobody touches it. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/stub.h"

enum {
	FAULTS_MIN = 500, /* fewer are not worth it */
	PAGE = 4096,
	HUGE = 2 << 20,
	BLOCK = 64 << 10, /* smaller than what would be a mapping of its own */
	BLOCK_MIN = 32,
	BLOCKS_MAX = 2 * HUGE / BLOCK,
	HEADER = 8, /* of a block, in front of it */
};
#define ROOM_MAX ((size_t)256 << 20)
#define TOP_PAD_DEFAULT (128 * 1024)

static bool considered;

static bool limit_allows(int resource, size_t bytes)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur / 8;
}

bool heap_may_reserve(size_t bytes)
{
	return limit_allows(RLIMIT_AS, bytes) && limit_allows(RLIMIT_DATA, bytes);
}

static size_t room_for(long faults)
{
	size_t room = (size_t)faults * PAGE + HUGE;

	if (!heap_may_reserve(room))
		return 0;
	return room < ROOM_MAX ? room : ROOM_MAX;
}

/* Where the C library's heap puts the block after this one, unless it has a hole that fits. */
static uintptr_t block_after(void *block)
{
	return (uintptr_t)block + (block ? malloc_usable_size(block) : 0) + HEADER;
}

/* Allocate blocks up to `address`, so that what is allocated next begins there: not even the header of the free memory
 * may be on the first huge page, because a page that the server touches is a small one. */
static size_t heap_fill(uintptr_t address, void *blocks[BLOCKS_MAX])
{
	size_t count = 0, left = BLOCK;

	while (count < BLOCKS_MAX && left >= BLOCK_MIN) {
		blocks[count] = malloc((left < BLOCK ? left : BLOCK) - HEADER);
		uintptr_t next = block_after(blocks[count++]);
		left = next < address ? address - next : 0;
	}
	return count;
}

/* Let the C library's heap grow, with all the room free on its top.  The blocks below this room stay allocated; nobody
 * touches them. */
static void heap_grow(size_t room)
{
	uintptr_t from = ((uintptr_t)sbrk(0) + BLOCK + HUGE - 1) & ~(uintptr_t)(HUGE - 1), to;
	void *blocks[BLOCKS_MAX];
	size_t count;

	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	mallopt(M_TOP_PAD, (int)(room + 2 * HUGE));
	count = heap_fill(from, blocks);
	mallopt(M_TOP_PAD, TOP_PAD_DEFAULT);
	to = (uintptr_t)sbrk(0) & ~(uintptr_t)(HUGE - 1);
	if (to > from && madvise((void *)from, to - from, MADV_HUGEPAGE) == 0)
		heap_copy_room(from, to);
	else
		while (count > 0)
			free(blocks[--count]);
}

void heap_consider(const struct rusage *child)
{
	/* A server further on was stopped anywhere, even in malloc. */
	bool first = getpid() == stub_page->started;

	if (considered || !first || !stub_page->huge_pages || child->ru_minflt < FAULTS_MIN)
		return;
	considered = true;
	size_t room = room_for(child->ru_minflt);
	if (room)
		heap_grow(room);
}
