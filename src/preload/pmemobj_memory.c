/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmemobj_memory.c - libpmemobj gets memory of its own in a recovery.
 *
 * When libpmemobj opens a pool, it fills 11 MB of its heap: six logs for each of 1 024 lanes, and 65 528 mutexes.  When it
 * closes the pool, it frees each log and destroys each mutex, and writes to all these pages again.  It hardly uses any of
 * it.  In children that were forked from a checkpoint, each page that is written is a page to be copied.  All this takes
 * longer than what recovery does with the pool.  So:
 *
 *  1. What libpmemobj allocates comes from three rooms of ours: one for small chunks, which are written again and again, one
 *     for large ones, which are written once, and one for vast ones, most of which is never written.  The first two are in
 *     huge pages.
 *  2. No memory is used twice, so a new chunk is zero.  libpmemobj's Zalloc clears what it has just allocated: a memset that
 *     follows malloc, with its result and its size, does nothing.
 *  3. To free a chunk leaves the chunk alone: which ones are in use is known elsewhere.  As in the C library, a chunk that
 *     is freed twice aborts the program.
 *  4. A mutex that is zero is initialized and not locked.  To initialize or to destroy one in our rooms does nothing.
 *     libpmemobj initializes a mutex before it does anything else with it, so those of a vast chunk are zero until one of
 *     their page is locked.  They are not even looked at: what is not touched need not be there.
 *
 * libpmemobj calls malloc through a variable.  Its few calls by name remain the C library's: they make messages of threads,
 * which the C library frees when a thread ends, as it was told when libpmemobj was loaded.
 *
 * When a room is full, the C library's heap takes its place.  What the program itself allocates always comes from that heap.
 * If the program has another allocator than the C library's, or another memset or pthread_mutex_init, libpmemobj uses that, as
 * without us. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/rebind.h"
#include "preload/stub.h"

enum {
	HUGE = 2 << 20,
	ALIGNMENT = 16, /* of chunks, as malloc's */
	SMALL_BYTES = 8 << 20,
	SMALL_GRAIN = 32,
	LARGE_MIN = 512,
	LARGE_BYTES = 48 << 20,
	LARGE_GRAIN = LARGE_MIN,
	VAST_MIN = 1 << 20,
	VAST_BYTES = 32 << 20,
	VAST_GRAIN = 2048,
	ALL_BYTES = SMALL_BYTES + LARGE_BYTES + VAST_BYTES,
	PAGE = 4096,
};

extern void *__libc_malloc(size_t bytes);

/* In front of a chunk. */
struct header {
	size_t bytes;
	size_t unused;
};
_Static_assert(sizeof(struct header) == ALIGNMENT, "a chunk behind it is aligned");

struct room {
	uintptr_t from, end;
	_Atomic uintptr_t next; /* the header of the next chunk */
	size_t grain;           /* no two chunks begin in the same one */
	_Atomic uint8_t *used;  /* of each grain, the chunk that begins there: see mark_of; 0: none that is in use */
};

static _Atomic uint8_t small_used[SMALL_BYTES / SMALL_GRAIN], large_used[LARGE_BYTES / LARGE_GRAIN],
	vast_used[VAST_BYTES / VAST_GRAIN];
static struct room small = {.grain = SMALL_GRAIN, .used = small_used},
		   large = {.grain = LARGE_GRAIN, .used = large_used}, vast = {.grain = VAST_GRAIN, .used = vast_used};

/* Of each page of the room for vast chunks: has it had a mutex that was not zero? */
static _Atomic bool vast_mutexes[VAST_BYTES / PAGE];

/* The chunk that this thread has just allocated, and its size; nothing has happened since. */
static __thread void *fresh __attribute__((tls_model("initial-exec")));
static __thread size_t fresh_bytes __attribute__((tls_model("initial-exec")));

static bool is_ours(const void *at)
{
	return (uintptr_t)at - small.from < ALL_BYTES;
}

static struct room *room_for(size_t bytes)
{
	return bytes < LARGE_MIN ? &small : bytes < VAST_MIN ? &large : &vast;
}

