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
 *     zN               change what the process has, in one of many ways, and see what was there
 *     yF+OFFSET        the same as zN, N times over; N is the byte there
 *     wN               wait for N milliseconds
 *     xN               do what a process that goes back must be careful with: see careful()
 *     jF+OFFSET        end: the byte there is the exit status; 254: crash, 253: do not end,
 *                      252: change the size of the file, 251: run a thread, and end with 0 */
// link: -lpthread
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/* Memory and descriptors that the process has come to have. */
enum { AREAS = 64, AREA_PAGES = 4, PAGE = 4096, BLOCKS = 64, FDS = 64 };
static uint8_t *areas[AREAS], *block;
static int fds[FDS];
static unsigned area_count, block_pages, fd_count, changes;

static uint8_t *area_add(void)
{
	need(area_count < AREAS, "areas");
	uint8_t *area = mmap(NULL, AREA_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(area != MAP_FAILED, "mmap");
	return areas[area_count++] = area;
}

static uint8_t *area_last(void)
{
	uint8_t *area = area_count ? areas[area_count - 1] : area_add();

	need(mprotect(area, AREA_PAGES * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
	return area;
}

static void bytes_change(uint8_t *at, size_t size)
{
	see(at, size);
	memset(at, (int)++changes, size);
}

static void area_replace(uint8_t *area)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	need(mmap(area + PAGE, 2 * PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) == area + PAGE, "mmap");
	bytes_change(area, AREA_PAGES * PAGE);
}

static void area_protect(uint8_t *area)
{
	need(mprotect(area, 2 * PAGE, PROT_READ) == 0, "mprotect");
	see(area, PAGE);
	if (++changes % 2)
		need(mprotect(area, AREA_PAGES * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
	bytes_change(area + 2 * PAGE, 2 * PAGE);
}

static void area_remove(void)
{
	uint8_t *area = area_last();

	need(munmap(area + PAGE, PAGE) == 0 && munmap(area, AREA_PAGES * PAGE) == 0, "munmap");
	area_count--;
}

/* In the C library's heap, or in a mapping of its own that moves when it grows. */
static void block_grow(void)
{
	block_pages = block_pages ? 2 * block_pages % 200 : 3;
	block = realloc(block, block_pages * PAGE + 1);
	need(block != NULL, "realloc");
	memset(block + block_pages * PAGE / 2, (int)++changes, block_pages * PAGE / 2);
	see(block + block_pages * PAGE / 2, block_pages * PAGE / 2);
}

static void break_move(void)
{
	uint8_t *end = sbrk(2 * PAGE);

	need(end != (void *)-1, "sbrk");
	bytes_change(end, 2 * PAGE);
}

static void file_open_more(void)
{
	need(fd_count < FDS, "descriptors");
	int fd = open("notes", O_RDONLY | (++changes % 2 ? O_CLOEXEC : 0));
	need(fd >= 0, "notes");
	fds[fd_count++] = fd;
	add((uint64_t)fd);
	add((uint64_t)fcntl(fd, F_GETFD));
}

static void file_close(void)
{
	char byte = 0;

	if (!fd_count)
		file_open_more();
	int fd = fds[--fd_count];
	need(read(fd, &byte, 1) == 1 && close(fd) == 0, "close");
	add((uint64_t)byte);
}

static void file_dup(void)
{
	int fd = open("notes", O_RDONLY);

	need(fd >= 0 && dup2(fd, 60 + (int)(++changes % 3)) >= 0 && close(fd) == 0, "dup2");
	add((uint64_t)fd);
}

static void action_change(void)
{
	struct sigaction old, new = {.sa_handler = ++changes % 2 ? SIG_IGN : SIG_DFL};

	need(sigaction(SIGUSR1, &new, &old) == 0, "sigaction");
	add(old.sa_handler == SIG_IGN);
}

static void mask_change(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	need(sigprocmask(++changes % 2 ? SIG_BLOCK : SIG_UNBLOCK, &set, &old) == 0, "sigprocmask");
	add((uint64_t)sigismember(&old, SIGUSR2));
}

static void stack_use(unsigned depth)
{
	volatile uint8_t bytes[3 * PAGE];

	for (unsigned i = 0; i < sizeof(bytes); i += 64)
		bytes[i] = (uint8_t)(depth + i + changes);
	if (depth)
		stack_use(depth - 1);
	add(bytes[64 * depth]);
}

static void process_change(uint64_t how)
{
	enum { WAYS = 14 };

	switch (how % WAYS) {
	case 0: bytes_change(area_add(), AREA_PAGES * PAGE); break;
	case 1: bytes_change(area_last(), PAGE); break;
	case 2: area_replace(area_last()); break;
	case 3: area_protect(area_last()); break;
	case 4: area_remove(); break;
	case 5: block_grow(); break;
	case 6: break_move(); break;
	case 7: file_open_more(); break;
	case 8: file_close(); break;
	case 9: file_dup(); break;
	case 10: action_change(); break;
	case 11: mask_change(); break;
	case 12: stack_use(40); break;
	case 13: add(++changes); break;
	}
}

static void process_change_often(unsigned number)
{
	for (unsigned i = 0; i < number % 8; i++)
		process_change(number + i);
	for (unsigned i = 0; i < number; i++)
		bytes_change(area_last() + i % AREA_PAGES * PAGE + i, 1);
}

/* Memory that has no contents. */
static void guard_make(void)
{
	enum { GUARD_INSTALL = 102 };
	uint8_t *area = area_add();

	if (madvise(area + PAGE, PAGE, GUARD_INSTALL) == 0)
		area_count--; /* nobody may look there */
	bytes_change(area, PAGE);
}

static void much_reserve(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint8_t *area = mmap(NULL, (size_t)5 << 30, PROT_READ | PROT_WRITE, flags, -1, 0);

	need(area != MAP_FAILED, "mmap");
	bytes_change(area, PAGE);
}

/* Much memory with pages here and there: some before, and others after. */
static void pages_scatter(void)
{
	enum { SCATTERED = 1000, APART = 50 };
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	static uint8_t *area;

	if (!area)
		area = mmap(NULL, (size_t)SCATTERED * APART * PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
	need(area != MAP_FAILED, "mmap");
	for (size_t i = 0; i < SCATTERED; i++)
		bytes_change(area + (i * APART + changes % 2) * PAGE, 8);
	bytes_change(area + PAGE, 1);
}

/* So little memory may be added from now on. */
static void memory_limit(size_t bytes)
{
	struct rlimit limit;
	unsigned long pages;
	FILE *file = fopen("/proc/self/statm", "r");

	need(file && fscanf(file, "%lu", &pages) == 1 && fclose(file) == 0, "statm");
	limit.rlim_cur = limit.rlim_max = pages * PAGE + bytes;
	need(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
}

static void memory_use(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	add(at != MAP_FAILED);
}

static void files_close(void)
{
	for (int fd = files[1].fd + 1; fd < 400; fd++)
		close(fd);
}

static void stack_look(void)
{
	uint8_t room[3 << 20], *at = room;

	__asm__ volatile("" : "+r"(at) : : "memory"); /* what is there counts */
	add(*at);
	*at = 1;
	__asm__ volatile("" : : "r"(at) : "memory");
}

static void on_illegal(int sig)
{
	(void)sig;
	add(syscall(SYS_getppid) > 0);
	siglongjmp(fault, 1);
}

/* A system call while all signals are blocked. */
static void blocked_call(void)
{
	struct sigaction action = {.sa_handler = on_illegal};

	sigfillset(&action.sa_mask);
	sigaction(SIGILL, &action, NULL);
	if (!sigsetjmp(fault, 1))
		__builtin_trap();
}

/* As a 32-bit program does it: mkdir has the number that getpid has here. */
static void other_call(void)
{
	long result = 39;

	__asm__ volatile("int $0x80" : "+a"(result) : "b"(0L), "c"(0L), "d"(0L) : "r8", "r9", "r10", "r11", "memory");
	add(result > 0);
}

static void masks_bad(void)
{
	uint64_t mask = 0;

	add((uint64_t)syscall(SYS_rt_sigprocmask, SIG_BLOCK, 8L, NULL, sizeof(mask)) + (uint64_t)errno);
	add((uint64_t)syscall(SYS_rt_sigprocmask, 77, &mask, NULL, sizeof(mask)) + (uint64_t)errno);
}

/* The first time, there comes to be a handler that the kernel removes when it is called. */
static void handler_once(void)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND}, now;
	static bool there;

	if (!there)
		sigaction(SIGILL, &action, NULL);
	else if (!sigsetjmp(fault, 1))
		__builtin_trap();
	sigaction(SIGILL, NULL, &now);
	add(now.sa_handler == on_fault);
	there = true;
}

/* A call that takes nothing away, because it fails. */
static void replace_badly(void)
{
	uint8_t *area = area_last();

	add(mmap(area, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0) == MAP_FAILED);
	bytes_change(area, PAGE);
}

/* A mapping with nothing beside it, that is one before and may be several after it. */
static void mapping_split(void)
{
	static uint8_t *area;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (!area) {
		need((area = mmap(NULL, 12 * PAGE, PROT_NONE, flags, -1, 0)) != MAP_FAILED, "mmap");
		area += AREA_PAGES * PAGE;
		need(mprotect(area, AREA_PAGES * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect");
		return;
	}
	/* The last byte is what differs in states. */
	if (*place(0, files[0].size - 1, 1) % 2) {
		add(mremap(area, AREA_PAGES * PAGE, 2 * AREA_PAGES * PAGE, MREMAP_MAYMOVE) != MAP_FAILED);
		return;
	}
	need(mprotect(area + PAGE, PAGE, PROT_READ) == 0, "mprotect");
	/* Parts that are written one by one are never joined again. */
	area[3 * PAGE] = area[0] = 1;
}

/* Programs in Rust remove their stack for signals when they end. */
static void signal_stack_change(void)
{
	static uint8_t room[2][1 << 16];
	stack_t stack = {.ss_sp = room[++changes % 2], .ss_size = sizeof(room[0])}, old;

	need(sigaltstack(&stack, &old) == 0, "sigaltstack");
	add(old.ss_sp == room[0]);
	add(old.ss_sp == room[1]);
	add((uint64_t)old.ss_flags);
	stack.ss_flags = 77;
	add(sigaltstack(&stack, NULL) == 0);
	need(sigaltstack(NULL, &old) == 0, "sigaltstack");
	add(old.ss_sp == room[changes % 2]);
	stack.ss_flags = SS_DISABLE;
	/* The last byte is what differs in states. */
	if (*place(0, files[0].size - 1, 1) % 2)
		need(sigaltstack(&stack, NULL) == 0, "sigaltstack");
}

/* Flags of an open file, which all copies of the process share. */
static void flags_change(void)
{
	static int fd;

	if (!fd) {
		need((fd = open("notes", O_RDONLY)) > 0, "notes");
		return;
	}
	add((uint64_t)fcntl(fd, F_GETFL));
	need(fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND) == 0, "flags");
}

/* These are done before the files are opened, too. */
enum { LIMIT = 3, LIMIT_BYTES = 200 << 20, BELOW = 12, SPLIT_STACK = 13 };
static uint8_t *below;

/* Memory where the stack would grow. */
static void below_make(void)
{
	uint8_t here, *at = (uint8_t *)((uintptr_t)&here / PAGE * PAGE) - 150 * PAGE;

	below = mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	need(below == at, "mmap");
	memset(below, 7, PAGE);
}

static void careful_begin(uint64_t how, uint8_t *stack)
{
	if (how == LIMIT)
		memory_limit(LIMIT_BYTES);
	else if (how == BELOW)
		below_make();
	else if (how == SPLIT_STACK)
		need(mprotect(stack, PAGE, PROT_READ) == 0, "mprotect");
}

static void careful(uint64_t how)
{
	switch (how) {
	case 1: guard_make(); break;
	case 2: much_reserve(); break;
	case LIMIT: memory_use(LIMIT_BYTES - (10 << 20)); break;
	case 4: files_close(); break;
	case 5: stack_look(); break;
	case 6: blocked_call(); break;
	case 7: other_call(); break;
	case 8: masks_bad(); break;
	case 9: handler_once(); break;
	case 10: replace_badly(); break;
	case 11: mapping_split(); break;
	case BELOW: see(below, PAGE); break;
	case 14: pages_scatter(); break;
	case 15: signal_stack_change(); break;
	case 16: flags_change(); break;
	}
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
	if (value == 251)
		thread_run(1);
	/* It records its owner. */
	need(pthread_mutex_unlock(&lock) == 0, "unlock");
	exit(value == 251 || value == 252 ? 0 : value);
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
	case 'z': process_change(number); break;
	case 'y': process_change_often(*place(f, offset, 1)); break;
	case 'x': careful(number); break;
	case 'w': usleep((useconds_t)number * 1000); break;
	case 'j': judge(f, offset); break;
	default: need(0, word);
	}
}

__attribute__((noinline)) static int run(int argc, char **argv)
{
	file_open(0, argv[1]);
	file_open(1, argv[2]);
	for (int i = 3; i < argc; i++)
		word_do(argv[i]);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t kind;
	uint8_t room[8 * PAGE];

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&lock, &kind);
	pthread_mutex_lock(&lock);
	need(argc > 3, "walks FILE FILE WORD...");
	for (int i = 3; i < argc; i++)
		if (*argv[i] == 'x')
			careful_begin(strtoull(argv[i] + 1, NULL, 10),
				      (uint8_t *)((uintptr_t)(room + 4 * PAGE) / PAGE * PAGE));
	return run(argc, argv);
}
