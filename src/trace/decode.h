/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - split a payload into records: the syntax of trace_format.h, without its meaning.
 *
 *     struct decoder d = decoder_at(payload, bytes);
 *     struct record r;
 *     while ((x = decode_next(&d, &r)) > 0) ...        // 0: end; -1: see d.problem and d.record
 *
 * Ids and ranges are returned as written.  The caller that interprets them must check them. */
#ifndef BLACKOUT_TRACE_DECODE_H
#define BLACKOUT_TRACE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "blackout/trace_format.h"

struct decoder {
	const uint8_t *record; /* start of the record decoded last */
	const uint8_t *next, *end;
	uint64_t last_addr;
	struct bo_recent recent;
	/* Kept by who interprets the records: of the last call, and of the last ACCESS in the chunk. */
	uint64_t arguments[BO_CALL_ARGUMENTS];
	uint64_t last_access;
	uint8_t value[32]; /* unpacked value of a store */
	char problem[64];
};

struct record_bytes {
	const uint8_t *at;
	uint64_t size;
};

#define RECORD_NUMBERS 7
#define RECORD_STRINGS 2

/* One record.  The opcode determines which members are set. */
struct record {
	uint8_t op; /* enum bo_opcode; BO_OP_LOAD and BO_OP_STORE for all sizes and kinds */
	uint8_t kind;
	uint32_t unit;
	uint64_t context; /* field c */
	uint64_t addr;    /* field a */
	uint64_t size;
	const uint8_t *data;                        /* of a store: `size` bytes, valid until the next decode */
	uint64_t number[RECORD_NUMBERS];            /* fields v and q, as they come */
	struct record_bytes string[RECORD_STRINGS]; /* fields s and b, as they come; not terminated */
};

static inline struct decoder decoder_at(const uint8_t *payload, size_t bytes)
{
	return (struct decoder){.record = payload, .next = payload, .end = payload + bytes};
}

/* Decode the next record.  Return 1, or 0 at the end, or -1. */
static inline int decode_next(struct decoder *d, struct record *r);

#include "trace/decode_fast.h"

#endif
