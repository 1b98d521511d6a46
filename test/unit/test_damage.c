/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are truncated, corrupted, foreign or newer: an error that names the offset, never a crash. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builder.h"
#include "scratch.h"

#define A ((uint64_t)0x7f0000000000)
#define FIRST sizeof(struct bo_file_header)           /* the first chunk */
#define BODY (FIRST + sizeof(struct bo_chunk_header)) /* its payload */

/* A recording of a few events, then two more chunks. */
static void small(struct builder *b, enum bo_codec codec)
{
	static const uint64_t value = 0x1122334455667788;

	builder_start(b, 0, 0);
	builder_put(b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0, 1, 1, BUILDER_P("/bin/program"));
	builder_put(b, BO_OP_DEF_CONTEXT, 0, 1, 0x1234);
	builder_put(b, BO_OP_DEF_FILE, 8, 77, 0x4000, 0, BUILDER_P("/pm/pool"));
	builder_put(b, BO_OP_MAP, 1, 1, A, 0x4000, 0, 3, MAP_SHARED);
	for (int chunk = 0; chunk < 3; chunk++) {
		builder_store(b,
			      &(struct event){.context = 1, .addr = A + 8, .size = 8, .data = (const uint8_t *)&value});
		builder_put(b, BO_OP_CLWB, 1, A + 8);
		builder_put(b, BO_OP_SFENCE, 1);
		builder_end(b, codec);
	}
}

static void expect(struct builder *b, const char *dir, const char *sentence)
{
	builder_write(b, dir);
	scratch_expect_error(dir, sentence);
}

static void poke(struct builder *b, size_t at, uint32_t value)
{
	memcpy(b->bytes + at, &value, sizeof(value));
}

static void test_no_recording(void **state)
{
	const char *dir = *state;
	char path[4096], sentence[4200];
	struct builder b;
	struct err err;

	snprintf(sentence, sizeof(sentence), "%s holds no recording: it has no file trace/0000.bo", dir);
	scratch_expect_error(dir, sentence);
	assert_int_equal(scratch_read_all(dir, &err), -1);
	assert_string_equal(err.hint, "make one with: blackout record --out DIR -- PROGRAM");
	builder_start(&b, 7, 0); /* a trace directory without the first file */
	builder_write(&b, dir);
	scratch_expect_error(dir, sentence);
	snprintf(path, sizeof(path), "%s/nothing", dir);
	snprintf(sentence, sizeof(sentence), "cannot open the recording %s: No such file or directory", path);
	scratch_expect_error(path, sentence);
	snprintf(path, sizeof(path), "%s/trace/0007.bo", dir);
	snprintf(sentence, sizeof(sentence), "%s is not a recording: a recording is a directory", path);
	scratch_expect_error(path, sentence);
}

static void test_not_a_file(void **state)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/trace", (char *)*state);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/trace/0000.bo", (char *)*state);
	assert_int_equal(mkfifo(path, 0666), 0);
	scratch_expect_error(*state, "trace/0000.bo is not a regular file");
}

static void test_file_header(void **state)
{
	struct builder b = {0};

	expect(&b, *state, "trace/0000.bo is damaged at offset 0: the file is empty");
	builder_zeros(&b, 10000);
	expect(&b, *state, "trace/0000.bo is damaged at offset 0: the file is empty");
	small(&b, BO_CHUNK_RAW);
	b.size = 63;
	expect(&b, *state, "trace/0000.bo is damaged at offset 63: the file header is incomplete");
	small(&b, BO_CHUNK_RAW);
	memcpy(b.bytes,
	       "\x7f"
	       "ELF",
	       4);
	expect(&b, *state, "trace/0000.bo is damaged at offset 0: it does not start like a trace of Blackout");
	small(&b, BO_CHUNK_RAW);
	b.bytes[30] ^= 1;
	expect(&b, *state, "trace/0000.bo is damaged at offset 0: file header checksum does not match");
	small(&b, BO_CHUNK_RAW);
	poke(&b, 12, 63);
	builder_sum_file(&b);
	expect(&b, *state, "trace/0000.bo is damaged at offset 12: a file header of 63 bytes is not possible");
	small(&b, BO_CHUNK_RAW);
	poke(&b, 12, 1 << 30);
	builder_sum_file(&b);
	expect(&b, *state, "trace/0000.bo is damaged at offset 12: a file header of 1073741824 bytes is not possible");
	small(&b, BO_CHUNK_RAW);
	poke(&b, 8, 0);
	builder_sum_file(&b);
	expect(&b, *state, "trace/0000.bo is damaged at offset 8: format version 0 does not exist");
}

