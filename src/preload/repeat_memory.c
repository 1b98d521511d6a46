/* SPDX-License-Identifier: GPL-2.0-or-later */
/* repeat_memory.c - the memory of a process goes back to what it was; see repeat.h.
 *
 *  1. The process and its server share all pages until one of them writes.  The server waits, so a page of private memory that
 *     this process does not share is one that it has written (/proc/self/pagemap).
 *  2. What was written before the beginning is copied there; later, what a page had is still in the server's memory.  From
 *     then on the page belongs to those that are restored each time.
 *     The kernel is asked for the places with pages that are no pages of a file; if it cannot tell, all entries are read.
 *  3. A page cannot come to be written without a page fault.  So nothing is looked for if there was none.
 *  4. A page that was one of a PM file gets the file's contents, before each state.
 *
 * No function of a library is called here: its own memory is among what is restored. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "preload/call.h"
#include "preload/repeat_in.h"

#define PRESENT ((uint64_t)1 << 63)
#define SWAPPED ((uint64_t)1 << 62)
#define OF_FILE ((uint64_t)1 << 61)
#define GUARD ((uint64_t)1 << 58) /* of MADV_GUARD_INSTALL: it has no contents */
#define EXCLUSIVE ((uint64_t)1 << 56)

/* PAGEMAP_SCAN, since Linux 6.7: struct pm_scan_arg */
struct scan {
	uint64_t size, flags, start, end, walk_end, places, room, most, inverted, all_of, any_of, wanted;
};
#define SCAN _IOWR('f', 16, struct scan)
enum { IS_FILE = 4, IS_PRESENT = 8, IS_SWAPPED = 16 };

#define MEMORY_END ((uintptr_t)0x7fffffffe000) /* no mapping is so large */

static void bytes_copy(void *to, const void *from, size_t bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static void bytes_clear(void *to, size_t bytes)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
}

/* Areas */

static const char *hex_read(const char *at, uintptr_t *value)
{
	for (*value = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*value = *value * 16 + (uintptr_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*value = *value * 16 + (uintptr_t)(*at - 'a' + 10);
		else
			return at + 1;
	}
}

/* Not [vvar_vclock]. */
static bool is_stack(const char *end)
{
	static const char name[] = {' ', '[', 's', 't', 'a', 'c', 'k', ']'};
	size_t i = 0;

	while (i < sizeof(name) && end[(long)i - (long)sizeof(name)] == name[i])
		i++;
	return i == sizeof(name);
}

/* A program that protects a part of its stack splits it: the lowest part grows.  Nothing may be in the room below. */
static void stack_find(const struct repeat_area *area, const char *end)
{
	if (repeat->joined_to != area->from) {
		repeat->below = repeat->joined_to;
		repeat->joined = area->from;
	}
	repeat->joined_to = area->to;
	if (is_stack(end) && repeat->below + REPEAT_BELOW + PAGE <= repeat->joined)
		repeat->stack = repeat->joined;
}

/* "FROM-TO FLAGS OFFSET DEVICE INODE ..."; perhaps "[stack]" at the end. */
static bool area_add(const char *line, const char *end)
{
	struct repeat_area area = {0};
	const char *flags = hex_read(hex_read(line, &area.from), &area.to);

	stack_find(&area, end);
	area.is_shared = flags[3] == 's';
	if ((flags[1] != 'w' && !area.is_shared) || area.from == (uintptr_t)repeat)
		return true;
	area.prot = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0) |
		    (flags[2] == 'x' ? PROT_EXEC : 0);
	if (!area.is_shared)
		repeat->area_bytes += area.to - area.from;
	if (repeat->area_count == REPEAT_AREAS || repeat->area_bytes > repeat->area_most)
		return false;
	repeat->areas[repeat->area_count++] = area;
	return true;
}

