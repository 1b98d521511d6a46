/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapping_alias.c - anonymous files that hold memory shared by several mappings of a PM file (rule 3 of mapping.c). */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/call.h"
#include "preload/mapping_in.h"

enum { ALIASES_MAX = 256 };
#define ALIAS_BYTES_MAX ((size_t)64 << 20) /* more would be slower than another mode */

struct alias {
	uint64_t offset;
	size_t bytes;
	uint32_t entry;
	int fd;
};

static struct alias aliases[ALIASES_MAX];
static size_t alias_count;
static size_t alias_bytes;

/* The alias that contains `offset`.  If there is none, NULL, and *next is the start of the next one, at most `end`. */
static struct alias *alias_at(uint32_t entry, uint64_t offset, uint64_t end, uint64_t *next)
{
	*next = end;
	for (size_t i = 0; i < alias_count; i++) {
		struct alias *a = &aliases[i];
		if (a->entry != entry || a->offset >= end || a->offset + a->bytes <= offset)
			continue;
		if (a->offset <= offset) {
			*next = a->offset + a->bytes < end ? a->offset + a->bytes : end;
			return a;
		}
		if (a->offset < *next)
			*next = a->offset;
	}
	return NULL;
}

bool alias_has(uint32_t entry, uint64_t offset, uint64_t end, uint64_t *next)
{
	return alias_at(entry, offset, end, next) != NULL;
}

/* Map the part [offset, end) of an alias at `at`. */
static void alias_show(const struct alias *a, uintptr_t at, uint64_t offset, uint64_t end, int prot)
{
	void *there =
		NEXT(mmap)((void *)at, end - offset, prot, MAP_SHARED | MAP_FIXED, a->fd, (off_t)(offset - a->offset));

	if (there == MAP_FAILED)
		mapping_refuse();
}

static bool is_threaded(void)
{
	struct stat st;
	return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) < 0 || st.st_nlink != 3;
}

/* Create an anonymous file with a copy of the memory. */
static int alias_file(const void *from, size_t bytes)
{
	int low = memfd_create("blackout", MFD_CLOEXEC);
	int fd = call_fd_away(low);
	size_t done = 0;

	if (low >= 0)
		CALL(SYS_close, low);
	if (fd < 0 || syscall(SYS_ftruncate, fd, bytes) < 0)
		mapping_refuse();
	while (done < bytes) {
		long n = syscall(SYS_pwrite64, fd, (const char *)from + done, bytes - done, done);
		/* Pages past the end of the file cannot be read; in the alias they are zero. */
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return fd;
}

/* Move the part [offset, end) of a mapping, which has no alias yet, to a new alias. */
static void alias_make(struct mapping *m, uint64_t offset, uint64_t end)
{
	uintptr_t at = m->at + (offset - m->offset);

	alias_bytes += end - offset;
	if (alias_count == ALIASES_MAX || alias_bytes > ALIAS_BYTES_MAX || m->mixed || !(m->prot & PROT_READ) ||
	    is_threaded())
		mapping_refuse();
	struct alias *a = &aliases[alias_count++];
	*a = (struct alias){.offset = offset, .bytes = end - offset, .entry = m->entry};
	a->fd = alias_file((void *)at, a->bytes);
	alias_show(a, at, offset, end, m->prot);
}

/* Rule 3, before [offset, end) of a file is mapped once more. */
void aliases_make(uint32_t entry, uint64_t offset, uint64_t end)
{
	for (size_t i = 0; i < mapping_count; i++) {
		struct mapping *m = &mappings[i];
		if (!m->bytes || m->entry != entry)
			continue;
		uint64_t next, stop = low(end, m->offset + m->bytes);
		for (uint64_t at = high(offset, m->offset); at < stop; at = next)
			if (!alias_at(entry, at, stop, &next))
				alias_make(m, at, next);
	}
}

void aliases_show(const struct mapping *m)
{
	uint64_t next, end = m->offset + m->bytes;

	for (uint64_t at = m->offset; at < end; at = next) {
		struct alias *a = alias_at(m->entry, at, end, &next);
		if (a)
			alias_show(a, m->at + (at - m->offset), at, next, m->prot);
	}
}

/* Another file with the same contents, under the same descriptor. */
static bool alias_own(const struct alias *a)
{
	int fd = (int)CALL(SYS_memfd_create, "blackout", MFD_CLOEXEC);
	off_t from = 0;
	bool done = fd >= 0 && CALL(SYS_ftruncate, fd, a->bytes) == 0;

	for (size_t left = a->bytes; done && left;) {
		long n = CALL(SYS_sendfile, fd, a->fd, &from, left);
		done = n > 0;
		left -= done ? (size_t)n : 0;
	}
	done = done && CALL(SYS_dup3, fd, a->fd, O_CLOEXEC) >= 0;
	if (fd >= 0)
		CALL(SYS_close, fd);
	return done;
}

bool mapping_aliases_own(void)
{
	for (size_t i = 0; i < alias_count; i++)
		if (!alias_own(&aliases[i]))
			return false;
	for (size_t i = 0; i < mapping_count; i++)
		if (mappings[i].bytes)
			aliases_show(&mappings[i]);
	return true;
}

void *mapping_aliases_save(void)
{
	char *copy = alias_bytes ? (void *)CALL(SYS_mmap, NULL, alias_bytes, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				 : NULL;
	size_t done = 0;

	if ((uintptr_t)copy >= -PAGE)
		mapping_refuse();
	for (size_t i = 0; i < alias_count; done += aliases[i++].bytes)
		if (CALL(SYS_pread64, aliases[i].fd, copy + done, aliases[i].bytes, 0) != (long)aliases[i].bytes)
			mapping_refuse();
	return copy;
}

void mapping_aliases_restore(const void *copy)
{
	size_t done = 0;

	for (size_t i = 0; i < alias_count; done += aliases[i++].bytes)
		CALL(SYS_pwrite64, aliases[i].fd, (const char *)copy + done, aliases[i].bytes, 0);
}

void mapping_aliases_drop(void *copy)
{
	if (copy)
		CALL(SYS_munmap, copy, alias_bytes);
}
