/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapping_show.c - show the contents of a PM file's mappings to code that reads the file in another way (rule 4 of
 * mapping.c). */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/call.h"
#include "preload/lazy.h"
#include "preload/mapping_in.h"
#include "preload/walk.h"

enum { WINDOW = 512 };

/* Does this page of a private mapping differ from the file?  According to /proc/self/pagemap: present or swapped out,
 * and not a file page. */
static bool page_is_changed(uint64_t entry)
{
	const uint64_t present = (uint64_t)1 << 63, swapped = (uint64_t)1 << 62, file = (uint64_t)1 << 61;
	return (entry & (present | swapped)) && !(entry & file);
}

bool mapping_page_is_changed(int pagemap, uintptr_t at)
{
	uint64_t entry;

	/* If in doubt, it has. */
	return CALL(SYS_pread64, pagemap, &entry, sizeof(entry), at / PAGE * sizeof(entry)) != (long)sizeof(entry) ||
	       page_is_changed(entry);
}

/* A part of the pagemap, a few entries at a time. */
struct window {
	int fd;
	uintptr_t first; /* number of the first page */
	size_t count;
	uint64_t entries[WINDOW];
};

static uint64_t window_entry(struct window *w, uintptr_t page)
{
	if (page < w->first || page >= w->first + w->count) {
		long n = syscall(SYS_pread64, w->fd, w->entries, sizeof(w->entries), page * sizeof(*w->entries));
		if (n < (long)sizeof(*w->entries))
			mapping_refuse();
		w->first = page;
		w->count = (size_t)n / sizeof(*w->entries);
	}
	return w->entries[page - w->first];
}

/* `to` maps [offset, offset + bytes) of the file.  Copy to it the pages of a mapping that were changed, or that belong
 * to an alias. */
static void changes_copy(const struct mapping *m, char *to, uint64_t offset, size_t bytes, struct window *window)
{
	uint64_t end = low(offset + bytes, m->offset + m->bytes), next;

	for (uint64_t at = high(offset, m->offset); at < end; at += PAGE) {
		uintptr_t page = m->at + (at - m->offset);
		if (!alias_has(m->entry, at, at + PAGE, &next) && !page_is_changed(window_entry(window, page / PAGE)))
			continue;
		if (m->mixed || !(m->prot & PROT_READ))
			mapping_refuse();
		memcpy(to + (at - offset), (const void *)page, PAGE);
	}
}

/* A mapping that the program itself wants private starts with the contents of the shared mappings. */
void *mapping_private(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	uint32_t entry = fd_entry(fd);

	if (lazy_concerns(entry))
		stub_refuse("recovery has a private mapping of undecided PM");
	walk_end("recovery has a private mapping of PM");
	if (!mapping_is_written(entry))
		return NEXT(mmap)(at, bytes, prot, flags, fd, offset);
	char *place = NEXT(mmap)(at, bytes, prot | PROT_READ | PROT_WRITE, flags, fd, offset);
	if (place == MAP_FAILED)
		return place;
	struct window window = {.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
	mapping_lock();
	for (size_t i = 0; i < mapping_count; i++)
		if (mappings[i].bytes && mappings[i].entry == entry)
			changes_copy(&mappings[i], place, (uint64_t)offset, page_round(bytes), &window);
	mapping_unlock();
	syscall(SYS_close, window.fd);
	NEXT(mprotect)(place, bytes, prot);
	return place;
}

/* Copy the part of [at, end) that a mapping shows. */
static void overlay_one(const struct mapping *m, char *buffer, uint64_t at, uint64_t end)
{
	uint64_t from = high(at, m->offset), to = low(end, m->offset + m->bytes);

	if (from >= to)
		return;
	if (m->mixed || !(m->prot & PROT_READ))
		mapping_refuse();
	memcpy(buffer + (from - at), (const char *)m->at + (from - m->offset), to - from);
}

void mapping_overlay(int fd, void *buffer, ssize_t size, off_t at)
{
	uint32_t entry = fd_entry(fd);

	if (size > 0 && at >= 0) {
		walk_read(entry, (uint64_t)at, (size_t)size);
		lazy_read(entry, (uint64_t)at, buffer, (size_t)size);
	}
	if (size <= 0 || at < 0 || !mapping_is_written(entry))
		return;
	mapping_lock();
	for (size_t i = 0; i < mapping_count; i++)
		if (mappings[i].bytes && mappings[i].entry == entry)
			overlay_one(&mappings[i], buffer, (uint64_t)at, (uint64_t)(at + size));
	mapping_unlock();
}
