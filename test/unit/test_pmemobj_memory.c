/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pmemobj_memory.c - the memory of libpmemobj in a recovery.  This file is the library that is rebound.
 *
 *   1  chunks do not overlap, are aligned, are zero, and keep their content when they are enlarged, in several threads, and
 *      also when there is no room any more
 *   2  a new chunk that is cleared is zero; any other memset sets memory
 *   3  what is freed twice, or is no chunk, aborts
 *   4  mutexes of ours work, and are zero when nobody uses them; others are passed on unread
 *   5  those of a vast chunk need no memory until they are locked */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "preload/rebind.h"
#include "preload/stub.h"

enum {
	CHUNKS = 64,
	STEPS = 20000,
	THREADS = 4,
	SMALL = 100,
	LARGE = 5000,
	VAST = 3 << 20,
	PAGE = 4096,
	ELSEWHERE = 100 << 20,
	FIXED = 7
};

static struct stub_page page = {.lean_pmemobj = 1};
struct stub_page *stub_page = &page;

static struct {
	void *(*malloc)(size_t bytes);
	void (*free)(void *at);
	void *(*realloc)(void *at, size_t bytes);
	void *(*memset)(void *at, int value, size_t bytes);
	int (*mutex_init)(pthread_mutex_t *mutex, const pthread_mutexattr_t *how);
	int (*mutex_destroy)(pthread_mutex_t *mutex);
	int (*mutex_lock)(pthread_mutex_t *mutex);
	int (*mutex_trylock)(pthread_mutex_t *mutex);
	int (*mutex_timedlock)(pthread_mutex_t *mutex, const struct timespec *until);
} lib;

bool heap_may_reserve(size_t bytes)
{
	return bytes > 0;
}

void heap_copy_room(uintptr_t from, uintptr_t to)
{
	assert_true(from < to);
}

static void *function_of(const struct rebind_function *functions, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].by;
	return NULL;
}

bool rebind_library(const char *prefix, const struct rebind_function *functions, size_t count)
{
	assert_string_equal(prefix, "libpmemobj.so");
	lib.malloc = function_of(functions, count, "malloc");
	lib.free = function_of(functions, count, "free");
	lib.realloc = function_of(functions, count, "realloc");
	lib.memset = function_of(functions, count, "memset");
	lib.mutex_init = function_of(functions, count, "pthread_mutex_init");
	lib.mutex_destroy = function_of(functions, count, "pthread_mutex_destroy");
	lib.mutex_lock = function_of(functions, count, "pthread_mutex_lock");
	lib.mutex_trylock = function_of(functions, count, "pthread_mutex_trylock");
	lib.mutex_timedlock = function_of(functions, count, "pthread_mutex_timedlock");
	return true;
}

static int start(void **state)
{
	(void)state;
	pmemobj_memory_start();
	return lib.malloc ? 0 : -1;
}

struct chunk {
	uint8_t *at;
	size_t bytes;
	uint8_t value;
};

static bool chunk_has(const struct chunk *c, uint8_t value)
{
	for (size_t i = 0; i < c->bytes; i++)
		if (c->at[i] != value)
			return false;
	return true;
}

/* Most are small; some are as large as those of libpmemobj. */
static size_t size_random(uint64_t *random)
{
	uint64_t kind = random_below(random, 100);

	return random_below(random, kind < 70 ? 300 : kind < 98 ? 4000 : 300000);
}

static bool step(struct chunk *c, uint64_t *random)
{
	size_t bytes = size_random(random);
	bool right = chunk_has(c, c->value);

	if (c->at && random_below(random, 3) == 0) {
		c->at = lib.realloc(c->at, bytes + 1);
		c->bytes = bytes + 1 < c->bytes ? bytes + 1 : c->bytes;
		return right && chunk_has(c, c->value);
	}
	lib.free(c->at);
	c->at = random_below(random, 2) ? lib.malloc(bytes) : lib.realloc(NULL, bytes);
	c->bytes = bytes;
	c->value = (uint8_t)random_below(random, 256);
	right = right && c->at && (uintptr_t)c->at % 16 == 0;
	memset(c->at, c->value, bytes);
	return right;
}

