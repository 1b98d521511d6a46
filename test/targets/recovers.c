/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovers.c - a recovery of many ways: opens a pool, does what it is told, and judges the number at its start.
 *
 *     recovers POOL [ACTION]
 *
 * The number is 0: exit 0; 1 to 99: exit with it; 100: SIGSEGV; 200: abort; 300: never end; 600: cut the pool, exit 0.
 * A pool that is not there is exit 50, an empty one 51. */
// link: -lpthread
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *pool, *action = "map";
static size_t size;

static int is(const char *name)
{
	return !strcmp(action, name);
}

static void need(int true_, const char *what)
{
	if (true_)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(90);
}

static int open_pool(int flags)
{
	int fd = open(pool, flags);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		exit(50);
	need(fd >= 0, "open");
	need(fstat(fd, &st) == 0, "fstat");
	size = (size_t)st.st_size;
	if (size < sizeof(uint64_t))
		exit(51);
	return fd;
}

static uint64_t *map_pool(int fd, int prot)
{
	uint64_t *at = mmap(NULL, size, prot, MAP_SHARED, fd, 0);

	need(at != MAP_FAILED, "mmap");
	return at;
}

__attribute__((noinline)) static void crash(uint64_t value)
{
	volatile int *nowhere = (int *)(value - 100);
	*nowhere = 1;
}

static int judge(uint64_t value)
{
	if (value == 100)
		crash(value);
	if (value == 200)
		abort();
	while (value == 300)
		pause();
	if (value == 600) {
		if (truncate(pool, 8) < 0)
			return 93;
		value = 0;
	}
	printf("value %lu\n", (unsigned long)value);
	return (int)value;
}

static int by_map(void)
{
	int fd = open_pool(O_RDWR);
	uint64_t *at = map_pool(fd, PROT_READ | PROT_WRITE), value = *at;

	need((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR, "F_GETFL");
	need(ftruncate(fd, (off_t)size) == 0, "ftruncate");
	at[1]++; /* must not be there for the next one */
	need(at[1] == 1, "a store of another recovery is seen");
	return judge(value);
}

static int by_read(void)
{
	uint64_t value;
	need(pread(open_pool(O_RDONLY), &value, sizeof(value), 0) == sizeof(value), "pread");
	return judge(value);
}

/* Mends with write(2) and looks at the result. */
static int by_write(void)
{
	uint64_t value, mark = 7;
	int fd = open_pool(O_RDWR);

	need(pread(fd, &value, sizeof(value), 0) == sizeof(value), "pread");
	need(pwrite(fd, &mark, sizeof(mark), 16) == sizeof(mark), "pwrite");
	need(map_pool(fd, PROT_READ)[2] == mark, "what was written is not there");
	return judge(value);
}

/* Stores through one mapping, and looks through another, of another part. */
static int by_twice(void)
{
	int fd = open_pool(O_RDWR);
	uint64_t *whole = map_pool(fd, PROT_READ | PROT_WRITE);
	uint64_t *header = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	need(header != MAP_FAILED, "mmap");
	header[2] = 11;
	need(whole[2] == 11, "a store through another mapping is not seen");
	whole[3] = 12;
	need(header[3] == 12, "a store through the first mapping is not seen");
	return judge(*whole);
}

/* Closes the pool and opens it again: all at once, then in parts. */
static int by_again(void)
{
	uint64_t *at = map_pool(open_pool(O_RDWR), PROT_READ | PROT_WRITE);

	at[5] = 55;
	at[size / 8 - 1] = 66;
	need(munmap(at, size) == 0, "munmap");
	int fd = open_pool(O_RDWR);
	at = map_pool(fd, PROT_READ | PROT_WRITE);
	need(at[5] == 55 && at[size / 8 - 1] == 66, "what was stored is not there again");
	at[6] = 77;
	need(munmap(at, size) == 0, "munmap");
	uint64_t *last = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)(size - 4096));
	need(last != MAP_FAILED && last[511] == 66, "the end is not there in its own mapping");
	at = map_pool(fd, PROT_READ | PROT_WRITE);
	need(at[5] == 55 && at[6] == 77, "what was stored is not there a third time");
	return judge(*at);
}

static int by_mapped_read(void)
{
	uint64_t *at, value = 1;
	int fd = open_pool(O_RDWR);

	at = map_pool(fd, PROT_READ | PROT_WRITE);
	at[4] = 44;
	need(pread(fd, &value, sizeof(value), 32) == sizeof(value) && value == 44, "a store is not seen by read");
	return judge(*at);
}

