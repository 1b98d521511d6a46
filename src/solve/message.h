/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - what blackout and blackout-solver say to each other: records in both directions.
 *
 *     message_add(&bytes, MESSAGE_ASK, &ask, sizeof(ask));
 *     while (message_next(bytes, size, &at, &record) == MESSAGE_COMPLETE)
 *             if (message_fixed(&record, &ask, sizeof(ask))) ...
 *
 * Blackout sends expressions, then the conditions and variables of a question, then ASK.  The solver sends values, then
 * ANSWER.  It keeps the expressions for later questions, until FRESH; it numbers them and tables from 1, in the order in which they came.
 *
 * Both run on the same machine, so numbers are as the machine has them.  All that reads is safe on any bytes. */
#ifndef BLACKOUT_SOLVE_MESSAGE_H
#define BLACKOUT_SOLVE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "blackout/expression_meaning.h"

enum { MESSAGE_RECORD_MAX = 1 << 20 /* bytes of its content; tables are much smaller */ };

/* As VEC_OF(uint8_t), but with a name, so that it can be passed. */
struct message_bytes {
	uint8_t *at;
	size_t count, room;
};

enum message_type {
	MESSAGE_FRESH = 1,  /* struct message_fresh: forget the expressions */
	MESSAGE_TABLE,      /* struct message_table, and its bytes */
	MESSAGE_EXPRESSION, /* struct message_expression */
	MESSAGE_CONDITION,  /* struct message_condition; the last one is the one that was turned */
	MESSAGE_VARIABLE,   /* struct message_variable: an expression, INPUT or LENGTH, whose value is wanted */
	MESSAGE_ASK,        /* struct message_ask: can all conditions hold that are not only wished for? */
	MESSAGE_VALUE,      /* struct message_value; variables without one may have any value */
	MESSAGE_ANSWER,     /* struct message_answer */
	MESSAGE_TYPE_END
};

struct message_fresh {
	uint32_t sources; /* how many there are */
};

struct message_table {
	uint64_t address;
};

struct message_expression {
	uint32_t kind, width;
	uint32_t operand[BO_EXPR_OPERANDS_MAX]; /* numbers of the solver */
	uint32_t unused;
	uint64_t own; /* of TABLE: the solver's number of it */
};

struct message_condition {
	uint32_t expression; /* of width 1 */
	uint16_t value;
	uint16_t wished; /* 1: it may be given up if it is in the way */
};

struct message_variable {
	uint32_t expression;
};

struct message_ask {
	uint64_t serial; /* the answer has the same */
	uint32_t ms;     /* how long the solver may think */
	uint32_t effort; /* how much it may think, in units of Z3: the same on a busy machine */
};

struct message_value {
	uint32_t variable; /* counts the VARIABLEs of the question from 0 */
	uint32_t unused;
	uint64_t value;
};

enum message_verdict { MESSAGE_SAT, MESSAGE_UNSAT, MESSAGE_UNKNOWN, MESSAGE_VERDICT_COUNT };

struct message_answer {
	uint64_t serial;
	uint32_t verdict;
	uint32_t unused;
};

void message_add(struct message_bytes *bytes, enum message_type type, const void *fixed, size_t size);
void message_add_table(struct message_bytes *bytes, uint64_t address, const void *content, size_t size);

struct message_record {
	enum message_type type;
	const uint8_t *bytes;
	size_t size;
};

enum message_state { MESSAGE_COMPLETE, MESSAGE_PARTIAL, MESSAGE_DAMAGED };

/* The record at *at, which moves behind it.  PARTIAL: more bytes are needed. */
enum message_state message_next(const uint8_t *bytes, size_t size, size_t *at, struct message_record *record);

/* Take the fixed part off the record; what remains is the rest.  False: the record is too short. */
bool message_fixed(struct message_record *record, void *fixed, size_t size);

#endif
