/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr.h - expressions: how values of the target were computed from its input (blackout/expression.h) [--bo-inputs].
 *
 * Expressions have numbers from 1; 0 is none.  Equal expressions have the same number.  Each has the value that it has in
 * this run: input does not change while the target runs, so an expression always has the same one.
 *
 * If there is no room for another one, constructors return 0, and so do those that get a 0 as an operand: whoever makes
 * an expression of several parts need not check each. */
#ifndef BO_EXPR_H
#define BO_EXPR_H

#include "bo.h"

#include "blackout/expression_meaning.h"

/* Any kind.  Folds constants and simplifies, so the result may be of another kind.  `own` and operands that the kind does
 * not have are 0. */
UInt bo_expr_make(enum bo_expression kind, UInt width, ULong own, UInt a, UInt b, UInt c);

UInt bo_expr_const(UInt width, ULong value);
UInt bo_expr_input(UInt source, ULong offset, UChar value); /* 0: it had another value before */
UInt bo_expr_length(UInt source, ULong value);              /* the same */
/* `size` bytes of a table, from the byte number `index` (width 64) on, which are `value`. */
UInt bo_expr_table(UInt table, UInt index, UInt size, ULong value);

UInt bo_expr_width(UInt expr);
ULong bo_expr_value(UInt expr);
Bool bo_expr_is_const(UInt expr);

/* ---- short forms ---- */

static inline UInt bo_expr_1(enum bo_expression kind, UInt a) /* NOT, NEG, CLZ, CTZ, POPCOUNT */
{
	return bo_expr_make(kind, bo_expr_width(a), 0, a, 0, 0);
}

static inline UInt bo_expr_2(enum bo_expression kind, UInt a, UInt b) /* not CONCAT */
{
	return bo_expr_make(kind, kind >= BO_EXPR_EQ ? 1 : bo_expr_width(a), 0, a, b, 0);
}

static inline UInt bo_expr_extract(UInt a, UInt low, UInt width)
{
	return bo_expr_make(BO_EXPR_EXTRACT, width, low, a, 0, 0);
}

static inline UInt bo_expr_zext(UInt a, UInt width)
{
	return bo_expr_make(BO_EXPR_ZEXT, width, 0, a, 0, 0);
}

static inline UInt bo_expr_sext(UInt a, UInt width)
{
	return bo_expr_make(BO_EXPR_SEXT, width, 0, a, 0, 0);
}

static inline UInt bo_expr_concat(UInt high, UInt low)
{
	return bo_expr_make(BO_EXPR_CONCAT, bo_expr_width(high) + bo_expr_width(low), 0, high, low, 0);
}

static inline UInt bo_expr_ite(UInt condition, UInt yes, UInt no)
{
	return bo_expr_make(BO_EXPR_ITE, bo_expr_width(yes), 0, condition, yes, no);
}

/* ---- the graph ---- */

struct bo_expr { /* one expression, for those that look into it */
	UChar kind, width;
	UChar told;                         /* bits of bo_branch.c */
	UInt operand[BO_EXPR_OPERANDS_MAX]; /* 0: none */
	ULong own, value;
	UInt id;                /* in the trace; 0: not defined yet */
	UInt fact;              /* of bo_input_range.c; 0: none */
	UInt made, made_before; /* the newest one that was made from it; the one before that was made from the same */
};

const struct bo_expr *bo_expr_at(UInt expr);
struct bo_expr *bo_expr_to_tell(UInt expr); /* to change `told` and `id` */
UInt bo_expr_end(void);                     /* above all numbers */
ULong bo_expr_refused(void);                /* how often there was no room */
void bo_expr_init(UInt most);               /* numbers are below `most` */

/* ---- bo_expr_simplify.c ---- */

/* Another expression that is always equal, and simpler; 0: none, and *e may have its operands in another order. */
UInt bo_expr_simplify(struct bo_expr *e);

/* ---- bo_expr_ops.c, bo_expr_calls.c: the operations of VEX ---- */

#define BO_LANES_MAX 4

/* A value of the target.  If it has more than 64 bits, it has a lane for each 64, the lowest first.  Its labels may be
 * narrower than it is: the bits above are 0.  Most code widens values only to have them in a register. */
struct bo_value {
	UInt count, width;         /* lanes; bits of each: 1 to 64 */
	UInt label[BO_LANES_MAX];  /* an expression of at most this width; 0: the lane does not depend on input */
	ULong value[BO_LANES_MAX]; /* what it is; the bits above the width are 0 */
};

/* A label as an expression of this width, which is not less than its own. */
static inline UInt bo_label_widen(UInt label, UInt width)
{
	return bo_expr_width(label) == width ? label : bo_expr_zext(label, width);
}

/* The label of some bits of a value that has a label. */
static inline UInt bo_label_part(UInt label, UInt low, UInt width)
{
	UInt own = bo_expr_width(label);

	if (low >= own)
		return 0;
	if (!low && own <= width)
		return label;
	return bo_expr_extract(label, low, width < own - low ? width : own - low);
}

/* A lane as an expression of its width, which is a constant if it has no label. */
static inline UInt bo_value_lane(const struct bo_value *v, UInt lane)
{
	return v->label[lane] ? bo_label_widen(v->label[lane], v->width) : bo_expr_const(v->width, v->value[lane]);
}

/* The following are called if any operand has a label.  `count` and `width` of the result are those that it shall have;
 * the function gives it labels (constants are allowed), and its values are ignored.  False: nothing is known about the
 * result, so it is taken as it is and counted. */
Bool bo_expr_operation(IROp op, const struct bo_value *args, UInt n, struct bo_value *result);

/* Which operations and functions are known; the name of the latter, or NULL after the last one. */
Bool bo_expr_knows(IROp op);
const HChar *bo_expr_call_name(UInt index);

/* Does an operation on one lane only widen it, or cut it to its lowest bits? */
enum bo_resize { BO_RESIZE_NOT, BO_RESIZE_WIDEN, BO_RESIZE_CUT };
enum bo_resize bo_expr_resizes(IROp op);

/* Can the result of a known operation be any value?  VEX computes it only to ignore it.  is_computed: the last operand is
 * no constant of the code. */
Bool bo_expr_is_open(IROp op, const struct bo_value *args, Bool is_computed);

/* The result of a function of VEX that has no side effects, such as amd64g_calculate_condition. */
Bool bo_expr_call(const HChar *name, const struct bo_value *args, UInt n, struct bo_value *result);

/* The result of a function of VEX that reads registers: `registers` are those that it says to read, in its sequence. */
Bool bo_expr_dirty_call(const HChar *name, const struct bo_value *args, UInt n, const struct bo_value *registers,
			UInt m, struct bo_value *result);

#endif
