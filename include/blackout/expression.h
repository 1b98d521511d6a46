/* SPDX-License-Identifier: 0BSD */
/* expression.h - how a value of the program was computed from its input, shared by the recorder and the reader.
 *
 * An expression is a bit vector of 1 to 64 bits.  Wider values of the machine are recorded as several expressions, one
 * for each 64 bits, so a vector comparison is as many small comparisons as it has lanes.  Expressions are a graph:
 * operands are earlier expressions, and equal expressions are the same one.
 *
 * Meanings are those of the theory of bit vectors in SMT-LIB, so no operation is undefined: a shift by the width or more
 * gives 0 (ASHR: copies of the sign), x / 0 is all ones (SDIV: 1 or -1, away from the sign of x), x % 0 is x.  Widths of
 * operands are equal unless the table says otherwise.
 *
 * TABLE is a load whose address depends on input: little-endian bytes of a constant table, at the operand (width 64),
 * which counts from the table's start.  Outside of the table it is undefined; a branch of kind BOUND excludes that. */
#ifndef BLACKOUT_EXPRESSION_H
#define BLACKOUT_EXPRESSION_H

#include <stdint.h>

/* X(name, text, operands, own): `own` is the meaning of the number that belongs to the expression itself. */
#define BO_EXPRESSIONS(X)                                                        \
	/* leaves */                                                             \
	X(CONST, "const", 0, "its value")                                        \
	X(INPUT, "input", 0, "source << 48 | offset of the byte in it; width 8") \
	X(LENGTH, "length", 0, "source: the bytes that it has; width 64")        \
	/* one operand */                                                        \
	X(NOT, "not", 1, "")                                                     \
	X(NEG, "neg", 1, "")                                                     \
	X(EXTRACT, "extract", 1, "the lowest bit that is taken")                 \
	X(ZEXT, "zext", 1, "")                                                   \
	X(SEXT, "sext", 1, "")                                                   \
	X(CLZ, "clz", 1, "") /* leading zeros; of 0: the width */                \
	X(CTZ, "ctz", 1, "")                                                     \
	X(POPCOUNT, "popcount", 1, "")                                           \
	X(TABLE, "table", 1, "the table") /* width / 8 bytes of it, see below */ \
	/* two operands */                                                       \
	X(ADD, "add", 2, "")                                                     \
	X(SUB, "sub", 2, "")                                                     \
	X(MUL, "mul", 2, "")                                                     \
	X(MULHU, "mulhu", 2, "") /* the high half of the product */              \
	X(MULHS, "mulhs", 2, "")                                                 \
	X(UDIV, "udiv", 2, "")                                                   \
	X(SDIV, "sdiv", 2, "")                                                   \
	X(UREM, "urem", 2, "")                                                   \
	X(SREM, "srem", 2, "")                                                   \
	X(AND, "and", 2, "")                                                     \
	X(OR, "or", 2, "")                                                       \
	X(XOR, "xor", 2, "")                                                     \
	X(SHL, "shl", 2, "") /* the second operand has the width of the first */ \
	X(LSHR, "lshr", 2, "")                                                   \
	X(ASHR, "ashr", 2, "")                                                   \
	X(CONCAT, "concat", 2, "") /* the first operand is the high part */      \
	X(EQ, "eq", 2, "")         /* comparisons have width 1 */                \
	X(ULT, "ult", 2, "")                                                     \
	X(ULE, "ule", 2, "")                                                     \
	X(SLT, "slt", 2, "")                                                     \
	X(SLE, "sle", 2, "")                                                     \
	/* three operands */                                                     \
	X(ITE, "ite", 3, "") /* condition of width 1, value if it is 1, value if it is 0 */

enum bo_expression {
#define X(name, text, operands, own) BO_EXPR_##name,
	BO_EXPRESSIONS(X)
#undef X
		BO_EXPR_COUNT
};

#define BO_EXPR_SOURCE_SHIFT 48

/* X(name, text): where input comes from.  A SOCKET is what a connection received.  Connections count from 1, as they were
 * made.  If their messages were known before, each message is a source: "1.2" is the second one of connection 1. */
#define BO_SOURCES(X)                                                      \
	X(STDIN, "stdin")                                                  \
	X(FILE, "file")     /* its path is the source's name */            \
	X(ARG, "arg")       /* its number, from 1, is the source's name */ \
	X(SOCKET, "socket") /* the number of the connection, or of the message */

enum bo_source {
#define X(name, text) BO_SOURCE_##name,
	BO_SOURCES(X)
#undef X
		BO_SOURCE_COUNT
};

/* X(name, text): what happened on a connection whose messages were not known before. */
#define BO_CONVERSATIONS(X)                                                                                    \
	X(ACCEPTED, "accepted") /* the bytes are the address that a client connects to, a struct sockaddr */   \
	X(RECEIVED, "received") /* these bytes, by the call whose INPUT follows; may come in several pieces */ \
	X(SENT, "sent")         /* the program sent something; without bytes */

enum bo_conversation {
#define X(name, text) BO_CONVERSATION_##name,
	BO_CONVERSATIONS(X)
#undef X
		BO_CONVERSATION_COUNT
};

/* X(name, text): what depended on input. */
#define BO_BRANCHES(X)                                                                                                \
	X(CONDITION, "condition") /* a conditional jump */                                                            \
	X(JUMP, "jump")           /* an indirect jump or call: the condition is that its target is the one it had */  \
	X(ADDRESS, "address")     /* an address that was taken as it was: the condition is that it is that address */ \
	X(BOUND, "bound")         /* holds for every input that takes this path; not to be turned */

enum bo_branch {
#define X(name, text) BO_BRANCH_##name,
	BO_BRANCHES(X)
#undef X
		BO_BRANCH_COUNT
};

/* META: for each kind of operation whose result was taken as it was (concretized), how often. */
#define BO_META_CONCRETE "concrete " /* and the operation's name */

/* META, of a recorder that checks itself: for each kind of operation, how often its result had the value that its
 * expression has, and how often it had not. */
#define BO_META_CHECKED "checked "
#define BO_META_WRONG "wrong "

#endif
