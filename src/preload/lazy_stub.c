/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_stub.c - undecided lines (lazy.h) in the stub: the request, the reports, and state that leaves must not share.
 *
 * The reply FIFO is opened for each report, because recovery may close descriptors that it does not know. */
#include "preload/stub.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/call.h"
#include "preload/lazy.h"

enum { FDS_FREE = 16 /* after this many unused ones in a row, assume that no more are in use */ };

static struct {
	char reply[PATH_MAX], out[PATH_MAX], err[PATH_MAX];
	char file[PATH_MAX], file_second[PATH_MAX]; /* {out} */
} paths;
static struct lazy_block *block;

/* Reports */

/* Bytes to be written to the reply.  A process sends one report at a time. */
static struct {
	int fd;
	size_t used;
	char at[65536];
} writer;

static void writer_flush(void)
{
	size_t done = 0;

	while (done < writer.used) {
		long n = CALL(SYS_write, writer.fd, writer.at + done, writer.used - done);
		if (n == -EINTR)
			continue;
		if (n <= 0)
			CALL(SYS_exit_group, STUB_EXIT_LOST);
		done += (size_t)n;
	}
	writer.used = 0;
}

static void writer_put(const void *from, size_t bytes)
{
	for (size_t part; bytes; bytes -= part, from = (const char *)from + part) {
		part = sizeof(writer.at) - writer.used < bytes ? sizeof(writer.at) - writer.used : bytes;
		memcpy(writer.at + writer.used, from, part);
		writer.used += part;
		if (writer.used == sizeof(writer.at))
			writer_flush();
	}
}

struct output {
	uint32_t bytes;
	bool cut;
	char at[LAZY_TAIL];
};
static struct output out, err;

/* Read the end of the output that was printed on the path to this leaf. */
static void output_read(struct output *output, const char *path)
{
	int fd = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	long size = fd < 0 ? 0 : CALL(SYS_lseek, fd, 0, SEEK_END);
	long from = size > LAZY_TAIL ? size - LAZY_TAIL : 0;
	long n = size <= 0 ? 0 : CALL(SYS_pread64, fd, output->at, LAZY_TAIL, from);

	output->bytes = n > 0 ? (uint32_t)n : 0;
	output->cut = from > 0;
	if (fd >= 0)
		CALL(SYS_close, fd);
}

/* The complete output of this leaf. */
static struct {
	int fd; /* -1: none */
	uint32_t bytes;
} complete;

static void complete_open(uint32_t flags)
{
	const char *path = block->output == LAZY_OUTPUT_FILE ? paths.file : paths.out;
	struct stat st;

	complete.bytes = 0;
	complete.fd = -1;
	if (!block->output_max || flags & (LAZY_POSTPONED | LAZY_END | LAZY_REFUSED))
		return;
	/* Recovery may have put anything at the path of {out}.  To open a FIFO must not block. */
	complete.fd = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (complete.fd >= 0 && CALL(SYS_fstat, complete.fd, &st) == 0 && S_ISREG(st.st_mode))
		complete.bytes = st.st_size < block->output_max ? (uint32_t)st.st_size : block->output_max;
}

static void complete_send(void)
{
	static char part[65536];
	uint32_t left = complete.bytes;

	while (left) {
		long n = CALL(SYS_read, complete.fd, part, left < sizeof(part) ? left : sizeof(part));
		/* Nobody else writes to it. */
		if (n <= 0)
			CALL(SYS_exit_group, STUB_EXIT_LOST);
		writer_put(part, (size_t)n);
		left -= (uint32_t)n;
	}
	if (complete.fd >= 0)
		CALL(SYS_close, complete.fd);
}

static void reason_read(struct output *output)
{
	output->bytes = (uint32_t)strnlen(stub_page->reason, STUB_REASON);
	output->cut = false;
	memcpy(output->at, stub_page->reason, output->bytes);
}

static const struct choices *choices(void)
{
	return (const void *)((const char *)block + block->choices);
}

static void outputs_collect(uint32_t flags)
{
	out.bytes = err.bytes = 0;
	if (flags & (LAZY_POSTPONED | LAZY_END))
		return;
	if (flags & LAZY_REFUSED) {
		reason_read(&err);
		return;
	}
	output_read(&out, paths.out);
	output_read(&err, paths.err);
}

