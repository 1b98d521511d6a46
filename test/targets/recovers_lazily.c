/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovers_lazily.c - recoveries that look at words of a pool in many ways, for undecided lines.
 *
 *     recovers_lazily POOL ACTION...
 *
 * Actions work on the sum that is printed at the end, and become part of it:
 *
 *     map  map2  unmap       map the pool; its first page once more; unmap, and forget it
 *     N                      the word at N * 64, by a load
 *     ?N                     end here if the word at N * 64 is 0
 *     =N                     store the sum to the word at N * 64
 *     read:N  pread:N        the word at N * 64, by a system call on the file
 *     write:N                the line at N * 64 goes to standard error, by write(2)
 *     fwrite:N               ... by fwrite(3), unbuffered
 *     print                  the sum so far, on standard output, buffered
 *     say                    the sum so far, on standard error
 *     segv:N                 a handler for SIGSEGV looks at the word at N * 64
 *     thread                 a thread, which waits
 *     lock  unlock           a recursive mutex, an error-checking one, and a lock for writing; their results
 *     atexit                 print "bye" at exit
 *     spin                   never end
 *     flood                  print without end
 *     readonly               mprotect all to be read only
 *     processors:N           end with status 92 if the processors that it may use are not N
 *
 * At the end: the sum modulo 16 is 13: abort; 14: a null pointer; 15: killed by SIGTERM; otherwise it is the exit
 * status. */
// link: -lpthread
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path;
static int fd;
static size_t size;
static uint64_t sum;
static volatile uint8_t *pool, *again;
static long handled;

static volatile uint64_t *word(long line)
{
	return (volatile uint64_t *)(pool + line * 64);
}

static void see(uint64_t value)
{
	sum = sum * 31 + value;
}

static void on_segv(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	see(*word(handled) + 5);
	signal(SIGSEGV, SIG_DFL);
	mmap((void *)4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void fault(long line)
{
	struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};

	handled = line;
	sigaction(SIGSEGV, &action, NULL);
	see(*(volatile uint64_t *)4096);
	munmap((void *)4096, 4096);
}

static void bye(void)
{
	printf("bye %llu\n", (unsigned long long)sum % 1000);
}

/* A second time, where that is allowed; and all back. */
static void lock(int on)
{
	static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
			       checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;

	see((uint64_t)(on ? pthread_mutex_lock(&recursive) : pthread_mutex_trylock(&recursive)));
	see((uint64_t)(on ? pthread_mutex_lock(&checking) : pthread_mutex_unlock(&checking)));
	see((uint64_t)(on ? pthread_rwlock_wrlock(&both) : pthread_rwlock_unlock(&both)));
	if (on)
		return;
	see((uint64_t)pthread_mutex_unlock(&recursive));
	see((uint64_t)pthread_mutex_unlock(&recursive));
	see((uint64_t)pthread_rwlock_tryrdlock(&both));
}

static void *waits(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void map(void)
{
	pool = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		exit(90);
}

static void thread_start(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, waits, NULL);
}

static void read_word(long line, int at)
{
	uint64_t value = 0;

	if (!at)
		lseek(fd, line * 64, SEEK_SET);
	if ((at ? pread(fd, &value, 8, line * 64) : read(fd, &value, 8)) != 8)
		exit(91);
	see(value);
	if (!at)
		see((uint64_t)lseek(fd, 0, SEEK_CUR));
}

static void count_processors(long expected)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0 || CPU_COUNT(&set) != expected)
		exit(92);
}

static void act(const char *action)
{
	const char *colon = strchr(action, ':');
	long line = strtol(colon ? colon + 1 : action + strspn(action, "?="), NULL, 10);

	if (!strcmp(action, "map"))
		map();
	else if (!strcmp(action, "map2"))
		again = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	else if (!strcmp(action, "unmap"))
		munmap((void *)pool, size);
	else if (!strcmp(action, "readonly"))
		mprotect((void *)pool, size, PROT_READ);
	else if (!strcmp(action, "print"))
		printf("sum %llu\n", (unsigned long long)sum % 1000);
	else if (!strcmp(action, "say"))
		fprintf(stderr, "sum %llu\n", (unsigned long long)sum % 1000);
	else if (!strcmp(action, "thread"))
		thread_start();
	else if (!strcmp(action, "lock") || !strcmp(action, "unlock"))
		lock(*action == 'l');
	else if (!strcmp(action, "atexit"))
		atexit(bye);
	else if (!strcmp(action, "spin"))
		for (;;)
			;
	else if (!strcmp(action, "flood"))
		for (;;)
			puts("more and more");
	else if (!strncmp(action, "read:", 5) || !strncmp(action, "pread:", 6))
		read_word(line, *action == 'p');
	else if (!strncmp(action, "write:", 6))
		see((uint64_t)write(2, (void *)word(line), 8));
	else if (!strncmp(action, "fwrite:", 7))
		see(fwrite((void *)word(line), 64, 1, stderr));
	else if (!strncmp(action, "processors:", 11))
		count_processors(line);
	else if (!strncmp(action, "segv:", 5))
		fault(line);
	else if (!strncmp(action, "again:", 6))
		see(*(volatile uint64_t *)(again + line * 64));
	else if (*action == '?' && !*word(line))
		exit(17);
	else if (*action == '=')
		*word(line) = sum;
	else if (*action != '?')
		see(*word(line));
}

int main(int argc, char **argv)
{
	struct stat st;

	path = argv[1];
	fd = open(path, O_RDWR);
	if (fd < 0 || fstat(fd, &st) < 0)
		return 50;
	size = (size_t)st.st_size;
	for (int i = 2; i < argc; i++)
		act(argv[i]);
	printf("end %llu\n", (unsigned long long)sum % 1000);
	fflush(stdout);
	switch (sum % 16) {
	case 13: abort();
	case 14: *(volatile int *)NULL = 0; break;
	case 15: raise(SIGTERM); break;
	}
	return (int)(sum % 16);
}
