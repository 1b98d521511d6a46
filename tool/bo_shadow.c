/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_shadow.c - see bo_shadow.h.
 *
 *   from VEX              code added
 *   --------------------  -------------------------------------------------------------------------------
 *   WrTmp                 labels of the new temporary, from those of the operands (bo_shadow_ops.c)
 *   Get, Put, GetI, PutI  the same access to the shadow registers
 *   Load, LoadG           the label of the word; or if it may be PM, or more than one label: bo_shadow_on_load
 *   Store, StoreG, CAS    unless there is no label, neither of what is stored nor of what was there, and no PM:
 *                         bo_shadow_on_store, _wide_store, _cas
 *   Dirty                 all results depend on all that it reads
 *   Exit, end of block    what was decided (bo_control.c); and the registers written since the last one get the label of
 *                         the decisions under way, in one call
 *
 *   entry of malloc etc.  nothing that happens inside depends on anything, and so neither does the result
 *
 * An instruction that saves or restores a register decides nothing about its value, so PUSH, POP, LEAVE, CALL and RET
 * are left out of the last.  So are the dynamic linker, which binds a function when it happens to be called first, and the
 * code behind longjmp and exceptions, which puts back the registers of a frame, and PM libraries (bo_role.h). */
#include "bo.h"

#include "bo_label.h"
#include "bo_role.h"
#include "bo_shadow.h"
#include "bo_shadow_ir.h"
#include "pub_tool_options.h"

/* The state of the block that is being translated. */
static struct {
	Int registers;       /* offset of the shadow registers */
	struct lanes *temps; /* by temporary of the original block */
	UInt room;
	ULong written; /* registers that wait for the label of decisions: WRITTEN_ bits */
	Bool saves;    /* the current instruction only saves or restores */
	Bool links;    /* the block is code that links or unwinds */
	Bool serves;   /* the block is code of a PM library */
	Bool began;    /* its first instruction was seen */
} now;

static ULong lost; /* statements that were not followed */

/* ---- registers that have labels ---- */

/* Bits of the registers that a decision marks: 16 general ones, then four lanes of 12 vector registers each.  The other
 * vector registers are marked at once. */
#define GENERAL_FIRST GUEST(RAX)
#define GENERAL_END (GUEST(R15) + 8)
#define VECTOR_FIRST GUEST(YMM0)
#define VECTOR_END (GUEST(YMM16) + 32)
#define BATCHED_VECTORS 12

/* The stack pointer has none: LEAVE copies it from a frame pointer, and everything on the stack would get its label. */
Bool bo_shadow_has_label(Int offset)
{
	if (offset == OFF_RSP)
		return False;
	return (offset >= GENERAL_FIRST && offset < GENERAL_END) ||
	       (offset >= GUEST(CC_DEP1) && offset < GUEST(CC_NDEP) + 8) ||
	       (offset >= VECTOR_FIRST && offset < VECTOR_END) ||
	       (offset >= GUEST(FPREG) && offset < GUEST(FPREG) + 64) || offset == GUEST(FC3210);
}

static Bool is_flags(Int offset)
{
	return offset >= GUEST(CC_DEP1) && offset < GUEST(CC_NDEP) + 8;
}

/* The shadow registers lie behind the real ones. */
static void on_decided(UChar *state, ULong written, ULong registers)
{
	UChar *shadow = state + registers;

	for (; written; written &= written - 1) {
		UInt bit = (UInt)__builtin_ctzll(written);
		Int offset = bit < 16 ? GENERAL_FIRST + 8 * (Int)bit : VECTOR_FIRST + 8 * (Int)(bit - 16);
		ULong *label = (ULong *)(shadow + offset);
		*label = bo_label_add(*label, bo_control);
	}
}

static IRExpr *control_now(struct block *b)
{
	return load64(b, u64((Addr)&bo_control));
}

