/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovers_obj_counts.c - a recovery of a libpmemobj pool that replaces a function of the C library for all libraries, as tools
 * that watch locks do.
 *
 *     recovers_obj_counts POOL     open, close; fail if libpmemobj has not initialized its mutexes with our function */
// link: -lpmemobj -lpthread
#include <dlfcn.h>
#include <libpmemobj.h>
#include <pthread.h>

enum { MUTEXES_MIN = 1000 };

static int count;

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *how)
{
	__typeof__(&pthread_mutex_init) next = (__typeof__(&pthread_mutex_init))dlsym(RTLD_NEXT, "pthread_mutex_init");

	count++;
	return next(mutex, how);
}

int main(int argc, char **argv)
{
	PMEMobjpool *pool = argc == 2 ? pmemobj_open(argv[1], "recovers") : NULL;

	if (!pool)
		return 7;
	pmemobj_close(pool);
	return count < MUTEXES_MIN ? 3 : 0;
}
