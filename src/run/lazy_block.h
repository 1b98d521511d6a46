/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_block.h - what blackout tells the stub about undecided lines, and what the stub tells about each leaf; see
 * lazy.h.
 *
 * The request STUB_LAZY is about the file `lazy` in the control directory:
 *
 *     struct lazy_block
 *     uint64_t masks[given_count]      of each given line: bit i, its alternative i is possible; 0: given_taken says it all
 *     uint32_t files[file_count]       for each path of the page: its file in the choices, or CHOICES_NONE
 *     uint32_t given[given_count]      lines of which something is decided from the start
 *     uint8_t given_taken[unit_count]  flags of their units
 *     padding to a multiple of 8
 *     struct choices ...
 *
 * Each leaf is a reply STUB_LEAF, followed by
 *
 *     struct lazy_report
 *     uint32_t lines[depth - keep]     decided after the first `keep` lines, which are those of the report before
 *     uint8_t taken[]                  for each of these lines, flags of its units: those of one alternative that agrees with what was decided about it
 *     uint64_t masks[depth]            LAZY_POSTPONED only: of all lines, as above
 *     char out[out_bytes], err[err_bytes]
 *
 * What is printed goes to the files `out` and `err` in the control directory, opened to append: so each leaf can begin
 * with what was printed before it branched off, and its end can be read when it is over. */
#ifndef BLACKOUT_RUN_LAZY_BLOCK_H
#define BLACKOUT_RUN_LAZY_BLOCK_H

#include <stdatomic.h>
#include <stdint.h>

/* Which content of a line is tried first. */
enum lazy_order {
	/* As long as nothing is lost, the one that loses most; then those that keep most.  So what is tried first are
	 * states that lack an early read store and have the others. */
	LAZY_CONTRAST,
	LAZY_SAMPLE, /* no tree: at every line one of its contents by chance, once */
	LAZY_LEAST,  /* no tree: the one with the fewest stores */
	LAZY_MOST,   /* no tree: the one with most */
};

enum { LAZY_TAIL = 4096 /* bytes that are kept of each output */ };

struct lazy_block {
	uint64_t bytes;      /* of the whole block */
	uint64_t timeout_ns; /* for one way from the root to a leaf, without the time that others took */
	uint64_t leaves_max; /* 0: no limit */
	uint64_t seed;
	uint32_t order; /* enum lazy_order */
	uint32_t file_count, given_count;
	uint32_t choices;      /* where they are in the block */
	_Atomic uint32_t stop; /* set by blackout at any time: no more leaves */
	uint32_t stores;       /* 1: a store decides the bytes that it covers, as a load does */
};

static inline const uint32_t *lazy_block_files(const struct lazy_block *block)
{
	return (const uint32_t *)((const uint64_t *)(block + 1) + block->given_count);
}

static inline const uint32_t *lazy_block_given(const struct lazy_block *block)
{
	return lazy_block_files(block) + block->file_count;
}

enum lazy_flag {
	LAZY_REFUSED = 1, /* stub_page.reason says why, and follows in place of the output `err` */
	LAZY_TIMEOUT = 2,
	LAZY_POSTPONED = 4, /* no leaf: the tree is too deep here; to be asked for again, with these lines given */
	LAZY_END = 8,       /* no leaf: there are no more */
	LAZY_OUT_CUT = 16,  /* there was more output before it */
	LAZY_ERR_CUT = 32,
	LAZY_ALL = 64, /* the state with all units, and that with none, agree with the decisions */
	LAZY_NONE = 128,
};

struct lazy_report {
	uint32_t flags;
	uint32_t keep, depth; /* lines decided: as in the last report, and now */
	uint32_t taken_bytes, mask_bytes;
	uint32_t out_bytes, err_bytes;
	uint32_t unused;
	uint64_t traps;  /* in the whole tree so far */
	double left_out; /* sets that have no leaf, at most, so far */
};

#endif
