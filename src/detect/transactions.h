/* SPDX-License-Identifier: GPL-2.0-or-later */
/* transactions.h - the state of the detector `transactions`, shared by its source files.  transactions.c describes the
 * detector. */
#ifndef BLACKOUT_DETECT_TRANSACTIONS_H
#define BLACKOUT_DETECT_TRANSACTIONS_H

#include "base/vec.h"
#include "detect/intervals.h"
#include "detect/sink.h"
#include "detect/tx_words.h"
#include "model/model.h"
#include "trace/mappings.h"
#include "trace/trace.h"
#include "trace/transaction.h"

/* Of a range that a transaction covers. */
enum {
	RANGE_ALLOCATED = 1 << 0, /* not added, but allocated */
	RANGE_NO_FLUSH = 1 << 1,
	RANGE_NO_SNAPSHOT = 1 << 2,
	RANGE_SERIAL = 8, /* the bits from here on: the serial number of the transaction */
};

/* A thread, and its transaction.  Nested transactions are one: what one of them adds is covered until the outermost
 * ends. */
struct tx {
	uint32_t thread, process;
	struct transaction state;
	uint64_t pool_end;
	struct intervals covered; /* added and allocated */
	struct intervals freed;
	struct intervals fresh;    /* objects that came into being by other means, and are part of nothing yet */
	VEC_OF(uint32_t) unlogged; /* doubts about its stores */
	VEC_OF(uint32_t) outside;  /* doubts since its last transaction; some may have been settled meanwhile */
	size_t outside_before_tidying;
};

/* pmemobj_reserve and pmemobj_defer_free: what will happen when the action is published. */
struct action {
	uint64_t address; /* of the struct pobj_action */
	uint64_t start, end;
	bool frees;
};

struct process {
	struct mappings mappings;
	VEC_OF(struct action) actions;
	struct intervals reserved;
};

struct transactions {
	const struct platform *platform;
	struct sink *sink;
	struct model *model;   /* NULL: the program has not called libpmemobj so far */
	uint64_t model_behind; /* events that the model was not told */
	uint64_t number;       /* of the current event */
	struct tx_words words;
	VEC_OF(struct tx) threads;        /* by number */
	VEC_OF(struct process) processes; /* by number */
	VEC_OF(struct sink_site) sites;   /* by context: adds that were needed, stores that changed nothing */
	uint64_t silent;                  /* the number of the store that was counted as silent last */
};

/* ---- tx_cover.c: which bytes a transaction covers ---- */

/* A CALL, RETURN or LEFT. */
void tx_cover(struct transactions *d, struct tx *tx, const struct event *ev);

/* ---- tx_judge.c: verdicts ---- */

/* The thread begins a transaction at `begin`: what it stored since its last one should be persistent.  0: the trace
 * ends. */
void judge_outside(struct transactions *d, struct tx *tx, uint32_t begin);
/* The work of the outermost transaction ends. */
void judge_unlogged(struct transactions *d, struct tx *tx);
/* The transaction is to cover this range, too. */
void judge_add(struct transactions *d, struct tx *tx, const struct interval *range);
/* A transaction changes bytes that it covers: were they changed outside of one before? */
void judge_suspect(struct transactions *d, const struct tx_word *word, uint8_t mask, uint32_t changer);

/* ---- transactions.c ---- */

/* Where an address of the process is; file 0: not in PM. */
struct tx_place {
	uint32_t file;
	uint64_t offset;
};
struct tx_place tx_locate(struct transactions *d, uint32_t process, uint64_t address);

/* What is known of a context.  Valid until the next call. */
struct sink_site *tx_site(struct transactions *d, uint32_t context);

#endif
