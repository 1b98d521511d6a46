/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The content of PM files: each rule of content.h separately, then random operations compared with a plain array. */
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "image/content.h"
#include "scratch.h"

static void apply(struct content *c, enum event_type type, uint64_t offset, uint64_t size, const void *data)
{
	content_apply(c, &(struct event){.type = type, .file = 1, .offset = offset, .size = size, .data = data});
}

static void allocate(struct content *c, uint32_t mode, uint64_t offset, uint64_t size)
{
	content_apply(
		c,
		&(struct event){.type = EVENT_FILE_ALLOCATE, .file = 1, .flags = mode, .offset = offset, .size = size});
}

static struct content *with_file(uint64_t size)
{
	struct content *c = content_new();

	content_apply(c, &(struct event){.type = EVENT_FILE, .file = 1, .size = size, .path = "/pm/a"});
	return c;
}

static void expect_text(struct content *c, uint64_t offset, const char *text)
{
	char buffer[64] = {0};

	assert_int_equal(content_read(c, 1, offset, buffer, strlen(text)), strlen(text));
	assert_string_equal(buffer, text);
}

static void expect_zeros(struct content *c, uint64_t offset, uint64_t size)
{
	uint8_t buffer[8192], zeros[8192] = {0};

	assert_int_equal(content_read(c, 1, offset, buffer, size), size);
	assert_memory_equal(buffer, zeros, size);
}

static void test_store(void **state)
{
	struct content *c = with_file(10000);

	(void)state;
	apply(c, EVENT_CONTENT, 4090, 12, "hello, world");
	apply(c, EVENT_STORE, 4092, 2, "LL");
	expect_text(c, 4090, "heLLo, world");
	assert_int_equal(content_pages(c, 1), 2);
	apply(c, EVENT_STORE, 9998, 4, "abcd"); /* the end of the last page is not in the file */
	assert_int_equal(content_size(c, 1), 10000);
	expect_text(c, 9998, "ab");
	apply(c, EVENT_FILE_TRUNCATE, 0, 20000, NULL);
	expect_zeros(c, 10000, 8192);
	content_free(c);
}

static void test_unknown(void **state)
{
	struct content *c = content_new();
	char byte;

	(void)state;
	assert_false(content_knows(c, 1));
	assert_int_equal(content_size(c, 7), 0);
	assert_int_equal(content_read(c, 7, 0, &byte, 1), 0);
	assert_null(content_path(c, 7));
	apply(c, EVENT_STORE, 0, 1, "x");
	assert_int_equal(content_size(c, 1), 0);
	content_apply(c, &(struct event){.type = EVENT_STORE, .file = 0, .size = 1, .data = (const uint8_t *)"x"});
	content_free(c);
}

static void test_write_and_truncate(void **state)
{
	struct content *c = with_file(4);

	(void)state;
	apply(c, EVENT_FILE_WRITE, 6, 5, "abcde");
	assert_int_equal(content_size(c, 1), 11);
	expect_zeros(c, 0, 6);
	expect_text(c, 6, "abcde");
	apply(c, EVENT_FILE_TRUNCATE, 0, 8, NULL);
	assert_int_equal(content_size(c, 1), 8);
	apply(c, EVENT_FILE_TRUNCATE, 0, 11, NULL);
	expect_text(c, 6, "ab");
	expect_zeros(c, 8, 3);
	apply(c, EVENT_FILE_WRITE, 100, 0, "");
	assert_int_equal(content_size(c, 1), 11);
	content_free(c);
}

static void test_allocate(void **state)
{
	struct content *c = with_file(8192);

	(void)state;
	apply(c, EVENT_STORE, 0, 8, "12345678");
	apply(c, EVENT_STORE, 4096, 8, "abcdefgh");
	allocate(c, 0, 8000, 1000);
	assert_int_equal(content_size(c, 1), 9000);
	allocate(c, FALLOC_FL_KEEP_SIZE, 0, 100000);
	assert_int_equal(content_size(c, 1), 9000);
	allocate(c, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2, 3);
	expect_text(c, 0, "12");
	expect_zeros(c, 2, 3);
	expect_text(c, 5, "678");
	allocate(c, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 8999, 1000);
	assert_int_equal(content_size(c, 1), 9000);
	allocate(c, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 4098, 100000);
	assert_int_equal(content_size(c, 1), 9000);
	expect_text(c, 4096, "ab");
	expect_zeros(c, 4098, 4000);
	allocate(c, FALLOC_FL_ZERO_RANGE, 4097, 5000);
	assert_int_equal(content_size(c, 1), 9097);
	expect_text(c, 4096, "a");
	expect_zeros(c, 4097, 5000);
	content_free(c);
}

