/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_fast.h - the part of decode.h that is worth inlining: stores, flushes and fences, which are nearly all of a
 * trace.
 *
 * Nothing is read beyond d->end.  If at least 8 bytes are left, they are read at once and masked. */
#ifndef BLACKOUT_TRACE_DECODE_FAST_H
#define BLACKOUT_TRACE_DECODE_FAST_H

#include <stdbool.h>
#include <string.h>

#define DECODE_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The rare cases, in decode.c. */
void decode_note(struct decoder *d, const char *what);
bool decode_number_slow(struct decoder *d, uint64_t *value);
bool decode_words(struct decoder *d, unsigned words, unsigned present);
int decode_rare(struct decoder *d, struct record *r, unsigned op);

static inline int decode_problem(struct decoder *d, const char *what)
{
	decode_note(d, what);
	return -1;
}

static inline int decode_cut(struct decoder *d)
{
	return decode_problem(d, "the event is incomplete");
}

/* Avoids a branch on the length, which would be unpredictable: the lowest byte without the high bit ends the number,
 * and the groups of seven bits are packed together pairwise. */
static inline bool decode_number(struct decoder *d, uint64_t *value)
{
	uint64_t w, ends;

	if (DECODE_UNLIKELY(d->end - d->next < 8))
		return decode_number_slow(d, value);
	memcpy(&w, d->next, 8);
	ends = ~w & 0x8080808080808080u;
	if (DECODE_UNLIKELY(!ends))
		return decode_number_slow(d, value);
	d->next += (__builtin_ctzll(ends) + 1) / 8;
	w &= ends ^ (ends - 1);
	w = (w & 0x7f007f007f007f00u) >> 1 | (w & 0x007f007f007f007fu);
	w = (w & 0x3fff00003fff0000u) >> 2 | (w & 0x00003fff00003fffu);
	*value = (w & 0x0fffffff00000000u) >> 4 | (w & 0x0fffffffu);
	return true;
}

/* Most contexts are one byte and are followed by the same code as last time, so a branch is better here. */
static inline bool decode_context(struct decoder *d, uint64_t *context)
{
	if (d->next < d->end && *d->next < 0x80) {
		*context = *d->next++;
		return true;
	}
	return decode_number(d, context);
}

static inline bool decode_address(struct decoder *d, uint64_t *addr)
{
	uint64_t difference;

	if (DECODE_UNLIKELY(!decode_number(d, &difference)))
		return false;
	d->last_addr += bo_unzigzag(difference);
	*addr = d->last_addr;
	return true;
}

/* Decode one word by its code: low bytes that follow, or a recent word. */
static inline bool decode_word(struct decoder *d, unsigned code, uint64_t *word)
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

static inline bool decode_value(struct decoder *d, struct record *r, unsigned size_code, unsigned packing)
{
	uint64_t word;

	r->data = d->value;
	if (size_code <= BO_SIZE_8) {
		if (!decode_word(d, packing, &word))
			return false;
		memcpy(d->value, &word, 8);
		return true;
	}
	if (size_code <= BO_SIZE_32)
		return decode_words(d, size_code == BO_SIZE_16 ? 2 : 4, packing);
	if (r->size > (uint64_t)(d->end - d->next))
		return false;
	r->data = d->next;
	d->next += r->size;
	return true;
}

static inline bool decode_shape_valid(unsigned size_code, unsigned packing)
{
	static const uint8_t most[8] = {1, 2, 4, 15, 3, 15, 0, 0};

	return size_code <= BO_SIZE_OTHER && packing <= most[size_code];
}

/* Decode a store whose kind is already set.  Only string stores have elements. */
static inline int decode_store(struct decoder *d, struct record *r, unsigned shape, bool string)
{
	unsigned size_code = shape >> 4, packing = shape & 15;
	uint64_t unit = 0;

	r->op = BO_OP_STORE;
	if (DECODE_UNLIKELY(!decode_shape_valid(size_code, packing)))
		return decode_problem(d, "a store of a shape that does not exist");
	if (DECODE_UNLIKELY(!decode_context(d, &r->context) || !decode_address(d, &r->addr)))
		return decode_cut(d);
	r->size = 1u << size_code;
	if (DECODE_UNLIKELY(size_code == BO_SIZE_OTHER) && !decode_number(d, &r->size))
		return decode_cut(d);
	if (DECODE_UNLIKELY(!r->size))
		return decode_problem(d, "a store of no bytes");
	if (string && !decode_number(d, &unit))
		return decode_cut(d);
	if (string && unit != 1 && unit != 2 && unit != 4 && unit != 8)
		return decode_problem(d, "a string store of elements that do not exist");
	r->unit = (uint32_t)unit;
	return decode_value(d, r, size_code, packing) ? 1 : decode_cut(d);
}

static inline int decode_next(struct decoder *d, struct record *r)
{
	unsigned op;

	d->record = d->next;
	if (DECODE_UNLIKELY(d->next == d->end))
		return 0;
	op = *d->next++;
	if (op >= BO_OP_PLAIN && op < BO_OP_PLAIN + ((BO_SIZE_OTHER + 1) << 4)) {
		r->kind = BO_STORE_PLAIN;
		return decode_store(d, r, op - BO_OP_PLAIN, false);
	}
	r->op = (uint8_t)op;
	if (op >= BO_OP_CLFLUSH && op <= BO_OP_CLWB)
		return decode_context(d, &r->context) && decode_address(d, &r->addr) ? 1 : decode_cut(d);
	if (op >= BO_OP_SFENCE && op <= BO_OP_LOCKED)
		return decode_context(d, &r->context) ? 1 : decode_cut(d);
	return decode_rare(d, r, op);
}

#endif
