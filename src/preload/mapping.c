/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapping.c - in a child of the fork server, shared mappings of PM files become private ones that behave as if they
 * were shared.
 *
 *  1. A mapping that no other mapping of the same file overlaps is simply private (copy-on-write).
 *  2. Data that the program stored through a mapping must be there when it maps the same range again.  So a writable
 *     mapping that is unmapped is only moved out of sight ("retained").  It is moved back when exactly its range is
 *     mapped again.
 *  3. If two mappings overlap in another way, they must show the same memory.  The common pages are copied to an
 *     anonymous file (an "alias") that both map shared, as does every later mapping.
 *  4. Reading the file returns what its mappings show.  Calls for which that is impossible are refused once a writable
 *     mapping was made.
 *
 * For example, libpmemobj maps the header of a pool a second time (rule 3), and a recovery may close and reopen the
 * pool (rule 2).  The aliases are in mapping_alias.c.  Reading a file in other ways than through its shared mappings is
 * in mapping_show.c (rule 4). */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>

#include "preload/lazy.h"
#include "preload/mapping_in.h"
#include "preload/walk.h"

enum { MAPPINGS_MAX = 1024, ENTRIES_MAX = 1 << 16 };

struct mapping mappings[MAPPINGS_MAX];
size_t mapping_count;
static struct {
	bool writable, streamed;
} entries[ENTRIES_MAX];
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* All memory must be accessible while mappings are used or changed: undecided lines (lazy.h), and pages that a walk has
 * not touched (walk.h). */
static void memory_open(void)
{
	lazy_suspend();
	walk_suspend();
}

static void memory_close(void)
{
	for (size_t i = 0; i < mapping_count && lazy_is_armed(); i++) {
		const struct mapping *m = &mappings[i];
		lazy_range((void *)m->at, m->bytes, m->entry, m->offset, m->prot);
	}
	lazy_resume();
	walk_resume();
}

void mapping_lock(void)
{
	while (atomic_flag_test_and_set(&busy))
		;
	memory_open();
}

void mapping_unlock(void)
{
	memory_close();
	atomic_flag_clear(&busy);
}

static void *real_mmap(uintptr_t at, size_t bytes, int prot, int flags, int fd, uint64_t offset)
{
	return NEXT(mmap)((void *)at, bytes, prot, flags, fd, (off_t)offset);
}

void mapping_refuse(void)
{
	stub_refuse("recovery maps PM files in a way that private memory cannot imitate");
}

static void entry_check(uint32_t entry)
{
	if (entry >= ENTRIES_MAX)
		stub_refuse("there are too many PM files");
}

bool mapping_is_written(uint32_t entry)
{
	entry_check(entry);
	return entries[entry].writable;
}

void mapping_stream(uint32_t entry)
{
	if (!stub_is_child)
		return;
	if (mapping_is_written(entry))
		stub_refuse("recovery reads a PM file that it has mapped");
	if (lazy_concerns(entry))
		stub_refuse("recovery reads undecided PM through a stream");
	walk_end("recovery reads PM through a stream");
	entries[entry].streamed = true;
}

void mapping_read(int fd)
{
	if (mapping_is_written(fd_entry(fd)))
		stub_refuse("recovery reads a PM file that it has mapped");
	if (lazy_concerns(fd_entry(fd)))
		stub_refuse("recovery reads undecided PM with a system call that is not supported");
	walk_end("recovery reads PM with a rare system call");
}

static struct mapping *mapping_add(struct mapping mapping)
{
	size_t slot = 0;

	while (slot < mapping_count && mappings[slot].bytes)
		slot++;
	if (slot == MAPPINGS_MAX)
		stub_refuse("recovery has too many mappings of PM files");
	if (slot == mapping_count)
		mapping_count++;
	mappings[slot] = mapping;
	return &mappings[slot];
}

