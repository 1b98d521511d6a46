/* SPDX-License-Identifier: GPL-2.0-or-later */
/* heap_copy.c - a process that is forked after its heap was filled copies the huge pages of this heap at once.
 *
 * After a fork, memory is shared until one side writes to it.  Then the kernel splits the huge page, and copies a small
 * one: one page fault for each.  libpmemobj writes to all its memory when it closes a pool, so these faults take longer
 * than everything else that is left to do.  To copy the same memory into new huge pages takes a fraction of their time.
 *
 * It pays only for a child that writes to a good part of this memory.  So children are measured that do not copy: the
 * first one, and one of many later on.  A child that only allocates more writes to the last page, which was not full;
 * then this one is copied.  What was found out is in the page of the stub, which all processes share.
 *
 * Memory in small pages (pmemobj_memory.c) is copied by the kernel, with one system call instead of a fault for each page.
 *
 * A process is forked by a server, or at an undecided line, where a signal has stopped it anywhere in its code.  While
 * a page is on its way, nothing may use the heap: hence no call of another library here. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "preload/call.h"
#include "preload/stub.h"

enum {
	HUGE = 2 << 20,
	WORTH = 100,  /* page faults that take as long as to copy a huge page */
	SAMPLE = 100, /* one child of so many does not copy */
	SMALL_PAGES = HUGE / 4096,
};

static struct {
	uintptr_t from, to; /* the room for children's heaps; see heap.c */
	size_t filled;      /* huge pages that are in use before the next fork */
	size_t copies;      /* the next child copies so many of them, the last ones */
	long faults;        /* of our children so far */
	uint32_t number;    /* of the last child */
} heap;

static struct {
	uintptr_t from;
	const _Atomic uintptr_t *end;
	size_t bytes; /* that are in use before the next fork */
	bool copy;    /* the next child copies them */
} small;

void heap_copy_room(uintptr_t from, uintptr_t to)
{
	heap.from = from;
	heap.to = to;
}

void heap_copy_small_pages(uintptr_t from, const _Atomic uintptr_t *end)
{
	small.from = from;
	small.end = end;
}

void heap_copy_spare(const void *at, size_t bytes)
{
	if ((uintptr_t)at < heap.to && (uintptr_t)at + bytes > heap.from)
		heap.to = heap.from;
}

void heap_copy_anew(void)
{
	atomic_store(&stub_page->heap_forks, 0);
	atomic_store(&stub_page->heap_copies, 0);
}

static size_t pages_filled(void)
{
	unsigned char is_there;
	size_t count = 0;

	while (heap.from + count * HUGE < heap.to && CALL(SYS_mincore, heap.from + count * HUGE, 1, &is_there) == 0 &&
	       is_there & 1)
		count++;
	return count;
}

static long children_faults(void)
{
	struct rusage used = {0};

	CALL(SYS_getrusage, RUSAGE_CHILDREN, &used);
	return used.ru_minflt;
}

void heap_copy_before(void)
{
	heap.filled = heap.from < heap.to ? pages_filled() : 0;
	heap.copies = 0;
	small.bytes = small.end ? atomic_load(small.end) - small.from : 0;
	small.copy = false;
	if (!heap.filled && !small.bytes)
		return;
	heap.number = atomic_fetch_add(&stub_page->heap_forks, 1) + 1;
	size_t copies = heap.number % SAMPLE ? atomic_load(&stub_page->heap_copies) : 0;
	heap.copies = copies < heap.filled ? copies : heap.filled;
	small.copy = copies && small.bytes;
	heap.faults = children_faults();
}

static void page_copy(uintptr_t to, uintptr_t from)
{
	size_t bytes = HUGE;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* What is shared moves away, and leaves an empty page in its place. */
static void huge_pages_copy(void)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0), end = heap.from + heap.filled * HUGE;
	int how = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;

	if (stack >= heap.from && stack < heap.to)
		return;
	long spare = CALL(SYS_mmap, 0, 2 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (spare < 0)
		return;
	uintptr_t away = ((uintptr_t)spare + HUGE - 1) & ~(uintptr_t)(HUGE - 1);
	for (uintptr_t page = end - heap.copies * HUGE; page < end; page += HUGE)
		if (CALL(SYS_mremap, page, HUGE, HUGE, how, away) == (long)away)
			page_copy(page, away);
	CALL(SYS_munmap, spare, 2 * HUGE);
}

void heap_copy_child(void)
{
	if (heap.copies)
		huge_pages_copy();
	if (small.copy)
		CALL(SYS_madvise, small.from, small.bytes, MADV_POPULATE_WRITE);
}

void heap_copy_after(void)
{
	/* A child that has forked others has their faults, too. */
	if ((!heap.filled && !small.bytes) || heap.copies || small.copy ||
	    atomic_load(&stub_page->heap_forks) != heap.number)
		return;
	long faults = children_faults() - heap.faults;
	bool all = heap.filled && faults >= SMALL_PAGES + (long)(heap.filled - 1) * WORTH;
	atomic_store(&stub_page->heap_copies, all ? UINT32_MAX : faults >= WORTH);
}
