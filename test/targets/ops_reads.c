/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_reads.c - perform the operations of a file in each way in which a program may read it: store the length of each
 * line.
 *
 *     ops_reads POOL HOW FILE       FILE "-": standard input */
#include "target.h"

#include <poll.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static char *pool;

static void perform(const char *line, size_t length)
{
	static unsigned number;

	while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
		length--;
	ST8(pool + 8 * (number++ % 512), length);
}

static void by_fgets(FILE *file)
{
	char line[4096];

	while (fgets(line, sizeof(line), file))
		perform(line, strlen(line));
}

static void by_getline(FILE *file)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while ((length = getline(&line, &room, file)) >= 0)
		perform(line, (size_t)length);
	free(line);
}

static void by_getc(FILE *file)
{
	char line[4096];
	size_t length = 0;

	for (int c; (c = getc(file)) != EOF;) {
		line[length++] = (char)c;
		if (c == '\n') {
			perform(line, length);
			length = 0;
		}
	}
	if (length)
		perform(line, length);
}

/* Read into a buffer of `size` bytes by `get`, and cut it into lines. */
static void by_pieces(int fd, size_t size, ssize_t (*get)(int fd, char *buffer, size_t size, off_t offset))
{
	char line[8192], buffer[4096];
	size_t length = 0;
	off_t offset = 0;
	ssize_t got;

	while ((got = get(fd, buffer, size, offset)) > 0) {
		offset += got;
		for (ssize_t i = 0; i < got; i++) {
			line[length++] = buffer[i];
			if (buffer[i] == '\n') {
				perform(line, length);
				length = 0;
			}
		}
	}
	CHECK(got == 0);
	if (length)
		perform(line, length);
}

static ssize_t get_read(int fd, char *buffer, size_t size, off_t offset)
{
	(void)offset;
	return read(fd, buffer, size);
}

static ssize_t get_pread(int fd, char *buffer, size_t size, off_t offset)
{
	return pread(fd, buffer, size, offset);
}

static ssize_t get_readv(int fd, char *buffer, size_t size, off_t offset)
{
	struct iovec vector[] = {{buffer, 2}, {buffer + 2, size - 2}};
	ssize_t got = readv(fd, vector, 2);

	(void)offset;
	CHECK(vector[0].iov_len == 2 && vector[1].iov_len == size - 2);
	return got;
}

static ssize_t get_preadv(int fd, char *buffer, size_t size, off_t offset)
{
	struct iovec vector[] = {{buffer, 1}, {buffer + 1, size - 1}};

	return preadv(fd, vector, 2, offset);
}

/* The size of a read stays in its register. */
static ssize_t get_register(int fd, char *buffer, size_t size, off_t offset)
{
	unsigned long rdx = size, result;

	(void)offset;
	__asm__ volatile("syscall"
			 : "=a"(result), "+d"(rdx)
			 : "0"(0l), "D"((long)fd), "S"(buffer)
			 : "rcx", "r11", "memory");
	CHECK(rdx == size);
	return (ssize_t)result;
}

/* Everything is read before anything is performed. */
static void by_slurping(FILE *file)
{
	static char all[1 << 20];
	size_t size = fread(all, 1, sizeof(all) - 1, file);

	for (char *line = all, *next; line < all + size; line = next) {
		next = memchr(line, '\n', (size_t)(all + size - line));
		next = next ? next + 1 : all + size;
		perform(line, (size_t)(next - line));
	}
}

static void by_mapping(int fd)
{
	struct stat st;
	char *all, *line, *next;

	CHECK(fstat(fd, &st) == 0);
	all = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(all != MAP_FAILED);
	for (line = all; line < all + st.st_size; line = next) {
		next = memchr(line, '\n', (size_t)(all + st.st_size - line));
		next = next ? next + 1 : all + st.st_size;
		perform(line, (size_t)(next - line));
	}
}

