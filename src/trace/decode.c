/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores, loads, flushes and fences are nearly all of a trace and have code of their own; the rest is read by the field letters of
 * BO_OPCODES.  Nothing is read beyond d->end: a number ends the decoding when its bytes do. */
#include "trace/decode.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static const char *const fields[256] = {
#define X(name, code, letters) [code] = letters,
	BO_OPCODES(X)
#undef X
};

static const uint8_t size_bytes[] = {
	[BO_SIZE_1] = 1, [BO_SIZE_2] = 2, [BO_SIZE_4] = 4, [BO_SIZE_8] = 8, [BO_SIZE_16] = 16, [BO_SIZE_32] = 32,
};

static int problem(struct decoder *d, const char *what)
{
	snprintf(d->problem, sizeof(d->problem), "%s", what);
	return -1;
}

static int problem_op(struct decoder *d, unsigned op)
{
	snprintf(d->problem, sizeof(d->problem), "unknown event opcode 0x%02x", op);
	return -1;
}

/* A number near the end of the payload, or of more than 8 bytes: byte by byte. */
static bool number_slow(struct decoder *d, uint64_t *value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; d->next < d->end && shift < 64; shift += 7) {
		uint64_t byte = *d->next++;

		if (shift == 63 && byte > 1)
			return false;
		v |= (byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = v;
			return true;
		}
	}
	return false;
}

/* Without a branch on the length, which nobody can predict: the lowest byte without the high bit ends the number, and the groups of
 * seven bits are pushed together pairwise. */
static inline bool number(struct decoder *d, uint64_t *value)
{
	uint64_t w, ends;

	if (UNLIKELY(d->end - d->next < 8))
		return number_slow(d, value);
	memcpy(&w, d->next, 8);
	ends = ~w & 0x8080808080808080u;
	if (UNLIKELY(!ends))
		return number_slow(d, value);
	d->next += (__builtin_ctzll(ends) + 1) / 8;
	w &= ends ^ (ends - 1);
	w = (w & 0x7f007f007f007f00u) >> 1 | (w & 0x007f007f007f007fu);
	w = (w & 0x3fff00003fff0000u) >> 2 | (w & 0x00003fff00003fffu);
	*value = (w & 0x0fffffff00000000u) >> 4 | (w & 0x0fffffffu);
	return true;
}

static inline bool address(struct decoder *d, uint64_t *addr)
{
	uint64_t difference;

	if (UNLIKELY(!number(d, &difference)))
		return false;
	d->last_addr += bo_unzigzag(difference);
	*addr = d->last_addr;
	return true;
}

static bool bytes(struct decoder *d, struct record_bytes *b)
{
	if (!number(d, &b->size) || b->size > (uint64_t)(d->end - d->next))
		return false;
	b->at = d->next;
	d->next += b->size;
	return true;
}

static bool quad(struct decoder *d, uint64_t *value)
{
	if (d->end - d->next < 8)
		return false;
	memcpy(value, d->next, 8);
	d->next += 8;
	return true;
}

static int decode_fields(struct decoder *d, struct record *r, const char *letters)
{
	uint64_t *n = r->number;
	struct record_bytes *s = r->string;
	bool ok = true;

	r->context = 0;

	for (; *letters && ok; letters++) {
		switch (*letters) {
		case 'v': ok = number(d, n++); break;
		case 'q': ok = quad(d, n++); break;
		case 'c': ok = number(d, &r->context); break;
		default: ok = bytes(d, s++); break; /* s, b */
		}
	}
	return ok ? 1 : problem(d, "the event is cut off");
}

/* One word by its code: low bytes that follow, or one that was given before. */
static inline bool word_decode(struct decoder *d, unsigned code, uint64_t *word)
{
	uint64_t value = 0;

	if (code >= BO_RECENT_CODE) {
		*word = d->recent.words[code - BO_RECENT_CODE];
		return true;
	}
	if (d->end - d->next >= 8) {
		memcpy(&value, d->next, 8);
		value = code < 8 ? value & ((1ull << code * 8) - 1) : value;
	} else if (code <= d->end - d->next) {
		memcpy(&value, d->next, code);
	} else {
		return false;
	}
	if (code >= BO_RECENT_BYTES)
		bo_recent_add(&d->recent, value);
	d->next += code;
	*word = value;
	return true;
}

/* 1 to 8 bytes. */
static inline bool value_short(struct decoder *d, unsigned code)
{
	uint64_t value;

	if (!word_decode(d, code, &value))
		return false;
	memcpy(d->value, &value, 8);
	return true;
}

