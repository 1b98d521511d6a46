/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk.c - see walk.h. */
#include "preload/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "preload/call.h"
#include "preload/dispatch.h"
#include "preload/mapping_in.h"

enum { SLOTS = 2 * WALK_EVENTS_MAX /* a power of two */, FAULT_WRITE = 2, FAULT_FETCH = 16 };

static struct {
	bool on;
	struct walk_block *block;
	uint64_t start_ns, own_ns; /* own_ns: our share of the time since then */
	unsigned next;             /* the next stop */
	bool visits;               /* the touch before this stop has come, and visits are counted: */
	struct walk_visits visited;
	struct kernel_action segv, sys;
} walk;

/* Pages that were touched: the number of the page and the file, plus one.  A hash table with linear probing. */
static uint64_t touched[SLOTS];

bool walk_is_on(void)
{
	return walk.on;
}

/* Touched pages */

/* The slot of a page, or the free one where it belongs. */
static uint64_t *page_slot(uint32_t file, uint64_t offset)
{
	uint64_t key = walk_page(file, offset);
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;

	while (touched[i] && touched[i] != key)
		i = (i + 1) % SLOTS;
	return &touched[i];
}

/* The log */

static uint64_t time_of_recovery(void)
{
	return clock_ns() - walk.start_ns - walk.own_ns;
}

/* Is this what an earlier walk has logged at the same place? */
static bool event_is_expected(uint32_t number, const struct walk_event *event)
{
	const struct walk_event *way = walk_block_way(walk.block) + number;

	return number >= walk.block->way_count || (way->kind == event->kind && way->file == event->file &&
						   way->offset == event->offset && way->size == event->size);
}

/* False: the walk has ended. */
static bool event_add(enum walk_kind kind, uint32_t file, uint64_t offset, uint64_t size, uint64_t at_ns)
{
	struct walk_event event = {kind, file, offset, size, at_ns};
	uint32_t count = atomic_load(&walk.block->event_count);

	/* While visits are counted, the stop should have come before this. */
	if (walk.visits || !event_is_expected(count, &event)) {
		walk_end("recovery takes another way than before");
		return false;
	}
	if (count >= walk.block->event_max) {
		walk_end("recovery touches PM very often");
		return false;
	}
	walk_block_events(walk.block)[count] = event;
	atomic_store(&walk.block->event_count, count + 1);
	return true;
}

void walk_read(uint32_t file, uint64_t offset, size_t size)
{
	if (walk.on)
		event_add(WALK_READ, file, offset, size, time_of_recovery());
}

/* Memory */

static bool mapping_shows(const struct mapping *m)
{
	return m->bytes && !m->retained;
}

static void mappings_open(void)
{
	for (size_t i = 0; i < mapping_count; i++)
		if (mapping_shows(&mappings[i]))
			CALL(SYS_mprotect, mappings[i].at, mappings[i].bytes, mappings[i].prot);
}

/* Open or close one page wherever it is mapped. */
static void page_protect(uint32_t file, uint64_t offset, bool open)
{
	for (size_t i = 0; i < mapping_count; i++) {
		const struct mapping *m = &mappings[i];

		if (mapping_shows(m) && m->entry == file && offset - m->offset < m->bytes)
			CALL(SYS_mprotect, m->at + (offset - m->offset), PAGE, open ? m->prot : PROT_NONE);
	}
}

static void mappings_close_all(void)
{
	for (size_t i = 0; i < mapping_count; i++)
		if (mapping_shows(&mappings[i]))
			CALL(SYS_mprotect, mappings[i].at, mappings[i].bytes, PROT_NONE);
}

/* Close what was not touched. */
static void mappings_close(void)
{
	const struct walk_event *events = walk_block_events(walk.block);
	uint32_t count = atomic_load(&walk.block->event_count);

	mappings_close_all();
	for (uint32_t i = 0; i < count; i++)
		if (events[i].kind == WALK_TOUCH)
			page_protect(events[i].file, events[i].offset, true);
}

void walk_suspend(void)
{
	if (walk.visits)
		walk_end("recovery changes its mappings");
	if (!walk.on)
		return;
	dispatch_selector = 0;
	mappings_open();
}

void walk_resume(void)
{
	if (!walk.on)
		return;
	mappings_close();
	dispatch_selector = 1;
}

/* Traps */

void walk_forget(void)
{
	walk.on = walk.visits = false;
	mappings_open();
	dispatch_action_set(SIGSEGV, &walk.segv, NULL);
	dispatch_end(&walk.sys);
}

void walk_end(const char *why)
{
	if (!walk.on)
		return;
	strncpy(walk.block->end, why, WALK_REASON - 1);
	walk_forget();
	CALL(SYS_munmap, walk.block, walk.block->bytes);
}

static const struct mapping *mapping_of(uintptr_t at)
{
	for (size_t i = 0; i < mapping_count; i++)
		if (mapping_shows(&mappings[i]) && at - mappings[i].at < mappings[i].bytes)
			return &mappings[i];
	return NULL;
}

bool walk_is_pm(uintptr_t at)
{
	return mapping_of(at) != NULL;
}

static bool access_is_allowed(const ucontext_t *uc, int prot)
{
	greg_t error = uc->uc_mcontext.gregs[REG_ERR];

	if (error & FAULT_FETCH)
		return prot & PROT_EXEC;
	return prot & (error & FAULT_WRITE ? PROT_WRITE : PROT_READ | PROT_WRITE);
}

