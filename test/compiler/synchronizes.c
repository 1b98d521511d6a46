/* SPDX-License-Identifier: GPL-2.0-or-later */
/* synchronizes - every way in which threads synchronize in C: POSIX, C11, atomics (noted.sh). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                        \
	do {                                                                    \
		if (!(condition)) {                                             \
			fprintf(stderr, "line %d: " #condition "\n", __LINE__); \
			exit(1);                                                \
		}                                                               \
	} while (0)

static uint64_t *pm;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t sem, *named;
static mtx_t mtx;
static cnd_t cnd;
static once_flag c11_once = ONCE_FLAG_INIT;
static _Atomic int flag, waiting;
static _Atomic __int128 wide;
static const struct timespec past = {1, 0}, future = {4000000000, 0};

static void mutexes(void)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);                               //! acquire mutex
	CHECK(pthread_mutex_trylock(&mutex) == EBUSY);                        //!
	CHECK(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);           //!
	CHECK(pthread_mutex_unlock(&mutex) == 0);                             //! release mutex
	CHECK(pthread_mutex_trylock(&mutex) == 0);                            //! acquire mutex
	CHECK(pthread_mutex_unlock(&mutex) == 0);                             //! release mutex
	CHECK(pthread_mutex_timedlock(&mutex, &future) == 0);                 //! acquire mutex
	CHECK(pthread_mutex_unlock(&mutex) == 0);                             //! release mutex
	CHECK(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &future) == 0); //! acquire mutex
	CHECK(pthread_mutex_unlock(&mutex) == 0);                             //! release mutex
}

/* Readers give to writers only. */
static void rwlocks(void)
{
	CHECK(pthread_rwlock_rdlock(&rwlock) == 0);               //! acquire rwlock
	CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);        //!
	CHECK(pthread_rwlock_tryrdlock(&rwlock) == 0);            //! acquire rwlock
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);               //! release rwlock-readers
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);               //! release rwlock-readers
	CHECK(pthread_rwlock_wrlock(&rwlock) == 0);               //! acquire rwlock; acquire rwlock-readers
	CHECK(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);        //!
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);               //! release rwlock
	CHECK(pthread_rwlock_timedrdlock(&rwlock, &future) == 0); //! acquire rwlock
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);               //! release rwlock-readers
	CHECK(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &future) == 0); //! acquire rwlock
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);                                //! release rwlock-readers
	CHECK(pthread_rwlock_timedwrlock(&rwlock, &future) == 0);    //! acquire rwlock; acquire rwlock-readers
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);                  //! release rwlock
	CHECK(pthread_rwlock_clockwrlock(&rwlock, 0, &future) == 0); //! acquire rwlock; acquire rwlock-readers
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);                  //! release rwlock
	CHECK(pthread_rwlock_trywrlock(&rwlock) == 0);               //! acquire rwlock; acquire rwlock-readers
	CHECK(pthread_rwlock_unlock(&rwlock) == 0);                  //! release rwlock
}

static void spins(void)
{
	CHECK(pthread_spin_lock(&spin) == 0);        //! acquire spin
	CHECK(pthread_spin_trylock(&spin) == EBUSY); //!
	CHECK(pthread_spin_unlock(&spin) == 0);      //! release spin
	CHECK(pthread_spin_trylock(&spin) == 0);     //! acquire spin
	CHECK(pthread_spin_unlock(&spin) == 0);      //! release spin
}

static void semaphores(void)
{
	CHECK(sem_post(&sem) == 0);                                //! release sem
	CHECK(sem_wait(&sem) == 0);                                //! acquire sem
	CHECK(sem_trywait(&sem) == -1);                            //!
	CHECK(sem_timedwait(&sem, &past) == -1);                   //!
	CHECK(sem_post(&sem) == 0);                                //! release sem
	CHECK(sem_trywait(&sem) == 0);                             //! acquire sem
	CHECK(sem_post(&sem) == 0);                                //! release sem
	CHECK(sem_timedwait(&sem, &future) == 0);                  //! acquire sem
	CHECK(sem_post(&sem) == 0);                                //! release sem
	CHECK(sem_clockwait(&sem, CLOCK_MONOTONIC, &future) == 0); //! acquire sem
	CHECK(sem_post(named) == 0);                               //! release named
	CHECK(sem_wait(named) == 0);                               //! acquire named
}

static void nothing(void)
{
}

static void initialization(void)
{
	CHECK(pthread_once(&once, nothing) == 0); //! acquire once; release once
	CHECK(pthread_once(&once, nothing) == 0); //! acquire once
	call_once(&c11_once, nothing);            //! acquire c11_once; release c11_once
	CHECK(flag == 0);
}

