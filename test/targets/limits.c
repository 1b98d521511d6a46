/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.c - change RLIMIT_NOFILE, hard limit too, as servers do when they start, and print what came of it. */
#include "target.h"

#include <sys/resource.h>

static void print(const char *what, int result)
{
	struct rlimit now;
	int error = errno;

	CHECK(getrlimit(RLIMIT_NOFILE, &now) == 0);
	printf("%s: %s, now %lu of %lu\n", what, result == 0 ? "ok" : strerror(error), now.rlim_cur, now.rlim_max);
}

static void set(const char *what, rlim_t soft, rlim_t hard)
{
	struct rlimit limit = {soft, hard};

	print(what, setrlimit(RLIMIT_NOFILE, &limit));
}

int main(int argc, char **argv)
{
	struct rlimit start, old, new;
	int fd, last = -1, count = 0;

	CHECK(argc == 2);
	CHECK(getrlimit(RLIMIT_NOFILE, &start) == 0);
	set("both lower", 256, 512);
	set("soft above hard", 600, 512);
	set("soft to hard", 512, 512);
	new = (struct rlimit){100, 400};
	print("prlimit", prlimit(0, RLIMIT_NOFILE, &new, &old));
	printf("old %lu of %lu\n", old.rlim_cur, old.rlim_max);
	new = (struct rlimit){90, 400};
	print("prlimit of our pid", prlimit(getpid(), RLIMIT_NOFILE, &new, NULL));
	/* the limit holds */
	while ((fd = open(argv[1], O_CREAT | O_RDWR, 0644)) >= 0)
		last = fd, count++;
	printf("opened up to %d, then %s\n", last, strerror(errno));
	CHECK(count > 0);
	for (fd = 3; fd <= last; fd++)
		close(fd);
	/* up again: only the superuser may */
	set("hard higher", 1024, 2048);
	set("as at the start", start.rlim_cur, start.rlim_max);
	set("unlimited", RLIM_INFINITY, RLIM_INFINITY);
	return 0;
}