/* Leave a checkpoint, and go on to the next stop. */
static void stop_leave(uint64_t at_ns)
{
	walk.visits = false;
	walk.block->stops[walk.next].nanoseconds = at_ns;
	checkpoint_leave(walk.block, walk.next++);
}

/* Is the next stop at this event, or after it? */
static const struct walk_stop *stop_at(uint32_t event)
{
	const struct walk_stop *stop = &walk.block->stops[walk.next];

	return walk.next < walk.block->stop_count && stop->event == event ? stop : NULL;
}

static void page_touch(uint32_t file, uint64_t offset, uint64_t at_ns)
{
	uint32_t number = atomic_load(&walk.block->event_count);

	if (!event_add(WALK_TOUCH, file, offset, PAGE, at_ns))
		return;
	*page_slot(file, offset) = walk_page(file, offset);
	if (stop_at(number) && !stop_at(number)->visits)
		stop_leave(at_ns);
	if (!walk.on)
		return;
	walk.visits = stop_at(number);
	if (walk.visits) {
		mappings_close_all();
		walk.visited = walk_visits_begin(walk_page(file, offset));
	}
	page_protect(file, offset, true);
}

/* Leave a checkpoint before this visit.  False: no more visits are counted. */
static bool stop_visited(uint64_t at_ns)
{
	const struct walk_stop *stop = &walk.block->stops[walk.next];

	if (walk.visited.hash != stop->hash) {
		walk_end("recovery takes another way than before");
		return false;
	}
	stop_leave(at_ns);
	if (!walk.on)
		return false;
	walk.visits = stop_at(stop->event);
	if (!walk.visits)
		mappings_close();
	return walk.visits;
}

/* An access to a page that was touched before. */
static void page_visit(uint32_t file, uint64_t offset, uint64_t at_ns)
{
	uint64_t closed = walk_visits_add(&walk.visited, walk_page(file, offset));

	if (walk.visited.count == walk.block->stops[walk.next].visits && !stop_visited(at_ns))
		return;
	page_protect(file, offset, true);
	if (closed)
		page_protect(walk_page_file(closed), walk_page_offset(closed), false);
}

/* `at_ns`: when the handler began. */
static void time_keep(uint64_t at_ns)
{
	if (!walk.on)
		return;
	walk.own_ns += clock_ns() - at_ns;
	walk.block->own_ns = walk.own_ns;
}

static void on_segv(int sig, siginfo_t *info, void *context)
{
	uint64_t now = clock_ns();
	uintptr_t at = (uintptr_t)info->si_addr;
	const struct mapping *m = info->si_code == SEGV_ACCERR ? mapping_of(at) : NULL;
	uint64_t offset = m ? m->offset + (at - m->at) / PAGE * PAGE : 0;

	(void)sig;
	bool known = m && *page_slot(m->entry, offset);
	bool visit = known && walk.visits && !walk_visits_open(&walk.visited, walk_page(m->entry, offset));
	if (m && access_is_allowed(context, m->prot) && (visit || !known)) {
		(visit ? page_visit : page_touch)(m->entry, offset, now - walk.start_ns - walk.own_ns);
		time_keep(now);
		return;
	}
	/* It happens again, and the program gets it. */
	walk_end("recovery has a fault");
	if (info->si_code <= 0)
		dispatch_pass_on(SIGSEGV);
}

/* Returns how long it took. */
static uint64_t call_make(greg_t *r)
{
	uint64_t start = clock_ns();

	dispatch_make(r);
	return clock_ns() - start;
}

static void on_sys(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t now = clock_ns();

	(void)sig;
	if (!dispatch_is_call(info)) {
		walk_end("recovery gets a signal");
		dispatch_pass_on(SIGSYS);
		return;
	}
	greg_t *r = uc->uc_mcontext.gregs;
	switch (dispatch_is_native(info) ? walk_call(uc) : WALK_CALL_END) {
	case WALK_CALL_MAKE:
		walk.own_ns -= call_make(r);
		/* fall through */
	case WALK_CALL_DONE: time_keep(now); return;
	case WALK_CALL_END: break;
	}
	walk_end(r[REG_RAX] == SYS_exit_group ? "" : "recovery makes a system call that has effects");
	dispatch_leave(r);
}

static bool is_blocked(void)
{
	uint64_t mask = 0;

	CALL(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof(mask));
	return mask & walk_signals();
}

void walk_arm(uint64_t start_ns)
{
	struct kernel_action segv = dispatch_action(on_segv);

	walk.start_ns = start_ns;
	if (is_blocked())
		return;
	dispatch_action_set(SIGSEGV, &segv, &walk.segv);
	walk.on = true;
	if (!dispatch_begin(on_sys, &walk.sys))
		walk_end("the kernel does not report system calls");
	else
		dispatch_selector = 1;
}

/* In the server */

const char *walk_begin(void)
{
	char path[4096];
	struct stat st = {0};

	if (!stub_control(path, sizeof(path), STUB_FILE_WALK))
		return "the control files are hidden";
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	void *memory = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof(*walk.block))
		memory = (void *)syscall(SYS_mmap, NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		syscall(SYS_close, fd);
	if (memory == MAP_FAILED)
		return "the plan of a walk cannot be read";
	walk.block = memory;
	walk.own_ns = walk.next = 0;
	walk.visits = false;
	if (checkpoint_begin())
		return NULL;
	walk_over();
	return "the control files are hidden";
}

const struct walk_block *walk_block(void)
{
	return walk.block;
}

void walk_over(void)
{
	syscall(SYS_munmap, walk.block, walk.block->bytes);
	walk.block = NULL;
}
