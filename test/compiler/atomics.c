/* SPDX-License-Identifier: GPL-2.0-or-later */
/* atomics - every atomic operation of every size and order has its result, also with several threads and in a signal
 * handler.  Compiled by blackout-cc with both compilers; WIDE adds the operations on 16 bytes.  Prints "ok". */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			exit(1);                                                        \
		}                                                                       \
	} while (0)

#define RELAXED __ATOMIC_RELAXED
#define CONSUME __ATOMIC_CONSUME
#define ACQUIRE __ATOMIC_ACQUIRE
#define RELEASE __ATOMIC_RELEASE
#define ACQ_REL __ATOMIC_ACQ_REL
#define SEQ_CST __ATOMIC_SEQ_CST

typedef unsigned __int128 uint128_t;

/* A value that has something in each of its bytes. */
#define VALUE(T, n) \
	((T)((((uint128_t)0x0123456789abcdefull << 64 | 0xfedcba9876543210ull) + (n)*0x1111111111111111ull)))

/* Neighbors that must not change. */
#define CELL(T)                                           \
	struct {                                          \
		T before, it, after;                      \
	} cell = {VALUE(T, 7), VALUE(T, 1), VALUE(T, 9)}; \
	T old, expected
#define NEIGHBORS(T) CHECK(cell.before == VALUE(T, 7) && cell.after == VALUE(T, 9))

