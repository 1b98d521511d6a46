/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_shadow_ir.c - see bo_shadow_ir.h. */
#include "bo.h"

#include "bo_label.h"
#include "bo_shadow_ir.h"

/* ---- what the target's code calls ---- */

static ULong on_flatten(ULong label)
{
	return bo_label_flatten(label);
}

static ULong on_union(ULong x, ULong y)
{
	return bo_label_union(x, y);
}

static ULong on_as_control(ULong label)
{
	return bo_label_as_control(label);
}

static ULong on_add(ULong label, ULong set)
{
	return bo_label_add(label, set);
}

static ULong on_extract(ULong label, ULong from, ULong size)
{
	ULong bytes[8];

	bo_label_bytes(label, bytes);
	return bo_label_of_bytes(bytes + from, (UInt)size);
}

static ULong on_insert(ULong into, ULong label, ULong at, ULong size)
{
	ULong bytes[8];

	bo_label_bytes(into, bytes);
	for (UInt i = 0; i < size; i++)
		bytes[at + i] = bo_label_byte(label, i);
	return bo_label_of_bytes(bytes, 8);
}

static ULong on_concat(ULong high, ULong low, ULong size)
{
	ULong bytes[8];

	for (UInt i = 0; i < size; i++) {
		bytes[i] = bo_label_byte(low, i);
		bytes[size + i] = bo_label_byte(high, i);
	}
	return bo_label_of_bytes(bytes, 2 * (UInt)size);
}

/* ---- labels ---- */

Bool label_is_none(struct label l)
{
	return l.e->tag == Iex_Const;
}

IRExpr *is_not_0(struct block *b, IRExpr *label)
{
	return assign(b, Ity_I1, IRExpr_Unop(Iop_CmpNEZ64, label));
}

static IRExpr *is_mix(struct block *b, IRExpr *label)
{
	return binop(b, Ity_I1, Iop_CmpLT64S, label, u64(0));
}

static IRExpr *or64(struct block *b, IRExpr *x, IRExpr *y)
{
	return binop(b, Ity_I64, Iop_Or64, x, y);
}

IRExpr *label_call(struct block *b, const HChar *name, void *function, IRExpr **args, IRExpr *guard, IRExpr *otherwise)
{
	IRTemp t = newIRTemp(b->out->tyenv, Ity_I64);
	IRDirty *d = unsafeIRDirty_1_N(t, 0, name, VG_(fnptr_to_fnentry)(function), args);

	d->guard = guard;
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
	return assign(b, Ity_I64, IRExpr_ITE(guard, IRExpr_RdTmp(t), otherwise));
}

struct label label_flatten(struct block *b, struct label l)
{
	if (label_is_none(l) || !l.mix)
		return l;
	return (struct label){
		label_call(b, "on_flatten", on_flatten, mkIRExprVec_1(l.e), is_mix(b, l.e), l.e),
		False,
	};
}

struct label label_union(struct block *b, struct label x, struct label y)
{
	IRExpr *either, *both, **args = mkIRExprVec_2(x.e, y.e);

	if (label_is_none(x) || eqIRAtom(x.e, y.e))
		return label_flatten(b, y);
	if (label_is_none(y))
		return label_flatten(b, x);
	either = or64(b, x.e, y.e);
	both = assign(b, Ity_I64, IRExpr_Unop(Iop_CmpwNEZ64, x.e));
	both = binop(b, Ity_I64, Iop_And64, both, y.e);
	if (x.mix || y.mix)
		both = or64(b, both, binop(b, Ity_I64, Iop_And64, either, u64(BO_LABEL_MIX)));
	return (struct label){label_call(b, "on_union", on_union, args, is_not_0(b, both), either), False};
}

struct label label_of_all(struct block *b, const struct lanes *lanes)
{
	struct label all = label_flatten(b, lanes->at[0]);

	for (UInt i = 1; i < lanes->count; i++)
		all = label_union(b, all, lanes->at[i]);
	return all;
}

struct label label_as_control(struct block *b, struct label l)
{
	if (label_is_none(l))
		return l;
	return (struct label){
		label_call(b, "on_as_control", on_as_control, mkIRExprVec_1(l.e), is_not_0(b, l.e), u64(0)),
		False,
	};
}

struct label label_add(struct block *b, struct label l, struct label set)
{
	if (!l.mix)
		return label_union(b, l, set);
	if (label_is_none(set))
		return l;
	return (struct label){
		label_call(b, "on_add", on_add, mkIRExprVec_2(l.e, set.e), is_not_0(b, set.e), l.e),
		True,
	};
}

struct label label_select(struct block *b, IRExpr *condition, struct label yes, struct label no)
{
	if (eqIRAtom(yes.e, no.e))
		return yes;
	return (struct label){assign(b, Ity_I64, IRExpr_ITE(condition, yes.e, no.e)), yes.mix || no.mix};
}

struct label label_extract(struct block *b, struct label l, UInt from, UInt bytes)
{
	if (label_is_none(l) || !l.mix)
		return l;
	return (struct label){
		label_call(b, "on_extract", on_extract, mkIRExprVec_3(l.e, u64(from), u64(bytes)), is_mix(b, l.e), l.e),
		bytes > 1,
	};
}

struct label label_insert(struct block *b, struct label into, struct label l, UInt at, UInt bytes)
{
	IRExpr **args = mkIRExprVec_4(into.e, l.e, u64(at), u64(bytes));

	if (label_is_none(into) && label_is_none(l))
		return l;
	return (struct label){
		label_call(b, "on_insert", on_insert, args, is_not_0(b, or64(b, into.e, l.e)), u64(0)),
		True,
	};
}

struct label label_concat(struct block *b, struct label high, struct label low, UInt bytes)
{
	IRExpr **args = mkIRExprVec_3(high.e, low.e, u64(bytes));

	if (label_is_none(high) && label_is_none(low))
		return low;
	return (struct label){
		label_call(b, "on_concat", on_concat, args, is_not_0(b, or64(b, high.e, low.e)), u64(0)),
		True,
	};
}

/* ---- lanes ---- */

static UInt lane_count(IRType type)
{
	UInt size = type == Ity_I1 ? 1 : (UInt)sizeofIRType(type);

	tl_assert(size <= 8 * LANES_MAX);
	return size > 8 ? size / 8 : 1;
}

struct lanes lanes_same(IRType type, struct label l)
{
	struct lanes lanes = {.count = lane_count(type)};

	for (UInt i = 0; i < lanes.count; i++)
		lanes.at[i] = l;
	return lanes;
}

struct lanes lanes_none(IRType type)
{
	return lanes_same(type, NO_LABEL);
}
