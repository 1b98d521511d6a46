/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading behind the writer: every state in which a reader can find a file that is being written. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builder.h"
#include "scratch.h"
#include "trace/seal.h"

enum { EACH = 100, SLOT = 4096 };

/* A recording in progress: `whole` is the final file, of which a part is written. */
struct writer {
	struct builder whole;
	size_t chunks[4]; /* offsets of the chunk headers */
	int fd;
};

static void writer_start(struct writer *w, const char *dir, uint32_t layers)
{
	char path[4096];

	builder_start(&w->whole, 0, layers);
	for (uint64_t i = 0; i < 3 * EACH; i++) {
		builder_put(&w->whole, BO_OP_EXIT, i);
		if (i % EACH != EACH - 1)
			continue;
		builder_end(&w->whole, i / EACH == 2 ? BO_CHUNK_OPEN : BO_CHUNK_RAW);
		w->chunks[i / EACH] = w->whole.chunk;
		if (i / EACH != 2)
			builder_pad(&w->whole, SLOT);
	}
	w->chunks[3] = w->whole.size;
	snprintf(path, sizeof(path), "%s/trace", dir);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "%s/trace/0000.bo", dir);
	w->fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	assert_true(w->fd >= 0);
}

static void writer_write(const struct writer *w, size_t from, size_t to)
{
	assert_int_equal(pwrite(w->fd, w->whole.bytes + from, to - from, (off_t)from), to - from);
}

/* Write the chunk's payload; its header is that of an open chunk, except for `codec`. */
static void writer_write_open(const struct writer *w, unsigned chunk, uint32_t codec)
{
	struct bo_chunk_header h;

	writer_write(w, w->chunks[chunk], w->chunks[chunk + 1]);
	memcpy(&h, w->whole.bytes + w->chunks[chunk], sizeof(h));
	h.codec = codec;
	h.checksum = 0;
	assert_int_equal(pwrite(w->fd, &h, sizeof(h), (off_t)w->chunks[chunk]), sizeof(h));
}

static void writer_end(struct writer *w)
{
	close(w->fd);
	builder_free(&w->whole);
}

static struct trace *open_live(const char *dir, int expected)
{
	struct trace *t;
	struct err err;

	assert_int_equal(trace_open_live(&t, dir, &err), expected);
	return t;
}

static void expect_wait(struct trace *t)
{
	struct event ev;
	struct err err;

	for (int i = 0; i < 2; i++)
		assert_int_equal(trace_next(t, &ev, &err), TRACE_WAIT);
}

static void expect_chunk(struct trace *t, uint64_t chunk)
{
	for (uint64_t i = 0; i < EACH; i++)
		assert_int_equal(scratch_next(t, EVENT_EXIT).value, chunk * EACH + i);
}

static void seal(const char *dir)
{
	static const struct seal_meta metas[] = {{"outcome", "exit 0"}};
	struct seal_options plain = {.metas = metas, .meta_count = 1};
	struct err err;

	assert_int_equal(trace_seal(dir, &plain, &err), 0);
}

static void end_live(struct trace *t)
{
	struct err err;

	assert_int_equal(trace_end_live(t, &err), 0);
}

/* The writer has not begun, at several stages. */
static void test_not_begun(void **state)
{
	const char *dir = *state;
	struct writer w;

	open_live(dir, 0);
	writer_start(&w, dir, 0);
	open_live(dir, 0);
	assert_int_equal(ftruncate(w.fd, 2 * SLOT), 0);
	open_live(dir, 0);
	writer_write(&w, 0, w.chunks[0]);
	trace_close(open_live(dir, 1));
	writer_end(&w);
}

static void test_follows(void **state)
{
	const char *dir = *state;
	struct writer w;
	struct trace *t;

	writer_start(&w, dir, 0);
	writer_write(&w, 0, w.chunks[0]);
	t = open_live(dir, 1);
	expect_wait(t);
	writer_write_open(&w, 0, BO_CHUNK_OPEN);
	expect_wait(t);
	/* The recorder opens the next chunk before it closes the current one. */
	writer_write_open(&w, 1, BO_CHUNK_OPEN);
	writer_write_open(&w, 0, BO_CHUNK_RAW);
	expect_wait(t);
	writer_write(&w, w.chunks[0], w.chunks[1]);
	expect_chunk(t, 0);
	expect_wait(t);
	writer_write(&w, w.chunks[1], w.chunks[3]);
	expect_chunk(t, 1);
	expect_wait(t); /* the last chunk is still open */
	assert_null(trace_meta(t, "outcome"));

	assert_int_equal(ftruncate(w.fd, (off_t)w.whole.size + BO_CHUNK_BYTES), 0);
	seal(dir);
	end_live(t);
	expect_chunk(t, 2);
	scratch_end(t);
	assert_true(trace_sealed(t));
	assert_string_equal(trace_meta(t, "outcome"), "exit 0");
	assert_int_equal(trace_records(t), 3 * EACH + 2);
	trace_close(t);
	writer_end(&w);
}

/* Sealed while the reader is elsewhere: it continues reading through the seal, and waits until it is told that the file
 * is complete. */
static void test_sealed_meanwhile(void **state)
{
	const char *dir = *state;
	struct writer w;
	struct trace *t;

	writer_start(&w, dir, 0);
	writer_write(&w, 0, w.chunks[1]);
	t = open_live(dir, 1);
	assert_int_equal(scratch_next(t, EVENT_EXIT).value, 0);
	writer_write(&w, w.chunks[1], w.whole.size);
	seal(dir);
	for (uint64_t i = 1; i < 3 * EACH; i++)
		assert_int_equal(scratch_next(t, EVENT_EXIT).value, i);
	expect_wait(t);
	end_live(t);
	scratch_end(t);
	assert_true(trace_sealed(t));
	trace_close(t);
	writer_end(&w);
}

/* What a live reader takes for an unfinished chunk is damage once the recording is complete. */
static void test_damage(void **state)
{
	const char *dir = *state;
	struct writer w;
	struct trace *t;
	struct event ev;
	struct err err;

	writer_start(&w, dir, 0);
	w.whole.bytes[w.chunks[1] + sizeof(struct bo_chunk_header)] ^= 1;
	writer_write(&w, 0, w.chunks[2]);
	t = open_live(dir, 1);
	expect_chunk(t, 0);
	expect_wait(t);
	end_live(t);
	assert_int_equal(trace_next(t, &ev, &err), -1);
	assert_non_null(strstr(err.sentence, "chunk checksum does not match"));
	trace_close(t);
	writer_end(&w);
}

/* Truncated to nothing while it was being read. */
static void test_vanished(void **state)
{
	const char *dir = *state;
	struct writer w;
	struct trace *t;
	struct err err;

	writer_start(&w, dir, 0);
	writer_write(&w, 0, w.chunks[1]);
	t = open_live(dir, 1);
	expect_chunk(t, 0);
	assert_int_equal(ftruncate(w.fd, 10), 0);
	expect_wait(t);
	assert_int_equal(trace_end_live(t, &err), -1);
	trace_close(t);
	writer_end(&w);
}

static void test_several_processes(void **state)
{
	const char *dir = *state;
	struct writer w;
	struct trace *t;
	struct err err;

	writer_start(&w, dir, BO_LAYER_FOLLOW);
	writer_write(&w, 0, w.chunks[0]);
	assert_int_equal(trace_open_live(&t, dir, &err), -1);
	assert_null(t);
	writer_end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_not_begun), scratch_test(test_follows),  scratch_test(test_sealed_meanwhile),
		scratch_test(test_damage),    scratch_test(test_vanished), scratch_test(test_several_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