/* The registers that were written get the label of the decisions under way. */
static void settle(struct block *b)
{
	IRDirty *d;

	if (!now.written)
		return;
	d = unsafeIRDirty_0_N(0, "on_decided", VG_(fnptr_to_fnentry)(on_decided),
			      mkIRExprVec_3(IRExpr_GSPTR(), u64(now.written), u64((ULong)now.registers)));
	d->guard = is_not_0(b, control_now(b));
	d->nFxState = 1;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Read; /* none of the real ones, but VEX wants to be told something */
	d->fxState[0].offset = (UShort)OFF_RSP;
	d->fxState[0].size = 8;
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
	now.written = 0;
}

static ULong written_bit(Int offset)
{
	if (offset < GENERAL_END)
		return 1ULL << (offset - GENERAL_FIRST) / 8;
	if (offset >= VECTOR_FIRST && offset < VECTOR_FIRST + BATCHED_VECTORS * 32)
		return 1ULL << (16 + (offset - VECTOR_FIRST) / 8);
	return 0;
}

/* The label of what is written to a register, where decisions matter. */
static struct label note_written(struct block *b, Int offset, struct label l)
{
	ULong bit = written_bit(offset);

	if (now.saves || now.links || now.serves || is_flags(offset)) {
		now.written &= ~bit; /* restored: what was there before is gone */
		return l;
	}
	now.written |= bit;
	return bit ? l : label_add(b, l, (struct label){control_now(b), False});
}

/* At most 8 bytes at `offset`, which do not cross a border of 8. */
static struct label register_get(struct block *b, Int offset, UInt size)
{
	Int cell = offset & ~7;
	struct label l;

	if (!bo_shadow_has_label(cell))
		return NO_LABEL;
	l = (struct label){guest_reg(b, now.registers + cell), True};
	return size < 8 ? label_extract(b, l, offset & 7, size) : l;
}

static void register_put(struct block *b, Int offset, UInt size, struct label l)
{
	Int cell = offset & ~7;

	if (!bo_shadow_has_label(cell))
		return;
	l = note_written(b, cell, l);
	if (size < 8)
		l = label_insert(b, register_get(b, cell, 8), l, offset & 7, size);
	addStmtToIRSB(b->out, IRStmt_Put(now.registers + cell, l.e));
}

/* Elements of the x87 stack; tags (bytes) have no labels. */
static IRRegArray *shadow_array(const IRRegArray *array)
{
	if (sizeofIRType(array->elemTy) != 8)
		return NULL;
	return mkIRRegArray(now.registers + array->base, Ity_I64, array->nElems);
}

/* ---- expressions ---- */

static struct lanes lanes_of(struct block *b, const IRExpr *atom)
{
	if (atom->tag == Iex_RdTmp && now.temps[atom->Iex.RdTmp.tmp].count)
		return now.temps[atom->Iex.RdTmp.tmp];
	return lanes_none(typeOfIRExpr(b->out->tyenv, atom));
}

/* Everything that a value depends on, as one set. */
static struct label all_of(struct block *b, const IRExpr *atom)
{
	struct lanes lanes = lanes_of(b, atom);

	return label_of_all(b, &lanes);
}

static struct lanes lanes_of_get(struct block *b, Int offset, IRType type)
{
	struct lanes lanes = lanes_none(type);
	UInt size = (UInt)sizeofIRType(type);

	for (UInt i = 0; i < lanes.count; i++)
		lanes.at[i] = register_get(b, offset + 8 * (Int)i, size < 8 ? size : 8);
	return lanes;
}

static struct lanes lanes_of_array(struct block *b, const IRExpr *e)
{
	IRRegArray *array = shadow_array(e->Iex.GetI.descr);
	IRExpr *get;

	if (!array)
		return lanes_none(e->Iex.GetI.descr->elemTy);
	get = IRExpr_GetI(array, e->Iex.GetI.ix, e->Iex.GetI.bias);
	return lanes_same(Ity_I64, (struct label){assign(b, Ity_I64, get), True});
}

static struct lanes lanes_of_choice(struct block *b, const IRExpr *e)
{
	struct lanes yes = lanes_of(b, e->Iex.ITE.iftrue), no = lanes_of(b, e->Iex.ITE.iffalse);
	struct label decision = label_as_control(b, all_of(b, e->Iex.ITE.cond));

	for (UInt i = 0; i < yes.count; i++)
		yes.at[i] = label_add(b, label_select(b, e->Iex.ITE.cond, yes.at[i], no.at[i]), decision);
	return yes;
}

