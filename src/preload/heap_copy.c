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
	ROOMS = 2,
};

/* The rooms for children's heaps: the C library's (heap.c), and libpmemobj's (pmemobj_memory.c). */
static struct room {
	uintptr_t from, to;
	size_t filled; /* huge pages that are in use before the next fork */
	size_t copies; /* the next child copies so many of them, the last ones */
} rooms[ROOMS];
static size_t room_count;

static struct {
	size_t filled, copies; /* of all rooms */
	long faults;           /* of our children so far */
	uint32_t number;       /* of the last child */
} heap;

void heap_copy_room(uintptr_t from, uintptr_t to)
{
	if (room_count < ROOMS)
		rooms[room_count++] = (struct room){.from = from, .to = to};
}

void heap_copy_spare(const void *at, size_t bytes)
{
	for (size_t i = 0; i < room_count; i++)
		if ((uintptr_t)at < rooms[i].to && (uintptr_t)at + bytes > rooms[i].from)
			rooms[i].to = rooms[i].from;
}

void heap_copy_anew(void)
{
	atomic_store(&stub_page->heap_forks, 0);
	atomic_store(&stub_page->heap_copies, 0);
}

static size_t pages_filled(const struct room *room)
{
	unsigned char is_there;
	size_t count = 0;

	while (room->from + count * HUGE < room->to &&
	       CALL(SYS_mincore, room->from + count * HUGE, 1, &is_there) == 0 && is_there & 1)
		count++;
	return count;
}

static long children_faults(void)
{
	struct rusage used = {0};

	CALL(SYS_getrusage, RUSAGE_CHILDREN, &used);
	return used.ru_minflt;
}

void heap_copy_before(bool repeats)
{
	heap.filled = heap.copies = 0;
	for (size_t i = 0; !repeats && i < room_count; i++) {
		rooms[i].filled = pages_filled(&rooms[i]);
		heap.filled += rooms[i].filled;
	}
	if (!heap.filled)
		return;
	heap.number = atomic_fetch_add(&stub_page->heap_forks, 1) + 1;
	size_t copies = heap.number % SAMPLE ? atomic_load(&stub_page->heap_copies) : 0;
	for (size_t i = 0; i < room_count; i++) {
		rooms[i].copies = copies < rooms[i].filled ? copies : rooms[i].filled;
		heap.copies += rooms[i].copies;
	}
	heap.faults = children_faults();
}

static void page_copy(uintptr_t to, uintptr_t from)
{
	size_t bytes = HUGE;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* What is shared moves away, and leaves an empty page in its place. */
static void room_copy(const struct room *room, uintptr_t away)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0), end = room->from + room->filled * HUGE;
	int how = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;

	if (stack >= room->from && stack < room->to)
		return;
	for (uintptr_t page = end - room->copies * HUGE; page < end; page += HUGE)
		if (CALL(SYS_mremap, page, HUGE, HUGE, how, away) == (long)away)
			page_copy(page, away);
}

void heap_copy_child(void)
{
	if (!heap.copies)
		return;
	long spare = CALL(SYS_mmap, 0, 2 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (spare < 0)
		return;
	for (size_t i = 0; i < room_count; i++)
		room_copy(&rooms[i], ((uintptr_t)spare + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
	CALL(SYS_munmap, spare, 2 * HUGE);
}

void heap_copy_after(void)
{
	/* A child that has forked others has their faults, too. */
	if (!heap.filled || heap.copies || atomic_load(&stub_page->heap_forks) != heap.number)
		return;
	long faults = children_faults() - heap.faults;
	bool all = faults >= SMALL_PAGES + (long)(heap.filled - 1) * WORTH;
	atomic_store(&stub_page->heap_copies, all ? UINT32_MAX : faults >= WORTH);
}