static void *many_steps(void *arg)
{
	struct chunk chunks[CHUNKS] = {0};
	uint64_t random = (uintptr_t)arg;
	bool right = true;

	for (int i = 0; i < STEPS && right; i++)
		right = step(&chunks[random_below(&random, CHUNKS)], &random);
	for (int i = 0; i < CHUNKS; i++) {
		right = right && chunk_has(&chunks[i], chunks[i].value);
		lib.free(chunks[i].at);
	}
	return right ? arg : NULL;
}

static void chunks_are_apart(void **state)
{
	pthread_t threads[THREADS];
	void *result;

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, many_steps, (void *)(i + 1)), 0);
	for (uintptr_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_ptr_equal(result, (void *)(i + 1));
	}
}

static void new_chunks_are_zero(void **state)
{
	static const size_t sizes[] = {1, SMALL, LARGE, VAST};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct chunk c = {lib.malloc(sizes[i]), sizes[i], 0};

		assert_ptr_equal(lib.memset(c.at, 0, c.bytes), c.at);
		assert_true(chunk_has(&c, 0));
		lib.memset(c.at, FIXED, c.bytes);
		assert_true(chunk_has(&c, FIXED));
		/* Not right after malloc. */
		lib.memset(c.at, 0, c.bytes);
		assert_true(chunk_has(&c, 0));
		lib.free(c.at);
	}
}

/* The last chunk is no longer a new one when another has been allocated, even elsewhere. */
static void old_chunks_are_cleared(void **state)
{
	struct chunk c = {lib.malloc(SMALL), SMALL, 0};
	char *other = lib.malloc(ELSEWHERE);

	(void)state;
	memset(c.at, FIXED, c.bytes);
	assert_non_null(other);
	lib.memset(c.at, 0, c.bytes);
	assert_true(chunk_has(&c, 0));
	lib.free(other);
	lib.free(c.at);
}

/* The signal that ends a process which frees this after it has freed `first`. */
static int signal_of(void *first, void *second)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		close(STDERR_FILENO);
		lib.free(first);
		lib.free(second);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void wrong_frees_abort(void **state)
{
	static const size_t sizes[] = {0, SMALL, LARGE, VAST};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *chunk = lib.malloc(sizes[i]);

		assert_int_equal(signal_of(NULL, chunk), 0);
		assert_int_equal(signal_of(chunk, chunk), SIGABRT);
		assert_int_equal(signal_of(NULL, chunk + 16), SIGABRT);
		assert_int_equal(signal_of(NULL, chunk + 1), SIGABRT);
		lib.free(chunk);
	}
}

static void mutexes_work(void **state)
{
	pthread_mutex_t *ours = lib.malloc(sizeof(*ours)), own, zero;
	pthread_mutexattr_t how;

	(void)state;
	memset(&zero, 0, sizeof(zero));
	assert_int_equal(lib.mutex_init(ours, NULL), 0);
	assert_memory_equal(ours, &zero, sizeof(zero));
	assert_int_equal(pthread_mutex_lock(ours), 0);
	assert_int_equal(lib.mutex_destroy(ours), EBUSY);
	assert_int_equal(pthread_mutex_unlock(ours), 0);
	assert_int_equal(lib.mutex_destroy(ours), 0);
	memset(ours, FIXED, sizeof(*ours));
	assert_int_equal(lib.mutex_init(ours, NULL), 0);
	assert_memory_equal(ours, &zero, sizeof(zero));

	pthread_mutexattr_init(&how);
	pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
	assert_int_equal(lib.mutex_init(ours, &how), 0);
	assert_int_equal(pthread_mutex_lock(ours) | pthread_mutex_lock(ours), 0);

	/* Ones that are elsewhere, in PM for example, are left as the C library leaves them. */
	memset(&own, 0, sizeof(own));
	assert_int_equal(lib.mutex_destroy(&own), 0);
	assert_memory_not_equal(&own, &zero, sizeof(zero));
}