static void test_shift(void **state)
{
	struct content *c = with_file(4 * 4096);

	(void)state;
	for (uint64_t page = 0; page < 4; page++)
		apply(c, EVENT_STORE, page * 4096 + 10, 1, &"abcd"[page]);
	allocate(c, FALLOC_FL_COLLAPSE_RANGE, 4096, 4096);
	assert_int_equal(content_size(c, 1), 3 * 4096);
	expect_text(c, 10, "a");
	expect_text(c, 4096 + 10, "c");
	expect_text(c, 2 * 4096 + 10, "d");
	allocate(c, FALLOC_FL_INSERT_RANGE, 4096, 1024); /* file systems with smaller blocks exist */
	assert_int_equal(content_size(c, 1), 3 * 4096 + 1024);
	expect_text(c, 10, "a");
	expect_zeros(c, 4096, 1024);
	expect_text(c, 4096 + 1024 + 10, "c");
	expect_text(c, 2 * 4096 + 1024 + 10, "d");
	/* Calls that the kernel refuses change nothing. */
	allocate(c, FALLOC_FL_COLLAPSE_RANGE, 4096, 3 * 4096);
	allocate(c, FALLOC_FL_INSERT_RANGE, 100000, 4096);
	allocate(c, FALLOC_FL_INSERT_RANGE, 0, INT64_MAX);
	assert_int_equal(content_size(c, 1), 3 * 4096 + 1024);
	content_free(c);
}

static void test_names(void **state)
{
	struct content *c = with_file(10);

	(void)state;
	assert_true(content_knows(c, 1));
	assert_string_equal(content_path(c, 1), "/pm/a");
	content_apply(c, &(struct event){.type = EVENT_FILE_RENAME, .file = 1, .path = "/pm/b"});
	assert_string_equal(content_path(c, 1), "/pm/b");
	content_apply(c, &(struct event){.type = EVENT_FILE_UNLINK, .file = 1, .flags = 1});
	assert_string_equal(content_path(c, 1), "/pm/b");
	content_apply(c, &(struct event){.type = EVENT_FILE_UNLINK, .file = 1, .flags = 0});
	assert_null(content_path(c, 1));
	apply(c, EVENT_STORE, 0, 2, "xy");
	expect_text(c, 0, "xy");
	content_apply(c, &(struct event){.type = EVENT_FILE, .file = 1, .size = 5, .path = "/pm/c"});
	assert_string_equal(content_path(c, 1), "/pm/c");
	assert_int_equal(content_size(c, 1), 5);
	expect_zeros(c, 0, 5);
	content_free(c);
}

static int open_in(const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/out", dir);
	fd = open(path, O_RDWR | O_CREAT, 0666);
	assert_true(fd >= 0);
	return fd;
}

