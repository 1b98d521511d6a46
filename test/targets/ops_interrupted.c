/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_interrupted.c - read lines from standard input while signals interrupt the reads and restart them.  The size of a
 * read stays in its register, and in its vector: ops_interrupted POOL read|readv */
#include "target.h"

#include <sys/time.h>
#include <sys/uio.h>

#define SIZE 4000ul

static void on_alarm(int signal)
{
	(void)signal;
	getppid(); /* another system call before the read is restarted */
}

static ssize_t get(const char *how, char *buffer)
{
	struct iovec vector[] = {{buffer, 3}, {buffer + 3, SIZE}};
	unsigned long rdx = SIZE;
	ssize_t got;

	if (!strcmp(how, "readv")) {
		got = readv(0, vector, 2);
		CHECK(vector[0].iov_len == 3 && vector[1].iov_len == SIZE);
		return got;
	}
	__asm__ volatile("syscall" : "=a"(got), "+d"(rdx) : "0"(0l), "D"(0l), "S"(buffer) : "rcx", "r11", "memory");
	CHECK(rdx == SIZE);
	return got;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval timer = {{0, 3000}, {0, 3000}};
	char buffer[SIZE + 3], *pool;
	unsigned long lines = 0;
	ssize_t got;

	CHECK(argc == 3);
	pool = pool_create(argv[1]);
	CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &timer, NULL) == 0);
	begin(pool);
	while ((got = get(argv[2], buffer)) > 0)
		if (buffer[got - 1] == '\n') {
			lines++;
			ST8(pool, lines);
		}
	CHECK(got == 0);
	end(pool);
	return 0;
}
