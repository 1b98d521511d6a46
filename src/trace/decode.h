/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.h - the bytes of a payload as records: the syntax of trace_format.h, and no meaning.
 *
 *     struct decoder d = decoder_at(payload, bytes);
 *     struct record r;
 *     while ((x = decode_next(&d, &r)) > 0) ...        // 0: the end; -1: d.problem says what is wrong with the record at d.record
 *
 * Ids and ranges are as they were written: whoever gives them a meaning checks them. */
#ifndef BLACKOUT_TRACE_DECODE_H
#define BLACKOUT_TRACE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "blackout/trace_format.h"

struct decoder {
	const uint8_t *record; /* where the record that was decoded last starts */
	const uint8_t *next, *end;
	uint64_t last_addr;
	struct bo_recent recent;
	uint8_t value[32]; /* unpacked value of a store */
	char problem[64];
};

struct record_bytes {
	const uint8_t *at;
	uint64_t size;
};

#define RECORD_NUMBERS 6
#define RECORD_STRINGS 2

/* One record.  Which members are set depends on the opcode. */
struct record {
	uint8_t op; /* enum bo_opcode; BO_OP_LOAD and BO_OP_STORE stand for all sizes and kinds */
	uint8_t kind;
	uint32_t unit;
	uint64_t context; /* field c */
	uint64_t addr;    /* field a */
	uint64_t size;
	const uint8_t *data;                        /* of a store: `size` bytes, valid until the next decode */
	uint64_t number[RECORD_NUMBERS];            /* fields v and q, in order */
	struct record_bytes string[RECORD_STRINGS]; /* fields s and b, in order; not terminated */
};

static inline struct decoder decoder_at(const uint8_t *payload, size_t bytes)
{
	return (struct decoder){.record = payload, .next = payload, .end = payload + bytes};
}

/* Decode the next record: 1, or 0 at the end, or -1. */
static inline int decode_next(struct decoder *d, struct record *r);

#include "trace/decode_fast.h"

#endif