static struct lanes lanes_of_call(struct block *b, const IRExpr *e)
{
	struct label all = NO_LABEL;

	for (IRExpr **arg = e->Iex.CCall.args; *arg; arg++)
		if (!is_IRExpr_VECRET_or_GSPTR(*arg))
			all = label_union(b, all, all_of(b, *arg));
	return lanes_same(e->Iex.CCall.retty, all);
}

static struct lanes lanes_of_op(struct block *b, IRType type, IROp op, UInt count, IRExpr *const *args)
{
	struct lanes operands[4];

	for (UInt i = 0; i < count; i++)
		operands[i] = lanes_of(b, args[i]);
	return lanes_of_operation(b, type, op, args, operands, count);
}

static struct lanes lanes_of_expression(struct block *b, IRType type, IRExpr *e)
{
	switch (e->tag) {
	case Iex_Get: return lanes_of_get(b, e->Iex.Get.offset, type);
	case Iex_GetI: return lanes_of_array(b, e);
	case Iex_RdTmp:
	case Iex_Const: return lanes_of(b, e);
	case Iex_Unop: return lanes_of_op(b, type, e->Iex.Unop.op, 1, &e->Iex.Unop.arg);
	case Iex_Binop: {
		IRExpr *args[] = {e->Iex.Binop.arg1, e->Iex.Binop.arg2};
		return lanes_of_op(b, type, e->Iex.Binop.op, 2, args);
	}
	case Iex_Triop: {
		const IRTriop *t = e->Iex.Triop.details;
		IRExpr *args[] = {t->arg1, t->arg2, t->arg3};
		return lanes_of_op(b, type, t->op, 3, args);
	}
	case Iex_Qop: {
		const IRQop *q = e->Iex.Qop.details;
		IRExpr *args[] = {q->arg1, q->arg2, q->arg3, q->arg4};
		return lanes_of_op(b, type, q->op, 4, args);
	}
	case Iex_ITE: return lanes_of_choice(b, e);
	case Iex_CCall: return lanes_of_call(b, e);
	default: lost++; return lanes_none(type);
	}
}

/* ---- memory ---- */

/* What an access depends on besides the value: its address, and its guard. */
static struct label reason_of(struct block *b, IRExpr *addr, IRExpr *guard)
{
	struct label reason = all_of(b, addr);

	if (now.links)
		return NO_LABEL; /* wherever a register was saved, its value is what it was */
	if (guard)
		reason = label_union(b, reason, label_as_control(b, all_of(b, guard)));
	return reason;
}

static IRExpr *and_guard(struct block *b, IRExpr *condition, IRExpr *guard)
{
	return guard ? binop(b, Ity_I1, Iop_And1, condition, guard) : condition;
}

/* Of two labels, or other numbers of which none is a constant but 0. */
static IRExpr *either(struct block *b, IRExpr *x, IRExpr *y)
{
	return x->tag == Iex_Const ? y : y->tag == Iex_Const ? x : binop(b, Ity_I64, Iop_Or64, x, y);
}

static IRExpr *and64(struct block *b, IRExpr *x, ULong y)
{
	return binop(b, Ity_I64, Iop_And64, x, u64(y));
}

static IRExpr *shift(struct block *b, IROp op, IRExpr *x, UInt bits)
{
	return binop(b, Ity_I64, op, x, IRExpr_Const(IRConst_U8((UChar)bits)));
}

/* The address of an element of 8 bytes.  VEX knows this form, and makes it part of an instruction. */
static IRExpr *element(struct block *b, IRExpr *table, IRExpr *index)
{
	return binop(b, Ity_I64, Iop_Add64, table, shift(b, Iop_Shl64, index, 3));
}

/* The word that an access of 1, 2, 4 or 8 bytes is to. */
struct word {
	IRExpr *label;
	IRExpr *obstacle; /* not 0: it may be PM, or the access is to two words */
};

static struct word word_at(struct block *b, IRExpr *addr, UInt size, IRExpr *guard)
{
	IRExpr *granule, *table, *word;

