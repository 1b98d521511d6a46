/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c - words FILE WORD...: a little program of stores, flushes and fences, word by word.
 *
 *     A  A.8          store 8 bytes, a new value, to the line of the letter, or 8 bytes further
 *     nt:A  wide:A    non-temporally; 16 bytes at once
 *     zero:A          store zero
 *     clwb:A  clflush:A  sfence  locked (on volatile memory)
 *     @2  @1          the next words are those of this thread
 *
 * The threads take turns without any instruction that is a fence, and the dynamic linker, which locks, has done its
 * work before. */
// needs: clwb
// cflags: -Wl,-z,now
// link: -lpthread
#include <pthread.h>
#include <sched.h>

#include "target.h"

static char *pool;
static char **words;
static volatile int turn = 1;
static volatile long scratch;
static uint64_t value;

static char *place(const char *word)
{
	const char *at = strchr(word, ':');

	at = at ? at + 1 : word;
	return pool + (*at - 'A') * 64 + (at[1] == '.' ? atoi(at + 2) : 0);
}

static int is(const char *word, const char *verb)
{
	return !strncmp(word, verb, strlen(verb));
}

static void word_do(const char *word)
{
	value += 0x101;
	if (is(word, "sfence"))
		SFENCE();
	else if (is(word, "locked"))
		__asm__ volatile("lock addq $1, %0" : "+m"(scratch) : : "memory");
	else if (is(word, "clwb:"))
		CLWB(place(word));
	else if (is(word, "clflush:"))
		CLFLUSH(place(word));
	else if (is(word, "nt:"))
		__asm__ volatile("movnti %1, (%0)" : : "r"(place(word)), "r"(value) : "memory");
	else if (is(word, "wide:"))
		__asm__ volatile("movq %1, %%xmm0\n\tpunpcklqdq %%xmm0, %%xmm0\n\tmovdqu %%xmm0, (%0)"
				 :
				 : "r"(place(word)), "r"(value)
				 : "memory", "xmm0");
	else if (is(word, "zero:"))
		ST8(place(word), 0);
	else
		ST8(place(word), value);
}

/* Until the words are over: turn 0. */
static void thread_do(int self)
{
	while (turn) {
		if (turn != self) {
			sched_yield();
			continue;
		}
		if (!*words)
			turn = 0;
		else if (**words == '@')
			turn = atoi(*words++ + 1);
		else
			word_do(*words++);
	}
}

static void *second(void *arg)
{
	thread_do(2);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	CHECK(argc > 2);
	CHECK(pthread_create(&thread, NULL, second, NULL) == 0);
	pool = pool_create(argv[1]);
	words = argv + 2;
	thread_do(1);
	return 0;
}