/* Does not wait for a line, and performs it only after it has asked for more in vain. */
static void by_asking(int fd)
{
	struct pollfd input = {.fd = fd, .events = POLLIN};
	char line[4096];
	size_t length = 0;
	ssize_t got;

	CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	while ((got = read(fd, line + length, sizeof(line) - length)) != 0) {
		CHECK(got > 0 || errno == EAGAIN);
		if (got > 0) {
			length += (size_t)got;
			continue;
		}
		if (length && line[length - 1] == '\n') {
			perform(line, length);
			length = 0;
			CHECK(write(2, "+", 1) == 1);
		}
		CHECK(poll(&input, 1, -1) == 1);
	}
}

/* By a pipe: sendfile, splice, tee and copy_file_range show no lines. */
static void by_moving(int fd, const char *how)
{
	char buffer[4096];
	ssize_t size;
	int to[2];

	CHECK(pipe(to) == 0);
	if (!strcmp(how, "sendfile"))
		size = sendfile(to[1], fd, NULL, sizeof(buffer));
	else if (!strcmp(how, "splice"))
		size = splice(fd, NULL, to[1], NULL, sizeof(buffer), 0);
	else
		size = tee(fd, to[1], sizeof(buffer), 0);
	CHECK(size > 0 && read(to[0], buffer, sizeof(buffer)) == size);
	perform(buffer, (size_t)size);
}

static void by_copying(int fd)
{
	int copy = open("copy", O_CREAT | O_RDWR | O_TRUNC, 0644);

	CHECK(copy >= 0 && copy_file_range(fd, NULL, copy, NULL, 4096, 0) > 0);
	CHECK(lseek(copy, 0, SEEK_SET) == 0);
	by_pieces(copy, 4096, get_read);
}

/* The system call alone shows that the ring may be used.  Kernels may refuse it. */
static void by_uring(void)
{
	char parameters[120] = {0};
	long fd = syscall(SYS_io_uring_setup, 1, parameters);

	printf("%s\n", fd < 0 ? "refused" : "ring");
}

static void by_counting_first(FILE *file)
{
	int lines = 0;

	for (int c; (c = getc(file)) != EOF;)
		lines += c == '\n';
	ST8(pool + 0x2000, lines);
	rewind(file);
	by_fgets(file);
}

int main(int argc, char **argv)
{
	const char *how;
	FILE *file;
	int fd;

	CHECK(argc == 4);
	pool = pool_create(argv[1]);
	how = argv[2];
	fd = strcmp(argv[3], "-") ? open(argv[3], O_RDONLY) : 0;
	CHECK(fd >= 0);
	file = fdopen(fd, "r");
	begin(pool);
	if (!strcmp(how, "fgets"))
		by_fgets(file);
	else if (!strcmp(how, "getline"))
		by_getline(file);
	else if (!strcmp(how, "getc"))
		by_getc(file);
	else if (!strcmp(how, "read"))
		by_pieces(fd, 4096, get_read);
	else if (!strcmp(how, "small"))
		by_pieces(fd, 3, get_read);
	else if (!strcmp(how, "pread"))
		by_pieces(fd, 4096, get_pread);
	else if (!strcmp(how, "readv"))
		by_pieces(fd, 4096, get_readv);
	else if (!strcmp(how, "preadv"))
		by_pieces(fd, 4096, get_preadv);
	else if (!strcmp(how, "register"))
		by_pieces(fd, 4096, get_register);
	else if (!strcmp(how, "slurp"))
		by_slurping(file);
	else if (!strcmp(how, "map"))
		by_mapping(fd);
	else if (!strcmp(how, "count"))
		by_counting_first(file);
	else if (!strcmp(how, "ask"))
		by_asking(fd);
	else if (!strcmp(how, "sendfile") || !strcmp(how, "splice") || !strcmp(how, "tee"))
		by_moving(fd, how);
	else if (!strcmp(how, "copy"))
		by_copying(fd);
	else if (!strcmp(how, "uring"))
		by_uring();
	else
		CHECK(!"a way to read");
	end(pool);
	return 0;
}
