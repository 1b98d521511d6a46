/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks.c - keep locks that record their owner valid in a process that is forked while it holds them.
 *
 * A recursive or error-checking mutex, and a read-write lock, record the ID of the thread that holds them.  A fork
 * gives the thread another ID, so it would no longer own its locks: it would wait for itself, or fail to unlock.  A
 * recovery that does not expect to be forked must keep them.  So we keep a list of the locks that are held, and write
 * the child's ID into them.
 *
 * Plain mutexes do not record an owner, and are not listed. */
#include "preload/stub.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "preload/lazy.h"

enum {
	HELD_MAX = 128,
	KIND_PLAIN = PTHREAD_MUTEX_TIMED_NP,
	KIND_ADAPTIVE = PTHREAD_MUTEX_ADAPTIVE_NP,
	KIND_MASK = 127
};
#define OWNER_MASK 0x3fffffff /* in the futex word of a robust or priority-inheritance mutex */

/* Maintained only in single-threaded programs; with several threads, decisions are refused anyway. */
static struct {
	void *lock;
	bool is_mutex;
} held[HELD_MAX];
static size_t held_count;

static void held_add(void *lock, bool is_mutex)
{
	if (held_count == HELD_MAX || lazy_is_pm(lock)) {
		lazy_spoil("recovery holds a lock that cannot be passed to a forked process");
		return;
	}
	held[held_count].lock = lock;
	held[held_count++].is_mutex = is_mutex;
}

static void held_remove(void *lock)
{
	for (size_t i = held_count; i-- > 0;) {
		if (held[i].lock == lock) {
			held[i] = held[--held_count];
			return;
		}
	}
}

static void mutex_adopt(pthread_mutex_t *mutex, int from, int to)
{
	if (mutex->__data.__owner == from)
		mutex->__data.__owner = to;
	if ((mutex->__data.__lock & OWNER_MASK) == from)
		mutex->__data.__lock = (mutex->__data.__lock & ~OWNER_MASK) | to;
}

void locks_adopt(int from, int to)
{
	for (size_t i = 0; i < held_count; i++) {
		pthread_rwlock_t *lock = held[i].lock;

		if (held[i].is_mutex)
			mutex_adopt(held[i].lock, from, to);
		else if (lock->__data.__cur_writer == from)
			lock->__data.__cur_writer = to;
	}
}

static bool mutex_knows(const pthread_mutex_t *mutex)
{
	int kind = mutex->__data.__kind & KIND_MASK;
	return stub_page && kind != KIND_PLAIN && kind != KIND_ADAPTIVE;
}

static int mutex_locked(pthread_mutex_t *mutex, int result)
{
	if ((result == 0 || result == EOWNERDEAD) && mutex_knows(mutex))
		held_add(mutex, true);
	return result;
}

PUBLIC int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return mutex_locked(mutex, NEXT(pthread_mutex_lock)(mutex));
}

PUBLIC int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return mutex_locked(mutex, NEXT(pthread_mutex_trylock)(mutex));
}

PUBLIC int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	return mutex_locked(mutex, NEXT(pthread_mutex_timedlock)(mutex, until));
}

PUBLIC int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (mutex_knows(mutex))
		held_remove(mutex);
	return NEXT(pthread_mutex_unlock)(mutex);
}

static int lock_written(pthread_rwlock_t *lock, int result)
{
	if (result == 0 && stub_page)
		held_add(lock, false);
	return result;
}

PUBLIC int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return lock_written(lock, NEXT(pthread_rwlock_wrlock)(lock));
}

PUBLIC int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	return lock_written(lock, NEXT(pthread_rwlock_trywrlock)(lock));
}

PUBLIC int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	if (stub_page)
		held_remove(lock);
	return NEXT(pthread_rwlock_unlock)(lock);
}
