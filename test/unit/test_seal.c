/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sealing: what it does to a recording, that it may be done twice, and that it may be killed before any of its steps.
 *
 * The steps are the calls that change files.  They are redefined here, so that a child process can end just before the
 * n-th. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builder.h"
#include "scratch.h"
#include "trace/seal.h"

static const struct seal_meta metas[] = {{"outcome", "exit 0"}, {"seconds", "1.5"}};
static const struct seal_options plain = {.metas = metas, .meta_count = 2};
static const struct seal_options packed = {.compress = true, .metas = metas, .meta_count = 2};

#define KILLED 99

static long steps_left = -1; /* -1: unlimited */
static long fail_step = -1;  /* from this step on writing fails: no space */

static void step(void)
{
	if (steps_left == 0)
		_exit(KILLED);
	if (steps_left > 0)
		steps_left--;
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	step();
	if (fail_step >= 0 && fail_step-- == 0)
		return syscall(SYS_pwrite64, fd, NULL, (size_t)1, (off_t)-1), -1;
	return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

int ftruncate(int fd, off_t size)
{
	step();
	return (int)syscall(SYS_ftruncate, fd, size);
}

int rename(const char *old, const char *new)
{
	step();
	return (int)syscall(SYS_rename, old, new);
}

int unlink(const char *path)
{
	step();
	return (int)syscall(SYS_unlink, path);
}

static void seal(const char *dir, const struct seal_options *options)
{
	struct err err;

	if (trace_seal(dir, options, &err) < 0)
		fail_msg("%s", err.sentence);
}

static off_t file_size(const char *dir, unsigned number)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/trace/%04u.bo", dir, number);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

enum { EACH = 2003, SLOT = 16384 };

/* Two closed chunks of 1000 events in slots of equal size, an open one with 3 events and the start of another, and free
 * space after it. */
static void unsealed(const char *dir, uint32_t process)
{
	uint32_t written, wrong_count = 1;
	uint64_t number = 0;
	struct builder b;

	builder_start(&b, process, BO_LAYER_FOLLOW);
	builder_put(&b, BO_OP_CLOCK, process + 1);
	while (number < EACH) {
		builder_put(&b, BO_OP_EXIT, number++);
		if (number % 1000 == 0) {
			builder_end(&b, BO_CHUNK_RAW);
			builder_pad(&b, SLOT);
		}
	}
	builder_raw(&b, "\x11\x22\x33", 3);
	builder_end(&b, BO_CHUNK_OPEN);
	/* The writer was killed before it could update its count, and while it was writing more. */
	memcpy(&written, b.bytes + b.chunk + offsetof(struct bo_chunk_header, raw_bytes), 4);
	written -= 3;
	memcpy(b.bytes + b.chunk + offsetof(struct bo_chunk_header, raw_bytes), &written, 4);
	memcpy(b.bytes + b.chunk + offsetof(struct bo_chunk_header, events), &wrong_count, 4);
	builder_zeros(&b, 2 * BO_CHUNK_BYTES);
	builder_write(&b, dir);
}

static void expect_numbers(const char *dir, uint32_t processes, bool sealed)
{
	struct trace *t = scratch_open(dir);

	assert_int_equal(trace_sealed(t), sealed);
	for (uint32_t p = 0; p < processes; p++)
		for (uint64_t i = 0; i < EACH; i++)
			assert_int_equal(scratch_next(t, EVENT_EXIT).value, i);
	scratch_end(t);
	if (sealed) {
		assert_string_equal(trace_meta(t, "outcome"), "exit 0");
		assert_string_equal(trace_meta(t, "seconds"), "1.5");
	}
	trace_close(t);
}

static void test_seal(void **state)
{
	const char *dir = *state;
	struct trace *t;
	off_t size;

	unsealed(dir, 0);
	expect_numbers(dir, 1, false);
	seal(dir, &plain);
	expect_numbers(dir, 1, true);
	size = file_size(dir, 0);
	assert_in_range(size, 64 + 2 * SLOT, 64 + 2 * SLOT + 300);
	t = scratch_open(dir);
	assert_int_equal(trace_records(t), 1 + EACH + 3); /* the clock and the facts, including the mark */
	trace_close(t);
	seal(dir, &plain);
	expect_numbers(dir, 1, true);
	assert_int_equal(file_size(dir, 0), size);
}

static void test_compress(void **state)
{
	const char *dir = *state;
	struct trace *t;
	uint64_t bytes;
	off_t size;

	unsealed(dir, 0);
	seal(dir, &plain);
	t = scratch_open(dir);
	bytes = trace_bytes(t);
	trace_close(t);
	seal(dir, &packed); /* a sealed recording can be compressed later */
	expect_numbers(dir, 1, true);
	size = file_size(dir, 0);
	assert_true((uint64_t)size < bytes);
	seal(dir, &packed);
	assert_int_equal(file_size(dir, 0), size);
	t = scratch_open(dir);
	assert_int_equal(trace_bytes(t), bytes);
	trace_close(t);
	unsealed(dir, 0); /* doing both at once gives the same result */
	seal(dir, &packed);
	expect_numbers(dir, 1, true);
	assert_int_equal(file_size(dir, 0), size);
}

static void test_processes(void **state)
{
	for (uint32_t p = 0; p < 4; p++)
		unsealed(*state, p);
	seal(*state, &packed);
	expect_numbers(*state, 4, true);
	for (unsigned p = 1; p < 4; p++)
		assert_true(file_size(*state, p) < SLOT);
}

/* An open chunk without events is removed; a file without any chunk is sealed too. */
static void test_empty(void **state)
{
	struct builder b;
	struct trace *t;

	builder_start(&b, 0, 0);
	builder_end(&b, BO_CHUNK_OPEN);
	builder_zeros(&b, 5000);
	builder_write(&b, *state);
	seal(*state, &plain);
	t = scratch_open(*state);
	assert_true(trace_sealed(t));
	scratch_end(t);
	assert_string_equal(trace_meta(t, "outcome"), "exit 0");
	trace_close(t);
}

/* Damaged files are not sealed. */
static void test_damage(void **state)
{
	struct builder b;
	struct err err;
	off_t size;

	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_EXIT, 1);
	builder_raw(&b, "\xff", 1);
	builder_end(&b, BO_CHUNK_OPEN);
	builder_write(&b, *state);
	size = file_size(*state, 0);
	assert_int_equal(trace_seal(*state, &plain, &err), -1);
	assert_string_equal(err.sentence, "trace/0000.bo is damaged at offset 114: unknown event opcode 0xff");
	assert_int_equal(file_size(*state, 0), size);
	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_EXIT, 1);
	builder_end(&b, BO_CHUNK_RAW);
	b.bytes[b.size - 1] ^= 1;
	builder_write(&b, *state);
	assert_int_equal(trace_seal(*state, &packed, &err), -1);
	assert_string_equal(err.sentence, "trace/0000.bo is damaged at offset 64: chunk checksum does not match");
	assert_int_equal(trace_seal("/nonexistent", &plain, &err), -1);
	assert_string_equal(err.sentence, "cannot open the recording /nonexistent: No such file or directory");
}

