/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn.h - how far from the address of a fault can this instruction reach?
 *
 * A fault tells the first byte, in its page, that an instruction wanted; the instruction tells how many more there can
 * be.  What is not known exactly is taken larger: never too small.  amd64, user mode. */
#ifndef BLACKOUT_PRELOAD_INSN_H
#define BLACKOUT_PRELOAD_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_kind {
	INSN_PLAIN,  /* `size` bytes from the address on, at most */
	INSN_STRING, /* `size` bytes at RSI, RDI or both, and so on in each repetition */
	INSN_FLUSH,  /* a flush of a line: neither loads nor stores, can be skipped */
	INSN_WIDE,   /* anything */
};

struct insn {
	enum insn_kind kind;
	uint8_t size;
	uint8_t length;      /* of the instruction: INSN_FLUSH only */
	bool source, target; /* INSN_STRING: uses RSI, RDI */
	bool repeats;        /* INSN_STRING: RCX times, whatever it finds */
	bool loads;          /* INSN_PLAIN: it stores nothing, for sure */
	bool stores;         /* INSN_PLAIN: it stores `size` bytes, exactly, and loads nothing */
	bool compares; /* INSN_STRING: it loads what is at RDI, too; otherwise it stores there and loads nothing */
};

struct insn insn_look(const uint8_t *code);

#endif
