/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_recovery.h - a recovery as test_lazy makes them up: a list of instructions on two mapped files, with conditions,
 * and an end.
 *
 *     recovery_prepare();                                     // once
 *     outcome_end(recovery_run(&recovery, &access));          // in a process of its own, or without outcome_end in ours
 */
#ifndef BLACKOUT_TEST_LAZY_RECOVERY_H
#define BLACKOUT_TEST_LAZY_RECOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILES = 2, OPS = 10 };

enum op_kind {
	OP_LOAD1,
	OP_LOAD8,
	OP_LOAD16,
	OP_LOAD32,
	OP_LOAD64,
	OP_GATHER,
	OP_MOVE, /* one of many instructions on up to eight bytes */
	OP_PUSH,
	OP_COPY,      /* memcpy to the stack */
	OP_MOVS,      /* rep movsb to the stack */
	OP_MOVS_DOWN, /* the same, backwards */
	OP_MOVS_PM,   /* rep movsq from PM to PM */
	OP_CMPS,      /* repe cmpsb of PM with PM */
	OP_STRLEN,
	OP_STORE,
	OP_STORE_WIDE, /* one of several vector instructions */
	OP_MEMSET,
	OP_STOS,
	OP_XADD,
	OP_FLUSH,
	OP_WRITE, /* pwrite(2) from PM */
	OP_WRITEV,
	OP_READ_INTO, /* pread(2) into PM */
	OP_FAULT,     /* a fault of its own, handled by itself */
	OP_KINDS,
};

struct op {
	enum op_kind kind;
	unsigned file, other; /* files */
	uint64_t at, to;      /* offsets there */
	uint64_t size;
	uint64_t mask, bits; /* done only if (seen & mask) == bits */
};

enum end_kind { END_EXIT, END_ABORT, END_CRASH, END_KINDS };

struct recovery {
	struct op ops[OPS];
	size_t count;
	unsigned read_file; /* read the file itself first: bytes, or 0 */
	uint64_t read_at;
	bool map_late; /* the second file is mapped in the middle */
	bool protect;  /* the first file is read-only: stores fault */
};

struct outcome {
	uint64_t seen;
	enum end_kind end;
	int value;
};

/* How the files are had: from brute force's memory, or from the tree's mappings. */
struct access {
	uint8_t *files[FILES];
	void (*map)(struct access *access, unsigned file, int prot);
	void (*read)(struct access *access, uint64_t at, void *buffer, size_t size);
};

/* What the instructions need: which of them this processor has, a file to write to.  False if that cannot be made. */
bool recovery_prepare(void);

/* Do all instructions.  How it should end is in the outcome; outcome_end ends so. */
struct outcome recovery_run(const struct recovery *r, struct access *access);
void outcome_end(struct outcome outcome) __attribute__((noreturn));

#endif