/* A newer format is not damage, and its checksum is not checked. */
static void test_newer(void **state)
{
	struct builder b;
	struct err err;

	small(&b, BO_CHUNK_RAW);
	poke(&b, 8, 2);
	expect(&b, *state,
	       "trace/0000.bo says at offset 8 that its format is version 2, which is newer than the 1 that this program reads");
	assert_int_equal(scratch_read_all(*state, &err), -1);
	assert_string_equal(err.hint, "read it with the version of blackout that recorded it, or record again");
}

static void test_chunk_header(void **state)
{
	struct builder b;

	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST, 0x12345678);
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: no chunk starts here");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST, 0); /* zeros end the file, but only if nothing follows them */
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: no chunk starts here");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST + 4, 9);
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: unknown chunk codec 9");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST + 8, 47);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 64: a payload of 82 bytes does not fit into its chunk of 47");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST + 8, 0xffffffff);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 64: a chunk of 4294967295 bytes runs past the end of the file");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST + 12, 0xffffffff);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 64: a payload of 4294967295 bytes does not fit into its chunk of 130");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST + 16, 83);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 64: a payload of 82 bytes, unpacked 83, is not possible");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST + 4, BO_CHUNK_ZSTD);
	poke(&b, FIRST + 16, BO_CHUNK_BYTES + 1);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 64: a payload of 82 bytes, unpacked 1048577, is not possible");
}

static void test_chunk_content(void **state)
{
	struct builder b;

	small(&b, BO_CHUNK_RAW);
	b.bytes[BODY + 3] ^= 0x40;
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: chunk checksum does not match");
	small(&b, BO_CHUNK_RAW);
	b.bytes[b.size - 1] ^= 1;
	expect(&b, *state, "trace/0000.bo is damaged at offset 264: chunk checksum does not match");
	small(&b, BO_CHUNK_ZSTD);
	memset(b.bytes + BODY, 0xaa, 20);
	builder_sum_chunk(&b, FIRST);
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: the chunk cannot be decompressed");
	small(&b, BO_CHUNK_ZSTD);
	poke(&b, FIRST + 16, 80);
	builder_sum_chunk(&b, FIRST);
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: the chunk cannot be decompressed");
	small(&b, BO_CHUNK_RAW);
	poke(&b, FIRST + 20, 9);
	builder_sum_chunk(&b, FIRST);
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: the chunk holds 7 events, its header says 9");
	small(&b, BO_CHUNK_RAW);
	poke(&b, 264 + 24, 5);
	builder_sum_chunk(&b, 264);
	expect(&b, *state, "trace/0000.bo is damaged at offset 264: thread 5 was not defined before");
}

static void test_open_chunk(void **state)
{
	struct builder b;

	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_EXIT, 1);
	builder_end(&b, BO_CHUNK_OPEN);
	builder_zeros(&b, BO_CHUNK_BYTES - sizeof(struct bo_chunk_header) - 2);
	builder_put(&b, BO_OP_EXIT, 2);
	builder_end(&b, BO_CHUNK_RAW);
	expect(&b, *state, "trace/0000.bo is damaged at offset 64: a chunk that was left open is followed by others");
	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_EXIT, 1);
	builder_end(&b, BO_CHUNK_OPEN);
	poke(&b, FIRST + 16, 3);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 64: an open chunk of 3 bytes does not fit into the file");
	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_EXIT, 1);
	builder_end(&b, BO_CHUNK_OPEN);
	poke(&b, FIRST + 8, 49);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 64: an open chunk of 2 bytes does not fit into its span of 49");
	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_EXIT, 300);
	builder_end(&b, BO_CHUNK_OPEN);
	poke(&b, FIRST + 16, 2);
	expect(&b, *state, "trace/0000.bo is damaged at offset 112: the event is incomplete");
}

/* The bytes after raw_bytes in an open chunk are the start of an unfinished event. */
static void test_open_chunk_tail(void **state)
{
	struct builder b;
	struct err err;

	builder_start(&b, 0, 0);
	builder_put(&b, BO_OP_EXIT, 1);
	builder_put(&b, BO_OP_EXIT, 2);
	builder_end(&b, BO_CHUNK_OPEN);
	poke(&b, FIRST + 16, 2);
	builder_zeros(&b, 3 * BO_CHUNK_BYTES);
	builder_write(&b, *state);
	assert_int_equal(scratch_read_all(*state, &err), 1);
}

