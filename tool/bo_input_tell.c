/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_tell.c - what the trace says about input: branches, with the expressions that they need.
 *
 * Most expressions never decide anything.  So each is written only when the first branch needs it. */
#include "bo_input.h"

/* Bits of bo_expr.told: branches that were written. */
enum told { TOLD_BRANCH = 1, TOLD_BOUND = 2 };

#define PIECE_BYTES 4096

static UInt defined; /* expressions in this trace file */

/* ---- expressions ---- */

static void write_expression(UInt expr)
{
	struct bo_expr *e = bo_expr_to_tell(expr);
	ULong own = e->kind == BO_EXPR_TABLE ? bo_input_define_table((UInt)e->own) : e->own;
	UInt id = defined + 1;
	UChar *p = bo_layer_begin(BO_OP_DEF_EXPRESSION);

	p = bo_put_v(bo_put_v(bo_put_v(p, e->kind), e->width), own);
	for (UInt i = 0; i < bo_expression_operands(e->kind); i++)
		p = bo_put_v(p, id - bo_expr_at(e->operand[i])->id);
	bo_layer_commit(p);
	e->id = defined = id;
}

/* An operand that has no id yet; 0: all have. */
static UInt missing_operand(UInt expr)
{
	const struct bo_expr *e = bo_expr_at(expr);

	for (UInt i = 0; i < bo_expression_operands(e->kind); i++)
		if (!bo_expr_at(e->operand[i])->id)
			return e->operand[i];
	return 0;
}

/* Operands first.  An expression may be as deep as the run was long, so the way down is kept in an array. */
static UInt define(UInt expr)
{
	static UInt *way, room;
	UInt depth = 0;

	if (bo_expr_at(expr)->id)
		return bo_expr_at(expr)->id;
	for (UInt at = expr;;) {
		UInt operand = missing_operand(at);
		if (operand) {
			if (depth == room) {
				room = 2 * room + 64;
				way = VG_(realloc)("bo.way", way, room * sizeof(*way));
			}
			way[depth++] = at;
			at = operand;
			continue;
		}
		write_expression(at);
		if (!depth)
			return bo_expr_at(expr)->id;
		at = way[--depth];
	}
}

/* ---- events ---- */

static Bool is_told(struct bo_expr *e, enum bo_branch kind)
{
	UChar bit = kind == BO_BRANCH_BOUND ? TOLD_BOUND : TOLD_BRANCH;

	if (e->told & (bit | TOLD_BRANCH))
		return True;
	e->told |= bit;
	return False;
}

static void write_branch(enum bo_branch kind, UInt condition, UInt code, Addr sp, Addr other)
{
	UInt context = bo_context_at(code, sp), expression = define(condition);
	ULong offset = 0;
	UInt module = other ? bo_code_define(bo_code_id(other), &offset) : 0;
	UChar *p = bo_layer_begin(BO_OP_BRANCH);

	p = bo_put_v(bo_put_v(bo_put_v(p, context), kind), expression);
	p = bo_put_v(bo_put_v(bo_put_v(p, bo_expr_value(condition)), module), offset);
	bo_layer_commit(p);
}

/* Programs ask the same of their input in several places: a tokenizer looks at each byte, and then the code that uses it
 * does.  Nothing new is known of the input there, but a search must know what the other side leads to. */
static Bool is_told_again(enum bo_branch kind, UInt code, Bool value)
{
	enum { AGAIN_MOST = 8 };
	static UChar *times; /* of each place and value */
	static UInt room;
	UInt at = 2 * code + value;

	if (kind != BO_BRANCH_CONDITION || bo_code_is_in_c_library(code))
		return False;
	if (at >= room) {
		UInt more = 2 * at + 64;
		times = VG_(realloc)("bo.again", times, more);
		VG_(memset)(times + room, 0, more - room);
		room = more;
	}
	return times[at] < AGAIN_MOST && ++times[at];
}

void bo_tell_branch(enum bo_branch kind, UInt condition, UInt code, Addr sp, Addr other)
{
	Bool is_known, value;

	if (!condition || bo_expr_is_const(condition))
		return;
	while (bo_expr_at(condition)->kind == BO_EXPR_NOT)
		condition = bo_expr_at(condition)->operand[0];
	is_known = is_told(bo_expr_to_tell(condition), kind) || bo_range_decides(condition);
	value = bo_expr_value(condition) != 0;
	if (is_known && !is_told_again(kind, code, value))
		return;
	if (!is_known)
		bo_range_learn(condition, value);
	if (bo_writer_active())
		write_branch(kind, condition, code, sp, other);
}

void bo_tell_value(UInt expr, ULong value)
{
	UInt id;
	UChar *p;

	if (!bo_writer_active())
		return;
	id = define(expr);
	p = bo_put_v(bo_layer_begin(BO_OP_VALUE), id);
	bo_layer_commit(bo_put_v(p, value));
}

void bo_tell_input(UInt context, UInt source, ULong offset, ULong asked, ULong got)
{
	UChar *p;

	if (!bo_writer_active())
		return;
	p = bo_put_v(bo_put_v(bo_layer_begin(BO_OP_INPUT), context), source);
	p = bo_put_v(bo_put_v(bo_put_v(p, offset), asked), got);
	bo_layer_commit(p);
}

/* In pieces, because an event must fit into its chunk. */
void bo_tell_conversation(UInt source, enum bo_conversation what, const void *bytes, SizeT size)
{
	UChar piece[PIECE_BYTES + 32];
	SizeT done = 0, part;

	if (!bo_writer_active())
		return;
	do {
		part = size - done < PIECE_BYTES ? size - done : PIECE_BYTES;
		UChar *p = bo_put_v(bo_put_v(piece, source), what);
		p = bo_put_bytes(p, (const UChar *)bytes + done, part);
		bo_write_layer(BO_OP_CONVERSATION, piece, (SizeT)(p - piece));
		done += part;
	} while (done < size);
}

/* What the C library does is done by its callers. */
void bo_tell_code(Addr start, SizeT size)
{
	UInt code = bo_code_id(start), module;
	ULong offset;
	UChar *p;

	if (!bo_writer_active() || bo_code_is_in_c_library(code))
		return;
	module = bo_code_define(code, &offset);
	p = bo_put_v(bo_put_v(bo_layer_begin(BO_OP_DEF_BLOCK), module), offset);
	bo_layer_commit(bo_put_v(p, size));
}

void bo_tell_redefine(void)
{
	defined = 0;
	for (UInt i = 1; i < bo_expr_end(); i++)
		bo_expr_to_tell(i)->id = 0;
}