	if (guard)
		addr = assign(b, Ity_I64, IRExpr_ITE(guard, addr, u64(0)));
	granule = shift(b, Iop_Shr64, addr, BO_GRANULE_SHIFT);
	table = load64(b, element(b, u64((Addr)bo_shadow_tables), granule));
	word = and64(b, shift(b, Iop_Shr64, addr, 3), (1ULL << (BO_GRANULE_SHIFT - 3)) - 1);
	return (struct word){
		.label = load64(b, add(b, element(b, table, word), (Addr)bo_shadow_none)),
		.obstacle = size == 1 ? and64(b, table, BO_SHADOW_PM)
				      : and64(b, binop(b, Ity_I64, Iop_Or64, table, addr), size - 1),
	};
}

static Bool is_in_words(UInt size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static IRExpr *call_on_load(struct block *b, IRExpr *addr, UInt size, struct label reason, IRExpr *called,
			    IRExpr *otherwise)
{
	IRExpr **args = mkIRExprVec_4(addr, site(b, size, 0), guest_reg(b, OFF_RSP), reason.e);

	return label_call(b, "bo_shadow_on_load", bo_shadow_on_load, args, called, otherwise);
}

/* Most loads find a label or have a reason, but not both; so most of them need no call. */
static struct label label_of_word(struct block *b, IRExpr *addr, UInt size, struct label reason, IRExpr *guard)
{
	struct word w = word_at(b, addr, size, guard);
	IRExpr *obstacle = w.obstacle, *called;

	if (!label_is_none(reason)) {
		IRExpr *has_label = assign(b, Ity_I64, IRExpr_Unop(Iop_CmpwNEZ64, w.label));
		obstacle = either(b, obstacle, binop(b, Ity_I64, Iop_And64, has_label, reason.e));
	}
	if (size < 8)
		obstacle = either(b, obstacle, and64(b, w.label, BO_LABEL_MIX));
	called = and_guard(b, is_not_0(b, obstacle), guard);
	return (struct label){call_on_load(b, addr, size, reason, called, either(b, w.label, reason.e)), size > 1};
}

/* The labels of `size` bytes that were loaded; of other sizes than 1 to 8, 16 and 32, one for all. */
static struct lanes lanes_of_load(struct block *b, IRExpr *addr, UInt size, IRExpr *guard)
{
	struct label reason = reason_of(b, addr, guard);
	struct lanes lanes = {.count = size == 16 ? 2 : size == 32 ? 4 : 1};
	IRExpr *mark, *called;

	b->has_loaded = True;
	if (is_in_words(size)) {
		lanes.at[0] = label_of_word(b, addr, size, reason, guard);
		return lanes;
	}
	mark = granule_mark(b, addr, guard);
	called = and_guard(b, binop(b, Ity_I1, Iop_CmpNE8, mark, IRExpr_Const(IRConst_U8(0))), guard);
	lanes.at[0] = (struct label){call_on_load(b, addr, size, reason, called, reason.e), True};
	for (UInt i = 1; i < lanes.count; i++) {
		IRExpr *lane = load64(b, u64((Addr)&bo_shadow_lanes[i]));
		lanes.at[i].e = assign(b, Ity_I64, IRExpr_ITE(called, lane, reason.e));
		lanes.at[i].mix = True;
	}
	return lanes;
}

/* Not 0: an access may be to PM, or to memory that has labels. */
static IRExpr *may_find_label(struct block *b, IRExpr *addr, UInt size, IRExpr *guard)
{
	struct word w;

	if (!is_in_words(size))
		return assign(b, Ity_I64, IRExpr_Unop(Iop_8Uto64, granule_mark(b, addr, guard)));
	w = word_at(b, addr, size, guard);
	return either(b, w.label, w.obstacle);
}

static void store_labels(struct block *b, IRExpr *addr, UInt size, const struct lanes *value, IRExpr *guard, UInt kind)
{
	struct label reason = reason_of(b, addr, guard);
	Bool saves = now.saves || now.links || now.serves;
	IRExpr *where = site(b, size, kind | (saves ? BO_SHADOW_SAVES : 0)), *sp = guest_reg(b, OFF_RSP);
	IRExpr *any, *called;

	any = either(b, may_find_label(b, addr, size, guard), reason.e);
	for (UInt i = 0; i < value->count; i++)
		any = either(b, any, value->at[i].e);
	if (!saves)
		any = either(b, any, control_now(b));
	called = and_guard(b, is_not_0(b, any), guard);
	if (value->count == 1) {
		IRExpr **args = mkIRExprVec_5(addr, where, sp, value->at[0].e, reason.e);
		call(b, 0, "bo_shadow_on_store", bo_shadow_on_store, args, called);
		return;
	}
	for (UInt i = 0; i < value->count; i++)
		store64(b, u64((Addr)&bo_shadow_lanes[i]), value->at[i].e);
	call(b, 0, "bo_shadow_on_wide_store", bo_shadow_on_wide_store, mkIRExprVec_4(addr, where, sp, reason.e),
	     called);
}

void bo_shadow_store(struct block *b, IRExpr *addr, IRExpr *data, IRExpr *guard, UInt kind)
{
	struct lanes value = lanes_of(b, data);

	store_labels(b, addr, size_of(b, data), &value, guard, kind);
}

/* If the guard is false, the temporary is the alternative. */
void bo_shadow_guarded_load(struct block *b, const IRLoadG *lg)
{
	struct label decision = label_as_control(b, all_of(b, lg->guard));
	struct lanes loaded, alternative = lanes_of(b, lg->alt);
	IRType from, to;

	typeOfIRLoadGOp(lg->cvt, &to, &from);
	loaded = lanes_of_load(b, lg->addr, (UInt)sizeofIRType(from), lg->guard);
	for (UInt i = 0; i < loaded.count; i++) {
		struct label l = label_select(b, lg->guard, loaded.at[i], alternative.at[i]);
		loaded.at[i] = label_add(b, l, decision);
	}
	now.temps[lg->dst] = loaded;
}

/* LOCK ADD and the like loaded the value before, and only try again if it changed.  Only CMPXCHG makes a decision. */
void bo_shadow_cas(struct block *b, const IRCAS *cas, UInt size, IRExpr *stored)
{
	struct label value = all_of(b, cas->dataLo), address, old = all_of(b, cas->expdLo);
	Bool is_double = cas->oldHi != IRTemp_INVALID;

	if (is_double) {
		value = label_union(b, value, all_of(b, cas->dataHi));
		old = label_union(b, old, all_of(b, cas->expdHi));
	}
	address = reason_of(b, cas->addr, NULL);
	if (!b->has_loaded) {
		struct lanes loaded = lanes_of_load(b, cas->addr, size, NULL);
		struct label expected = old;
		old = label_of_all(b, &loaded);
		address = label_union(b, address, label_as_control(b, label_union(b, old, expected)));
	}
	now.temps[cas->oldLo] = lanes_same(Ity_I64, old);
	if (is_double)
		now.temps[cas->oldHi] = lanes_same(Ity_I64, old);
	call(b, 0, "bo_shadow_on_cas", bo_shadow_on_cas,
	     mkIRExprVec_6(cas->addr, site(b, size, 0), guest_reg(b, OFF_RSP), stored, value.e, address.e), NULL);
}

/* ---- dirty calls ---- */

typedef struct label cell_visitor(struct block *b, const IRDirty *d, Int cell, struct label l);

static struct label read_cell(struct block *b, const IRDirty *d, Int cell, struct label l)
{
	return label_union(b, l, register_get(b, cell, 8));
}

static struct label write_cell(struct block *b, const IRDirty *d, Int cell, struct label l)
{
	struct label old = register_get(b, cell, 8);

	register_put(b, cell, 8, d->guard->tag == Iex_Const ? l : label_select(b, d->guard, l, old));
	return l;
}

/* Visit all registers that the call reads, or all that it writes. */
static struct label visit_cells(struct block *b, const IRDirty *d, IREffect effect, cell_visitor *visit, struct label l)
{
	for (Int i = 0; i < d->nFxState; i++) {
		Int repeats = d->fxState[i].nRepeats, distance = d->fxState[i].repeatLen;
		if (d->fxState[i].fx != effect && d->fxState[i].fx != Ifx_Modify)
			continue;
		for (Int k = 0; k <= repeats; k++) {
			Int first = d->fxState[i].offset + k * distance, end = first + d->fxState[i].size;
			for (Int cell = first & ~7; cell < end; cell += 8)
				if (bo_shadow_has_label(cell))
					l = visit(b, d, cell, l);
		}
	}
	return l;
}

static struct label label_of_inputs(struct block *b, const IRDirty *d)
{
	struct label all = label_as_control(b, all_of(b, d->guard));

	for (IRExpr **arg = d->args; *arg; arg++)
		if (!is_IRExpr_VECRET_or_GSPTR(*arg))
			all = label_union(b, all, all_of(b, *arg));
	all = visit_cells(b, d, Ifx_Read, read_cell, all);
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify) {
		struct lanes loaded = lanes_of_load(b, d->mAddr, (UInt)d->mSize, d->guard);
		all = label_union(b, all, label_of_all(b, &loaded));
	}
	return all;
}