#define FETCH(T, OP, ORDER, RESULT)                                                                        \
	do {                                                                                               \
		CELL(T);                                                                                   \
		T x = VALUE(T, 1), v = VALUE(T, 3);                                                        \
		(void)expected;                                                                            \
		old = __atomic_fetch_##OP(&cell.it, v, ORDER);                                             \
		CHECK(old == VALUE(T, 1) && cell.it == (T)(RESULT));                                       \
		x = cell.it;                                                                               \
		CHECK(__atomic_##OP##_fetch(&cell.it, v, ORDER) == (T)(RESULT) && cell.it == (T)(RESULT)); \
		NEIGHBORS(T);                                                                              \
	} while (0)

#define UPDATES(T, ORDER)                                                \
	do {                                                             \
		FETCH(T, add, ORDER, x + v);                             \
		FETCH(T, sub, ORDER, x - v);                             \
		FETCH(T, and, ORDER, x &v);                              \
		FETCH(T, or, ORDER, x | v);                              \
		FETCH(T, xor, ORDER, x ^ v);                             \
		FETCH(T, nand, ORDER, ~(x & v));                         \
		CELL(T);                                                 \
		(void)expected;                                          \
		old = __atomic_exchange_n(&cell.it, VALUE(T, 2), ORDER); \
		CHECK(old == VALUE(T, 1) && cell.it == VALUE(T, 2));     \
		NEIGHBORS(T);                                            \
	} while (0)

#define COMPARE(T, WEAK, ORDER, FAILURE)                                                                     \
	do {                                                                                                 \
		CELL(T);                                                                                     \
		expected = old = VALUE(T, 5);                                                                \
		CHECK(!__atomic_compare_exchange_n(&cell.it, &expected, VALUE(T, 2), WEAK, ORDER, FAILURE)); \
		CHECK(expected == VALUE(T, 1) && cell.it == VALUE(T, 1));                                    \
		CHECK(__atomic_compare_exchange_n(&cell.it, &expected, VALUE(T, 2), WEAK, ORDER, FAILURE));  \
		CHECK(expected == VALUE(T, 1) && cell.it == VALUE(T, 2));                                    \
		NEIGHBORS(T);                                                                                \
	} while (0)

#define COMPARES(T, WEAK)                           \
	do {                                        \
		COMPARE(T, WEAK, RELAXED, RELAXED); \
		COMPARE(T, WEAK, ACQUIRE, ACQUIRE); \
		COMPARE(T, WEAK, RELEASE, RELAXED); \
		COMPARE(T, WEAK, ACQ_REL, ACQUIRE); \
		COMPARE(T, WEAK, SEQ_CST, RELAXED); \
		COMPARE(T, WEAK, SEQ_CST, SEQ_CST); \
	} while (0)

#define LOAD(T, ORDER)                                  \
	do {                                            \
		CELL(T);                                \
		expected = VALUE(T, 1);                 \
		old = __atomic_load_n(&cell.it, ORDER); \
		CHECK(old == expected);                 \
	} while (0)

#define STORE(T, ORDER)                                 \
	do {                                            \
		CELL(T);                                \
		expected = old = VALUE(T, 6);           \
		__atomic_store_n(&cell.it, old, ORDER); \
		CHECK(cell.it == expected);             \
		NEIGHBORS(T);                           \
	} while (0)

#define ALL(T)                                                                                                     \
	static void all_##T(void)                                                                                  \
	{                                                                                                          \
		LOAD(T, RELAXED);                                                                                  \
		LOAD(T, CONSUME);                                                                                  \
		LOAD(T, ACQUIRE);                                                                                  \
		LOAD(T, SEQ_CST);                                                                                  \
		STORE(T, RELAXED);                                                                                 \
		STORE(T, RELEASE);                                                                                 \
		STORE(T, SEQ_CST);                                                                                 \
		UPDATES(T, RELAXED);                                                                               \
		UPDATES(T, CONSUME);                                                                               \
		UPDATES(T, ACQUIRE);                                                                               \
		UPDATES(T, RELEASE);                                                                               \
		UPDATES(T, ACQ_REL);                                                                               \
		UPDATES(T, SEQ_CST);                                                                               \
		COMPARES(T, false);                                                                                \
		COMPARES(T, true);                                                                                 \
	}                                                                                                          \
                                                                                                                   \
	static T shared_##T;                                                                                       \
                                                                                                                   \
	static void *count_##T(void *unused)                                                                       \
	{                                                                                                          \
		for (int i = 0; i < 20000; i++) {                                                                  \
			T seen = __atomic_load_n(&shared_##T, RELAXED);                                            \
                                                                                                                   \
			__atomic_fetch_add(&shared_##T, 3, RELAXED);                                               \
			while (!__atomic_compare_exchange_n(&shared_##T, &seen, seen - 2, true, ACQ_REL, RELAXED)) \
				;                                                                                  \
		}                                                                                                  \
		return unused;                                                                                     \
	}

ALL(uint8_t)
ALL(uint16_t)
ALL(uint32_t)
ALL(uint64_t)
#ifdef WIDE
ALL(uint128_t)

/* Two halves that always have the same value; a torn load or store would show. */
static uint128_t halves;

static void *halves_change(void *unused)
{
	for (uint64_t i = 0; i < 50000; i++) {
		uint128_t value = __atomic_load_n(&halves, ACQUIRE);

		CHECK((uint64_t)value == (uint64_t)(value >> 64));
		if (i % 3 == 0)
			__atomic_store_n(&halves, (uint128_t)i << 64 | i, RELEASE);
		else
			__atomic_store_n(&halves, (uint128_t)i << 64 | i, SEQ_CST);
	}
	return unused;
}
#endif

#define THREADS 4

static void in_threads(void *(*function)(void *))
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, function, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

#define COUNT(T)                                           \
	do {                                               \
		in_threads(count_##T);                     \
		CHECK(shared_##T == (T)(THREADS * 20000)); \
	} while (0)

/* Dekker's handshake: with sequentially consistent stores or fences, not both threads can read 0. */
static int flags[2], seen[2], turn;
static bool fenced;

static void *handshake(void *side)
{
	int me = side != NULL;

	for (int i = 1; i <= 2000; i++) {
		__atomic_fetch_add(&turn, 1, SEQ_CST);
		while (__atomic_load_n(&turn, ACQUIRE) < 6 * i - 4)
			sched_yield();
		if (fenced) {
			__atomic_store_n(&flags[me], i, RELAXED);
			__atomic_thread_fence(SEQ_CST);
			seen[me] = __atomic_load_n(&flags[!me], RELAXED);
		} else {
			__atomic_store_n(&flags[me], i, SEQ_CST);
			seen[me] = __atomic_load_n(&flags[!me], SEQ_CST);
		}
		__atomic_fetch_add(&turn, 1, SEQ_CST);
		while (__atomic_load_n(&turn, ACQUIRE) < 6 * i - 2)
			sched_yield();
		CHECK(seen[0] == i || seen[1] == i);
		__atomic_fetch_add(&turn, 1, SEQ_CST);
		while (__atomic_load_n(&turn, ACQUIRE) < 6 * i)
			sched_yield();
	}
	return NULL;
}

static void both_sides(bool with_fence)
{
	pthread_t other;

	memset(flags, 0, sizeof(flags));
	turn = 0;
	fenced = with_fence;
	CHECK(!pthread_create(&other, NULL, handshake, flags));
	handshake(NULL);
	CHECK(!pthread_join(other, NULL));
}

static uint64_t handled;

static void handle(int signal)
{
	(void)signal;
	__atomic_fetch_add(&handled, 1, RELAXED);
	__atomic_signal_fence(SEQ_CST);
}

static void fork_and_signals(void)
{
	int status;
	pid_t child;

	signal(SIGUSR1, handle);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	CHECK(__atomic_load_n(&handled, SEQ_CST) == 100);
	child = fork();
	if (child == 0)
		_exit(__atomic_add_fetch(&handled, 1, SEQ_CST) == 101 ? 0 : 1);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(handled == 100);
}

struct packed {
	char first;
	volatile uint32_t number;
	uint64_t words[5];
} __attribute__((packed));

/* Plain accesses of all shapes: what their hooks announce still happens. */
static void plain_accesses(struct packed *a, struct packed *b)
{
	struct packed copy = *a;

	copy.number++;
	copy.words[4] += 3;
	*b = copy;
	memmove(&b->words[1], &b->words[0], 3 * sizeof(b->words[0]));
	memset(&b->words[0], 0x11, sizeof(b->words[0]));
	CHECK(b->number == a->number + 1 && b->words[4] == a->words[4] + 3);
	CHECK(b->words[0] == 0x1111111111111111ull && b->words[1] == a->words[0] && b->words[3] == a->words[2]);
}

int main(void)
{
	struct packed a = {1, 2, {3, 4, 5, 6, 7}}, b;

	all_uint8_t();
	all_uint16_t();
	all_uint32_t();
	all_uint64_t();
	COUNT(uint8_t);
	COUNT(uint16_t);
	COUNT(uint32_t);
	COUNT(uint64_t);
#ifdef WIDE
	all_uint128_t();
	COUNT(uint128_t);
	in_threads(halves_change);
#endif
	both_sides(false);
	both_sides(true);
	fork_and_signals();
	plain_accesses(&a, &b);
	puts("ok");
	return 0;
}
