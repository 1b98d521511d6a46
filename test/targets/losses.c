/* SPDX-License-Identifier: GPL-2.0-or-later */
/* losses.c - many stores are lost, or made too early, and few of them matter.
 *
 *     losses POOL lost          40 words that nobody flushes, of which recovery needs two; then the word that vouches for them
 *     losses POOL early         40 words in one go, after the 23rd of which recovery fails
 *     losses POOL two           two mistakes that look alike: a word that nobody flushes, and a token without a fence before it
 *     losses POOL flushed       a value is flushed, and its token stored, with no fence between
 *     losses POOL flushless     a value that nobody flushes, and its token
 *     losses POOL between       an entry of three words: the token must not be there with the first alone
 *     losses POOL check lost    recovery */
// needs: clwb
#include "target.h"

#define WORDS 40
#define WORD(pool, i) ((pool) + 64 + 64 * (i))

static void work_lost(char *pool)
{
	for (int i = 0; i < WORDS; i++) {
		if (i == 7)
			ST8(WORD(pool, i), 107); /* the first that matters */
		else if (i == 31)
			ST8(WORD(pool, i), 131); /* the second */
		else
			ST8(WORD(pool, i), 100);
	}
	ST8(pool, 1); /* the word that vouches */
	CLWB(pool);
	SFENCE();
}

/* One prefix in the middle of the stores is refused: from the store of 23 on, and the last one makes good. */
static void work_early(char *pool)
{
	for (int i = 0; i < 23; i++)
		ST8(WORD(pool, i), 1);
	ST8(WORD(pool, 23), 1); /* too early */
	for (int i = 24; i < WORDS - 1; i++)
		ST8(WORD(pool, i), 1);
	for (int i = 0; i < WORDS - 1; i++)
		CLWB(WORD(pool, i));
	SFENCE();
	ST8(WORD(pool, WORDS - 1), 1);
	CLWB(WORD(pool, WORDS - 1));
	SFENCE();
}

static void work_two(char *pool)
{
	ST8(WORD(pool, 0), 1); /* nobody flushes it */
	ST8(pool, 1);
	CLWB(pool);
	SFENCE();
	ST8(WORD(pool, 1), 1); /* the value */
	ST8(WORD(pool, 2), 1); /* the token of two */
	CLWB(WORD(pool, 1));
	CLWB(WORD(pool, 2));
	SFENCE();
}

static void work_flushed(char *pool)
{
	ST8(WORD(pool, 0), 1);
	CLWB(WORD(pool, 0));
	ST8(pool, 1);
	CLWB(pool);
	SFENCE();
}

static void work_flushless(char *pool)
{
	ST8(WORD(pool, 0), 1);
	ST8(pool, 1);
	CLWB(pool);
	SFENCE();
}

static void work_between(char *pool)
{
	ST8(WORD(pool, 0), 1);
	ST8(WORD(pool, 0) + 8, 1); /* the key */
	ST8(WORD(pool, 1), 1);     /* the token of between */
	CLWB(WORD(pool, 0));
	CLWB(WORD(pool, 1));
	SFENCE();
}

static int check(char *pool, const char *what)
{
	if (!strcmp(what, "lost"))
		return load8(pool) && load8(WORD(pool, 7)) != 107 && load8(WORD(pool, 31)) != 131;
	if (!strcmp(what, "two"))
		return (load8(pool) && !load8(WORD(pool, 0))) || (load8(WORD(pool, 2)) && !load8(WORD(pool, 1)));
	if (!strcmp(what, "flushed") || !strcmp(what, "flushless"))
		return load8(pool) && !load8(WORD(pool, 0));
	if (!strcmp(what, "between"))
		return load8(WORD(pool, 1)) && load8(WORD(pool, 0)) && !load8(WORD(pool, 0) + 8);
	return load8(WORD(pool, 23)) && !load8(WORD(pool, WORDS - 1));
}

static char *pool_map(const char *path)
{
	int fd = open(path, O_RDWR);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)POOL_BYTES)
		exit(0);
	char *pool = mmap((void *)POOL_ADDR, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pool != MAP_FAILED);
	return pool;
}

int main(int argc, char **argv)
{
	CHECK(argc > 2);
	if (argc > 3)
		return check(pool_map(argv[1]), argv[3]);
	char *pool = (close(file_create(argv[1], POOL_BYTES)), pool_map(argv[1]));
	if (!strcmp(argv[2], "lost"))
		work_lost(pool);
	else if (!strcmp(argv[2], "two"))
		work_two(pool);
	else if (!strcmp(argv[2], "flushed"))
		work_flushed(pool);
	else if (!strcmp(argv[2], "flushless"))
		work_flushless(pool);
	else if (!strcmp(argv[2], "between"))
		work_between(pool);
	else
		work_early(pool);
	return 0;
}
