/* SPDX-License-Identifier: GPL-2.0-or-later */
/* causes.c - causes FILE; causes FILE check: several mistakes on which recovery dies in the same place.
 *
 *   prepare   a word is persisted (EARLY) before the one that it vouches for (DONE), which is only stored in work
 *   work      before the flush of VALUE two things are wrong at once: VALUE may be lost although its TOKEN is on media,
 *             and FLAG may be on media although its REASON is not stored yet */
// needs: clwb
#include "target.h"

#include <signal.h>

enum word { MAGIC, EARLY, NOTE, DONE, VALUE, TOKEN, FLAG, REASON };

#define AT(pool, word) ((pool) + 64 * (word))

static __attribute__((noinline)) void prepare(char *pool)
{
	ST8(AT(pool, MAGIC), 1);
	CLWB(AT(pool, MAGIC));
	SFENCE();
	ST8(AT(pool, EARLY), 1); /* early */
	CHECK(load8(AT(pool, EARLY)) == 1);
	CLWB(AT(pool, EARLY));
	SFENCE();
}

static __attribute__((noinline)) void work(char *pool)
{
	ST8(AT(pool, NOTE), 1);
	CLWB(AT(pool, NOTE)); /* note */
	SFENCE();
	ST8(AT(pool, DONE), 1);
	CLWB(AT(pool, DONE));
	SFENCE();

	ST8(AT(pool, VALUE), 1); /* value */
	ST8(AT(pool, TOKEN), 1);
	CLWB(AT(pool, TOKEN));
	SFENCE();
	ST8(AT(pool, FLAG), 1); /* flag */
	CLWB(AT(pool, VALUE));
	CLWB(AT(pool, FLAG));
	SFENCE();
	ST8(AT(pool, REASON), 1); /* reason */
	CLWB(AT(pool, REASON));
	SFENCE();
}

static int check(const char *path)
{
	int fd = open(path, O_RDWR);
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int bad;

	if (pool == MAP_FAILED)
		return 0;
	bad = (load8(AT(pool, EARLY)) && !load8(AT(pool, DONE))) ||
	      (load8(AT(pool, TOKEN)) && !load8(AT(pool, VALUE))) ||
	      (load8(AT(pool, FLAG)) && !load8(AT(pool, REASON)));
	if (bad)
		raise(SIGABRT);
	return 0;
}

int main(int argc, char **argv)
{
	char *pool;

	if (argc == 3)
		return check(argv[1]);
	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	prepare(pool);
	work(pool);
	return 0;
}
