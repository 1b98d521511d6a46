/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapping.c - shared mappings of PM files, in a child of the fork server, become private ones that behave as if they were shared.
 *
 *  1. A mapping that no other one of the same file overlaps is just private (copy-on-write).
 *  2. What the program stored through it must be there when it maps the same range again.  So a writable mapping that is unmapped is only moved out
 *     of sight ("retained"), and moved back when exactly its range is wanted again.
 *  3. Where two mappings overlap in another way, they must show the same memory: the common pages are copied to an anonymous file (an "alias") that
 *     both map shared, and so does every later mapping.
 *  4. Reading the file shows what its mappings show; ways of reading where that cannot be done are refused once a writable mapping was made.
 *
 * Libpmemobj, for one, maps the header of a pool a second time (3), and a recovery may close and open the pool again (2). */
#include "preload/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/call.h"
#include "preload/lazy.h"

enum { MAPPINGS_MAX = 1024, ALIASES_MAX = 256, ENTRIES_MAX = 1 << 16, ALIAS_FD_MIN = 300, WINDOW = 512 };
#define ALIAS_BYTES_MAX ((size_t)64 << 20) /* more would be slower than another mode */
#define PAGE ((size_t)4096)

struct mapping {
	uintptr_t at;
	size_t bytes; /* 0: free */
	uint64_t offset;
	uint32_t entry;
	int prot;
	bool writable; /* the program could store through it */
	bool retained; /* the program does not have it any more */
	bool mixed;    /* parts have another protection */
};

struct alias {
	uint64_t offset;
	size_t bytes;
	uint32_t entry;
	int fd;
};

static struct mapping mappings[MAPPINGS_MAX];
static size_t mapping_count; /* slots in use, free ones included */
static struct alias aliases[ALIASES_MAX];
static size_t alias_count;
static size_t alias_bytes;
static struct {
	bool writable, streamed;
} entries[ENTRIES_MAX];
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* Undecided lines (lazy.h) are not in the way while mappings are used or changed. */
static void ranges_tell(void)
{
	for (size_t i = 0; i < mapping_count && lazy_is_armed(); i++) {
		const struct mapping *m = &mappings[i];
		lazy_range((void *)m->at, m->bytes, m->entry, m->offset, m->prot);
	}
	lazy_resume();
}

static void lock(void)
{
	while (atomic_flag_test_and_set(&busy))
		;
	lazy_suspend();
}

static void unlock(void)
{
	ranges_tell();
	atomic_flag_clear(&busy);
}

static size_t page_round(size_t bytes)
{
	return (bytes + PAGE - 1) & ~(PAGE - 1);
}

static void *real_mmap(uintptr_t at, size_t bytes, int prot, int flags, int fd, uint64_t offset)
{
	return NEXT(mmap)((void *)at, bytes, prot, flags, fd, (off_t)offset);
}

static void refuse_memory(void)
{
	stub_refuse("recovery maps PM files in a way that private memory cannot follow");
}

static void entry_check(uint32_t entry)
{
	if (entry >= ENTRIES_MAX)
		stub_refuse("there are many PM files");
}

void mapping_stream(uint32_t entry)
{
	if (!stub_is_child)
		return;
	entry_check(entry);
	if (entries[entry].writable)
		stub_refuse("recovery reads a PM file that it has mapped");
	if (lazy_concerns(entry))
		stub_refuse("recovery reads undecided PM by a stream");
	entries[entry].streamed = true;
}

void mapping_read(int fd)
{
	entry_check(fd_entry(fd));
	if (entries[fd_entry(fd)].writable)
		stub_refuse("recovery reads a PM file that it has mapped");
	if (lazy_concerns(fd_entry(fd)))
		stub_refuse("recovery reads undecided PM by a system call that cannot be followed");
}

static struct mapping *mapping_add(struct mapping mapping)
{
	size_t slot = 0;

	while (slot < mapping_count && mappings[slot].bytes)
		slot++;
	if (slot == MAPPINGS_MAX)
		stub_refuse("recovery has many mappings of PM files");
	if (slot == mapping_count)
		mapping_count++;
	mappings[slot] = mapping;
	return &mappings[slot];
}

/* The alias that holds `offset`; or, if there is none, NULL and in *next the start of the next one, at most `end`. */
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

/* Map the part [offset, end) of an alias at `at`. */
static void alias_show(const struct alias *a, uintptr_t at, uint64_t offset, uint64_t end, int prot)
{
	if (real_mmap(at, end - offset, prot, MAP_SHARED | MAP_FIXED, a->fd, offset - a->offset) == MAP_FAILED)
		refuse_memory();
}

