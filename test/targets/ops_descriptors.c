/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_descriptors.c - read lines of one operations file by several descriptors, threads and processes: wherever its
 * position comes from, each read returns one line.  Line N is "line N", and the list has ten: ops_descriptors POOL FILE
 * OTHER */
// link: -lpthread
#include "target.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#define LINE 7ul /* bytes of a line */

static char *pool;
static const char *other; /* a file of more than one line, of which a read must return all */
static int list;
static pthread_barrier_t barrier;
static void *volatile nowhere = (void *)8;

static void expect_line(int fd, char number)
{
	char line[64] = "";

	CHECK(read(fd, line, sizeof(line)) == (ssize_t)LINE);
	CHECK(line[LINE - 1] == '\n' && line[5] == number);
}

static void perform(int fd, char number)
{
	expect_line(fd, number);
	ST8(pool, number);
}

static void expect_other(int fd)
{
	struct stat st;
	char bytes[256];

	CHECK(fstat(fd, &st) == 0 && read(fd, bytes, sizeof(bytes)) == st.st_size);
}

/* A process that is not recorded moves the position that it shares with this one. */
static void read_in_child(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		expect_line(list, '2');
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

/* From here on, the same number is another file in this thread. */
static void *replace_list(void *unused)
{
	int fd = open(other, O_RDONLY);

	CHECK(fd >= 0 && unshare(CLONE_FILES) == 0 && dup2(fd, list) == list);
	pthread_barrier_wait(&barrier); /* the other thread reads its list now */
	pthread_barrier_wait(&barrier);
	expect_other(list);
	return unused;
}

static void read_beside_thread(void)
{
	pthread_t thread;

	CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0 && pthread_create(&thread, NULL, replace_list, NULL) == 0);
	pthread_barrier_wait(&barrier);
	CHECK(lseek(list, 8 * (off_t)LINE, SEEK_SET) == 8 * (off_t)LINE);
	perform(list, '8');
	pthread_barrier_wait(&barrier);
	CHECK(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
	int twin, fd;

	CHECK(argc == 4);
	pool = pool_create(argv[1]);
	other = argv[3];
	list = open(argv[2], O_RDONLY);
	twin = dup(list);
	begin(pool);
	perform(list, '0');
	perform(twin, '1');
	read_in_child();
	perform(list, '3');
	CHECK(lseek(twin, 5 * (off_t)LINE, SEEK_SET) == 5 * (off_t)LINE);
	perform(list, '5');
	CHECK(read(list, nowhere, 10) == -1 && errno == EFAULT);
	perform(twin, '6');
	fd = open(other, O_RDONLY);
	CHECK(dup2(fd, twin) == twin);
	expect_other(twin);
	close(twin);
	twin = open(argv[2], O_RDONLY);
	CHECK(lseek(twin, 7 * (off_t)LINE, SEEK_SET) == 7 * (off_t)LINE);
	perform(twin, '7');
	close(twin);
	CHECK(open(other, O_RDONLY) == twin);
	expect_other(twin);
	read_beside_thread();
	CHECK(read(list, pool + 8, 64) == (ssize_t)LINE);
	end(pool);
	return 0;
}
