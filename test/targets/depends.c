/* SPDX-License-Identifier: GPL-2.0-or-later */
/* depends.c - a recovery that depends on more than its PM files.
 *
 * depends POOL            writes a record to each page; the first and the last one are valid before they are on media
 * depends POOL synced     writes them all, and synchronizes four pages at a time; one value is wrong for a while
 * depends POOL HOW        recovery: checks the records from the last to the first, and prints what HOW tells it, which it
 *                         learns after the first page: clock, random, pid; late, the same as pid, but only if most records are
 *                         there; variable (all of them), file (a part of it), both once more at the end; thread; nothing
 *                         From a checkpoint, these end with another status than from the start: `middle`, if some
 *                         records are there, and `left`, if only the first of the last two stores is on media
 *                         `stuck` takes long from a checkpoint, if the last record is not on media
 *                         `recorded` takes a while; before it opens the pool under a recorder, it waits for 20 seconds, as does a
 *                         process that it starts, and then both say so in the file `marks` */
// link: -lpthread
#include "target.h"

#include <pthread.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>

enum { PAGES = 12, BYTES = PAGES * 4096 };

struct record {
	uint64_t valid;
	uint64_t fill[7];
	uint64_t value; /* on another line */
	uint64_t more[7];
	uint64_t left; /* likewise; not written back in the end */
};

static struct record *record_at(char *pool, int page)
{
	return (void *)(pool + page * PAGE);
}

static void persist(const void *at)
{
	CLWB(at);
	SFENCE();
}

static int work(char *pool)
{
	for (int page = 0; page < PAGES; page++) {
		struct record *r = record_at(pool, page);

		ST8(&r->value, page + 100);
		if (page % (PAGES - 1))
			persist(&r->value);
		ST8(&r->valid, 1);
		persist(&r->valid);
		persist(&r->value);
	}
	for (int i = 0; i < 2; i++) {
		ST8(&record_at(pool, 1)->left, i);
		if (!i)
			persist(&record_at(pool, 1)->left);
		ST8(&record_at(pool, 2)->left, i);
		if (!i)
			persist(&record_at(pool, 2)->left);
	}
	return 0;
}

static int work_synced(char *pool)
{
	for (int page = 0; page < PAGES; page++) {
		struct record *r = record_at(pool, page);

		ST8(&r->value, page + 100);
		ST8(&r->valid, 1);
		if (page % 4 == 3)
			CHECK(msync(pool, BYTES, MS_SYNC) == 0);
	}
	for (int i = 0; i < 2; i++) {
		ST8(&record_at(pool, 0)->value, (uint64_t)i * 100);
		CHECK(msync(pool, BYTES, MS_SYNC) == 0);
	}
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

static unsigned long sum_add(unsigned long sum, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + (unsigned char)text[i];
	return sum;
}

/* The next bytes of a file, which stays open. */
static unsigned long file_sum(void)
{
	static int fd = -1;
	char bytes[64];
	ssize_t n;

	if (fd < 0)
		fd = open("notes", O_RDONLY);
	n = read(fd, bytes, sizeof(bytes));
	CHECK(n > 0);
	return sum_add(0, bytes, (size_t)n);
}

/* All variables but those by which each worker tells the stub where it is. */
static unsigned long environment_sum(void)
{
	unsigned long sum = 0;

	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "BLACKOUT", 8) != 0)
			sum = sum_add(sum, *variable, strlen(*variable));
	return sum;
}

static unsigned long learn(const char *how)
{
	unsigned long number = 0;
	struct timespec now;
	pthread_t thread;

	if (!strcmp(how, "clock")) {
		CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
		number = (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
	} else if (!strcmp(how, "random")) {
		CHECK(getrandom(&number, sizeof(number), 0) == sizeof(number));
	} else if (!strcmp(how, "pid") || !strcmp(how, "late") || !strcmp(how, "middle")) {
		number = (unsigned long)getpid();
	} else if (!strcmp(how, "variable")) {
		number = environment_sum();
	} else if (!strcmp(how, "file")) {
		number = file_sum();
	} else if (!strcmp(how, "thread")) {
		CHECK(pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0);
	}
	return number;
}

/* `number`: the process ID at the beginning.  A copy of the process has another one. */
static int status_of(char *pool, const char *how, unsigned long number)
{
	int some = record_at(pool, 4)->valid != 0, more = record_at(pool, 7)->valid != 0;
	const struct record *last = record_at(pool, PAGES - 1);
	int here = number == (unsigned long)getpid();

	if (!strcmp(how, "middle"))
		return more ? !here : some && here;
	if (!strcmp(how, "stuck") && last->valid && !last->value && !here)
		sleep(20);
	return !strcmp(how, "left") && record_at(pool, 1)->left && !record_at(pool, 2)->left && here;
}

static int check(char *pool, const char *how)
{
	unsigned long number = (unsigned long)getpid();
	int status = 0;

	for (int page = PAGES - 1; page >= 0; page--) {
		const volatile struct record *r = record_at(pool, page);

		if (r->valid && r->value != (uint64_t)page + 100)
			status = 1;
		if (page == PAGES - 1 && strcmp(how, "left") && strcmp(how, "stuck"))
			number = learn(how);
	}
	if (!strcmp(how, "middle") || !strcmp(how, "left") || !strcmp(how, "stuck"))
		return status | status_of(pool, how, number);
	if (!strcmp(how, "file") || !strcmp(how, "variable"))
		number = number * 31 + learn(how);
	if (strcmp(how, "late") || record_at(pool, PAGES - 3)->valid)
		printf("%lu\n", number);
	return status;
}

static void marks_add(const char *text)
{
	FILE *marks = fopen("marks", "a");

	CHECK(marks && fprintf(marks, "%s %d\n", text, (int)getpid()) > 0 && fclose(marks) == 0);
}

/* What a recorder cuts off. */
static void begin_slowly(void)
{
	/* The recorder hides itself if the path is the usual one. */
	FILE *file = fopen("/proc/./self/cmdline", "r");
	char line[4096] = "";
	pid_t pid;

	CHECK(file && fread(line, 1, sizeof(line) - 1, file) > 0 && fclose(file) == 0);
	if (!memmem(line, sizeof(line), "--tool=", 7))
		return;
	pid = fork();
	CHECK(pid >= 0);
	marks_add("began");
	sleep(20);
	marks_add("ended");
	if (!pid)
		_exit(0);
	CHECK(waitpid(pid, NULL, 0) == pid);
}

int main(int argc, char **argv)
{
	int recorded = argc > 2 && !strcmp(argv[2], "recorded");
	char *pool;

	if (recorded)
		begin_slowly();
	pool = pool_anywhere(argv[1], BYTES);
	if (recorded)
		usleep(200000);

	if (argc == 2)
		return work(pool);
	return strcmp(argv[2], "synced") ? check(pool, argv[2]) : work_synced(pool);
}