static void report_send(const struct lazy_result *result)
{
	const struct choices_line *lines = choices_lines(choices());
	struct lazy_report report = result->report;
	struct stub_reply reply = {.op = STUB_LEAF, .status = result->status, .nanoseconds = result->nanoseconds};

	outputs_collect(report.flags);
	complete_open(report.flags);
	report.flags |= (out.bytes && out.cut ? LAZY_OUT_CUT : 0) | (err.bytes && err.cut ? LAZY_ERR_CUT : 0);
	report.out_bytes = out.bytes;
	report.err_bytes = err.bytes;
	report.output_bytes = complete.bytes;
	for (uint32_t i = report.keep; i < report.depth; i++)
		report.taken_bytes += lines[result->lines[i]].count;
	if (report.flags & LAZY_POSTPONED)
		report.mask_bytes = report.depth * (uint32_t)sizeof(uint64_t);
	reply.bytes = (uint32_t)(sizeof(report) + (report.depth - report.keep) * sizeof(uint32_t) + report.taken_bytes +
				 report.mask_bytes + out.bytes + err.bytes + complete.bytes);
	writer.fd = (int)CALL(SYS_openat, AT_FDCWD, paths.reply, O_WRONLY | O_CLOEXEC);
	writer_put(&reply, sizeof(reply));
	writer_put(&report, sizeof(report));
	writer_put(result->lines + report.keep, (report.depth - report.keep) * sizeof(uint32_t));
	for (uint32_t i = report.keep; i < report.depth; i++)
		writer_put(result->taken + lines[result->lines[i]].first, lines[result->lines[i]].count);
	for (uint32_t i = 0; i < report.depth && report.mask_bytes; i++)
		writer_put(&result->masks[result->lines[i]], sizeof(uint64_t));
	writer_put(out.at, out.bytes);
	writer_put(err.at, err.bytes);
	complete_send();
	writer_flush();
	CALL(SYS_close, writer.fd);
}

/* State that leaves must not share: their output, their file offsets, and memory that mappings share (mapping.c).
 *
 * The marks are: the sizes of the outputs, the size of {out} and the address of a copy of it, the address of the copy
 * of that memory, the number of offsets, and the offsets, with their descriptors in the upper 16 bits. */

enum { MARK_OUT, MARK_ERR, MARK_FILE, MARK_FILE_COPY, MARK_ALIASES, MARK_COUNT, MARK_FIRST };
enum { FILE_COPY_MAX = 1 << 20 };