static int by_stream(void)
{
	FILE *stream = fopen(pool, "r");
	uint64_t value;

	if (!stream)
		exit(50);
	if (fread(&value, sizeof(value), 1, stream) != 1)
		exit(51);
	return judge(value);
}

static int by_fork(void)
{
	int fd = open_pool(O_RDWR), status;
	uint64_t *at = map_pool(fd, PROT_READ | PROT_WRITE);

	if (fork() == 0) {
		at[2] = 22;
		_exit(0);
	}
	wait(&status);
	need(at[2] == 22, "a store of a child is not seen");
	return judge(*at);
}

static int by_delete(void)
{
	uint64_t value;

	need(pread(open_pool(O_RDWR), &value, sizeof(value), 0) == sizeof(value), "pread");
	need(unlink(pool) == 0 && access(pool, F_OK) < 0, "unlink");
	return judge(value);
}

/* Writes a new pool and renames it over the old one. */
static int by_replace(void)
{
	char path[4096];
	uint64_t value, mark = 9;

	need(pread(open_pool(O_RDWR), &value, sizeof(value), 0) == sizeof(value), "pread");
	snprintf(path, sizeof(path), "%s.new", pool);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
	need(fd >= 0 && write(fd, &mark, sizeof(mark)) == sizeof(mark), "create");
	need(rename(path, pool) == 0, "rename");
	need(pread(open_pool(O_RDONLY), &mark, sizeof(mark), 0) == sizeof(mark) && mark == 9, "it is not the new one");
	return judge(value);
}

/* A file beside the pool that nobody has seen before. */
static int by_beside(void)
{
	char path[4096];
	uint64_t value;

	snprintf(path, sizeof(path), "%s.lock", pool);
	need(open(path, O_RDWR | O_CREAT | O_EXCL, 0644) >= 0, "a lock of another recovery is there");
	need(pread(open_pool(O_RDWR), &value, sizeof(value), 0) == sizeof(value), "pread");
	return judge(value);
}

static int open_how(int at, const char *path, uint64_t flags)
{
	struct open_how how = {.flags = flags, .mode = flags & O_CREAT ? 0644 : 0};

	return (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
}

/* All ways to make an entry beside the pool, none of which may be there for the next one. */
static int by_many(void)
{
	char dir[4096], path[4200];
	uint64_t value;
	static const char *const names[] = {"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10"};

	need(pread(open_pool(O_RDWR), &value, sizeof(value), 0) == sizeof(value), "pread");
	snprintf(dir, sizeof(dir), "%s", pool);
	char *slash = strrchr(dir, '/');
	strcpy(slash ? slash : dir, slash ? "" : ".");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		need(access(path, F_OK) < 0, "an entry of another recovery is there");
	}
	int at = open(dir, O_RDONLY | O_DIRECTORY), made = openat(at, "m1", O_WRONLY | O_CREAT, 0644);
	need(made >= 0, "openat");
	need(mkdirat(at, "m2", 0700) == 0, "mkdirat");
	need(symlinkat("m1", at, "m3") == 0, "symlinkat");
	need(mknodat(at, "m4", S_IFIFO | 0600, 0) == 0, "mknodat");
	need(linkat(at, "m1", at, "m5", 0) == 0, "linkat");
	need(renameat(at, "m5", at, "m6") == 0, "renameat");
	snprintf(path, sizeof(path), "%s/m7", dir);
	need(creat(path, 0644) >= 0, "creat");
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	if (snprintf(name.sun_path, sizeof(name.sun_path), "%s/m8", dir) < (int)sizeof(name.sun_path))
		need(bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof(name)) == 0, "bind");
	snprintf(path, sizeof(path), "%s/m9", dir);
	need(mkdir(path, 0700) == 0, "mkdir");
	need(open_how(at, "m10", O_WRONLY | O_CREAT) >= 0, "openat2");
	return judge(value);
}

/* Looks for a file that is not there, or is. */
static int by_look(void)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s.late", pool);
	need(open_how(AT_FDCWD, path, O_RDONLY) >= 0 || errno == ENOENT, "openat2");
	return by_map();
}

/* Lets the pool and its backup change places. */
static int by_exchange(void)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s.bak", pool);
	need(syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, pool, RENAME_EXCHANGE) == 0, "renameat2");
	return 0;
}

/* Leaves a daemon behind, in a session of its own, that holds our output. */
static int by_daemon(void)
{
	uint64_t value = *map_pool(open_pool(O_RDWR), PROT_READ | PROT_WRITE);

	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				sleep(1000);
		_exit(0);
	}
	wait(NULL);
	return judge(value);
}

