/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything that is not in decode_fast.h: loads, wide values, stores of other kinds, and all records that are read by
 * the field letters of BO_OPCODES. */
#include "trace/decode.h"

#include <stdio.h>

_Static_assert(1 << BO_SIZE_1 == 1 && 1 << BO_SIZE_8 == 8 && 1 << BO_SIZE_32 == 32,
	       "a size code is the logarithm of the size");

static const char *const fields[256] = {
#define X(name, code, letters) [code] = letters,
	BO_OPCODES(X) BO_LAYER_OPCODES(X)
#undef X
};

void decode_note(struct decoder *d, const char *what)
{
	snprintf(d->problem, sizeof(d->problem), "%s", what);
}

static int problem_op(struct decoder *d, unsigned op)
{
	snprintf(d->problem, sizeof(d->problem), "unknown event opcode 0x%02x", op);
	return -1;
}

/* A number near the end of the payload, or longer than 8 bytes: read byte by byte. */
bool decode_number_slow(struct decoder *d, uint64_t *value)
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

static bool bytes(struct decoder *d, struct record_bytes *b)
{
	if (!decode_number(d, &b->size) || b->size > (uint64_t)(d->end - d->next))
		return false;
	b->at = d->next;
	d->next += b->size;
	return true;
}

static bool rest(struct decoder *d, struct record_bytes *b)
{
	*b = (struct record_bytes){d->next, (uint64_t)(d->end - d->next)};
	d->next = d->end;
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
		case 'v': ok = decode_number(d, n++); break;
		case 'q': ok = quad(d, n++); break;
		case 'c': ok = decode_number(d, &r->context); break;
		case '*': ok = rest(d, s++); break;
		default: ok = bytes(d, s++); break; /* s, b */
		}
	}
	return ok ? 1 : decode_cut(d);
}

/* 2 or 4 words: the codes of the non-zero words, then their bytes. */
bool decode_words(struct decoder *d, unsigned words, unsigned present)
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
			if (!decode_word(d, codes & 15, &word))
				return false;
			codes >>= 4;
		}
		memcpy(d->value + i * 8, &word, 8);
	}
	return true;
}

static int decode_store_kind(struct decoder *d, struct record *r, unsigned kind)
{
	if (d->next == d->end)
		return decode_cut(d);
	r->kind = (uint8_t)kind;
	return decode_store(d, r, *d->next++, kind == BO_STORE_STRING);
}

static int decode_load(struct decoder *d, struct record *r, unsigned size_code)
{
	r->op = BO_OP_LOAD;
	if (!decode_number(d, &r->context) || !decode_address(d, &r->addr))
		return decode_cut(d);
	r->size = 1u << size_code;
	if (size_code == BO_SIZE_OTHER && !decode_number(d, &r->size))
		return decode_cut(d);
	return r->size && r->size <= INT64_MAX ? 1 : decode_problem(d, "a load of an impossible size");
}

/* The fields of a layer that is known are read from the bytes of the record; they must fill them exactly. */
static int decode_layer(struct decoder *d, struct record *r, const char *letters)
{
	struct decoder inner;

	if (decode_fields(d, r, "b") < 0)
		return -1;
	if (!letters)
		return 1;
	inner = decoder_at(r->string[0].at, r->string[0].size);
	if (decode_fields(&inner, r, letters) < 0 || inner.next != inner.end)
		return decode_problem(d, "the fields of the event do not fill it");
	return 1;
}

int decode_rare(struct decoder *d, struct record *r, unsigned op)
{
	if (op >= BO_OP_LOAD && op <= BO_OP_LOAD + BO_SIZE_OTHER)
		return decode_load(d, r, op - BO_OP_LOAD);
	if (op > BO_OP_STORE && op < BO_OP_STORE + BO_STORE_KIND_COUNT)
		return decode_store_kind(d, r, op - BO_OP_STORE);
	if (op >= BO_OP_LAYER && op <= BO_OP_LAYER_LAST)
		return decode_layer(d, r, fields[op]);
	return fields[op] ? decode_fields(d, r, fields[op]) : problem_op(d, op);
}
