/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_index.c - a table of 16 keys in a pool, driven by operations: `put KEY VALUE`, `get KEY` and `del KEY`.
 *
 *     ops_index POOL [OPTION...]
 *
 *     ops=FILE     read the operations there, not from standard input
 *     out=FILE     print there, not to standard output
 *     first=N      print on standard error that the operations begin with number N
 *     torn         set the flag of a key before its value, so that a crash shows a value that was never put
 *     volatile     keep a value in memory, and write it to the pool when it is needed no more
 *     slurp, map   get all operations before performing the first
 *     twice        read the operations twice
 *     lazy=N       perform only the first N
 *     banner       say that the pool was opened
 *     dirty        mark the pool while a put is under way, and say so when one was at the start
 *     closed       mark the pool as open until the end, and say so when it was not closed
 *     clock        print the time after each operation
 *     endless      print without end
 *     fail=KEY     exit with status 3 if the key is in the pool
 *
 * The pool is created if it does not exist. */
#include "target.h"

#include <stdbool.h>
#include <time.h>

enum { KEYS = 16 };

static struct {
	const char *ops, *out, *first, *lazy, *fail;
	bool torn, is_volatile, slurp, map, twice, banner, dirty, closed, clock, endless;
} how;

static char *pool;
static uint64_t cache[KEYS];

static char *used(unsigned key)
{
	return pool + 128 * key;
}

static char *value(unsigned key)
{
	return pool + 128 * key + 64;
}

static char *dirty(void)
{
	return pool + 128 * KEYS;
}

static char *opened(void)
{
	return pool + 128 * KEYS + 64;
}

static void store(char *at, uint64_t number)
{
	ST8(at, number);
	CLFLUSH(at);
	SFENCE();
}

static __attribute__((noinline)) void perform(const char *line)
{
	unsigned key;
	unsigned long number;

	if (sscanf(line, "put %u %lu", &key, &number) == 2 && key < KEYS) {
		if (how.dirty)
			store(dirty(), 1);
		if (how.is_volatile) {
			cache[key] = number;
		} else if (how.torn) {
			store(used(key), 1);
			store(value(key), number);
		} else {
			store(value(key), number);
			store(used(key), 1);
		}
		if (how.dirty)
			store(dirty(), 0);
		printf("ok\n");
	} else if (sscanf(line, "get %u", &key) == 1 && key < KEYS) {
		if (cache[key])
			printf("%lu\n", cache[key]);
		else if (load8(used(key)))
			printf("%lu\n", (unsigned long)load8(value(key)));
		else
			printf("none\n");
	} else if (sscanf(line, "del %u", &key) == 1 && key < KEYS) {
		store(used(key), 0);
		printf("ok\n");
	} else {
		printf("what?\n");
	}
	if (how.clock) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		printf("at %ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
	}
	__asm__ volatile("");
}

static void perform_text(char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		perform(line);
}

static void perform_all(FILE *in)
{
	static char text[1 << 16];
	int left = how.lazy ? atoi(how.lazy) : -1;

	if (how.slurp) {
		text[fread(text, 1, sizeof(text) - 1, in)] = 0;
		perform_text(text);
		return;
	}
	if (how.map) {
		struct stat st;

		CHECK(fstat(fileno(in), &st) == 0);
		if (!st.st_size)
			return;
		char *mapped = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(in), 0);
		CHECK(mapped != MAP_FAILED);
		memcpy(text, mapped, (size_t)st.st_size);
		perform_text(text);
		return;
	}
	if (how.twice) {
		while (fgets(text, sizeof(text), in))
			continue;
		rewind(in);
	}
	while (left-- && fgets(text, sizeof(text), in))
		perform(text);
}

static void option_read(const char *word)
{
	const struct {
		const char *name;
		const char **text;
		bool *flag;
	} options[] = {{"ops=", &how.ops, NULL},
		       {"out=", &how.out, NULL},
		       {"first=", &how.first, NULL},
		       {"lazy=", &how.lazy, NULL},
		       {"fail=", &how.fail, NULL},
		       {"torn", NULL, &how.torn},
		       {"volatile", NULL, &how.is_volatile},
		       {"slurp", NULL, &how.slurp},
		       {"map", NULL, &how.map},
		       {"twice", NULL, &how.twice},
		       {"banner", NULL, &how.banner},
		       {"dirty", NULL, &how.dirty},
		       {"closed", NULL, &how.closed},
		       {"clock", NULL, &how.clock},
		       {"endless", NULL, &how.endless}};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (!strncmp(word, options[i].name, strlen(options[i].name))) {
			if (options[i].text)
				*options[i].text = word + strlen(options[i].name);
			else
				*options[i].flag = true;
			return;
		}
	CHECK(!"no such option");
}

int main(int argc, char **argv)
{
	CHECK(argc >= 2);
	for (int i = 2; i < argc; i++)
		option_read(argv[i]);
	int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
	CHECK(fd >= 0 && ftruncate(fd, POOL_BYTES) == 0);
	pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pool != MAP_FAILED);
	if (how.out)
		CHECK(freopen(how.out, "w", stdout));
	if (how.first)
		fprintf(stderr, "first %s\n", how.first);
	if (how.banner)
		printf("opened, %s\n", load8(used(0)) ? "key 0 is there" : "key 0 is not there");
	if (how.dirty && load8(dirty())) {
		printf("dirty\nlooking at all keys\n");
		store(dirty(), 0);
	}
	if (how.closed && load8(opened()))
		printf("the pool was not closed\n");
	if (how.closed)
		store(opened(), 1);
	if (how.fail && load8(used((unsigned)atoi(how.fail))))
		return 3;
	while (how.endless)
		printf("and on\n");
	FILE *in = how.ops ? fopen(how.ops, "r") : stdin;
	CHECK(in);
	perform_all(in);
	for (unsigned key = 0; key < KEYS; key++)
		if (cache[key]) {
			store(value(key), cache[key]);
			store(used(key), 1);
		}
	if (how.closed)
		store(opened(), 0);
	return 0;
}