void bo_shadow_dirty(struct block *b, const IRDirty *d)
{
	struct label all = label_of_inputs(b, d);

	if (d->tmp != IRTemp_INVALID)
		now.temps[d->tmp] = lanes_same(typeOfIRTemp(b->out->tyenv, d->tmp), all);
	visit_cells(b, d, Ifx_Write, write_cell, all);
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify) {
		struct lanes value = {1, {all}};
		store_labels(b, d->mAddr, (UInt)d->mSize, &value, d->guard, BO_STORE_PLAIN);
	}
}

/* ---- statements ---- */

static void put_lanes(struct block *b, Int offset, const IRExpr *data)
{
	struct lanes lanes = lanes_of(b, data);
	UInt size = size_of(b, data);

	for (UInt i = 0; i < lanes.count; i++)
		register_put(b, offset + 8 * (Int)i, size < 8 ? size : 8, lanes.at[i]);
}

static void put_in_array(struct block *b, const IRPutI *p)
{
	IRRegArray *array = shadow_array(p->descr);
	struct label l;

	if (!array)
		return;
	l = note_written(b, array->base - now.registers, lanes_of(b, p->data).at[0]);
	addStmtToIRSB(b->out, IRStmt_PutI(mkIRPutI(array, p->ix, p->bias, l.e)));
}