/* Move the memory of a mapping to `to`, where an inaccessible mapping reserves the space. */
static void mapping_move(struct mapping *m, uintptr_t to, int prot)
{
	uint64_t next, end = m->offset + m->bytes;

	/* Use the same protection throughout, so that the kernel has a single mapping. */
	NEXT(mprotect)((void *)m->at, m->bytes, PROT_READ | PROT_WRITE);
	for (uint64_t at = m->offset; at < end; at = next) {
		uintptr_t from = m->at + (at - m->offset), there = to + (at - m->offset);
		if (alias_has(m->entry, at, end, &next))
			NEXT(munmap)((void *)from, next - at);
		else if (NEXT(mremap)((void *)from, next - at, next - at, MREMAP_MAYMOVE | MREMAP_FIXED,
				      (void *)there) == MAP_FAILED)
			mapping_refuse();
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
		mapping_refuse();
	uintptr_t before = m->at;
	mapping_move(m, (uintptr_t)hidden, PROT_READ | PROT_WRITE);
	m->retained = true;
	/* The caller unmaps the place, or maps something else there.  Until then, no other part may be hidden in it. */
	real_mmap(before, m->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/* Split a mapping at an address inside it; the second part becomes a new entry. */
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

/* Split all mappings at the ends of [at, end), so that each is entirely inside or outside. */
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

/* A retained mapping of exactly this range, if no other one overlaps it. */
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

/* Reserve the space first, as mmap would choose it. */
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
	mapping_lock();
	if (flags & MAP_FIXED)
		mappings_retain(m.at, m.at + m.bytes);
	struct mapping *back = mapping_wanted(m.entry, m.offset, m.bytes);
	void *place = back ? mapping_return(back, m.at, prot, flags) : mapping_new(&m, flags, fd);
	entries[m.entry].writable = entries[m.entry].writable || m.writable;
	mapping_unlock();
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
		mapping_lock();
		mappings_retain((uintptr_t)at, (uintptr_t)at + page_round(bytes));
		mapping_unlock();
	}
	if (pm)
		return mapping_private(at, bytes, prot, flags, fd, offset);
	if (type != MAP_PRIVATE && (prot & PROT_WRITE))
		lazy_spoil("recovery has shared memory");
	return NEXT(mmap)(at, bytes, prot, flags, fd, offset);
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
		mapping_lock();
		mappings_retain((uintptr_t)at, (uintptr_t)at + page_round(bytes));
		mapping_unlock();
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

/* Is the mapping whole, without aliases, and does it not grow into another one? */
static bool mapping_is_free(const struct mapping *m, uintptr_t at, size_t bytes, size_t more)
{
	uint64_t next, end = m->offset + bytes + more;

	if (m->at != at || m->bytes != bytes || alias_has(m->entry, m->offset, end, &next) || next != end)
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
		mapping_refuse();
	if (!m)
		return real_mremap(at, old, new, flags, to);
	size_t more = page_round(new) > page_round(old) ? page_round(new) - page_round(old) : 0;
	if (!old || !mapping_is_free(m, from, page_round(old), more))
		mapping_refuse();
	if (page_round(new) < page_round(old)) {
		munmap((char *)at + page_round(new), page_round(old) - page_round(new));
		old = new;
	}
	memory_open();
	void *place = real_mremap(at, old, new, flags, to);
	if (place != MAP_FAILED) {
		if (more)
			lazy_fresh((char *)place + m->bytes, more, m->entry, m->offset + m->bytes, m->prot);
		m->at = (uintptr_t)place;
		m->bytes = page_round(new);
	}
	memory_close();
	return place;
}

PUBLIC int mprotect(void *at, size_t bytes, int prot)
{
	uintptr_t from = (uintptr_t)at, end = from + page_round(bytes);
	bool cut = stub_is_child && (lazy_is_armed() || walk_is_on());

	heap_copy_spare(at, bytes);
	if (cut) {
		/* Split first, so that each part has one protection. */
		mapping_lock();
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
	if (cut)
		mapping_unlock();
	return result;
}

/* Some advice is harmless for shared memory but discards private memory. */
PUBLIC int madvise(void *at, size_t bytes, int advice)
{
	if (stub_is_child && mapping_find((uintptr_t)at, (uintptr_t)at + page_round(bytes))) {
		if (advice == MADV_DONTNEED)
			return 0;
		if (advice == MADV_REMOVE || advice == MADV_FREE)
			mapping_refuse();
	}
	return NEXT(madvise)(at, bytes, advice);
}

PUBLIC int remap_file_pages(void *at, size_t bytes, int prot, size_t page, int flags)
{
	if (stub_is_child && mapping_find((uintptr_t)at, (uintptr_t)at + page_round(bytes)))
		mapping_refuse();
	return NEXT(remap_file_pages)(at, bytes, prot, page, flags);
}