/* 1 TiB with three bytes of data: little memory, little disk space, and no time. */
static void test_sparse(void **state)
{
	const uint64_t size = (uint64_t)1 << 40;
	struct content *c = with_file(size);
	int fd = open_in(*state);
	struct stat st;
	struct err err;
	char byte = 0;

	apply(c, EVENT_STORE, 5, 1, "a");
	apply(c, EVENT_STORE, size / 2, 1, "b");
	apply(c, EVENT_STORE, size - 1, 1, "c");
	apply(c, EVENT_STORE, size / 4, 1, "\0");
	assert_int_equal(content_pages(c, 1), 3);
	allocate(c, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, size / 4, size / 2);
	apply(c, EVENT_FILE_TRUNCATE, 0, size - 1, NULL);
	apply(c, EVENT_FILE_TRUNCATE, 0, size, NULL);
	assert_int_equal(pwrite(fd, "left from before", 16, 4000), 16);
	assert_int_equal(content_write(c, 1, fd, &err), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, size);
	assert_true(st.st_blocks <= 64);
	assert_int_equal(pread(fd, &byte, 1, 5), 1);
	assert_int_equal(byte, 'a');
	assert_int_equal(pread(fd, &byte, 1, (off_t)(size / 2)), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(pread(fd, &byte, 1, (off_t)(size - 1)), 1);
	assert_int_equal(byte, 0);
	close(fd);
	content_free(c);
}

static void test_write_fails(void **state)
{
	struct content *c = with_file(10);
	int fd = open("/dev/null", O_RDONLY);
	struct err err;

	(void)state;
	assert_int_equal(content_write(c, 1, fd, &err), -1);
	assert_string_equal(err.sentence, "cannot write a PM file's content of 10 bytes: Invalid argument");
	close(fd);
	content_free(c);
}

/* The model: an array, and the size. */
#define MOST (64 * 1024)

struct model {
	uint8_t bytes[2 * MOST];
	uint64_t size;
};

static void model_allocate(struct model *m, uint32_t mode, uint64_t offset, uint64_t size)
{
	if (mode == FALLOC_FL_COLLAPSE_RANGE) {
		if (offset + size >= m->size)
			return;
		memmove(m->bytes + offset, m->bytes + offset + size, m->size - offset - size);
		memset(m->bytes + m->size - size, 0, size);
		m->size -= size;
	} else if (mode == FALLOC_FL_INSERT_RANGE) {
		if (offset >= m->size)
			return;
		memmove(m->bytes + offset + size, m->bytes + offset, m->size - offset);
		memset(m->bytes + offset, 0, size);
		m->size += size;
	} else {
		if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
			memset(m->bytes + offset, 0, size);
		if (!(mode & FALLOC_FL_KEEP_SIZE) && offset + size > m->size)
			m->size = offset + size;
	}
}

static void model_apply(struct model *m, const struct event *ev)
{
	uint64_t end = ev->offset + ev->size;

	switch (ev->type) {
	case EVENT_STORE:
		for (uint64_t i = 0; i < ev->size && ev->offset + i < m->size; i++)
			m->bytes[ev->offset + i] = ev->data[i];
		break;
	case EVENT_FILE_WRITE:
		memcpy(m->bytes + ev->offset, ev->data, ev->size);
		m->size = end > m->size ? end : m->size;
		break;
	case EVENT_FILE_TRUNCATE:
		if (ev->size < m->size)
			memset(m->bytes + ev->size, 0, m->size - ev->size);
		m->size = ev->size;
		break;
	default: model_allocate(m, ev->flags, ev->offset, ev->size); break;
	}
}

static struct event random_event(uint64_t *seed, uint8_t *data, const struct model *m)
{
	static const uint32_t modes[] = {
		0,
		FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_ZERO_RANGE,
		FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_COLLAPSE_RANGE,
		FALLOC_FL_INSERT_RANGE,
	};
	static const enum event_type types[] = {EVENT_STORE,      EVENT_STORE,         EVENT_STORE,
						EVENT_FILE_WRITE, EVENT_FILE_ALLOCATE, EVENT_FILE_TRUNCATE};
	struct event ev = {.type = types[random_next(seed) % 6], .file = 1, .data = data};
	uint64_t grain = random_next(seed) % 2 ? 1 : 1024;

	ev.offset = random_next(seed) % MOST / 2 / grain * grain;
	ev.size = (1 + random_next(seed) % (random_next(seed) % 4 ? 64 : 16384) / grain) * grain;
	ev.flags = ev.type == EVENT_FILE_ALLOCATE ? modes[random_next(seed) % 7] : 0;
	if (ev.flags == FALLOC_FL_INSERT_RANGE && m->size + ev.size > MOST)
		ev.flags = FALLOC_FL_COLLAPSE_RANGE;
	for (uint64_t i = 0; ev.type != EVENT_FILE_ALLOCATE && i < ev.size; i++)
		data[i] = (uint8_t)(random_next(seed) % 4 ? random_next(seed) : 0);
	if (ev.type == EVENT_FILE_TRUNCATE)
		ev = (struct event){.type = ev.type, .file = 1, .size = random_next(seed) % MOST};
	return ev;
}

static void test_random(void **state)
{
	static uint8_t data[MOST], buffer[2 * MOST];
	static struct model model;
	struct content *c = with_file(0);
	int fd = open_in(*state);
	uint64_t seed = 3;
	struct err err;

	for (int i = 0; i < 4000; i++) {
		struct event ev = random_event(&seed, data, &model);

		content_apply(c, &ev);
		model_apply(&model, &ev);
		assert_int_equal(content_size(c, 1), model.size);
		assert_int_equal(content_read(c, 1, 0, buffer, sizeof(buffer)), model.size);
		assert_memory_equal(buffer, model.bytes, model.size);
		if (i % 100)
			continue;
		assert_int_equal(content_write(c, 1, fd, &err), 0);
		memset(buffer, 0xee, sizeof(buffer));
		assert_int_equal(pread(fd, buffer, sizeof(buffer), 0), model.size);
		assert_memory_equal(buffer, model.bytes, model.size);
	}
	close(fd);
	content_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_write_and_truncate),
		cmocka_unit_test(test_allocate),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_names),
		scratch_test(test_sparse),
		cmocka_unit_test(test_write_fails),
		scratch_test(test_random),
	};

	return cmocka_run_group_tests_name("content", tests, NULL, NULL);
}
