/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "builder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/mem.h"

static const char *const letters[256] = {
#define X(name, code, fields) [code] = fields,
	BO_OPCODES(X) BO_LAYER_OPCODES(X)
#undef X
};

static uint8_t *room_for(struct builder *b, size_t size)
{
	if (b->room - b->size < size) {
		b->room = (b->size + size) * 2;
		b->bytes = mem_resize(b->bytes, b->room, 1);
	}
	return b->bytes + b->size;
}

static void add(struct builder *b, const void *bytes, size_t size)
{
	uint8_t *to = room_for(b, size);

	if (size)
		memcpy(to, bytes, size);
	b->size += size;
}

static void add_v(struct builder *b, uint64_t value)
{
	uint8_t *to = room_for(b, 10);

	b->size += (size_t)(bo_put_v(to, value) - to);
}

static void add_a(struct builder *b, uint64_t addr)
{
	add_v(b, bo_zigzag(addr - b->last_addr));
	b->last_addr = addr;
}

void builder_start(struct builder *b, uint32_t process, uint32_t layers)
{
	struct bo_file_header h = {
		.magic = BO_TRACE_MAGIC,
		.version = BO_TRACE_VERSION,
		.header_bytes = sizeof(h),
		.layers = layers,
		.process = process,
		.pid = 1000 + process,
		.parent_process = 0,
	};

	*b = (struct builder){.process = process, .thread = 1};
	add(b, &h, sizeof(h));
	builder_sum_file(b);
}

static void chunk_begin(struct builder *b)
{
	struct bo_chunk_header h = {
		.magic = BO_CHUNK_MAGIC,
		.codec = BO_CHUNK_OPEN,
		.span = BO_CHUNK_BYTES,
		.thread = b->thread,
		.clock = b->clock,
	};

	b->open = true;
	b->chunk = b->size;
	b->events = 0;
	b->last_addr = 0;
	b->recent = (struct bo_recent){0};
	add(b, &h, sizeof(h));
}

/* Begin the next event. */
static void op_begin(struct builder *b, uint8_t op)
{
	if (!b->open)
		chunk_begin(b);
	b->events++;
	add(b, &op, 1);
}

/* The bytes from `at` to the end are the fields of a layer's event: put their number before them. */
static void add_length_at(struct builder *b, size_t at)
{
	size_t size = b->size - at;
	uint8_t length[10], *end = bo_put_v(length, size);

	add(b, length, (size_t)(end - length));
	memmove(b->bytes + at + (end - length), b->bytes + at, size);
	memcpy(b->bytes + at, length, (size_t)(end - length));
}

void builder_put_fields(struct builder *b, enum bo_opcode op, const uint64_t *fields)
{
	size_t start;

	op_begin(b, (uint8_t)op);
	start = b->size;
	for (const char *letter = letters[op]; *letter; letter++) {
		uint64_t value = *fields++;
		const char *pointer = (const char *)(uintptr_t)value;

		switch (*letter) {
		case 'q': add(b, &value, 8); break;
		case 'a': add_a(b, value); break;
		case 's':
			add_v(b, strlen(pointer));
			add(b, pointer, strlen(pointer));
			break;
		case 'b':
			add_v(b, *fields);
			add(b, pointer, *fields++);
			break;
		case '*': add(b, pointer, *fields++); break;
		default: add_v(b, value); break;
		}
	}
	if (op >= BO_OP_LAYER && op <= BO_OP_LAYER_LAST)
		add_length_at(b, start);
	if (op == BO_OP_THREAD_SWITCH)
		b->thread = (uint32_t)fields[-1];
	if (op == BO_OP_CLOCK)
		b->clock = fields[-1];
}

static unsigned size_code(uint64_t size)
{
	switch (size) {
	case 1: return BO_SIZE_1;
	case 2: return BO_SIZE_2;
	case 4: return BO_SIZE_4;
	case 8: return BO_SIZE_8;
	case 16: return BO_SIZE_16;
	case 32: return BO_SIZE_32;
	default: return BO_SIZE_OTHER;
	}
}

/* Return the word code of a word; append the bytes that it calls for to `tail`. */
static unsigned word_encode(struct builder *b, const uint8_t *bytes, size_t size, uint8_t *tail, size_t *tail_size)
{
	uint64_t word = 0;
	unsigned n = 0;

	memcpy(&word, bytes, size);
	for (unsigned i = 0; i < size; i++)
		n = bytes[i] ? i + 1 : n;
	for (unsigned i = 0; n >= BO_RECENT_BYTES && i < BO_RECENT_WORDS; i++) {
		if (b->recent.words[i] == word)
			return BO_RECENT_CODE + i;
	}
	if (n >= BO_RECENT_BYTES)
		bo_recent_add(&b->recent, word);
	memcpy(tail + *tail_size, bytes, n);
	*tail_size += n;
	return n;
}

struct value {
	uint8_t shape;
	uint8_t bytes[40];
	size_t size;
};

static struct value value_encode(struct builder *b, const struct event *ev)
{
	unsigned code = size_code(ev->size), present = 0, words = 0;
	struct value value = {.shape = BO_SHAPE(code, 0)};
	uint8_t tail[32], codes[4];
	size_t tail_size = 0;

