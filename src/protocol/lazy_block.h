/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_block.h - the data that blackout gives the stub about undecided lines, and the stub's report about each leaf;
 * see run/lazy.h and preload/lazy.h.
 *
 * The request STUB_LAZY (stub.h) refers to the file `lazy` in the control directory:
 *
 *     struct lazy_block
 *     uint64_t masks[given_count]      for each given line: bit i: alternative i is possible; 0: see given_taken
 *     uint32_t files[file_count]       for each path of the page: its file in the choices, or CHOICES_NONE
 *     uint32_t given[given_count]      lines about which something is decided from the start
 *     uint8_t given_taken[unit_count]  flags of their units
 *     padding to a multiple of 8
 *     struct choices ...               (model/choices.h, which both sides compile)
 *
 * Each leaf is a reply STUB_LEAF, followed by
 *
 *     struct lazy_report
 *     uint32_t lines[depth - keep]     decided after the first `keep` lines, which are those of the last report
 *     uint8_t taken[]                  for each of these lines, the flags of its units: those of one alternative that
 *                                      agrees with what was decided about the line
 *     uint64_t masks[depth]            LAZY_POSTPONED only: of all lines, as above
 *     char out[out_bytes], err[err_bytes]
 *     char output[output_bytes]        the complete output of the leaf, if the block asks for one
 *
 * Recovery prints to the files `out` and `err` in the control directory, which are opened in append mode.  So each leaf
 * can start with the text that was printed before it branched off, and its text can be read when the leaf is over. */
#ifndef BLACKOUT_PROTOCOL_LAZY_BLOCK_H
#define BLACKOUT_PROTOCOL_LAZY_BLOCK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Which content of a line to try first. */
enum lazy_sequence {
	/* While nothing is lost, try the content that loses the most stores; after that, the one that keeps the most.
	 * So the first states to be tried lack one store that recovery reads early, and have the others. */
	LAZY_CONTRAST,
	LAZY_SAMPLE, /* no tree: take one random content at every line, once */
	LAZY_LEAST,  /* no tree: take the content with the fewest stores */
	LAZY_MOST,   /* no tree: take the content with the most stores */
};

/* Where recovery writes the output that is to be compared. */
enum lazy_output {
	LAZY_OUTPUT_STREAM, /* standard output */
	LAZY_OUTPUT_FILE,   /* STUB_OUTFILE */
};

enum { LAZY_TAIL = 4096 /* bytes of each output that are kept */ };

struct lazy_block {
	uint64_t bytes; /* of the whole block */
	/* for one path from the root of the tree to a leaf, without the time that other branches took */
	uint64_t timeout_ns;
	uint64_t leaves_max; /* 0: no limit */
	uint64_t seed;
	uint32_t sequence; /* enum lazy_sequence */
	uint32_t file_count, given_count;
	uint32_t choices;      /* offset in the block */
	_Atomic uint32_t stop; /* blackout may set it at any time: report no more leaves */
	uint32_t stores;       /* 1: a store decides the bytes that it covers, as a load does */
	uint32_t output;       /* enum lazy_output */
	/* Report the complete output of each leaf.  The kernel ends a leaf that writes more bytes to a file (SIGXFSZ).
	 * 0: do not report it, and set no limit. */
	uint32_t output_max;
	/* After this many decisions with several contents on a path, all further ones are postponed (LAZY_POSTPONED);
	 * 0: none is. */
	uint32_t split;
	uint32_t lossy; /* 1: what is given leaves out a store; see LAZY_LOSSY */
};

_Static_assert(sizeof(struct lazy_block) == 72 && sizeof(struct lazy_block) % _Alignof(uint64_t) == 0,
	       "masks follow the block");

/* The arrays of a block whose counts are set.  As with strchr(3), the result is as const as the argument should be:
 * blackout fills the arrays, the stub only reads them. */

static inline uint64_t *lazy_block_masks(const struct lazy_block *block)
{
	return (uint64_t *)(block + 1);
}

static inline uint32_t *lazy_block_files(const struct lazy_block *block)
{
	return (uint32_t *)(lazy_block_masks(block) + block->given_count);
}

static inline uint32_t *lazy_block_given(const struct lazy_block *block)
{
	return lazy_block_files(block) + block->file_count;
}

static inline uint8_t *lazy_block_given_taken(const struct lazy_block *block)
{
	return (uint8_t *)(lazy_block_given(block) + block->given_count);
}

/* The offset of the choices, which have `units` units: the size of everything before them. */
static inline size_t lazy_block_choices_offset(size_t files, size_t given, size_t units)
{
	size_t bytes =
		sizeof(struct lazy_block) + given * sizeof(uint64_t) + (files + given) * sizeof(uint32_t) + units;

	return (bytes + 7) & ~(size_t)7;
}

enum lazy_flag {
	LAZY_REFUSED = 1, /* stub_page.reason says why; the text also follows in place of `err` */
	LAZY_TIMEOUT = 2,
	LAZY_POSTPONED = 4, /* not a leaf: the tree is too deep here; request it again with these lines given */
	LAZY_END = 8,       /* not a leaf: there are no more */
	LAZY_OUT_CUT = 16,  /* there was more output before this part */
	LAZY_ERR_CUT = 32,
	LAZY_ALL = 64, /* the state with all units agrees with the decisions; LAZY_NONE: so does the one with none */
	LAZY_NONE = 128,
	LAZY_LOSSY = 256, /* LAZY_POSTPONED: a store was left out on the way, which decides what is tried first */
};

struct lazy_report {
	uint32_t flags;
	uint32_t keep, depth; /* number of decided lines: shared with the last report, and now */
	uint32_t taken_bytes, mask_bytes;
	uint32_t out_bytes, err_bytes, output_bytes;
	uint64_t traps;  /* in the whole tree so far */
	double left_out; /* upper bound for the sets without a leaf so far */
};

_Static_assert(sizeof(struct lazy_report) == 48, "no padding");

#endif