static int by_closing(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	int result = by_map();
	close_range(3, ~0u, 0);
	return result;
}

static int by_chdir(void)
{
	char real[4096];

	need(realpath(pool, real) != NULL || errno == ENOENT, "realpath");
	need(chdir("/") == 0, "chdir");
	if (access(pool, F_OK) < 0 && *pool != '/')
		pool = real;
	return by_map();
}

static int by_printing(void)
{
	int fd = open_pool(O_RDONLY);
	uint64_t value = *map_pool(fd, PROT_READ);
	static char text[1 << 16];

	memset(text, 'x', sizeof(text) - 1);
	for (int i = 0; i < 1600; i++)
		fputs(text, i % 2 ? stdout : stderr);
	fputs("\nthe end\n", stderr);
	return judge(value);
}

static void *idle(void *arg)
{
	pause();
	return arg;
}

static int by_threads_first(void)
{
	pthread_t thread;
	need(pthread_create(&thread, NULL, idle, NULL) == 0, "pthread_create");
	return by_map();
}

static void *store(void *at)
{
	((uint64_t *)at)[7] = 70;
	return NULL;
}

static int by_threads(void)
{
	uint64_t *at = map_pool(open_pool(O_RDWR), PROT_READ | PROT_WRITE);
	pthread_t thread;

	need(pthread_create(&thread, NULL, store, at) == 0 && pthread_join(thread, NULL) == 0 && at[7] == 70,
	     "threads");
	return judge(*at);
}

/* A configuration that is read before the pool is opened, and after. */
static int by_config(void)
{
	char path[4096], line[64];
	uint64_t value;

	snprintf(path, sizeof(path), "%s.conf", pool);
	FILE *config = fopen(path, "r");
	need(config && setvbuf(config, NULL, _IONBF, 0) == 0, "config");
	need(fgets(line, sizeof(line), config) && !strcmp(line, "one\n"), "the first line is another");
	value = *map_pool(open_pool(O_RDWR), PROT_READ | PROT_WRITE);
	need(fgets(line, sizeof(line), config) && !strcmp(line, "two\n"), "the second line is another");
	return judge(value);
}

static int by_list(void)
{
	char dir[4096];
	struct dirent *entry;
	int seen = 0;

	snprintf(dir, sizeof(dir), "%s", pool);
	char *slash = strrchr(dir, '/');
	strcpy(slash ? slash : dir, slash ? "" : ".");
	DIR *d = opendir(dir);
	need(d != NULL, "opendir");
	while ((entry = readdir(d)))
		seen |= !strcmp(entry->d_name, strrchr(pool, '/') ? strrchr(pool, '/') + 1 : pool);
	if (!seen)
		exit(50);
	return by_read();
}

static int by_lock(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open_pool(O_RDWR);

	need(fcntl(fd, F_SETLK, &lock) == 0, "F_SETLK");
	need(access(pool, R_OK | W_OK) == 0, "access");
	return judge(*map_pool(fd, PROT_READ | PROT_WRITE));
}

/* Asks for the name of what it has opened, and opens it again by its descriptor. */
static int by_name(void)
{
	char link[64], name[4096], real[4096], at[8] = "";
	struct stat st, again;
	int fd = open_pool(O_RDWR), second;

	need(realpath(pool, real) != NULL, "realpath");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, name, sizeof(name) - 1);
	need(n > 0 && (name[n] = 0) == 0 && !strcmp(name, real), name);
	n = readlinkat(AT_FDCWD, link, at, 4);
	need(n == 4 && !memcmp(at, real, 4) && !at[4], "the beginning of a name");
	need(realpath(link, name) && !strcmp(name, real), name);
	second = open(link, O_RDWR);
	need(second >= 0 && fstat(fd, &st) == 0 && fstat(second, &again) == 0, "open by descriptor");
	need(st.st_ino == again.st_ino, "another file by descriptor");
	return judge(*map_pool(second, PROT_READ | PROT_WRITE));
}

static int by_grow(void)
{
	int fd = open_pool(O_RDWR);
	uint64_t value = *map_pool(fd, PROT_READ | PROT_WRITE);

	need(ftruncate(fd, (off_t)size * 2) == 0, "ftruncate");
	return judge(value);
}

static int by_remap(void)
{
	int fd = open_pool(O_RDWR);
	uint64_t *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	need(at != MAP_FAILED, "mmap");
	at[9] = 99;
	at = mremap(at, 4096, size, MREMAP_MAYMOVE);
	need(at != MAP_FAILED && at[9] == 99, "mremap");
	return judge(*at);
}