/* Seal in a child process; return its exit status. */
static int seal_killed_at(const char *dir, const struct seal_options *options, long n)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct err err;

		steps_left = n;
		_exit(trace_seal(dir, options, &err) < 0 ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void check_killed(const char *dir, const struct seal_options *options, long steps_least)
{
	int status = KILLED;
	long n;

	for (n = 0; status == KILLED; n++) {
		unsealed(dir, 0);
		unsealed(dir, 1);
		status = seal_killed_at(dir, options, n);
		assert_in_set((unsigned long)status, ((unsigned long[]){0, KILLED}), 2);
		expect_numbers(dir, 2, status == 0);
		seal(dir, options);
		expect_numbers(dir, 2, true);
	}
	assert_true(n > steps_least);
}

static void test_killed(void **state)
{
	check_killed(*state, &plain, 2 * 2 + 3);
}

static void test_killed_compressing(void **state)
{
	check_killed(*state, &packed, 2 * 10 + 3);
}

/* After a failed write the recording reads as before. */
static void test_no_space(void **state)
{
	struct err err;
	int failures = 0;

	for (long n = 0;; n++) {
		int r;

		unsealed(*state, 0);
		fail_step = n;
		r = trace_seal(*state, &packed, &err);
		fail_step = -1;
		expect_numbers(*state, 1, r == 0);
		if (r == 0)
			break;
		failures++;
	}
	assert_true(failures > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_seal),
		scratch_test(test_compress),
		scratch_test(test_processes),
		scratch_test(test_empty),
		scratch_test(test_damage),
		scratch_test(test_killed),
		scratch_test(test_killed_compressing),
		scratch_test(test_no_space),
	};

	return cmocka_run_group_tests_name("seal", tests, NULL, NULL);
}
