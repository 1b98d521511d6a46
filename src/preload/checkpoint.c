/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.c - a copy of recovery, stopped on its walk (walk.h), that is the server of states which begin there.
 *
 *  1. The copy is a child of the first server, not of the walk: the walk ends, and the server stays.  It has no exit
 *     signal, so that the server, which reaps orphans, does not take it for one.
 *  2. A page that the copy has never written to is a page of the stage's file, and shows every new state.  In the others,
 *     the bytes that recovery had not stored to are those of the state of the walk: the *gaps*.  Each child gets them anew
 *     from the file.
 *  3. Memory that several mappings share (aliases) would be shared with all copies.  So each copy has its own, and each
 *     child starts with its contents at the checkpoint.  These pages are no pages of the file, even if nothing was stored
 *     to them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "preload/call.h"
#include "preload/mapping_in.h"
#include "preload/repeat.h"
#include "preload/walk.h"

enum { FILES_MAX = 64, PATIENCE_US = 5000000, LOOK_US = 50 };

static struct {
	char request[WALK_STOPS][PATH_MAX], reply[PATH_MAX];
} paths;

static struct {
	struct walk_range *gaps; /* no gap crosses the end of a page */
	size_t count;
	int fds[FILES_MAX]; /* of the files that have gaps, plus one */
	void *aliases;
} fill;

bool checkpoint_begin(void)
{
	char name[] = STUB_FILE_REQUEST ".1";

	for (unsigned i = 0; i < WALK_STOPS; i++, name[sizeof(name) - 2]++)
		if (!stub_control(paths.request[i], sizeof(paths.request[i]), name))
			return false;
	return stub_control(paths.reply, sizeof(paths.reply), STUB_FILE_REPLY);
}

/* Gaps, in the copy */

/* The ranges that recovery has stored to, by file and offset. */
struct stored {
	const struct walk_range *at;
	size_t count;
};

/* The first range that ends after `offset`. */
static size_t stored_find(struct stored stored, uint32_t file, uint64_t offset)
{
	size_t from = 0, end = stored.count;

	while (from < end) {
		const struct walk_range *r = &stored.at[(from + end) / 2];

		if (r->file < file || (r->file == file && r->offset + r->size <= offset))
			from = (from + end) / 2 + 1;
		else
			end = (from + end) / 2;
	}
	return from;
}

static void gap_add(uint32_t file, uint64_t from, uint64_t end)
{
	if (from < end)
		fill.gaps[fill.count++] = (struct walk_range){.offset = from, .size = end - from, .file = file};
}

static void page_add(struct stored stored, uint32_t file, uint64_t page)
{
	uint64_t at = page, end = page + PAGE;

	for (size_t i = stored_find(stored, file, page); i < stored.count; i++) {
		const struct walk_range *r = &stored.at[i];

		if (r->file != file || r->offset >= end)
			break;
		gap_add(file, at, r->offset);
		at = r->offset + r->size;
	}
	gap_add(file, at, end);
}

/* Each page that has a stored byte. */
static void pages_add_stored(struct stored stored)
{
	uint64_t next = 0; /* pages before this one are done */

	for (size_t i = 0; i < stored.count; i++) {
		const struct walk_range *r = &stored.at[i];
		uint64_t first = r->offset / PAGE * PAGE;

		if (!i || r->file != r[-1].file)
			next = 0;
		for (uint64_t page = high(first, next); page < r->offset + r->size; page += PAGE) {
			page_add(stored, r->file, page);
			next = page + PAGE;
		}
	}
}

static bool page_is_stored(struct stored stored, uint32_t file, uint64_t page)
{
	size_t found = stored_find(stored, file, page);

	return found < stored.count && stored.at[found].file == file && stored.at[found].offset < page + PAGE;
}

/* The pages of aliases that have none. */
static void pages_add_aliases(struct stored stored)
{
	for (size_t i = 0; i < mapping_count; i++) {
		const struct mapping *m = &mappings[i];
		uint64_t end = m->offset + m->bytes, next;

		for (uint64_t at = m->offset; m->bytes && at < end; at = next) {
			if (!alias_has(m->entry, at, end, &next))
				continue;
			for (uint64_t page = at; page < next; page += PAGE)
				if (!page_is_stored(stored, m->entry, page))
					gap_add(m->entry, page, page + PAGE);
		}
	}
}

/* A page may have been copied though nothing was stored: a compare-and-exchange that fails does so. */
static void page_add_copied(struct stored stored, int pagemap, uint32_t file, uint64_t page)
{
	uint64_t next;

	for (size_t i = 0; i < mapping_count; i++) {
		const struct mapping *m = &mappings[i];

		if (!m->bytes || m->entry != file || page - m->offset >= m->bytes)
			continue;
		if (!alias_has(file, page, page + PAGE, &next) && !page_is_stored(stored, file, page) &&
		    mapping_page_is_changed(pagemap, m->at + (page - m->offset)))
			gap_add(file, page, page + PAGE);
		return;
	}
}