/* How many of these pages are there. */
static size_t pages_there(const void *from, size_t count)
{
	unsigned char there[VAST / PAGE];
	size_t sum = 0;

	assert_true(count <= sizeof(there));
	assert_int_equal(mincore((void *)from, count * PAGE, there), 0);
	for (size_t i = 0; i < count; i++)
		sum += there[i] & 1;
	return sum;
}

static int lock_trying(pthread_mutex_t *mutex)
{
	return lib.mutex_trylock(mutex);
}

static int lock_in_time(pthread_mutex_t *mutex)
{
	return lib.mutex_timedlock(mutex, &(struct timespec){0});
}

static void vast_mutex_is_used(pthread_mutex_t *mutex, int (*lock)(pthread_mutex_t *mutex))
{
	assert_int_equal(lock(mutex), 0);
	assert_int_equal(lib.mutex_destroy(mutex), EBUSY);
	assert_int_equal(pthread_mutex_unlock(mutex), 0);
	assert_int_equal(lib.mutex_destroy(mutex), 0);
}

static void vast_mutexes_work(void **state)
{
	enum { FIRST = 10, COUNT = VAST / PAGE - 1 };
	char *chunk = lib.malloc(VAST), *page_first = chunk + PAGE - (uintptr_t)chunk % PAGE;
	pthread_mutex_t *mutexes = (void *)page_first, *later = (void *)(page_first + FIRST * PAGE);
	pthread_mutex_t *on_two = (void *)(page_first + 2 * FIRST * PAGE - sizeof(*on_two) / 2);
	pthread_mutexattr_t how;

	(void)state;
	for (size_t i = 0; i < COUNT * PAGE / sizeof(*mutexes); i++)
		assert_int_equal(lib.mutex_init(&mutexes[i], NULL) | lib.mutex_destroy(&mutexes[i]), 0);
	assert_int_equal(pages_there(page_first, COUNT), 0);
	vast_mutex_is_used(mutexes, lib.mutex_lock);
	vast_mutex_is_used(later, lock_trying);
	vast_mutex_is_used(on_two, lock_in_time);
	assert_int_equal(pages_there(page_first, COUNT), 4);

	pthread_mutexattr_init(&how);
	pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
	later = (void *)(page_first + 3 * FIRST * PAGE);
	assert_int_equal(lib.mutex_init(later, &how), 0);
	assert_int_equal(pthread_mutex_lock(later) | pthread_mutex_lock(later), 0);
	assert_int_equal(lib.mutex_destroy(later), EBUSY);
	lib.free(chunk);
}

enum { MUTEX_WRITTEN = 41, MUTEX_READ = 42, FAULT_WRITES = 2 };

static void fault_exit(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	_exit(((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & FAULT_WRITES ? MUTEX_WRITTEN : MUTEX_READ);
}

/* A read of PM is one that recovery has not made. */
static void other_mutexes_are_not_read(void **state)
{
	pthread_mutex_t *mutex = mmap(NULL, sizeof(*mutex), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction act = {.sa_sigaction = fault_exit, .sa_flags = SA_SIGINFO};
	int status;

	(void)state;
	assert_ptr_not_equal(mutex, MAP_FAILED);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		sigaction(SIGSEGV, &act, NULL);
		lib.mutex_init(mutex, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), MUTEX_WRITTEN);
	munmap(mutex, sizeof(*mutex));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_chunks_are_zero),    cmocka_unit_test(wrong_frees_abort),
		cmocka_unit_test(mutexes_work),           cmocka_unit_test(vast_mutexes_work),
		cmocka_unit_test(old_chunks_are_cleared), cmocka_unit_test(other_mutexes_are_not_read),
		cmocka_unit_test(chunks_are_apart), /* fills the rooms */
	};
	return cmocka_run_group_tests(tests, start, NULL);
}
