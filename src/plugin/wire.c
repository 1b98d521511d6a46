/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.c - see wire.h.  A record is a struct head, the fixed part, and texts that each end with a zero byte.  It begins
 * at a multiple of 8 bytes. */
#include "plugin/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/utf8.h"

struct head {
	uint32_t type, size; /* without the head */
};

const char *wire_callback_text(uint32_t callback)
{
	static const char *const texts[WIRE_CALLBACK_COUNT] = {
#define X(name, text) text,
		WIRE_CALLBACKS(X)
#undef X
	};

	return callback < WIRE_CALLBACK_COUNT ? texts[callback] : "";
}

struct wire *wire_new(void)
{
	void *memory = mmap(NULL, sizeof(struct wire), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void wire_free(struct wire *wire)
{
	if (wire)
		munmap(wire, sizeof(*wire));
}

static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* ---- writing ---- */

static size_t text_length(const char *text)
{
	return text ? strnlen(text, WIRE_HELP_MAX) : 0;
}

void *wire_put(struct wire *wire, enum wire_type type, const void *fixed, size_t size, const char *const *texts,
	       size_t text_count)
{
	size_t used = wire->used, total = size;
	uint8_t *at;

	for (size_t i = 0; i < text_count; i++)
		total += text_length(texts[i]) + 1;
	if (used > WIRE_BYTES || sizeof(struct head) + aligned(total) > WIRE_BYTES - used)
		return NULL;
	at = wire->log + used;
	*(struct head *)(void *)at = (struct head){type, (uint32_t)total};
	at += sizeof(struct head);
	if (size)
		memcpy(at, fixed, size);
	at += size;
	for (size_t i = 0; i < text_count; i++) {
		memcpy(at, texts[i] ? texts[i] : "", text_length(texts[i]));
		at += text_length(texts[i]);
		*at++ = 0;
	}
	wire->used = used + sizeof(struct head) + aligned(total);
	return wire->log + used + sizeof(struct head);
}

/* ---- reading ---- */

struct wire_copy wire_take(const struct wire *wire)
{
	uint64_t used = wire->used;
	size_t size = used < WIRE_BYTES ? (size_t)used : WIRE_BYTES;
	uint8_t *bytes = mem_alloc(size);

	memcpy(bytes, wire->log, size);
	return (struct wire_copy){.bytes = bytes, .size = size};
}

bool wire_next(struct wire_copy *copy, struct wire_record *record)
{
	size_t left = copy->size - copy->at;
	struct head head;

	if (left < sizeof(head))
		return false;
	memcpy(&head, copy->bytes + copy->at, sizeof(head));
	if (head.type >= WIRE_TYPE_COUNT || head.size > left - sizeof(head))
		return false;
	*record = (struct wire_record){(enum wire_type)head.type, copy->bytes + copy->at + sizeof(head), head.size};
	left = sizeof(head) + aligned(head.size) < left ? left - sizeof(head) - aligned(head.size) : 0;
	copy->at = copy->size - left;
	return true;
}

bool wire_fixed(struct wire_record *record, void *fixed, size_t size)
{
	if (record->size < size)
		return false;
	memcpy(fixed, record->bytes, size);
	record->bytes += size;
	record->size -= size;
	return true;
}

/* Copies text of any bytes; `lines`: keep line ends and tabs. */
static size_t text_clean(char *to, const char *from, size_t size, bool lines)
{
	size_t used = 0;

	for (size_t at = 0, n; at < size; at += n) {
		unsigned char c = (unsigned char)from[at];

		n = utf8_length(from + at, size - at);
		if (!n) {
			to[used++] = '?';
			n = 1;
		} else if ((c < ' ' && !(lines && (c == '\n' || c == '\t'))) || c == 0x7f) {
			to[used++] = ' ';
		} else {
			memcpy(to + used, from + at, n);
			used += n;
		}
	}
	return used;
}

static bool text_take(struct wire_record *record, struct arena *arena, size_t most, bool lines, const char **text)
{
	const char *from = (const char *)record->bytes;
	const char *end = record->size ? memchr(from, 0, record->size) : NULL;
	char *clean;
	size_t length;

	if (!end)
		return false;
	length = (size_t)(end - from) < most ? (size_t)(end - from) : most;
	clean = mem_alloc(length + 1);
	*text = arena_copy(arena, clean, text_clean(clean, from, length, lines));
	free(clean);
	record->size -= (size_t)(end + 1 - from);
	record->bytes += end + 1 - from;
	return true;
}

bool wire_text(struct wire_record *record, struct arena *arena, const char **text)
{
	return text_take(record, arena, WIRE_TEXT_MAX, false, text);
}

bool wire_help(struct wire_record *record, struct arena *arena, const char **text)
{
	return text_take(record, arena, WIRE_HELP_MAX, true, text);
}