/* Our own memory must be one area, or the kernel may join it with another one. */
static bool areas_read(void)
{
	char *text = (char *)repeat->entries;
	size_t used = 0, room = sizeof(repeat->entries);
	int fd = (int)CALL(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0;
	long n;

	while (good && (n = CALL(SYS_read, fd, text + used, room - used)) > 0) {
		size_t line = 0;

		used += (size_t)n;
		for (size_t i = 0; i < used; i++) {
			if (text[i] != '\n')
				continue;
			good = good && area_add(text + line, text + i);
			line = i + 1;
		}
		bytes_copy(text, text + line, used - line);
		used -= line;
	}
	if (fd >= 0)
		CALL(SYS_close, fd);
	return good && repeat->stack;
}

bool repeat_memory_has(uintptr_t at, size_t bytes)
{
	for (size_t i = 0; i < repeat->area_count; i++) {
		const struct repeat_area *area = &repeat->areas[i];

		if (at < area->from || at >= area->to)
			continue;
		if (at + bytes <= area->to)
			return true;
		bytes -= area->to - at;
		at = area->to;
	}
	return false;
}

void repeat_memory_protect(uintptr_t at, size_t bytes)
{
	for (size_t i = 0; i < repeat->area_count; i++) {
		const struct repeat_area *area = &repeat->areas[i];
		uintptr_t from = high(at, area->from), to = low(at + bytes, area->to);

		if (from < to)
			CALL(SYS_mprotect, from, to - from, area->prot);
	}
	repeat_memory_changed(at, bytes);
}

void repeat_memory_changed(uintptr_t at, size_t bytes)
{
	for (size_t i = 0; i < repeat->area_count; i++)
		if (repeat->areas[i].from < at + bytes && at < repeat->areas[i].to)
			repeat->areas[i].changed = true;
}

/* An area is one mapping, or mremap may fail where it should not.  To let it grow beyond all memory fails, too, but with
 * another error. */
static bool areas_are_whole(void)
{
	for (size_t i = 0; i < repeat->area_count; i++) {
		struct repeat_area *area = &repeat->areas[i];

		if (area->changed && CALL(SYS_mremap, area->from, area->to - area->from, MEMORY_END, 0) != -ENOMEM)
			return false;
		area->changed = false;
	}
	return true;
}

/* Pages */

static uint16_t *page_slot(uintptr_t at)
{
	size_t i = (size_t)(at / PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 40) % REPEAT_SLOTS;

	while (repeat->slots[i] && repeat->pages[repeat->slots[i] - 1].at != at)
		i = (i + 1) % REPEAT_SLOTS;
	return &repeat->slots[i];
}

static const struct repeat_range *range_of(uintptr_t at)
{
	for (size_t i = 0; i < repeat->range_count; i++)
		if (at - repeat->ranges[i].from < repeat->ranges[i].to - repeat->ranges[i].from)
			return &repeat->ranges[i];
	return NULL;
}

static bool server_copy(void *to, uintptr_t at)
{
	struct iovec here = {to, PAGE}, there = {(void *)at, PAGE};

	return CALL(SYS_process_vm_readv, repeat->server, &here, 1, &there, 1, 0) == (long)PAGE;
}

static bool page_keep(struct repeat_page *page, bool begins)
{
	char *copy = repeat->copies[repeat->copy_count];

	page->source = REPEAT_COPY;
	page->copy = (uint32_t)repeat->copy_count++;
	if (!begins)
		return server_copy(copy, page->at);
	bytes_copy(copy, (void *)page->at, PAGE);
	return true;
}

/* This page is no page of a file.  At the beginning, those of PM files are known even if they were not written. */
static bool page_note(uintptr_t at, bool written, bool begins)
{
	const struct repeat_range *range = range_of(at);
	uint16_t *slot = page_slot(at);

	if (*slot) {
		struct repeat_page *page = &repeat->pages[*slot - 1];
		return !written || page->source != REPEAT_SHARED || page_keep(page, begins);
	}
	if (!written && !(range && begins))
		return true;
	if (repeat->page_count == REPEAT_PAGES)
		return false;
	struct repeat_page *page = &repeat->pages[repeat->page_count];
	*page = (struct repeat_page){.at = at, .source = REPEAT_SHARED};
	*slot = (uint16_t)++repeat->page_count;
	if (!written)
		return true;
	if (!range || begins)
		return page_keep(page, begins);
	page->source = REPEAT_FILE;
	page->range = (uint32_t)(range - repeat->ranges);
	return true;
}

/* All pages of [at, end). */
static bool entries_scan(uintptr_t at, uintptr_t end, bool begins)
{
	while (at < end) {
		size_t count = low((end - at) / PAGE, REPEAT_SCAN);

		if (CALL(SYS_pread64, repeat->pagemap, repeat->entries, count * 8, at / PAGE * 8) != (long)(count * 8))
			return false;
		for (size_t i = 0; i < count; i++, at += PAGE) {
			uint64_t entry = repeat->entries[i];
			bool there = entry & (PRESENT | SWAPPED) && !(entry & (OF_FILE | GUARD));

			if (there && !page_note(at, entry & (EXCLUSIVE | SWAPPED), begins))
				return false;
		}
	}
	return true;
}

/* The next places in [at, end) with pages that are there, and are no pages of a file; how many.  `next`: where to go on.
 * Negative: the kernel does not know this call. */
static long places_find(uintptr_t at, uintptr_t end, uintptr_t *next)
{
	struct scan scan = {
		.size = sizeof(scan),
		.start = at,
		.end = end,
		.places = (uintptr_t)repeat->places,
		.room = REPEAT_PLACES,
		.inverted = IS_FILE,
		.all_of = IS_FILE,
		.any_of = IS_PRESENT | IS_SWAPPED,
	};
	long count = CALL(SYS_ioctl, repeat->pagemap, SCAN, &scan);

	*next = scan.walk_end;
	return count;
}

/* A large area that is hardly used has few of these places, but many entries. */
static bool area_scan(const struct repeat_area *area, bool begins)
{
	uintptr_t next;

	if (area->to - area->from <= REPEAT_SMALL)
		return entries_scan(area->from, area->to, begins);
	for (uintptr_t at = area->from; at < area->to; at = next) {
		long count = places_find(at, area->to, &next);

		if (count < 0)
			return entries_scan(at, area->to, begins);
		for (long i = 0; i < count; i++)
			if (!entries_scan(repeat->places[i].from, repeat->places[i].to, begins))
				return false;
		if (next <= at)
			return false;
	}
	return true;
}

static bool areas_scan(bool begins)
{
	for (size_t i = 0; i < repeat->area_count; i++)
		if (!repeat->areas[i].is_shared && !area_scan(&repeat->areas[i], begins))
			return false;
	return true;
}

static long faults_now(void)
{
	struct rusage used = {0};

	CALL(SYS_getrusage, RUSAGE_SELF, &used);
	return used.ru_minflt + used.ru_majflt;
}

static bool ranges_note(void)
{
	for (size_t i = 0; i < mapping_count; i++) {
		const struct mapping *m = &mappings[i];

		if (!m->bytes)
			continue;
		if (repeat->range_count == REPEAT_RANGES || m->entry >= REPEAT_FILES)
			return false;
		repeat->ranges[repeat->range_count++] =
			(struct repeat_range){m->at, m->at + m->bytes, m->offset, m->entry};
	}
	return true;
}

bool repeat_memory_begin(void)
{
	int fd = (int)CALL(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uintptr_t next;

	repeat->pagemap = call_fd_away(fd);
	if (fd >= 0)
		CALL(SYS_close, fd);
	repeat->area_most = places_find(0, PAGE, &next) < 0 ? REPEAT_READ_BYTES : REPEAT_AREA_BYTES;
	return repeat->pagemap >= 0 && server_copy(repeat->copies[0], (uintptr_t)&repeat & -PAGE) && ranges_note() &&
	       areas_read() && areas_scan(true);
}

/* What the stack has grown by is new, and so is all zero next time.  False: that is too much. */
static bool stack_clear(void)
{
	uintptr_t below = repeat->stack - REPEAT_BELOW;
	unsigned char there;

	CALL(SYS_madvise, below, REPEAT_BELOW, MADV_DONTNEED);
	return CALL(SYS_mincore, below - PAGE, PAGE, &there) == -ENOMEM;
}

bool repeat_memory_return(void)
{
	if (!stack_clear() || !areas_are_whole())
		return false;
	if (repeat->faults != faults_now() && !areas_scan(false))
		return false;
	for (size_t i = 0; i < repeat->page_count; i++)
		if (repeat->pages[i].source == REPEAT_COPY)
			bytes_copy((void *)repeat->pages[i].at, repeat->copies[repeat->pages[i].copy], PAGE);
	repeat->faults = faults_now();
	return true;
}

/* PM files */

/* The stage's file; negative: it cannot be opened. */
static int file_open(uint32_t file)
{
	if (!repeat->files[file]) {
		const char *path = stub_page_text(stub_page, stub_page_paths(stub_page)[file].actual);
		int fd = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);

		repeat->files[file] = call_fd_away(fd) + 1;
		if (fd >= 0)
			CALL(SYS_close, fd);
	}
	return repeat->files[file] - 1;
}

static bool page_show(const struct repeat_page *page)
{
	const struct repeat_range *range = &repeat->ranges[page->range];
	int fd = file_open(range->file);
	long n = fd < 0 ? -1 : CALL(SYS_pread64, fd, page->at, PAGE, range->offset + (page->at - range->from));

	if (n < 0)
		return false;
	bytes_clear((char *)page->at + n, PAGE - (size_t)n);
	return true;
}

bool repeat_memory_show(void)
{
	for (size_t i = 0; i < repeat->page_count; i++)
		if (repeat->pages[i].source == REPEAT_FILE && !page_show(&repeat->pages[i]))
			return false;
	return true;
}
