/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn.h - how far from the address of a fault can an instruction reach?
 *
 * A fault gives the first byte in its page that an instruction wanted.  The instruction tells how many more there can
 * be.  If that is not known exactly, the answer is too large, never too small.  For amd64 in user mode. */
#ifndef BLACKOUT_PRELOAD_INSN_H
#define BLACKOUT_PRELOAD_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_kind {
	INSN_PLAIN,  /* at most `size` bytes, starting at the address */
	INSN_STRING, /* `size` bytes at RSI, RDI or both, in each repetition */
	INSN_FLUSH,  /* flushes a line: neither loads nor stores, and can be skipped */
	INSN_WIDE,   /* may access anything */
};

struct insn {
	enum insn_kind kind;
	uint8_t size;
	uint8_t length;      /* of the instruction: INSN_FLUSH only */
	bool source, target; /* INSN_STRING: uses RSI, RDI */
	bool repeats;        /* INSN_STRING: repeats RCX times, no matter which data it finds */
	bool loads;          /* INSN_PLAIN: it certainly stores nothing */
	bool stores;         /* INSN_PLAIN: it stores exactly `size` bytes, and loads nothing */
	bool compares;       /* INSN_STRING: it also loads from RDI; otherwise it stores there and does not load */
};

struct insn insn_look(const uint8_t *code);

#endif
