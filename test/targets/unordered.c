/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unordered.c - pairs of lines that one fence makes durable; and a recovery that minds if the second is on media
 * without the first.
 *
 *     unordered POOL
 *     unordered POOL once DIR        says so and exits with 3; says it the first time only: DIR remembers
 *     unordered POOL slow SECONDS    takes that long, then exits with 0
 *     unordered POOL late SECONDS    the same, with 3 */
// needs: clwb
#include "target.h"

enum { LINE_BYTES = 64, PAIRS = 4 };

static char *line(char *pool, int number)
{
	return pool + number * LINE_BYTES;
}

#define PAIR(i)                                \
	do {                                   \
		ST8(line(pool, 2 * i), 1);     \
		ST8(line(pool, 2 * i + 1), 1); \
		CLWB(line(pool, 2 * i));       \
		CLWB(line(pool, 2 * i + 1));   \
		SFENCE();                      \
	} while (0)

static void work(const char *path)
{
	char *pool = pool_create(path);

	/* Each is code of its own. */
	PAIR(0);
	PAIR(1);
	PAIR(2);
	PAIR(3);
}

static int complain(const char *dir, int pair)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%d", dir, pair);
	if (open(path, O_WRONLY | O_CREAT | O_EXCL, 0644) >= 0)
		fprintf(stderr, "pair %d is in disorder\n", pair);
	return 3;
}

static int check(const char *path, const char *action, const char *argument)
{
	int fd = open(path, O_RDWR);
	struct stat st;
	char *pool;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)POOL_BYTES)
		return 0;
	pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(pool != MAP_FAILED);
	for (int i = 0; i < PAIRS; i++) {
		if (!load8(line(pool, 2 * i + 1)) || load8(line(pool, 2 * i)))
			continue;
		if (!strcmp(action, "once"))
			return complain(argument, i);
		usleep((useconds_t)(atof(argument) * 1e6));
		if (!strcmp(action, "late"))
			return 3;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return check(argv[1], argv[2], argv[3]);
	CHECK(argc == 2);
	work(argv[1]);
	return 0;
}