static struct room *room_of(const void *chunk)
{
	return (uintptr_t)chunk < small.end ? &small : (uintptr_t)chunk < large.end ? &large : &vast;
}

static _Atomic uint8_t *used_of(const struct room *room, const void *chunk)
{
	return &room->used[((uintptr_t)chunk - room->from) / room->grain];
}

static uint8_t mark_of(const struct room *room, const void *chunk)
{
	return (uint8_t)(1 + ((uintptr_t)chunk - room->from) % room->grain / ALIGNMENT);
}

/* Atomic instructions take longer than all else here, so they are only used if there are other threads. */
static bool next_move(struct room *room, uintptr_t *at, uintptr_t to)
{
	if (!__libc_single_threaded)
		return atomic_compare_exchange_weak(&room->next, at, to);
	atomic_store_explicit(&room->next, to, memory_order_relaxed);
	return true;
}

/* False: the chunk is not in use. */
static bool mark_clear(_Atomic uint8_t *used, uint8_t mark)
{
	if (!__libc_single_threaded)
		return atomic_compare_exchange_strong(used, &mark, 0);
	if (atomic_load_explicit(used, memory_order_relaxed) != mark)
		return false;
	atomic_store_explicit(used, 0, memory_order_relaxed);
	return true;
}

/* NULL: there is no room left. */
static void *room_take(struct room *room, size_t bytes)
{
	size_t all = sizeof(struct header) + ((bytes ? bytes : 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	uintptr_t at = atomic_load(&room->next);

	do {
		if (bytes > ALL_BYTES || all > room->end - at)
			return NULL;
	} while (!next_move(room, &at, at + all));
	return (void *)(at + sizeof(struct header));
}

static void *chunk_new(size_t bytes)
{
	struct room *room = room_for(bytes);
	struct header *chunk = room_take(room, bytes);

	fresh = chunk;
	if (!chunk)
		return NULL;
	chunk[-1].bytes = fresh_bytes = bytes;
	atomic_store_explicit(used_of(room, chunk), mark_of(room, chunk), memory_order_relaxed);
	return chunk;
}

static void chunk_free(void *chunk)
{
	static const char complaint[] = "free(): invalid pointer\n";
	struct room *room = room_of(chunk);

	fresh = NULL;
	if ((uintptr_t)chunk % ALIGNMENT == 0 && mark_clear(used_of(room, chunk), mark_of(room, chunk)))
		return;
	if (write(STDERR_FILENO, complaint, sizeof(complaint) - 1) < 0)
		errno = 0;
	abort();
}

static void *lib_malloc(size_t bytes)
{
	void *chunk = chunk_new(bytes);

	return chunk ? chunk : malloc(bytes);
}

static void lib_free(void *at)
{
	if (is_ours(at))
		chunk_free(at);
	else
		free(at);
}

static void *lib_realloc(void *at, size_t bytes)
{
	if (!at)
		return lib_malloc(bytes);
	if (!is_ours(at))
		return realloc(at, bytes);
	if (!bytes) {
		chunk_free(at);
		return NULL;
	}
	size_t before = ((struct header *)at)[-1].bytes;
	void *new = lib_malloc(bytes);
	if (!new)
		return NULL;
	memcpy(new, at, before < bytes ? before : bytes);
	chunk_free(at);
	return new;
}

static void *lib_memset(void *at, int value, size_t bytes)
{
	bool is_zero = at == fresh && bytes == fresh_bytes && value == 0;

	fresh = NULL;
	return is_zero ? at : memset(at, value, bytes);
}

static bool is_vast(const void *at)
{
	return (uintptr_t)at - vast.from < VAST_BYTES;
}

/* A mutex may lie on two pages. */
static _Atomic bool *vast_mutexes_at(const void *at)
{
	return &vast_mutexes[((uintptr_t)at - vast.from) / PAGE];
}

static void vast_mutex_note(const pthread_mutex_t *mutex)
{
	const char *last = (const char *)(mutex + 1) - 1;

	if (!is_vast(mutex))
		return;
	atomic_store_explicit(vast_mutexes_at(mutex), true, memory_order_relaxed);
	if (is_vast(last))
		atomic_store_explicit(vast_mutexes_at(last), true, memory_order_relaxed);
}

/* A mutex may be in PM, whose reads count.  So others are not looked at. */
static bool mutex_is_ours_and_zero(const pthread_mutex_t *mutex)
{
	uint64_t words[sizeof(pthread_mutex_t) / sizeof(uint64_t)];

	if (is_vast(mutex) && !atomic_load_explicit(vast_mutexes_at(mutex), memory_order_relaxed))
		return true;
	if (!is_ours(mutex))
		return false;
	memcpy(words, mutex, sizeof(words));
	return !(words[0] | words[1] | words[2] | words[3] | words[4]);
}

static int lib_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *how)
{
	if (!how && mutex_is_ours_and_zero(mutex))
		return 0;
	vast_mutex_note(mutex);
	return pthread_mutex_init(mutex, how);
}

static int lib_mutex_destroy(pthread_mutex_t *mutex)
{
	return mutex_is_ours_and_zero(mutex) ? 0 : pthread_mutex_destroy(mutex);
}

static int lib_mutex_lock(pthread_mutex_t *mutex)
{
	vast_mutex_note(mutex);
	return pthread_mutex_lock(mutex);
}

static int lib_mutex_trylock(pthread_mutex_t *mutex)
{
	vast_mutex_note(mutex);
	return pthread_mutex_trylock(mutex);
}

static int lib_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	vast_mutex_note(mutex);
	return pthread_mutex_timedlock(mutex, until);
}

