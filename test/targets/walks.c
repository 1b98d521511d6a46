/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walks.c - a recovery that does what its words say, one after the other, and prints what it has seen.
 *
 *     walks FILE0 FILE1 WORD...
 *
 * F is 0 or 1, a file, which is mapped before the first word.  Numbers as in C.
 *
 *     lF+OFFSET+SIZE   load these bytes          sF+OFFSET+SIZE   store other bytes there
 *     rF+OFFSET+SIZE   read them with pread(2)   mF+OFFSET+SIZE   map them once more, for all later accesses
 *     uF               unmap the file, and map it again
 *     pF+OFFSET+SIZE   make whole pages read-only; qF... writable again
 *     nN               read N bytes of the file `notes`, which stays open
 *     oN               print N, at once
 *     tN               a thread adds N           cN               a child process adds N
 *     hN               handle a fault of our own, and add N
 *     aN               add N to memory that would be shared with copies of the process, and see what is there
 *     wN               wait for N milliseconds
 *     jF+OFFSET        end: the byte there is the exit status; 254: crash, 253: do not end,
 *                      252: change the size of the file, and end with 0 */
// link: -lpthread
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	int fd;
	size_t size;
	uint8_t *at;
	struct {
		uint8_t *at;
		size_t offset, size;
	} again; /* the last m */
} files[2];
static uint64_t seen = 1;
static pthread_mutex_t lock;

static void need(int true_, const char *what)
{
	if (true_)
		return;
	perror(what);
	exit(90);
}

static void see(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		seen = (seen ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
}

static void add(uint64_t number)
{
	see(&number, sizeof(number));
}

static void file_open(int f, const char *path)
{
	struct stat st;

	files[f].fd = open(path, O_RDWR);
	need(files[f].fd >= 0 && fstat(files[f].fd, &st) == 0, path);
	files[f].size = (size_t)st.st_size;
	files[f].at = mmap(NULL, files[f].size, PROT_READ | PROT_WRITE, MAP_SHARED, files[f].fd, 0);
	need(files[f].at != MAP_FAILED, "mmap");
}

static void file_again(int f)
{
	need(munmap(files[f].at, files[f].size) == 0, "munmap");
	files[f].at = mmap(NULL, files[f].size, PROT_READ | PROT_WRITE, MAP_SHARED, files[f].fd, 0);
	need(files[f].at != MAP_FAILED, "mmap");
}

static uint8_t *place(int f, size_t offset, size_t size)
{
	size_t within = offset - files[f].again.offset;

	if (files[f].again.at && within < files[f].again.size && size <= files[f].again.size - within)
		return files[f].again.at + within;
	return files[f].at + offset;
}

static void map_more(int f, size_t offset, size_t size)
{
	files[f].again.at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, files[f].fd, (off_t)offset);
	need(files[f].again.at != MAP_FAILED, "mmap");
	files[f].again.offset = offset;
	files[f].again.size = size;
}

static void store(int f, size_t offset, size_t size)
{
	volatile uint8_t *to = place(f, offset, size);

	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(seen + i * 7 + 1);
}

static void load(int f, size_t offset, size_t size)
{
	see(place(f, offset, size), size);
}

static void load_by_call(int f, size_t offset, size_t size)
{
	uint8_t bytes[8192];

	need(pread(files[f].fd, bytes, size, (off_t)offset) == (ssize_t)size, "pread");
	see(bytes, size);
}

static void protect(int f, size_t offset, size_t size, int prot)
{
	need(mprotect(files[f].at + offset, size, prot) == 0, "mprotect");
}

static void read_notes(size_t size)
{
	static int fd = -1;
	char bytes[64];

	if (fd < 0)
		fd = open("notes", O_RDONLY);
	need(fd >= 0 && size <= sizeof(bytes) && read(fd, bytes, size) == (ssize_t)size, "notes");
	see(bytes, size);
}

static void print(uint64_t number)
{
	printf("number %lu\n", (unsigned long)number);
	fflush(stdout);
}

static void *thread_main(void *number)
{
	add((uint64_t)number);
	return NULL;
}

static void thread_run(uint64_t number)
{
	pthread_t thread;

	need(pthread_create(&thread, NULL, thread_main, (void *)number) == 0, "pthread_create");
	pthread_join(thread, NULL);
}

static void child_run(uint64_t number)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit((int)number);
	need(waitpid(pid, &status, 0) == pid, "waitpid");
	add((uint64_t)WEXITSTATUS(status));
}

static sigjmp_buf fault;

static void on_fault(int sig)
{
	(void)sig;
	siglongjmp(fault, 1);
}

static void fault_handle(uint64_t number)
{
	struct sigaction action = {.sa_handler = on_fault}, old;
	volatile int *nowhere = NULL;

	sigaction(SIGSEGV, &action, &old);
	if (!sigsetjmp(fault, 1))
		*nowhere = 1;
	sigaction(SIGSEGV, &old, NULL);
	add(number);
}

/* At first nobody may write to it. */
static void memory_share(uint64_t number)
{
	static uint64_t *shared;

	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED && mprotect(shared, sizeof(*shared), PROT_READ | PROT_WRITE) == 0, "memory");
	*shared += number;
	add(*shared);
}

static void judge(int f, size_t offset)
{
	int value = *place(f, offset, 1);

	printf("seen %016lx\n", (unsigned long)seen);
	fflush(stdout);
	if (value == 254)
		abort();
	while (value == 253)
		pause();
	if (value == 252)
		need(ftruncate(files[f].fd, (off_t)files[f].size / 2) == 0, "ftruncate");
	/* It records its owner. */
	need(pthread_mutex_unlock(&lock) == 0, "unlock");
	exit(value == 252 ? 0 : value);
}

static void word_do(const char *word)
{
	char *end;
	uint64_t number = strtoull(word + 1, &end, 0);
	int f = (int)number & 1;
	size_t offset = *end ? strtoull(end + 1, &end, 0) : 0, size = *end ? strtoull(end + 1, &end, 0) : 0;

	switch (*word) {
	case 'l': load(f, offset, size); break;
	case 's': store(f, offset, size); break;
	case 'r': load_by_call(f, offset, size); break;
	case 'm': map_more(f, offset, size); break;
	case 'u': file_again(f); break;
	case 'p': protect(f, offset, size, PROT_READ); break;
	case 'q': protect(f, offset, size, PROT_READ | PROT_WRITE); break;
	case 'n': read_notes(number); break;
	case 'o': print(number); break;
	case 't': thread_run(number); break;
	case 'c': child_run(number); break;
	case 'h': fault_handle(number); break;
	case 'a': memory_share(number); break;
	case 'w': usleep((useconds_t)number * 1000); break;
	case 'j': judge(f, offset); break;
	default: need(0, word);
	}
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&lock, &kind);
	pthread_mutex_lock(&lock);
	need(argc > 3, "walks FILE FILE WORD...");
	file_open(0, argv[1]);
	file_open(1, argv[2]);
	for (int i = 3; i < argc; i++)
		word_do(argv[i]);
	return 0;
}