static void label_temporary(struct block *b, const IRStmt *st)
{
	IRTemp t = st->Ist.WrTmp.tmp;
	IRExpr *e = st->Ist.WrTmp.data;
	IRType type = typeOfIRTemp(b->out->tyenv, t);

	if (e->tag == Iex_Load)
		now.temps[t] = lanes_of_load(b, e->Iex.Load.addr, (UInt)sizeofIRType(type), NULL);
	else
		now.temps[t] = lanes_of_expression(b, type, e);
}

void bo_shadow_stmt(struct block *b, const IRStmt *st)
{
	switch (st->tag) {
	case Ist_Put: put_lanes(b, st->Ist.Put.offset, st->Ist.Put.data); break;
	case Ist_PutI: put_in_array(b, st->Ist.PutI.details); break;
	case Ist_WrTmp: label_temporary(b, st); break;
	case Ist_LLSC: lost++; break; /* not on this processor */
	default: break;
	}
}

void bo_shadow_exit(struct block *b, const IRStmt *st)
{
	settle(b);
	if (st->Ist.Exit.jk == Ijk_Boring && !now.links)
		bo_control_add_branch(b->out, b->insn, all_of(b, st->Ist.Exit.guard).e);
}

void bo_shadow_end(struct block *b)
{
	settle(b);
	bo_control_add_end(b->out, b->insn, now.links ? NULL : all_of(b, b->out->next).e);
}

/* ---- instructions and blocks ---- */

static Bool saves_or_restores(const struct x86_parts *p)
{
	if (p->map != 0)
		return False;
	return (p->opcode >= 0x50 && p->opcode <= 0x5f) ||                    /* PUSH, POP of a register */
	       p->opcode == 0xe8 || p->opcode == 0xc2 || p->opcode == 0xc3 || /* CALL, RET */
	       p->opcode == 0xc9 ||                                           /* LEAVE */
	       (p->opcode == 0x89 && *p->modrm == 0xe5) ||                    /* MOV %rsp, %rbp */
	       (p->opcode == 0xff && x86_extension(p) == 2);                  /* CALL, indirect */
}