static int by_private(void)
{
	int fd = open_pool(O_RDWR);
	uint64_t *at = map_pool(fd, PROT_READ | PROT_WRITE);

	at[8] = 88;
	uint64_t *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	need(copy != MAP_FAILED && copy[8] == 88, "a store is not seen in a private mapping");
	copy[9] = 99;
	need(at[9] == 0, "a private store is seen");
	return judge(*at);
}

static int by_memory(void)
{
	void *much = malloc((size_t)1 << 30);
	int result = much ? 0 : 92;

	free(much);
	open_pool(O_RDWR);
	return result;
}

/* Fills 16 MiB of its own memory, as opening a pool of libpmemobj does, and says how many page faults that took.  What
 * calloc gives must be 0. */
static int by_heap(void)
{
	enum { BLOCKS = 4096, BLOCK = 4000 };
	static const char zeros[BLOCK];
	struct rusage before, after;
	char *blocks[BLOCKS];

	open_pool(O_RDWR);
	getrusage(RUSAGE_SELF, &before);
	for (size_t i = 0; i < BLOCKS; i++) {
		blocks[i] = calloc(1, BLOCK);
		need(blocks[i] && !memcmp(blocks[i], zeros, BLOCK), "calloc");
		memset(blocks[i], 1, BLOCK);
	}
	getrusage(RUSAGE_SELF, &after);
	fprintf(stderr, "faults %ld\n", after.ru_minflt - before.ru_minflt);
	for (size_t i = 0; i < BLOCKS; i++)
		free(blocks[i]);
	return 0;
}

/* Fills 16 MiB, looks at the pool, and changes all of it, as libpmemobj does when it opens and closes a pool.  Says how
 * many page faults the last step took. */
static int by_heap_later(void)
{
	enum { BLOCKS = 4096, BLOCK = 4000 };
	uint64_t *at = map_pool(open_pool(O_RDWR), PROT_READ | PROT_WRITE), value;
	struct rusage before, after;
	static char *blocks[BLOCKS];
	static char expected[BLOCK];

	for (size_t i = 0; i < BLOCKS; i++) {
		need((blocks[i] = malloc(BLOCK)) != NULL, "malloc");
		memset(blocks[i], (char)i, BLOCK);
	}
	value = *at;
	getrusage(RUSAGE_SELF, &before);
	for (size_t i = 0; i < BLOCKS; i++) {
		memset(expected, (char)i, BLOCK);
		need(!memcmp(blocks[i], expected, BLOCK), "the heap has changed");
		memset(blocks[i], 0, BLOCK);
	}
	getrusage(RUSAGE_SELF, &after);
	fprintf(stderr, "faults %ld\n", after.ru_minflt - before.ru_minflt);
	return (int)value;
}

/* Looks by the C library, and opens past it. */
static int by_raw(void)
{
	struct stat st;
	uint64_t value;

	if (stat(pool, &st) < 0)
		exit(50);
	if (st.st_size == 0)
		exit(51);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, pool, O_RDWR);
	need(fd >= 0, "openat");
	need(syscall(SYS_pread64, fd, &value, sizeof(value), 0) == sizeof(value), "pread64");
	return judge(value);
}

static int by_kill_group(void)
{
	uint64_t value = *map_pool(open_pool(O_RDWR), PROT_READ | PROT_WRITE);

	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
	return judge(value);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} actions[] = {
		{"map", by_map},
		{"read", by_read},
		{"write", by_write},
		{"twice", by_twice},
		{"again", by_again},
		{"mapped-read", by_mapped_read},
		{"stream", by_stream},
		{"fork", by_fork},
		{"delete", by_delete},
		{"replace", by_replace},
		{"beside", by_beside},
		{"many", by_many},
		{"look", by_look},
		{"exchange", by_exchange},
		{"daemon", by_daemon},
		{"closing", by_closing},
		{"chdir", by_chdir},
		{"printing", by_printing},
		{"threads", by_threads},
		{"threads-first", by_threads_first},
		{"config", by_config},
		{"list", by_list},
		{"lock", by_lock},
		{"name", by_name},
		{"grow", by_grow},
		{"remap", by_remap},
		{"kill-group", by_kill_group},
		{"private", by_private},
		{"raw", by_raw},
		{"memory", by_memory},
		{"heap", by_heap},
		{"heap_later", by_heap_later},
	};

	pool = argv[1];
	if (argc > 2)
		action = argv[2];
	fprintf(stderr, "begin\n");
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (is(actions[i].name))
			return actions[i].run();
	return 91;
}