/* 2 or 4 words: the codes of those that are not zero, then their bytes. */
static bool value_words(struct decoder *d, unsigned words, unsigned present)
{
	unsigned code_bytes = ((unsigned)__builtin_popcount(present) + 1) / 2, codes = 0;

	if (code_bytes > d->end - d->next)
		return false;
	for (unsigned i = 0; i < code_bytes; i++)
		codes |= (unsigned)d->next[i] << 8 * i;
	d->next += code_bytes;
	for (unsigned i = 0; i < words; i++) {
		uint64_t word = 0;

		if (present >> i & 1) {
			if (!word_decode(d, codes & 15, &word))
				return false;
			codes >>= 4;
		}
		memcpy(d->value + i * 8, &word, 8);
	}
	return true;
}

static inline bool value_decode(struct decoder *d, struct record *r, unsigned size_code, unsigned packing)
{
	r->data = d->value;
	if (size_code <= BO_SIZE_8)
		return value_short(d, packing);
	if (size_code <= BO_SIZE_32)
		return value_words(d, size_code == BO_SIZE_16 ? 2 : 4, packing);
	if (r->size > (uint64_t)(d->end - d->next))
		return false;
	r->data = d->next;
	d->next += r->size;
	return true;
}

static inline bool shape_is_valid(unsigned size_code, unsigned packing)
{
	static const uint8_t most[8] = {1, 2, 4, 15, 3, 15, 0, 0};

	return size_code <= BO_SIZE_OTHER && packing <= most[size_code];
}

static inline int decode_store(struct decoder *d, struct record *r, unsigned shape)
{
	unsigned size_code = shape >> 4, packing = shape & 15;
	uint64_t unit = 0;

	r->op = BO_OP_STORE;
	if (UNLIKELY(!shape_is_valid(size_code, packing)))
		return problem(d, "a store of a shape that does not exist");
	if (UNLIKELY(!number(d, &r->context) || !address(d, &r->addr)))
		return problem(d, "the event is cut off");
	if (size_code < BO_SIZE_OTHER)
		r->size = size_bytes[size_code];
	else if (!number(d, &r->size))
		return problem(d, "the event is cut off");
	if (UNLIKELY(!r->size))
		return problem(d, "a store of no bytes");
	if (UNLIKELY(r->kind == BO_STORE_STRING) && !number(d, &unit))
		return problem(d, "the event is cut off");
	if (UNLIKELY(r->kind == BO_STORE_STRING) && unit != 1 && unit != 2 && unit != 4 && unit != 8)
		return problem(d, "a string store of elements that do not exist");
	r->unit = (uint32_t)unit;
	return value_decode(d, r, size_code, packing) ? 1 : problem(d, "the event is cut off");
}

static int decode_store_kind(struct decoder *d, struct record *r, unsigned kind)
{
	if (d->next == d->end)
		return problem(d, "the event is cut off");
	r->kind = (uint8_t)kind;
	return decode_store(d, r, *d->next++);
}

static int decode_load(struct decoder *d, struct record *r, unsigned size_code)
{
	r->op = BO_OP_LOAD;
	if (!number(d, &r->context) || !address(d, &r->addr))
		return problem(d, "the event is cut off");
	if (size_code < BO_SIZE_OTHER)
		r->size = size_bytes[size_code];
	else if (!number(d, &r->size))
		return problem(d, "the event is cut off");
	return r->size && r->size <= INT64_MAX ? 1 : problem(d, "a load of no possible size");
}

int decode_next(struct decoder *d, struct record *r)
{
	unsigned op;

	d->record = d->next;
	if (UNLIKELY(d->next == d->end))
		return 0;
	op = *d->next++;
	if (op >= BO_OP_PLAIN) {
		r->kind = BO_STORE_PLAIN;
		if (UNLIKELY(op >= BO_OP_PLAIN + ((BO_SIZE_OTHER + 1) << 4)))
			return problem_op(d, op);
		return decode_store(d, r, op - BO_OP_PLAIN);
	}
	r->op = (uint8_t)op;
	if (op >= BO_OP_SFENCE && op <= BO_OP_LOCKED)
		return number(d, &r->context) ? 1 : problem(d, "the event is cut off");
	if (op >= BO_OP_CLFLUSH && op <= BO_OP_CLWB)
		return number(d, &r->context) && address(d, &r->addr) ? 1 : problem(d, "the event is cut off");
	if (op > BO_OP_STORE && op < BO_OP_STORE + BO_STORE_KIND_COUNT)
		return decode_store_kind(d, r, op - BO_OP_STORE);
	if (op >= BO_OP_LOAD && op <= BO_OP_LOAD + BO_SIZE_OTHER)
		return decode_load(d, r, op - BO_OP_LOAD);
	return fields[op] ? decode_fields(d, r, fields[op]) : problem_op(d, op);
}
