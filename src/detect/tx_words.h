/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx_words.h - what `transactions` knows about each 8-byte word of PM that the program itself stored to, and its doubts:
 * stores that may turn out to be mistakes, but that must wait for the end of a transaction, or for a flush.
 *
 * A word costs 12 bytes, so memory is bounded by the PM that the program uses. */
#ifndef BLACKOUT_DETECT_TX_WORDS_H
#define BLACKOUT_DETECT_TX_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

#define TX_WORD 8u

struct tx_word {
	uint32_t doubt;   /* its number; 0: none */
	uint32_t changer; /* context of the last store that a transaction covered; 0: none */
	uint8_t changed;  /* bit mask of the bytes that such stores changed */
	bool atomic;      /* a locked instruction stored to it: it may be a lock */
};

enum doubt_kind {
	DOUBT_NONE,     /* its number is free */
	DOUBT_UNLOGGED, /* stored in a transaction that does not cover it; judged when the transaction ends */
	DOUBT_OUTSIDE,  /* stored outside of a transaction and not persisted; judged when the next one begins */
	/* The same, but no transaction has changed these bytes so far; `place` is where the next transaction began. */
	DOUBT_SUSPECT,
};

struct doubt {
	enum doubt_kind kind;
	bool persisted; /* UNLOGGED: the program has persisted it */
	bool partly;    /* UNLOGGED: `place` covers other bytes of the same store */
	uint32_t file, context, thread;
	uint32_t size; /* at most to the end of the word, but for the last word of a very long store */
	uint64_t offset, address;
	uint64_t first, event; /* numbers of its first and last store; the latter decides whether it is persisted */
	uint64_t count;        /* of its stores */
	uint32_t place;        /* context of a call, or 0: UNLOGGED: the one that added it too late, or partly */
};

struct tx_words {
	struct map pages; /* (file, number) -> struct tx_word [TX_PAGE_WORDS] */
	struct {
		uint64_t number;
		uint32_t file;
		struct tx_word *words;
	} recent;
	VEC_OF(struct doubt) doubts; /* by number; [0] is unused */
	VEC_OF(uint32_t) unused;     /* free numbers */
};

/* The word at an offset; tx_word_find returns NULL if nothing is known of its page.  Valid until tx_words_free. */
struct tx_word *tx_word_find(struct tx_words *words, uint32_t file, uint64_t offset);
struct tx_word *tx_word_make(struct tx_words *words, uint32_t file, uint64_t offset);

/* The bytes of [offset, offset + size) in their word, as a mask. */
uint8_t tx_word_mask(uint64_t offset, uint64_t size);

/* A new doubt about a word, which takes the place of what the word had.  Returns its number. */
uint32_t doubt_raise(struct tx_words *words, const struct doubt *doubt);
/* The doubt is settled; its word has none any more. */
void doubt_settle(struct tx_words *words, uint32_t number);

/* A new object begins its life in a range: what is known of its bytes was about another one. */
void tx_words_forget(struct tx_words *words, uint32_t file, uint64_t offset, uint64_t size);

void tx_words_free(struct tx_words *words);

#endif