/* Two threads do this. */
static void *arrive(void *nothing)
{
	int r = pthread_barrier_wait(&barrier); //! release barrier; release barrier; acquire barrier; acquire barrier

	CHECK(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
	return nothing;
}

static void *signal_cond(void *nothing)
{
	while (!waiting)
		sched_yield();
	pthread_mutex_lock(&mutex); /* the other thread waits now */
	flag = 1;
	CHECK(pthread_cond_signal(&cond) == 0); //! release cond
	pthread_mutex_unlock(&mutex);
	return nothing;
}

static void *signal_all(void *nothing)
{
	while (!waiting)
		sched_yield();
	mtx_lock(&mtx);
	flag = 1;
	CHECK(cnd_broadcast(&cnd) == thrd_success); //! release cnd
	mtx_unlock(&mtx);
	return nothing;
}

static void conditions(void)
{
	pthread_t thread;

	flag = waiting = 0;
	CHECK(pthread_create(&thread, NULL, signal_cond, NULL) == 0);
	pthread_mutex_lock(&mutex);
	waiting = 1;
	if (!flag)
		CHECK(pthread_cond_wait(&cond, &mutex) == 0);             //! release mutex; acquire cond; acquire mutex
	CHECK(pthread_cond_timedwait(&cond, &mutex, &past) == ETIMEDOUT); //! release mutex; acquire mutex
	CHECK(pthread_cond_clockwait(&cond, &mutex, 0, &past) == ETIMEDOUT); //! release mutex; acquire mutex
	pthread_mutex_unlock(&mutex);
	CHECK(pthread_join(thread, NULL) == 0); //! join t2
}

static void joins(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, arrive, NULL) == 0);
	CHECK(pthread_tryjoin_np(thread, NULL) == EBUSY); //!
	arrive(NULL);
	CHECK(pthread_timedjoin_np(thread, NULL, &future) == 0); //! join t3
}

static int started(void *nothing)
{
	signal_all(nothing);
	return 7;
}

static void c11(void)
{
	thrd_t thread;
	int result;

	flag = waiting = 0;
	CHECK(thrd_create(&thread, started, NULL) == thrd_success);
	CHECK(mtx_lock(&mtx) == thrd_success); //! acquire mtx
	waiting = 1;
	if (!flag)
		CHECK(cnd_wait(&cnd, &mtx) == thrd_success);      //! release mtx; acquire cnd; acquire mtx
	CHECK(cnd_timedwait(&cnd, &mtx, &past) == thrd_timedout); //! release mtx; acquire mtx
	CHECK(mtx_unlock(&mtx) == thrd_success);                  //! release mtx
	CHECK(mtx_trylock(&mtx) == thrd_success);                 //! acquire mtx
	CHECK(mtx_trylock(&mtx) == thrd_busy);                    //!
	CHECK(mtx_unlock(&mtx) == thrd_success);                  //! release mtx
	CHECK(thrd_join(thread, &result) == thrd_success);        //! join t4
	CHECK(result == 7);
}

static void *die_with_lock(void *nothing)
{
	CHECK(pthread_mutex_lock(&robust) == 0);
	return nothing;
}

/* The lock of a thread that died is got all the same. */
static void robust_mutex(void)
{
	pthread_mutexattr_t attributes;
	pthread_t thread;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	CHECK(pthread_create(&thread, NULL, die_with_lock, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);           //! join t5
	CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD); //! acquire robust
	CHECK(pthread_mutex_consistent(&robust) == 0);
	CHECK(pthread_mutex_unlock(&robust) == 0); //! release robust
}

static void atomics(void)
{
	int is = 5;

	atomic_store_explicit(&flag, 4, memory_order_release);                 //! atomic-store flag release
	flag = 5;                                                              //! atomic-store flag seq_cst
	CHECK(atomic_load_explicit(&flag, memory_order_acquire) == 5);         //! atomic-load flag acquire
	CHECK(atomic_exchange_explicit(&flag, 6, memory_order_acq_rel) == 5);  //! atomic-update flag acq_rel
	CHECK(!atomic_compare_exchange_strong(&flag, &is, 7));                 //! atomic-load flag seq_cst
	CHECK(atomic_compare_exchange_strong(&flag, &is, 7));                  //! atomic-update flag seq_cst
	CHECK(atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed) == 7); //! atomic-update flag relaxed
	atomic_thread_fence(memory_order_acquire);                             //! thread-fence acquire
	CHECK(flag != 0);                                                      /* or the fences may be merged */
	atomic_thread_fence(memory_order_release);                             //! thread-fence release
	CHECK(flag != 0);                                                      /* or the fences may be merged */
	atomic_thread_fence(memory_order_seq_cst);                             //! thread-fence seq_cst
	atomic_signal_fence(memory_order_seq_cst);                             //!
	atomic_fetch_add_explicit(&wide, 1, memory_order_acq_rel);             //! atomic-update wide acq_rel
	__asm__ volatile("lock incl %0" : "+m"(flag));                         //! atomic-update flag seq_cst
	__asm__ volatile("" : : : "memory");
}

static void print_names(void)
{
#define PRINT(object) printf("0x%lx " #object "\n", (unsigned long)&object)
	PRINT(mutex);
	PRINT(robust);
	PRINT(rwlock);
	printf("0x%lx rwlock-readers\n", (unsigned long)&rwlock + 1);
	PRINT(cond);
	PRINT(spin);
	PRINT(once);
	PRINT(barrier);
	PRINT(sem);
	printf("0x%lx named\n", (unsigned long)named);
	PRINT(mtx);
	PRINT(cnd);
	PRINT(c11_once);
	PRINT(flag);
	PRINT(wide);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_CREAT | O_RDWR, 0666);
	char name[40];

	CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pm != MAP_FAILED);
	snprintf(name, sizeof(name), "/blackout-test-%d", getpid());
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	CHECK(named != SEM_FAILED && sem_unlink(name) == 0);
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 0);
	mtx_init(&mtx, mtx_timed);
	cnd_init(&cnd);
	print_names();
	mutexes();
	rwlocks();
	spins();
	semaphores();
	initialization();
	conditions();
	joins();
	c11();
	robust_mutex();
	atomics();
	return 0;
}