static bool pages_add_copied(struct stored stored, const struct walk_block *block)
{
	const struct walk_event *events = walk_block_events(block);
	uint32_t count = atomic_load(&block->event_count);
	int pagemap = (int)CALL(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (pagemap < 0)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (events[i].kind == WALK_TOUCH)
			page_add_copied(stored, pagemap, events[i].file, events[i].offset);
	CALL(SYS_close, pagemap);
	return true;
}

/* An upper bound of the number of gaps. */
static size_t gaps_most(struct stored stored, const struct walk_block *block)
{
	size_t most = 1 + atomic_load(&block->event_count);

	for (size_t i = 0; i < stored.count; i++)
		most += 2 * (stored.at[i].size / PAGE + 2);
	for (size_t i = 0; i < mapping_count; i++) {
		const struct mapping *m = &mappings[i];
		uint64_t end = m->offset + m->bytes, next;

		for (uint64_t at = m->offset; m->bytes && at < end; at = next)
			if (alias_has(m->entry, at, end, &next))
				most += (next - at) / PAGE;
	}
	return most;
}

static bool files_open(void)
{
	for (size_t i = 0; i < fill.count; i++) {
		uint32_t file = fill.gaps[i].file;

		if (file >= FILES_MAX || file >= stub_page->path_count)
			return false;
		if (fill.fds[file])
			continue;
		const char *path = stub_page_text(stub_page, stub_page_paths(stub_page)[file].actual);
		long fd = CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
		int away = call_fd_away((int)fd);
		if (fd >= 0)
			CALL(SYS_close, fd);
		if (away < 0)
			return false;
		fill.fds[file] = away + 1;
	}
	return true;
}

/* False: something else was there. */
static bool gap_show(const struct walk_range *gap, const char *bytes)
{
	bool same = true;

	for (size_t i = 0; i < mapping_count; i++) {
		const struct mapping *m = &mappings[i];

		if (!m->bytes || m->entry != gap->file || gap->offset - m->offset >= m->bytes)
			continue;
		uintptr_t at = m->at + (gap->offset - m->offset), page = at & -PAGE;
		bool closed = (m->prot & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE);

		if (closed)
			CALL(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE);
		/* A page that is not written need not be copied. */
		if (memcmp((void *)at, bytes, gap->size) != 0) {
			memcpy((void *)at, bytes, gap->size);
			same = false;
		}
		if (closed)
			CALL(SYS_mprotect, page, PAGE, m->prot);
	}
	return same;
}

static bool gaps_show(void)
{
	static char page[PAGE];
	uint64_t at = UINT64_MAX;
	uint32_t file = UINT32_MAX;
	bool same = true;

	mapping_aliases_restore(fill.aliases);
	for (size_t i = 0; i < fill.count; i++) {
		const struct walk_range *gap = &fill.gaps[i];

		if (gap->offset / PAGE * PAGE != at || gap->file != file) {
			at = gap->offset / PAGE * PAGE;
			file = gap->file;
			long n = CALL(SYS_pread64, fill.fds[file] - 1, page, PAGE, at);
			memset(page + (n > 0 ? n : 0), 0, PAGE - (size_t)(n > 0 ? n : 0));
		}
		same &= gap_show(gap, page + gap->offset % PAGE);
	}
	return same;
}

static bool fill_prepare(const struct walk_block *block, const struct walk_stop *stop)
{
	struct stored stored = {walk_block_ranges(block) + stop->first, stop->count};

	fill.gaps = (void *)CALL(SYS_mmap, NULL, gaps_most(stored, block) * sizeof(*fill.gaps), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if ((uintptr_t)fill.gaps >= -PAGE || !mapping_aliases_own())
		return false;
	pages_add_stored(stored);
	pages_add_aliases(stored);
	if (!pages_add_copied(stored, block))
		return false;
	fill.aliases = mapping_aliases_save();
	/* The file has the state of the walk.  If there is something else in a gap, recovery has stored it, but had not done so
	 * when it was recorded. */
	return files_open() && gaps_show();
}

/* The walk */

static void copy_serve(struct walk_block *block, unsigned stop)
{
	walk_forget();
	if (!server_continue(paths.request[stop], paths.reply) || !fill_prepare(block, &block->stops[stop])) {
		atomic_store(&block->stops[stop].server, -(int32_t)CALL(SYS_getpid));
		CALL(SYS_exit_group, STUB_EXIT_LOST);
	}
	atomic_store(&block->stops[stop].server, (int32_t)CALL(SYS_getpid));
	CALL(SYS_munmap, block, block->bytes);
	server_serve();
	repeat_begin();
	gaps_show();
	/* A child that decides lines lazily must know the mappings. */
	mapping_lock();
	mapping_unlock();
}

/* Until it has its own memory, this process must not go on. */
static void copy_await(struct walk_stop *stop, pid_t pid)
{
	const struct timespec pause = {.tv_nsec = LOOK_US * 1000L};

	for (unsigned waited = 0; !atomic_load(&stop->server); waited += LOOK_US) {
		if (waited >= PATIENCE_US) {
			CALL(SYS_kill, pid, SIGKILL);
			atomic_store(&stop->server, -pid);
			return;
		}
		CALL(SYS_nanosleep, &pause, NULL);
	}
}

void checkpoint_leave(struct walk_block *block, unsigned stop)
{
	int saved = errno;
	long pid = call_copy(CLONE_PARENT);

	if (pid == 0)
		copy_serve(block, stop);
	else if (pid > 0)
		copy_await(&block->stops[stop], (pid_t)pid);
	errno = saved;
}
