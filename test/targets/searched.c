/* SPDX-License-Identifier: GPL-2.0-or-later */
/* searched.c - a program for tests of `blackout search`: what it does with its pool depends on four bytes of input.
 *
 *     searched POOL                the bytes are on standard input
 *     searched POOL file:FILE      in a file
 *     searched POOL arg:BYTES      in an argument
 *     searched POOL none           the program looks at no input
 *     searched POOL fatal          it stores only if the first byte on standard input is S, and always crashes then
 *     searched POOL check          recovery: fails if only the first of two words that belong together is there
 *
 * `KV..` stores two words in the wrong order, `KV!.` forgets to write one back, `KV.X` crashes after that, `KILL` makes the
 * program crash before, `LOOP` makes it hang. */
#include "target.h"

static char bytes[5];

static void bytes_read(int fd)
{
	CHECK(read(fd, bytes, 4) >= 0);
}

static void bytes_get(const char *from)
{
	if (!from)
		bytes_read(STDIN_FILENO);
	else if (!strncmp(from, "file:", 5))
		bytes_read(open(from + 5, O_RDONLY));
	else if (!strncmp(from, "arg:", 4))
		strncpy(bytes, from + 4, 4);
}

static void save(char *p, uint64_t value)
{
	ST8(p, value);
	CLFLUSH(p);
	SFENCE();
}

static void store(char *pool)
{
	save(pool + 0x40, 1); /* the data is not there yet */
	save(pool + 0x80, 2);
	if (bytes[2] == '!')
		ST8(pool + 0x40, 3); /* never written back */
}

static int fatal(char *pool)
{
	bytes_read(STDIN_FILENO);
	if (bytes[0] == 'S') {
		save(pool, 1);
		raise(SIGSEGV);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
	char *pool;

	CHECK(argc >= 2 && fd >= 0 && ftruncate(fd, POOL_BYTES) == 0);
	pool = file_map(fd, POOL_ADDR, POOL_BYTES);
	if (argc > 2 && !strcmp(argv[2], "check"))
		return *(uint64_t *)(pool + 0x40) && !*(uint64_t *)(pool + 0x80);
	if (argc > 2 && !strcmp(argv[2], "fatal"))
		return fatal(pool);
	bytes_get(argv[2]);
	save(pool, 1);
	if (bytes[0] != 'K' && bytes[0] != 'L')
		return 0;
	if (!memcmp(bytes, "LOOP", 4))
		for (;;)
			pause();
	if (!memcmp(bytes, "KILL", 4))
		raise(SIGSEGV);
	if (bytes[1] == 'V')
		store(pool);
	if (bytes[3] == 'X')
		raise(SIGSEGV);
	return 0;
}