/* The writer was killed while it wrote the header of the next chunk, before it set the magic. */
static void test_header_begun(void **state)
{
	struct bo_chunk_header h = {.span = BO_CHUNK_BYTES, .thread = 1};
	struct builder b;
	struct err err;

	small(&b, BO_CHUNK_RAW);
	builder_zeros(&b, 5000);
	memcpy(b.bytes + 334, &h, sizeof(h));
	builder_write(&b, *state);
	assert_int_equal(scratch_read_all(*state, &err), 11);
}

static void expect_event(const char *dir, const void *bytes, size_t size, const char *sentence)
{
	struct builder b;

	small(&b, BO_CHUNK_RAW);
	builder_raw(&b, bytes, size);
	builder_end(&b, BO_CHUNK_RAW);
	expect(&b, dir, sentence);
}

#define EVENT(bytes, what) \
	expect_event(*state, bytes, sizeof(bytes) - 1, "trace/0000.bo is damaged at offset 382: " what)

/* Each in a valid chunk after those of small(); numbers are LEB128. */
static void test_events(void **state)
{
	EVENT("\xf3", "unknown event opcode 0xf3");
	EVENT("\x5f", "unknown event opcode 0x5f");
	EVENT("\x40\x10", "unknown event opcode 0x40");
	EVENT("\x37\x01\x01", "unknown event opcode 0x37");
	EVENT("\x20", "the event is incomplete");
	EVENT("\x20\x02", "context 2 was not defined before");
	EVENT("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "context 18446744073709551615 was not defined before");
	EVENT("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "the event is incomplete");
	EVENT("\x20\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "the event is incomplete");
	EVENT("\x02\x00\x02\x00", "module 2 was not defined before");
	EVENT("\x02\x07\x01\x00", "context 7 was not defined before");
	EVENT("\x10\x02\x00\x01x", "file 2 was not defined before");
	EVENT("\x10\x00\x00\x01x", "file 0 was not defined before");
	EVENT("\x10\x01\x00\x09x", "the event is incomplete");
	EVENT("\x10\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "the event is incomplete");
	EVENT("\x15\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01x", "a write at an impossible offset");
	EVENT("\x16\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a file of an impossible size");
	EVENT("\x17\x01\x01\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "an allocation of an impossible range");
	EVENT("\x18\x01\x04\x01x", "file 4 was not defined before");
	EVENT("\x1a\x01\x01\x05\x00\x00", "an unknown kind of file synchronization");
	EVENT("\x1a\x01\x00\x00\x00\x00", "file 0 was not defined before");
	EVENT("\x11\x01\x02\x00\x01\x00\x01\x01", "file 2 was not defined before");
	EVENT("\x60\x06\x02\x00\x01x\x01x", "module 2 was not defined before");
	EVENT("\x60\x05\x01\x00\x01x\x01", "the fields of the event do not fill it");
	EVENT("\x60\x07\x01\x00\x01x\x01xx", "the fields of the event do not fill it");
	EVENT("\x60\x07\x01\x00\x01x\x01x", "the event is incomplete");
	EVENT("\x61\x08\x01\x01\x00\x00\x00\x00\x00\x00", "function 1 was not defined before");
	EVENT("\x62\x03\x01\x00\x00", "function 0 was not defined before");
	EVENT("\x63\x02\x09\x01", "context 9 was not defined before");
	EVENT("\x68\x03\x01\x00\x01", "the fields of the event do not fill it");
	EVENT("\x6a\x03\x01\x50\x00", "an unknown note about operations");
	EVENT("\x11\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x00\x01\x01",
	      "a mapping of an impossible range");
	EVENT("\x11\x01\x01\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x01", "a mapping of an impossible range");
	EVENT("\x12\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "an unmapping of an impossible range");
	EVENT("\x13\x01\x01\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a remapping of an impossible range");
	EVENT("\x14\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", "a protection of an impossible range");
	EVENT("\x1b\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", "an msync of an impossible range");
	EVENT("\x0a\x09", "thread 9 was not defined before");
	EVENT("\x09\x09", "thread 9 was not defined before");
	EVENT("\x1c\x01\x02\x03\x04\x05\x06\x07", "the event is incomplete");
	EVENT("\x04\x01x\x05y", "the event is incomplete");
	EVENT("\x03\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x01x", "a file of an impossible size");
	EVENT("\x36\x01\x01\x00", "a load of an impossible size");
	EVENT("\x82\x01\x01\x01\x01", "a store of a shape that does not exist");
	EVENT("\xc4\x01\x01", "a store of a shape that does not exist");
	EVENT("\xe1\x01\x01\x01x", "a store of a shape that does not exist");
	EVENT("\x41\x90\x01\x01", "a store of a shape that does not exist");
	EVENT("\x41", "the event is incomplete");
	EVENT("\xe0\x01\x01\x00", "a store of no bytes");
	EVENT("\xe0\x01\x01\x05xxxx", "the event is incomplete");
	EVENT("\xb8\x01\x01xxxxxxx", "the event is incomplete");
	EVENT("\xd1\x01\x01\x08xxxxxxx", "the event is incomplete");
	EVENT("\xd1\x01\x01", "the event is incomplete");
	EVENT("\x43\x01\x01\x01\x03x", "a string store of elements that do not exist");
	EVENT("\x81\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x", "an access to an impossible address");
}

/* In a compressed chunk the offset is that of the chunk. */
static void test_event_compressed(void **state)
{
	struct builder b;

	small(&b, BO_CHUNK_RAW);
	builder_put(&b, BO_OP_EXIT, 1);
	builder_raw(&b, "\xf3", 1);
	builder_end(&b, BO_CHUNK_ZSTD);
	expect(&b, *state,
	       "trace/0000.bo is damaged at offset 334: unknown event opcode 0xf3 (at byte 2 of the decompressed chunk)");
}

/* Damage is permanent: asking again gives the same error. */
static void test_damage_stays(void **state)
{
	struct err err, again;
	struct builder b;
	struct trace *t;
	struct event ev;

	small(&b, BO_CHUNK_RAW);
	b.bytes[b.size - 1] ^= 1;
	builder_write(&b, *state);
	t = scratch_open(*state);
	for (int i = 0; i < 8; i++)
		assert_int_equal(trace_next(t, &ev, &err), 1);
	assert_int_equal(trace_next(t, &ev, &err), -1);
	assert_int_equal(trace_next(t, &ev, &again), -1);
	assert_string_equal(err.sentence, again.sentence);
	trace_close(t);
}

/* Flip every single bit: the recording is always rejected with an offset.  The one exception is the bit that turns the
 * last chunk into an open one: its events are all there, and their checksum is verified even so. */
static void test_every_bit(void **state)
{
	for (int codec = BO_CHUNK_RAW; codec <= BO_CHUNK_ZSTD; codec++) {
		struct builder b;
		struct err err;

		small(&b, codec);
		for (size_t bit = 0; bit < b.size * 8; bit++) {
			b.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			builder_save(&b, *state);
			if (codec == BO_CHUNK_RAW && bit == (b.chunk + offsetof(struct bo_chunk_header, codec)) * 8)
				assert_int_equal(scratch_read_all(*state, &err), 11);
			else if (scratch_read_all(*state, &err) != -1)
				fail_msg("flipping bit %zu of codec %d was not noticed", bit, codec);
			else if (strncmp(err.sentence, "trace/0000.bo ", 14) || !strstr(err.sentence, "at offset "))
				fail_msg("bit %zu: %s", bit, err.sentence);
			b.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		builder_free(&b);
	}
}

/* Truncate to every length: only a cut between two chunks leaves a readable file, and then it is not sealed. */
static void test_every_length(void **state)
{
	struct builder b;
	struct err err;

	small(&b, BO_CHUNK_RAW);
	for (size_t size = b.size; size-- > 0;) {
		struct builder cut = b;
		long expected = size == 64 ? 0 : size == 194 ? 5 : size == 264 ? 8 : -1;

		cut.size = size;
		builder_save(&cut, *state);
		assert_int_equal(scratch_read_all(*state, &err), expected);
		if (expected >= 0) {
			struct trace *t = scratch_open(*state);

			assert_false(trace_sealed(t));
			trace_close(t);
		}
	}
	builder_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_no_recording), scratch_test(test_not_a_file),
		scratch_test(test_file_header),  scratch_test(test_newer),
		scratch_test(test_chunk_header), scratch_test(test_chunk_content),
		scratch_test(test_open_chunk),   scratch_test(test_open_chunk_tail),
		scratch_test(test_header_begun), scratch_test(test_events),
		scratch_test(test_damage_stays), scratch_test(test_event_compressed),
		scratch_test(test_every_bit),    scratch_test(test_every_length),
	};

	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