static bool is_threaded(void)
{
	struct stat st;
	return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) < 0 || st.st_nlink != 3;
}

/* An anonymous file with a copy of the memory, out of the way of the program's descriptors. */
static int alias_file(const void *from, size_t bytes)
{
	int low = memfd_create("blackout", MFD_CLOEXEC);
	int fd = low < 0 ? -1 : NEXT(fcntl)(low, F_DUPFD_CLOEXEC, ALIAS_FD_MIN);
	size_t done = 0;

	if (low >= 0)
		syscall(SYS_close, low);
	if (fd < 0 || syscall(SYS_ftruncate, fd, bytes) < 0)
		refuse_memory();
	while (done < bytes) {
		long n = syscall(SYS_pwrite64, fd, (const char *)from + done, bytes - done, done);
		/* Pages past the end of the file cannot be read; in the alias they are zero. */
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return fd;
}

/* Let the part [offset, end) of a mapping, which has no alias yet, live in one from now on. */
static void alias_make(struct mapping *m, uint64_t offset, uint64_t end)
{
	uintptr_t at = m->at + (offset - m->offset);

	alias_bytes += end - offset;
	if (alias_count == ALIASES_MAX || alias_bytes > ALIAS_BYTES_MAX || m->mixed || !(m->prot & PROT_READ) ||
	    is_threaded())
		refuse_memory();
	struct alias *a = &aliases[alias_count++];
	*a = (struct alias){.offset = offset, .bytes = end - offset, .entry = m->entry};
	a->fd = alias_file((void *)at, a->bytes);
	alias_show(a, at, offset, end, m->prot);
}

static uint64_t high(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t low(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Rule 3, before [offset, end) of a file is mapped once more. */
static void aliases_make(uint32_t entry, uint64_t offset, uint64_t end)
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

static void aliases_show(const struct mapping *m)
{
	uint64_t next, end = m->offset + m->bytes;

	for (uint64_t at = m->offset; at < end; at = next) {
		struct alias *a = alias_at(m->entry, at, end, &next);
		if (a)
			alias_show(a, m->at + (at - m->offset), at, next, m->prot);
	}
}

/* Move the memory of a mapping to `to`, where an inaccessible mapping holds the place. */
static void mapping_move(struct mapping *m, uintptr_t to, int prot)
{
	uint64_t next, end = m->offset + m->bytes;

	/* One protection throughout, so that it is one piece for the kernel. */
	NEXT(mprotect)((void *)m->at, m->bytes, PROT_READ | PROT_WRITE);
	for (uint64_t at = m->offset; at < end; at = next) {
		uintptr_t from = m->at + (at - m->offset), there = to + (at - m->offset);
		if (alias_at(m->entry, at, end, &next))
			NEXT(munmap)((void *)from, next - at);
		else if (NEXT(mremap)((void *)from, next - at, next - at, MREMAP_MAYMOVE | MREMAP_FIXED,
				      (void *)there) == MAP_FAILED)
			refuse_memory();
	}
	m->at = to;
	m->prot = prot;
	m->mixed = false;
	aliases_show(m);
	NEXT(mprotect)((void *)to, m->bytes, prot);
}

/* Rule 2: the program unmaps this. */
static void mapping_retain(struct mapping *m)
{
	if (!m->writable) {
		NEXT(munmap)((void *)m->at, m->bytes);
		m->bytes = 0;
		return;
	}
	void *hidden = real_mmap(0, m->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (hidden == MAP_FAILED)
		refuse_memory();
	mapping_move(m, (uintptr_t)hidden, PROT_READ | PROT_WRITE);
	m->retained = true;
}

/* Cut a mapping in two at an address inside it; the second part is a new one. */
static void mapping_cut(struct mapping *m, uintptr_t at)
{
	struct mapping rest = *m;
	size_t bytes = at - m->at;

	rest.at = at;
	rest.offset += bytes;
	rest.bytes -= bytes;
	m->bytes = bytes;
	mapping_add(rest);
}

/* Cut all mappings at the borders of [at, end), so that each is inside or outside. */
static void mappings_cut(uintptr_t at, uintptr_t end)
{
	for (size_t i = 0; i < mapping_count; i++) {
		struct mapping *m = &mappings[i];
		if (!m->bytes || m->retained)
			continue;
		if (m->at < at && at < m->at + m->bytes)
			mapping_cut(m, at);
		if (m->at < end && end < m->at + m->bytes)
			mapping_cut(m, end);
	}
}

static bool mapping_inside(const struct mapping *m, uintptr_t at, uintptr_t end)
{
	return m->bytes && !m->retained && m->at >= at && m->at < end;
}

static void mappings_retain(uintptr_t at, uintptr_t end)
{
	mappings_cut(at, end);
	for (size_t i = 0; i < mapping_count; i++)
		if (mapping_inside(&mappings[i], at, end))
			mapping_retain(&mappings[i]);
}

/* A retained mapping of exactly this range, if no other overlaps it. */
static struct mapping *mapping_wanted(uint32_t entry, uint64_t offset, size_t bytes)
{
	struct mapping *found = NULL;

	for (size_t i = 0; i < mapping_count; i++) {
		struct mapping *m = &mappings[i];
		if (!m->bytes || m->entry != entry || m->offset >= offset + bytes || m->offset + m->bytes <= offset)
			continue;
		if (m->offset == offset && m->bytes == bytes && m->retained)
			found = m;
		else
			return NULL;
	}
	return found;
}

/* The place is taken first, as mmap would take it. */
static void *mapping_return(struct mapping *m, uintptr_t at, int prot, int flags)
{
	int fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	void *place = real_mmap(at, m->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);

	if (place == MAP_FAILED)
		return place;
	mapping_move(m, (uintptr_t)place, prot);
	m->retained = false;
	return place;
}

static void *mapping_new(const struct mapping *wanted, int flags, int fd)
{
	struct mapping m = *wanted;
	int private = (flags & ~(MAP_TYPE | MAP_SYNC)) | MAP_PRIVATE | MAP_NORESERVE;

	aliases_make(m.entry, m.offset, m.offset + m.bytes);
	void *place = real_mmap(m.at, m.bytes, m.prot, private, fd, m.offset);
	if (place == MAP_FAILED)
		return place;
	m.at = (uintptr_t)place;
	lazy_fresh(place, m.bytes, m.entry, m.offset, m.prot);
	aliases_show(mapping_add(m));
	return place;
}

static void *shared_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	struct mapping m = {.at = (uintptr_t)at, .bytes = page_round(bytes), .offset = (uint64_t)offset, .prot = prot};

	m.entry = fd_entry(fd);
	m.writable = (fd_flags(fd) & O_ACCMODE) == O_RDWR;
	entry_check(m.entry);
	if ((flags & MAP_TYPE) == MAP_SHARED_VALIDATE && (flags & MAP_SYNC)) {
		errno = EOPNOTSUPP; /* as for any file that is not on DAX, in every mode */
		return MAP_FAILED;
	}
	if ((fd_flags(fd) & O_ACCMODE) == O_WRONLY || ((prot & PROT_WRITE) && !m.writable)) {
		errno = EACCES;
		return MAP_FAILED;
	}
	if (entries[m.entry].streamed && m.writable)
		stub_refuse("recovery reads a PM file that it has mapped");
	lock();
	if (flags & MAP_FIXED)
		mappings_retain(m.at, m.at + m.bytes);
	struct mapping *back = mapping_wanted(m.entry, m.offset, m.bytes);
	void *place = back ? mapping_return(back, m.at, prot, flags) : mapping_new(&m, flags, fd);
	entries[m.entry].writable = entries[m.entry].writable || m.writable;
	unlock();
	return place;
}

/* Is this page of a private mapping no longer the file's?  As /proc/self/pagemap has it: there, or swapped out, and not of a file. */
static bool page_is_changed(uint64_t entry)
{
	const uint64_t present = (uint64_t)1 << 63, swapped = (uint64_t)1 << 62, file = (uint64_t)1 << 61;
	return (entry & (present | swapped)) && !(entry & file);
}

/* The pagemap, a few entries at a time. */
struct window {
	int fd;
	uintptr_t first; /* page */
	size_t count;
	uint64_t entries[WINDOW];
};

static uint64_t window_entry(struct window *w, uintptr_t page)
{
	if (page < w->first || page >= w->first + w->count) {
		long n = syscall(SYS_pread64, w->fd, w->entries, sizeof(w->entries), page * sizeof(*w->entries));
		if (n < (long)sizeof(*w->entries))
			refuse_memory();
		w->first = page;
		w->count = (size_t)n / sizeof(*w->entries);
	}
	return w->entries[page - w->first];
}

/* Copy the pages of a mapping that have been changed, or are an alias's, to where [offset, offset + bytes) of the file is mapped at `to`. */
static void changes_copy(const struct mapping *m, char *to, uint64_t offset, size_t bytes, struct window *window)
{
	uint64_t end = low(offset + bytes, m->offset + m->bytes), next;

	for (uint64_t at = high(offset, m->offset); at < end; at += PAGE) {
		uintptr_t page = m->at + (at - m->offset);
		if (!alias_at(m->entry, at, at + PAGE, &next) && !page_is_changed(window_entry(window, page / PAGE)))
			continue;
		if (m->mixed || !(m->prot & PROT_READ))
			refuse_memory();
		memcpy(to + (at - offset), (const void *)page, PAGE);
	}
}

/* A mapping that is private by the program's own wish begins with what its shared mappings show. */
static void *private_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	uint32_t entry = fd_entry(fd);

	entry_check(entry);
	if (lazy_concerns(entry))
		stub_refuse("recovery has a private mapping of undecided PM");
	if (!entries[entry].writable)
		return NEXT(mmap)(at, bytes, prot, flags, fd, offset);
	char *place = NEXT(mmap)(at, bytes, prot | PROT_READ | PROT_WRITE, flags, fd, offset);
	if (place == MAP_FAILED)
		return place;
	struct window window = {.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
	lock();
	for (size_t i = 0; i < mapping_count; i++)
		if (mappings[i].bytes && mappings[i].entry == entry)
			changes_copy(&mappings[i], place, (uint64_t)offset, page_round(bytes), &window);
	unlock();
	syscall(SYS_close, window.fd);
	NEXT(mprotect)(place, bytes, prot);
	return place;
}

static void *any_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	int type = flags & MAP_TYPE;

	if (!stub_is_child)
		return NEXT(mmap)(at, bytes, prot, flags, fd, offset);
	bool pm = !(flags & MAP_ANONYMOUS) && fd_is_pm(fd);
	if (pm && (type == MAP_SHARED || type == MAP_SHARED_VALIDATE) && bytes && offset >= 0 &&
	    offset % (off_t)PAGE == 0)
		return shared_mmap(at, bytes, prot, flags, fd, offset);
	if (flags & MAP_FIXED) {
		lock();
		mappings_retain((uintptr_t)at, (uintptr_t)at + page_round(bytes));
		unlock();
	}
	if (pm)
		return private_mmap(at, bytes, prot, flags, fd, offset);
	if (type != MAP_PRIVATE && (prot & PROT_WRITE))
		lazy_spoil("recovery has shared memory");
	return NEXT(mmap)(at, bytes, prot, flags, fd, offset);
}

void *mapping_aliases_save(void)
{
	char *copy = alias_bytes ? (void *)CALL(SYS_mmap, NULL, alias_bytes, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				 : NULL;
	size_t done = 0;

	if ((uintptr_t)copy >= -PAGE)
		refuse_memory();
	for (size_t i = 0; i < alias_count; done += aliases[i++].bytes)
		if (CALL(SYS_pread64, aliases[i].fd, copy + done, aliases[i].bytes, 0) != (long)aliases[i].bytes)
			refuse_memory();
	return copy;
}

void mapping_aliases_restore(void *copy)
{
	size_t done = 0;

	for (size_t i = 0; i < alias_count; done += aliases[i++].bytes)
		CALL(SYS_pwrite64, aliases[i].fd, (char *)copy + done, aliases[i].bytes, 0);
	if (copy)
		CALL(SYS_munmap, copy, alias_bytes);
}

/* The part of [at, end) that a mapping shows. */
static void overlay_one(const struct mapping *m, char *buffer, uint64_t at, uint64_t end)
{
	uint64_t from = high(at, m->offset), to = low(end, m->offset + m->bytes);

	if (from >= to)
		return;
	if (m->mixed || !(m->prot & PROT_READ))
		refuse_memory();
	memcpy(buffer + (from - at), (const char *)m->at + (from - m->offset), to - from);
}

void mapping_overlay(int fd, void *buffer, ssize_t size, off_t at)
{
	uint32_t entry = fd_entry(fd);

	entry_check(entry);
	if (size > 0 && at >= 0)
		lazy_read(entry, (uint64_t)at, buffer, (size_t)size);
	if (size <= 0 || at < 0 || !entries[entry].writable)
		return;
	lock();
	for (size_t i = 0; i < mapping_count; i++)
		if (mappings[i].bytes && mappings[i].entry == entry)
			overlay_one(&mappings[i], buffer, (uint64_t)at, (uint64_t)(at + size));
	unlock();
}

PUBLIC void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	return any_mmap(at, bytes, prot, flags, fd, offset);
}

PUBLIC void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off64_t offset)
{
	return any_mmap(at, bytes, prot, flags, fd, offset);
}

PUBLIC int munmap(void *at, size_t bytes)
{
	if (stub_is_child) {
		lock();
		mappings_retain((uintptr_t)at, (uintptr_t)at + page_round(bytes));
		unlock();
	}
	return NEXT(munmap)(at, bytes);
}

static struct mapping *mapping_find(uintptr_t at, uintptr_t end)
{
	for (size_t i = 0; i < mapping_count; i++) {
		struct mapping *m = &mappings[i];
		if (m->bytes && !m->retained && m->at < end && at < m->at + m->bytes)
			return m;
	}
	return NULL;
}

/* A mapping that is whole, has no aliases, and does not grow into another. */
static bool mapping_is_free(const struct mapping *m, uintptr_t at, size_t bytes, size_t more)
{
	uint64_t next, end = m->offset + bytes + more;

	if (m->at != at || m->bytes != bytes || alias_at(m->entry, m->offset, end, &next) || next != end)
		return false;
	for (size_t i = 0; i < mapping_count; i++) {
		const struct mapping *other = &mappings[i];
		if (other != m && other->bytes && other->entry == m->entry && other->offset < end &&
		    other->offset + other->bytes > m->offset)
			return false;
	}
	return true;
}

static void *real_mremap(void *at, size_t old, size_t new, int flags, void *to)
{
	return flags & MREMAP_FIXED ? NEXT(mremap)(at, old, new, flags, to) : NEXT(mremap)(at, old, new, flags);
}

PUBLIC void *mremap(void *at, size_t old, size_t new, int flags, ...)
{
	__builtin_va_list args;
	uintptr_t from = (uintptr_t)at;

	__builtin_va_start(args, flags);
	void *to = flags & MREMAP_FIXED ? __builtin_va_arg(args, void *) : NULL;
	__builtin_va_end(args);
	struct mapping *m = stub_is_child ? mapping_find(from, from + page_round(old ? old : 1)) : NULL;
	if (stub_is_child && (flags & MREMAP_FIXED) && mapping_find((uintptr_t)to, (uintptr_t)to + page_round(new)))
		refuse_memory();
	if (!m)
		return real_mremap(at, old, new, flags, to);
	size_t more = page_round(new) > page_round(old) ? page_round(new) - page_round(old) : 0;
	if (!old || !mapping_is_free(m, from, page_round(old), more))
		refuse_memory();
	if (page_round(new) < page_round(old)) {
		munmap((char *)at + page_round(new), page_round(old) - page_round(new));
		old = new;
	}
	lazy_suspend();
	void *place = real_mremap(at, old, new, flags, to);
	if (place != MAP_FAILED) {
		if (more)
			lazy_fresh((char *)place + m->bytes, more, m->entry, m->offset + m->bytes, m->prot);
		m->at = (uintptr_t)place;
		m->bytes = page_round(new);
	}
	ranges_tell();
	return place;
}

PUBLIC int mprotect(void *at, size_t bytes, int prot)
{
	uintptr_t from = (uintptr_t)at, end = from + page_round(bytes);

	if (stub_is_child && lazy_is_armed()) {
		/* Each part has one protection then. */
		lock();
		mappings_cut(from, end);
	}
	int result = NEXT(mprotect)(at, bytes, prot);

	for (size_t i = 0; stub_is_child && result == 0 && i < mapping_count; i++) {
		struct mapping *m = &mappings[i];
		if (!m->bytes || m->retained || m->at >= end || from >= m->at + m->bytes)
			continue;
		if (from <= m->at && m->at + m->bytes <= end) {
			m->prot = prot;
			m->mixed = false;
		} else {
			m->mixed = true;
		}
	}
	if (stub_is_child && lazy_is_armed())
		unlock();
	return result;
}

/* Advice that is harmless for shared memory throws private memory away. */
PUBLIC int madvise(void *at, size_t bytes, int advice)
{
	if (stub_is_child && mapping_find((uintptr_t)at, (uintptr_t)at + page_round(bytes))) {
		if (advice == MADV_DONTNEED)
			return 0;
		if (advice == MADV_REMOVE || advice == MADV_FREE)
			refuse_memory();
	}
	return NEXT(madvise)(at, bytes, advice);
}

PUBLIC int remap_file_pages(void *at, size_t bytes, int prot, size_t page, int flags)
{
	if (stub_is_child && mapping_find((uintptr_t)at, (uintptr_t)at + page_round(bytes)))
		refuse_memory();
	return NEXT(remap_file_pages)(at, bytes, prot, page, flags);
}
