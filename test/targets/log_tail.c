// SPDX-License-Identifier: GPL-2.0-or-later
// log_tail.c - a log in PM: the tail (8 bytes at 0) counts the entries of 32 bytes from 64 on; log_begin and log_end enclose
// every append.  With a second argument it makes a mistake:
//
//     early     the tail is stored before the entry is written back
//     unfenced  the entry is written back, but not fenced, before the tail is stored
//     late      the tail is stored before the entry
//     outside   the tail is reset after log_end
//     shared    no mistake: the entry is on the line of the tail, so it reaches media first
#include "target.h"

static char *pool;
static const char *mistake = "";

static int is(const char *word)
{
	return !strcmp(mistake, word);
}

__attribute__((noinline)) static void log_begin(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static void log_end(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static void entry_store(char *entry, uint64_t value)
{
	ST8(entry, value);
	ST8(entry + 8, ~value);
}

__attribute__((noinline)) static void append(uint64_t count, uint64_t value)
{
	char *entry = pool + 64 + 32 * count;

	if (is("shared") && count == 0)
		entry = pool + 16;
	if (is("late"))
		ST8(pool, count + 1);
	entry_store(entry, value);
	if (!is("early") && !is("shared"))
		CLFLUSHOPT(entry);
	if (!is("early") && !is("unfenced") && !is("shared"))
		SFENCE();
	ST8(pool, count + 1);
	if (is("early"))
		CLFLUSHOPT(entry);
	CLFLUSHOPT(pool);
	SFENCE();
}

int main(int argc, char **argv)
{
	CHECK(argc >= 2);
	if (argc > 2)
		mistake = argv[2];
	pool = pool_create(argv[1]);
	for (uint64_t i = 0; i < (is("shared") ? 1 : 5); i++) {
		log_begin();
		append(i, i + 100);
		log_end();
	}
	if (is("outside")) {
		ST8(pool, 0);
		CLFLUSHOPT(pool);
		SFENCE();
	}
	return 0;
}