/* NULL: there is no memory for them. */
static void *rooms_map(size_t bytes)
{
	void *at = heap_may_reserve(bytes) ? (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
							     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
					   : MAP_FAILED;

	if (at == MAP_FAILED)
		return NULL;
	small.from = ((uintptr_t)at + HUGE - 1) & -(uintptr_t)HUGE;
	small.end = large.from = small.from + SMALL_BYTES;
	large.end = vast.from = large.from + LARGE_BYTES;
	vast.end = vast.from + VAST_BYTES;
	small.next = small.from;
	large.next = large.from;
	vast.next = vast.from;
	return at;
}

/* Other functions than the C library's, or than ours (locks.c), may be there to find mistakes. */
static bool functions_are_plain(const struct rebind_function *functions, size_t count)
{
	Dl_info library, stub, found;

	if (malloc != __libc_malloc || !dladdr((void *)__libc_malloc, &library) || !dladdr(&stub_page, &stub))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!dladdr(functions[i].before, &found) ||
		    (found.dli_fbase != library.dli_fbase && found.dli_fbase != stub.dli_fbase))
			return false;
	return true;
}

void pmemobj_memory_start(void)
{
	const struct rebind_function functions[] = {
		{"malloc", lib_malloc, malloc, .required = true, .variables = true},
		{"free", lib_free, free, .required = true},
		{"realloc", lib_realloc, realloc, .required = true},
		{"memset", lib_memset, memset, false, false},
		{"pthread_mutex_init", lib_mutex_init, pthread_mutex_init, false, false},
		{"pthread_mutex_destroy", lib_mutex_destroy, pthread_mutex_destroy, false, false},
		{"pthread_mutex_lock", lib_mutex_lock, pthread_mutex_lock, false, false},
		{"pthread_mutex_trylock", lib_mutex_trylock, pthread_mutex_trylock, false, false},
		{"pthread_mutex_timedlock", lib_mutex_timedlock, pthread_mutex_timedlock, false, false},
	};
	size_t bytes = ALL_BYTES + HUGE, count = sizeof(functions) / sizeof(*functions);

	if (!stub_page->lean_pmemobj || !functions_are_plain(functions, count))
		return;
	void *at = rooms_map(bytes);
	if (!at)
		return;
	if (!rebind_library("libpmemobj.so", functions, count)) {
		syscall(SYS_munmap, at, bytes);
		return;
	}
	if (stub_page->huge_pages && madvise((void *)small.from, vast.from - small.from, MADV_HUGEPAGE) == 0)
		heap_copy_room(small.from, small.end);
}