static uint64_t size_of(const char *path)
{
	struct stat st;

	return CALL(SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0 ? 0 : (uint64_t)st.st_size;
}

static bool file_is_same(struct stat *st)
{
	struct stat second;

	return CALL(SYS_newfstatat, AT_FDCWD, paths.file, st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       CALL(SYS_newfstatat, AT_FDCWD, paths.file_second, &second, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st->st_ino == second.st_ino;
}

/* A leaf may overwrite what was written to {out} before, or replace the file. */
static void file_mark(uint64_t *marks)
{
	struct stat st;

	marks[MARK_FILE] = marks[MARK_FILE_COPY] = 0;
	if (block->output != LAZY_OUTPUT_FILE)
		return;
	if (!file_is_same(&st))
		stub_refuse("recovery replaces {out}");
	if (!st.st_size)
		return;
	size_t size = (size_t)st.st_size;
	if (size > FILE_COPY_MAX)
		stub_refuse("recovery writes much to {out} while it still reads PM");
	void *copy = (void *)CALL(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = (int)CALL(SYS_openat, AT_FDCWD, paths.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || CALL(SYS_pread64, fd, copy, size, 0) != (long)size)
		stub_refuse("{out} cannot be read");
	CALL(SYS_close, fd);
	marks[MARK_FILE] = size;
	marks[MARK_FILE_COPY] = (uintptr_t)copy;
}

static void file_reset(const uint64_t *marks)
{
	size_t size = marks[MARK_FILE];
	void *copy = (void *)(uintptr_t)marks[MARK_FILE_COPY];
	struct stat st;

	if (block->output != LAZY_OUTPUT_FILE)
		return;
	if (!file_is_same(&st)) {
		CALL(SYS_unlink, paths.file);
		CALL(SYS_link, paths.file_second, paths.file);
	}
	int fd = (int)CALL(SYS_openat, AT_FDCWD, paths.file, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || CALL(SYS_ftruncate, fd, size) < 0 ||
	    (size && CALL(SYS_pwrite64, fd, copy, size, 0) != (long)size))
		stub_refuse("{out} cannot be restored");
	CALL(SYS_close, fd);
	if (copy)
		CALL(SYS_munmap, copy, size);
}

static void offsets_mark(uint64_t *marks)
{
	unsigned unused = 0;

	marks[MARK_COUNT] = 0;
	for (int fd = STDIN_FILENO; unused < FDS_FREE; fd++) {
		long at = CALL(SYS_lseek, fd, 0, SEEK_CUR);

		unused = at == -EBADF ? unused + 1 : 0;
		if (at == -ESPIPE && fd > STDERR_FILENO)
			stub_refuse("recovery has an open pipe or connection");
		if (at < 0)
			continue;
		if (MARK_FIRST + marks[MARK_COUNT] == LAZY_MARKS)
			stub_refuse("recovery has too many files open");
		marks[MARK_FIRST + marks[MARK_COUNT]++] = (uint64_t)fd << 48 | (uint64_t)at;
	}
}

static void stub_mark(uint64_t *marks)
{
	marks[MARK_OUT] = size_of(paths.out);
	marks[MARK_ERR] = size_of(paths.err);
	file_mark(marks);
	marks[MARK_ALIASES] = (uintptr_t)mapping_aliases_save();
	offsets_mark(marks);
	heap_copy_before(false);
}

static void stub_adopt(int from, int to)
{
	locks_adopt(from, to);
	heap_copy_child();
}

static void stub_reset(const uint64_t *marks)
{
	heap_copy_after();
	CALL(SYS_truncate, paths.out, marks[MARK_OUT]);
	CALL(SYS_truncate, paths.err, marks[MARK_ERR]);
	file_reset(marks);
	mapping_aliases_restore((const void *)(uintptr_t)marks[MARK_ALIASES]);
	mapping_aliases_drop((void *)(uintptr_t)marks[MARK_ALIASES]);
	for (uint64_t i = 0; i < marks[MARK_COUNT]; i++)
		CALL(SYS_lseek, (int)(marks[MARK_FIRST + i] >> 48), marks[MARK_FIRST + i] << 16 >> 16, SEEK_SET);
}

static void refuse(const char *why) __attribute__((noreturn));
static void refuse(const char *why)
{
	stub_refuse("%s", why);
}

/* The request */

static void *block_map(void)
{
	char path[PATH_MAX];
	struct stat st;

	if (!stub_control(path, sizeof(path), STUB_FILE_LAZY))
		return NULL;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	void *memory = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size >= sizeof(*block))
		memory = (void *)syscall(SYS_mmap, NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		syscall(SYS_close, fd);
	return memory == MAP_FAILED || ((struct lazy_block *)memory)->bytes != (uint64_t)st.st_size ? NULL : memory;
}

const char *lazy_stub_begin(void)
{
	struct lazy_setup setup = {.send = report_send, .mark = stub_mark, .reset = stub_reset, .refuse = refuse};

	setup.refused = &stub_page->refused;
	setup.adopt = stub_adopt;
	setup.sigaction = NEXT(sigaction);
	bool reachable = stub_control(paths.reply, sizeof(paths.reply), STUB_FILE_REPLY) &&
			 stub_control(paths.out, sizeof(paths.out), STUB_FILE_OUT) &&
			 stub_control(paths.err, sizeof(paths.err), STUB_FILE_ERR) &&
			 stub_beside(paths.file, sizeof(paths.file), STUB_OUTFILE) &&
			 stub_beside(paths.file_second, sizeof(paths.file_second), STUB_OUTFILE_SECOND);
	block = reachable ? block_map() : NULL;
	if (!block)
		return "the undecided lines cannot be read";
	setup.block = block;
	return lazy_prepare(&setup);
}

void lazy_stub_over(pid_t pid, int status)
{
	size_t bytes = block ? block->bytes : 0;

	lazy_over(pid, status);
	if (block)
		syscall(SYS_munmap, block, bytes);
	block = NULL;
}

/* If this stream goes to blackout, redirect it to a file.  If both streams are the same, they stay the same. */
static void stream_lead(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISFIFO(st.st_mode))
		return;
	int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (file < 0)
		stub_refuse("the control files are hidden");
	syscall(SYS_dup2, file, fd);
	syscall(SYS_close, file);
}

/* For outputs that have no end. */
static void size_limit(void)
{
	struct rlimit limit;

	if (!block->output_max || syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) < 0)
		return;
	if (limit.rlim_cur > block->output_max) {
		limit.rlim_cur = block->output_max;
		syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, &limit, NULL);
	}
}

void lazy_stub_child(void)
{
	struct stat one, two;
	bool both = fstat(STDOUT_FILENO, &one) == 0 && fstat(STDERR_FILENO, &two) == 0 && one.st_ino == two.st_ino &&
		    one.st_dev == two.st_dev;

	stream_lead(STDOUT_FILENO, paths.out);
	stream_lead(STDERR_FILENO, both ? paths.out : paths.err);
	size_limit();
	lazy_arm();
}