	if (code == BO_SIZE_OTHER)
		return value;
	if (ev->size <= 8) {
		value.shape = BO_SHAPE(code, word_encode(b, ev->data, ev->size, value.bytes, &value.size));
		return value;
	}
	for (unsigned i = 0; i < ev->size / 8; i++) {
		uint64_t word;

		memcpy(&word, ev->data + i * 8, 8);
		if (!word)
			continue;
		present |= 1u << i;
		codes[words++] = (uint8_t)word_encode(b, ev->data + i * 8, 8, tail, &tail_size);
	}
	for (unsigned i = 0; i < words; i += 2)
		value.bytes[value.size++] = (uint8_t)(codes[i] | (i + 1 < words ? codes[i + 1] << 4 : 0));
	memcpy(value.bytes + value.size, tail, tail_size);
	value.size += tail_size;
	value.shape = BO_SHAPE(code, present);
	return value;
}

void builder_store(struct builder *b, const struct event *ev)
{
	struct value value;

	if (!b->open)
		chunk_begin(b); /* this resets the recent words */
	value = value_encode(b, ev);
	if (ev->kind == BO_STORE_PLAIN) {
		op_begin(b, BO_OP_PLAIN | value.shape);
	} else {
		op_begin(b, (uint8_t)(BO_OP_STORE + ev->kind));
		add(b, &value.shape, 1);
	}
	add_v(b, ev->context);
	add_a(b, ev->addr);
	if (size_code(ev->size) == BO_SIZE_OTHER)
		add_v(b, ev->size);
	if (ev->kind == BO_STORE_STRING)
		add_v(b, ev->unit);
	if (size_code(ev->size) == BO_SIZE_OTHER)
		add(b, ev->data, ev->size);
	else
		add(b, value.bytes, value.size);
}

void builder_load(struct builder *b, const struct event *ev)
{
	unsigned code = size_code(ev->size);

	op_begin(b, (uint8_t)(BO_OP_LOAD + code));
	add_v(b, ev->context);
	add_a(b, ev->addr);
	if (code == BO_SIZE_OTHER)
		add_v(b, ev->size);
}

void builder_raw(struct builder *b, const void *bytes, size_t size)
{
	if (!b->open)
		chunk_begin(b);
	b->events++;
	add(b, bytes, size);
}

static void payload_compress(struct builder *b, struct bo_chunk_header *h)
{
	size_t bound = ZSTD_compressBound(h->raw_bytes);
	uint8_t *packed = mem_alloc(bound);

	h->stored_bytes = (uint32_t)ZSTD_compress(packed, bound, b->bytes + b->chunk + sizeof(*h), h->raw_bytes, 3);
	b->size = b->chunk + sizeof(*h);
	add(b, packed, h->stored_bytes);
	free(packed);
}

void builder_end(struct builder *b, enum bo_codec codec)
{
	struct bo_chunk_header h;

	if (!b->open)
		chunk_begin(b);
	b->open = false;
	memcpy(&h, b->bytes + b->chunk, sizeof(h));
	h.codec = codec;
	h.events = b->events;
	h.raw_bytes = (uint32_t)(b->size - b->chunk - sizeof(h));
	h.stored_bytes = h.raw_bytes;
	if (codec == BO_CHUNK_ZSTD)
		payload_compress(b, &h);
	if (codec != BO_CHUNK_OPEN)
		h.span = (uint32_t)sizeof(h) + h.stored_bytes;
	memcpy(b->bytes + b->chunk, &h, sizeof(h));
	if (codec != BO_CHUNK_OPEN)
		builder_sum_chunk(b, b->chunk);
}

void builder_pad(struct builder *b, uint32_t span)
{
	BUG_ON(b->size - b->chunk > span);
	memcpy(b->bytes + b->chunk + offsetof(struct bo_chunk_header, span), &span, sizeof(span));
	builder_sum_chunk(b, b->chunk);
	builder_zeros(b, b->chunk + span - b->size);
}

void builder_zeros(struct builder *b, size_t size)
{
	if (size)
		memset(room_for(b, size), 0, size);
	b->size += size;
}

void builder_sum_file(struct builder *b)
{
	size_t at = offsetof(struct bo_file_header, checksum);
	uint64_t sum = XXH3_64bits(b->bytes, at);

	memcpy(b->bytes + at, &sum, sizeof(sum));
}

void builder_sum_chunk(struct builder *b, size_t offset)
{
	size_t at = offsetof(struct bo_chunk_header, checksum);
	struct bo_chunk_header h;
	uint64_t sum;

	memcpy(&h, b->bytes + offset, sizeof(h));
	sum = XXH3_64bits_withSeed(b->bytes + offset, at, XXH3_64bits(b->bytes + offset + sizeof(h), h.stored_bytes));
	memcpy(b->bytes + offset + at, &sum, sizeof(sum));
}

void builder_save(const struct builder *b, const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/trace", dir);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/trace/%04u.bo", dir, b->process);
	unlink(path); /* create a new file: on some file systems, truncating an old one waits for the disk */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	BUG_ON(fd < 0 || (b->size && write(fd, b->bytes, b->size) != (ssize_t)b->size));
	close(fd);
}

void builder_write(struct builder *b, const char *dir)
{
	builder_save(b, dir);
	builder_free(b);
}

void builder_free(struct builder *b)
{
	free(b->bytes);
	*b = (struct builder){0};
}