static VG_REGPARM(1) void on_own_work(Addr sp)
{
	bo_control_push_barrier(sp, True);
}

/* A function begins whose work is none of the program's.  Arguments in registers are without labels.  The barrier ends
 * with the function's frame. */
static void enter_own_work(struct block *b)
{
	static const Int arguments[] = {GUEST(RDI), GUEST(RSI), GUEST(RDX), GUEST(RCX), GUEST(R8), GUEST(R9)};

	for (UInt i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		addStmtToIRSB(b->out, IRStmt_Put(now.registers + arguments[i], u64(0)));
	for (Int offset = GUEST(YMM0); offset < GUEST(YMM8); offset += 8)
		addStmtToIRSB(b->out, IRStmt_Put(now.registers + offset, u64(0)));
	call(b, 1, "on_own_work", on_own_work, mkIRExprVec_1(guest_reg(b, OFF_RSP)), NULL);
}

void bo_shadow_insn(struct block *b)
{
	struct x86_parts p = x86_parts_read((const UChar *)b->insn);

	now.saves = saves_or_restores(&p);
	if (now.began)
		return;
	now.began = True;
	bo_control_add_join(b->out, b->insn);
	if (bo_role_allocates(b->insn) || bo_role_prints(b->insn))
		enter_own_work(b);
}

/* The number of instructions before the first join that is not the start of the block; 0: there is none. */
static UInt length_to_join(const IRSB *in)
{
	UInt length = 0;

	for (Int i = 0; i < in->stmts_used; i++)
		if (in->stmts[i]->tag == Ist_IMark && length++ && bo_control_is_join(in->stmts[i]->Ist.IMark.addr))
			return length - 1;
	return 0;
}

static void on_cut(ULong length)
{
	vex_control.guest_max_insns = (Int)length;
}

/* What VEX moved across a join would not get the label of the decision that ends there.  So this translation only says
 * that the next one shall end before the join, and removes itself. */
static void translate_again(struct block *b, Addr start, UInt length)
{
	call(b, 0, "on_cut", on_cut, mkIRExprVec_1(u64(length)), NULL);
	addStmtToIRSB(b->out, IRStmt_Put(GUEST(CMSTART), u64(start)));
	addStmtToIRSB(b->out, IRStmt_Put(GUEST(CMLEN), u64(1)));
	b->out->next = u64(start);
	b->out->jumpkind = Ijk_InvalICache;
}

static Addr first_insn(const IRSB *in)
{
	for (Int i = 0; i < in->stmts_used; i++)
		if (in->stmts[i]->tag == Ist_IMark)
			return in->stmts[i]->Ist.IMark.addr;
	return 0;
}

Bool bo_shadow_begin(struct block *b, const IRSB *in, const VexGuestLayout *layout)
{
	UInt count = (UInt)in->tyenv->types_used, length = length_to_join(in);
	Addr start = first_insn(in);

	vex_control.guest_max_insns = VG_(clo_vex_control).guest_max_insns;
	if (length) {
		translate_again(b, start, length);
		return False;
	}
	if (count > now.room) {
		now.room = 2 * count;
		now.temps = VG_(realloc)("bo.shadow", now.temps, now.room * sizeof(*now.temps));
	}
	VG_(memset)(now.temps, 0, count * sizeof(*now.temps));
	now.registers = layout->total_sizeB;
	now.written = 0;
	now.links = bo_role_restores(start);
	now.serves = bo_role_serves(start);
	now.began = False;
	return True;
}

void bo_shadow_describe(HChar *text)
{
	VG_(sprintf)(text, "lost=%llu", lost);
}

/* Blocks without jumps inside: each branch is then seen as it is in the program, and so is each join. */
void bo_shadow_init(void)
{
	VG_(clo_vex_control).guest_chase = False;
	VG_(clo_vex_control).iropt_unroll_thresh = 0;
}
