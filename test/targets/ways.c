/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ways.c - a recovery that depends on its PM file alone, though its beginning is not quite the same each time.
 *
 * ways POOL HOW          stores numbers; for two of them, a word that recovery does not like is on media
 * ways POOL HOW check    recovery; what it does before it reads the number is
 *     lock       a compare-and-exchange on the page of the word, which fails: the page is copied, though nothing is stored
 *     order      reads pages in a sequence that depends on an address
 *     processor  reads the page of the word only if the processor has AVX-512, which the recorder hides
 *     errno      a system call that fails; recovery wants to find its error later
 *     rounds     reads all pages again and again; the word counts in the last round */
#include "target.h"

#include <errno.h>
#include <stdbool.h>

enum { PAGES = 12, BYTES = PAGES * 4096, ROUNDS = 5, WORD_PAGE = 6, NUMBER_PAGE = 10, BAD = 666 };

static volatile uint64_t sum;

static uint64_t *at(char *pool, int page, size_t offset)
{
	return (uint64_t *)(pool + page * PAGE + offset);
}

static void persist(uint64_t *where, uint64_t value)
{
	ST8(where, value);
	CLWB(where);
	SFENCE();
}

static int work(char *pool)
{
	uint64_t *word = at(pool, WORD_PAGE, 2048), *number = at(pool, NUMBER_PAGE, 0);

	for (uint64_t i = 1; i <= 60; i++)
		persist(number, i);
	persist(word, BAD);
	persist(number, 100);
	persist(number, 101);
	persist(word, 0);
	persist(number, 102);
	return 0;
}

static uint64_t load(char *pool, int page, size_t offset)
{
	return *(volatile uint64_t *)at(pool, page, offset);
}

static void pages_read(char *pool, int first, int last)
{
	for (int page = first; page <= last; page++)
		sum += load(pool, page, 0);
}

static bool is_bad(char *pool)
{
	return load(pool, WORD_PAGE, 2048) == BAD;
}

static bool order_is_bad(char *pool)
{
	bool early = (uintptr_t)malloc(100) >> 13 & 1, bad = early && is_bad(pool);

	pages_read(pool, 1, WORD_PAGE - 1);
	return bad || (!early && is_bad(pool));
}

static bool lock_is_bad(char *pool)
{
	__sync_bool_compare_and_swap(at(pool, WORD_PAGE, 0), 99, 1);
	pages_read(pool, 1, WORD_PAGE - 1);
	return is_bad(pool);
}

static bool rounds_are_bad(char *pool)
{
	for (int round = 0; round < ROUNDS; round++)
		pages_read(pool, 0, NUMBER_PAGE - 1);
	return is_bad(pool);
}

static int check(char *pool, const char *how)
{
	bool bad = false;

	errno = 0;
	if (!strcmp(how, "errno"))
		close(-1);
	if (!strcmp(how, "order"))
		bad = order_is_bad(pool);
	else if (!strcmp(how, "lock"))
		bad = lock_is_bad(pool);
	else if (!strcmp(how, "rounds"))
		bad = rounds_are_bad(pool);
	else
		pages_read(pool, 1, WORD_PAGE - 1);
	if (!strcmp(how, "processor") && __builtin_cpu_supports("avx512f"))
		bad = is_bad(pool);
	sum += load(pool, NUMBER_PAGE, 0);
	if (!strcmp(how, "errno") && errno != EBADF)
		return 2;
	return bad;
}

int main(int argc, char **argv)
{
	char *pool = pool_anywhere(argv[1], BYTES);

	return argc > 3 ? check(pool, argv[2]) : work(pool);
}
