/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_block.c - the steps of a superblock (bo_steps.h), and the code that notes values and labels in sight.
 *
 *   from VEX               code added
 *   ---------------------  -----------------------------------------------------------------------------
 *   first use of a register  its label is in sight, if it has one
 *   Load, Store, CAS       labels near the address are in sight (bo_input_memory.c): one look into a table
 *   operations             values of operands into slots, unless there is only one: then that is what has the label
 *   Exit, end of block     if any label is in sight: bo_steps_run
 *
 * What cannot depend on input, such as the stack pointer, has no steps at all. */
#include "bo_input.h"

#include "bo_ir.h"
#include "bo_shadow.h"
#include "bo_steps.h"
#include "pub_tool_hashtable.h"

struct temporary {
	Int label; /* as in struct atom */
	Int value;
	UInt bits; /* so many of the lowest ones may be 1; 0: all that it has */
};

/* The block that is being translated. */
static struct {
	struct steps *block;
	struct step *steps;
	struct atom *atoms;
	ULong *constants;
	struct temporary *temps; /* by temporary of the original block */
	UInt step_count, atom_count, constant_count, temp_count;
	UInt step_room, atom_room, constant_room, temp_room;
	UInt labels, slots;
	UInt called; /* steps for which there is a call */
	UInt open;   /* the first step whose exit may not know yet where the block goes on */
	UInt code;   /* the current instruction */
	IRExpr *in_sight;
	ULong seen[(SLOTS_NEAR + 63) / 64]; /* registers whose labels are part of that */
	Int registers, near;                /* offsets of the shadow registers, and of the slots */
} now;

/* ---- growing arrays ---- */

static void *make_room(void *array, UInt count, UInt *room, SizeT size)
{
	if (count < *room)
		return array;
	*room = 2 * count + 64;
	return VG_(realloc)("bo.steps", array, *room * size);
}

static void add_atom(struct atom a)
{
	now.atoms = make_room(now.atoms, now.atom_count, &now.atom_room, sizeof(a));
	now.atoms[now.atom_count++] = a;
	now.steps[now.step_count - 1].atoms++;
}

static struct step *add_step(enum step_kind kind, UInt size, UInt where)
{
	now.steps = make_room(now.steps, now.step_count, &now.step_room, sizeof(*now.steps));
	now.steps[now.step_count] = (struct step){
		.kind = (UChar)kind,
		.size = (UShort)size,
		.first = now.atom_count,
		.where = where,
		.code = now.code,
	};
	return &now.steps[now.step_count++];
}

static Int add_constant(ULong value)
{
	now.constants = make_room(now.constants, now.constant_count, &now.constant_room, sizeof(value));
	now.constants[now.constant_count] = value;
	return ~(Int)now.constant_count++;
}

/* ---- atoms ---- */

static struct atom atom_of_type(IRType type)
{
	UInt size = type == Ity_I1 ? 1 : (UInt)sizeofIRType(type);
	UInt lanes = size > 8 ? size / 8 : 1;

	return (struct atom){-1, NO_VALUE, (UChar)lanes, (UChar)(type == Ity_I1 ? 1 : size > 8 ? 64 : 8 * size)};
}

/* A constant of a vector has a bit for each byte, which is 0 or 0xff. */
static ULong spread(UInt bits)
{
	ULong value = 0;

	for (UInt i = 0; i < 8; i++)
		if (bits & 1u << i)
			value |= 0xffULL << 8 * i;
	return value;
}

static Int value_of_constant(const IRConst *c, UInt lanes)
{
	Int first = NO_VALUE;
	ULong bits = c->tag == Ico_V256 ? c->Ico.V256 : c->Ico.V128;

	switch (c->tag) {
	case Ico_U1: return add_constant(c->Ico.U1);
	case Ico_U8: return add_constant(c->Ico.U8);
	case Ico_U16: return add_constant(c->Ico.U16);
	case Ico_F32i:
	case Ico_F32:
	case Ico_U32: return add_constant(c->Ico.U32);
	case Ico_F64i:
	case Ico_F64:
	case Ico_U64: return add_constant(c->Ico.U64);
	default: break;
	}
	for (UInt i = 0; i < lanes; i++) {
		Int value = add_constant(spread((UInt)(bits >> 8 * i) & 0xff));
		first = i ? first : value;
	}
	return first;
}

static Bool may_have_label(const IRExpr *atom)
{
	return atom->tag == Iex_RdTmp && now.temps[atom->Iex.RdTmp.tmp].label >= 0;
}

/* The atom without its value, unless that is known anyway. */
static struct atom atom_of(const struct block *b, const IRExpr *e)
{
	struct atom a = atom_of_type(typeOfIRExpr(b->out->tyenv, e));

	if (e->tag == Iex_RdTmp) {
		a.label = now.temps[e->Iex.RdTmp.tmp].label;
		a.value = now.temps[e->Iex.RdTmp.tmp].value;
	} else {
		a.value = value_of_constant(e->Iex.Const.con, a.count);
	}
	return a;
}

/* The words of one value are all near, or none is. */
static Int new_slot(UInt words)
{
	Int slot;

	if (now.slots < SLOTS_NEAR && now.slots + words > SLOTS_NEAR)
		now.slots = SLOTS_NEAR;
	if (now.slots + words > SLOTS_NEAR + SLOTS_MORE)
		return NO_VALUE;
	slot = (Int)now.slots;
	now.slots += words;
	return slot;
}

static void note_word(struct block *b, Int slot, IRExpr *value)
{
	if (slot < (Int)SLOTS_NEAR)
		addStmtToIRSB(b->out, IRStmt_Put(now.near + 8 * slot, value));
	else
		store64(b, u64((Addr)&bo_slots_more[slot - (Int)SLOTS_NEAR]), value);
}

/* Code that puts a value into a new slot. */
static Int note_value(struct block *b, IRExpr *e)
{
	IRType type = typeOfIRExpr(b->out->tyenv, e);
	Int slot = new_slot(atom_of_type(type).count);

	if (slot == NO_VALUE)
		return slot;
	switch (type) {
	case Ity_I1: note_word(b, slot, assign(b, Ity_I8, IRExpr_Unop(Iop_1Uto8, e))); break;
	case Ity_I128:
		note_word(b, slot, assign(b, Ity_I64, IRExpr_Unop(Iop_128to64, e)));
		note_word(b, slot + 1, assign(b, Ity_I64, IRExpr_Unop(Iop_128HIto64, e)));
		break;
	case Ity_I8:
	case Ity_I16:
	case Ity_I32:
	case Ity_I64:
	case Ity_F32:
	case Ity_F64:
	case Ity_V128:
	case Ity_V256: note_word(b, slot, e); break;
	default: return NO_VALUE;
	}
	return slot;
}

static struct atom atom_with_value(struct block *b, IRExpr *e)
{
	if (e->tag == Iex_RdTmp && now.temps[e->Iex.RdTmp.tmp].value == NO_VALUE)
		now.temps[e->Iex.RdTmp.tmp].value = note_value(b, e);
	return atom_of(b, e);
}

/* The result of a step, which may have a label from now on. */
static void add_result(struct block *b, IRTemp t, Bool with_value)
{
	struct atom a = atom_of_type(typeOfIRTemp(b->out->tyenv, t));

	now.temps[t].label = (Int)now.labels;
	now.labels += a.count;
	if (with_value)
		now.temps[t].value = note_value(b, IRExpr_RdTmp(t));
	add_atom(atom_of(b, IRExpr_RdTmp(t)));
}

/* ---- labels in sight ---- */

static void add_to_sight(struct block *b, IRExpr *label)
{
	now.in_sight = now.in_sight ? binop(b, Ity_I64, Iop_Or64, now.in_sight, label) : label;
}

static void see_register(struct block *b, Int cell)
{
	ULong *set = &now.seen[cell / 8 / 64], bit = 1ULL << cell / 8 % 64;

	if (*set & bit)
		return;
	*set |= bit;
	add_to_sight(b, guest_reg(b, now.registers + cell));
}

/* Accesses of more than 32 bytes are rare, and are always looked at. */
static void see_memory(struct block *b, IRExpr *addr, UInt size, IRExpr *guard)
{
	IRExpr *offset, *mark;

	if (size > BO_MARK_REACH) {
		add_to_sight(b, u64(1));
		return;
	}
	if (guard)
		addr = assign(b, Ity_I64, IRExpr_ITE(guard, addr, u64(0)));
	offset = binop(b, Ity_I64, Iop_Shr64, addr, IRExpr_Const(IRConst_U8(BO_MARK_SHIFT - 2)));
	offset = binop(b, Ity_I64, Iop_And64, offset, u64((BO_MARKS - 1) * sizeof(UInt)));
	mark = assign(b, Ity_I32, IRExpr_Load(Iend_LE, Ity_I32, add(b, offset, (Addr)bo_marks)));
	add_to_sight(b, assign(b, Ity_I64, IRExpr_Unop(Iop_32Uto64, mark)));
}

/* ---- registers ---- */

/* Unlike dependencies, input can choose the operation that set the flags: a shift by 0 sets none. */
static Bool register_has_label(Int cell)
{
	return bo_shadow_has_label(cell) || cell == GUEST(CC_OP);
}

static void add_get(struct block *b, IRTemp t, Int offset)
{
	UInt size = (UInt)sizeofIRType(typeOfIRTemp(b->out->tyenv, t));

	if (!register_has_label(offset & ~7))
		return;
	for (UInt done = 0; done < size; done += 8)
		see_register(b, (offset & ~7) + (Int)done);
	add_step(STEP_GET, size, (UInt)offset);
	add_result(b, t, True);
}

/* A value that is not followed any further. */
static void add_lost(struct block *b, const HChar *name, IRExpr *value)
{
	struct step *step;

	if (!may_have_label(value))
		return;
	step = add_step(STEP_DIRTY, 0, 1);
	step->name = name;
	add_atom(NO_ATOM);
	add_atom(NO_ATOM);
	add_atom(atom_of(b, value));
}

static void add_put(struct block *b, Int offset, IRExpr *data)
{
	UInt size = size_of(b, data);
	Int cell = offset & ~7;

	if (!register_has_label(cell)) {
		add_lost(b, "a register without labels", data);
		return;
	}
	for (UInt done = 0; done < size; done += 8)
		see_register(b, cell + (Int)done);
	add_step(STEP_PUT, size, (UInt)offset);
	add_atom(size > 8 ? atom_with_value(b, data) : atom_of(b, data));
	if (size < 8) {
		struct atom whole = atom_of_type(Ity_I64);
		whole.value = note_value(b, guest_reg(b, cell));
		add_atom(whole);
	}
}

/* ---- operations ---- */

static Bool any_may_have_label(IRExpr *const *args, UInt count)
{
	for (UInt i = 0; i < count; i++)
		if (may_have_label(args[i]))
			return True;
	return False;
}

/* If there is only one operand of one lane that is no constant, then the label is its own, and says its value. */
static Bool needs_values(const struct block *b, IRExpr *const *args, UInt count)
{
	UInt lanes = 0;

	for (UInt i = 0; i < count; i++)
		if (args[i]->tag == Iex_RdTmp)
			lanes += atom_of(b, args[i]).count;
	return lanes > 1;
}

static void add_operands(struct block *b, IRExpr *const *args, UInt count)
{
	Bool with_values = needs_values(b, args, count);

	for (UInt i = 0; i < count; i++)
		add_atom(with_values ? atom_with_value(b, args[i]) : atom_of(b, args[i]));
}

static void add_operation(struct block *b, IRTemp t, IROp op, IRExpr *const *args, UInt count)
{
	if (!any_may_have_label(args, count))
		return;
	add_step(STEP_OPERATION, 0, op);
	add_result(b, t, clo_bo_inputs_check);
	add_operands(b, args, count);
}

static void add_choice(struct block *b, IRTemp t, const IRExpr *e)
{
	IRExpr *args[] = {e->Iex.ITE.cond, e->Iex.ITE.iftrue, e->Iex.ITE.iffalse};

	if (!any_may_have_label(args, 3))
		return;
	add_step(STEP_CHOICE, 0, 0);
	add_result(b, t, clo_bo_inputs_check);
	add_operands(b, args, 3);
}

static UInt arguments_of(IRExpr **args, IRExpr **to, UInt most)
{
	UInt count = 0;

	for (; *args; args++)
		if (!is_IRExpr_VECRET_or_GSPTR(*args) && count < most)
			to[count++] = *args;
	return count;
}

#define ARGUMENTS_MAX 12

static void add_clean_call(struct block *b, IRTemp t, const IRExpr *e)
{
	IRExpr *args[ARGUMENTS_MAX];
	UInt count = arguments_of(e->Iex.CCall.args, args, ARGUMENTS_MAX);

	if (!any_may_have_label(args, count))
		return;
	add_step(STEP_CALL, 0, 0)->name = e->Iex.CCall.cee->name;
	add_result(b, t, clo_bo_inputs_check);
	add_operands(b, args, count);
}

static void add_copy(struct block *b, IRTemp t, IRExpr *e)
{
	if (may_have_label(e))
		now.temps[t] = now.temps[e->Iex.RdTmp.tmp];
}

/* A label need not have the width of its value.  So a value that becomes wider, or not narrower than it was before it
 * became wider, keeps its label. */
static void add_resized(struct block *b, IRTemp t, IRExpr *e, UInt bits)
{
	now.temps[t] = (struct temporary){now.temps[e->Iex.RdTmp.tmp].label, NO_VALUE, bits};
}

static UInt bits_of(const struct block *b, const IRExpr *e)
{
	UInt bits = e->tag == Iex_RdTmp ? now.temps[e->Iex.RdTmp.tmp].bits : 0;

	return bits ? bits : atom_of_type(typeOfIRExpr(b->out->tyenv, e)).width;
}

static void add_cut(struct block *b, IRTemp t, IRExpr *e)
{
	UInt bits = bits_of(b, e);

	if (bits <= bits_of(b, IRExpr_RdTmp(t))) {
		add_resized(b, t, e, bits);
		return;
	}
	add_step(STEP_CUT, 0, 0);
	add_result(b, t, False);
	add_atom(atom_of(b, e));
}

static void add_unary(struct block *b, IRTemp t, IROp op, IRExpr *e)
{
	enum bo_resize how = clo_bo_inputs_check ? BO_RESIZE_NOT : bo_expr_resizes(op);

	if (how == BO_RESIZE_NOT || !may_have_label(e))
		add_operation(b, t, op, &e, 1);
	else if (how == BO_RESIZE_WIDEN)
		add_resized(b, t, e, bits_of(b, e));
	else
		add_cut(b, t, e);
}

/* ---- memory ---- */

static void add_load(struct block *b, IRTemp t, IRExpr *addr)
{
	UInt size = (UInt)sizeofIRType(typeOfIRTemp(b->out->tyenv, t));

	see_memory(b, addr, size, NULL);
	add_step(STEP_LOAD, size, 0);
	add_result(b, t, True);
	add_atom(atom_with_value(b, addr));
}

static void add_guarded_load(struct block *b, const IRLoadG *lg)
{
	IRType from, to;

	typeOfIRLoadGOp(lg->cvt, &to, &from);
	see_memory(b, lg->addr, (UInt)sizeofIRType(from), lg->guard);
	add_step(STEP_GUARDED_LOAD, (UInt)sizeofIRType(from), lg->cvt);
	add_result(b, lg->dst, True);
	add_atom(atom_with_value(b, lg->addr));
	add_atom(atom_with_value(b, lg->guard));
	add_atom(atom_of(b, lg->alt));
}

static void add_store(struct block *b, IRExpr *addr, IRExpr *data, IRExpr *guard)
{
	UInt size = size_of(b, data);

	see_memory(b, addr, size, guard);
	add_step(STEP_STORE, size, 0);
	add_atom(atom_with_value(b, addr));
	add_atom(atom_of(b, data));
	add_atom(guard ? atom_with_value(b, guard) : NO_ATOM);
}

static void add_swapped_word(struct block *b, IRTemp old, IRExpr *expected, IRExpr *new)
{
	add_result(b, old, True);
	add_atom(atom_with_value(b, expected));
	add_atom(atom_of(b, new));
}

static void add_swap(struct block *b, const IRCAS *cas)
{
	UInt size = (UInt)sizeofIRType(typeOfIRTemp(b->out->tyenv, cas->oldLo));

	see_memory(b, cas->addr, 2 * size, NULL);
	add_step(STEP_SWAP, size, 0);
	add_atom(atom_with_value(b, cas->addr));
	add_swapped_word(b, cas->oldLo, cas->expdLo, cas->dataLo);
	if (cas->oldHi != IRTemp_INVALID)
		add_swapped_word(b, cas->oldHi, cas->expdHi, cas->dataHi);
}

/* ---- dirty calls ---- */

static Bool reads_memory(const IRDirty *d)
{
	return d->mFx == Ifx_Read || d->mFx == Ifx_Modify;
}

static Bool writes_memory(const IRDirty *d)
{
	return d->mFx == Ifx_Write || d->mFx == Ifx_Modify;
}

/* A register that the call only reads still has its value afterwards. */
static void add_read_registers(struct block *b, const IRDirty *d)
{
	for (Int i = 0; i < d->nFxState; i++) {
		Int offset = d->fxState[i].offset;
		IRType type = d->fxState[i].size == 16 ? Ity_V128 : Ity_I64;
		struct atom a = atom_of_type(type);
		if (d->fxState[i].fx != Ifx_Read || d->fxState[i].nRepeats || !register_has_label(offset & ~7) ||
		    (UInt)sizeofIRType(type) != d->fxState[i].size)
			continue;
		for (UInt lane = 0; lane < a.count; lane++)
			see_register(b, offset + 8 * (Int)lane);
		a.value = note_value(b, assign(b, type, IRExpr_Get(offset, type)));
		a.label = offset; /* of a register, not of a temporary */
		add_atom(a);
	}
}

/* What the call writes to registers has no label. */
static void add_written_registers(struct block *b, const IRDirty *d)
{
	for (Int i = 0; i < d->nFxState; i++) {
		if (d->fxState[i].fx == Ifx_Read)
			continue;
		for (Int k = 0; k <= d->fxState[i].nRepeats; k++) {
			Int first = d->fxState[i].offset + k * d->fxState[i].repeatLen;
			for (Int cell = first & ~7; cell < first + d->fxState[i].size; cell += 8)
				if (register_has_label(cell))
					add_put(b, cell, u64(0));
		}
	}
}

static void add_dirty(struct block *b, const IRDirty *d)
{
	IRExpr *args[ARGUMENTS_MAX];
	UInt count = arguments_of(d->args, args, ARGUMENTS_MAX);
	struct step *step;

	if (d->mFx != Ifx_None)
		see_memory(b, d->mAddr, (UInt)d->mSize, d->guard);
	step = add_step(STEP_DIRTY, reads_memory(d) ? (UInt)d->mSize : 0, count);
	step->name = d->cee->name;
	if (d->tmp != IRTemp_INVALID && d->guard->tag == Iex_Const)
		add_result(b, d->tmp, clo_bo_inputs_check);
	else
		add_atom(NO_ATOM);
	add_atom(reads_memory(d) ? atom_with_value(b, d->mAddr) : NO_ATOM);
	for (UInt i = 0; i < count; i++)
		add_atom(atom_with_value(b, args[i]));
	add_read_registers(b, d);
	add_written_registers(b, d);
	if (!writes_memory(d))
		return;
	add_step(STEP_WIPE, (UInt)d->mSize, 0);
	add_atom(atom_with_value(b, d->mAddr));
	add_atom(d->guard->tag == Iex_Const ? NO_ATOM : atom_with_value(b, d->guard));
}

/* ---- statements ---- */

static void add_temporary(struct block *b, IRTemp t, IRExpr *e)
{
	switch (e->tag) {
	case Iex_Get: add_get(b, t, e->Iex.Get.offset); break;
	case Iex_RdTmp: add_copy(b, t, e); break;
	case Iex_Load: add_load(b, t, e->Iex.Load.addr); break;
	case Iex_ITE: add_choice(b, t, e); break;
	case Iex_CCall: add_clean_call(b, t, e); break;
	case Iex_Unop: add_unary(b, t, e->Iex.Unop.op, e->Iex.Unop.arg); break;
	case Iex_Binop: {
		IRExpr *args[] = {e->Iex.Binop.arg1, e->Iex.Binop.arg2};
		add_operation(b, t, e->Iex.Binop.op, args, 2);
		break;
	}
	case Iex_Triop: {
		const IRTriop *o = e->Iex.Triop.details;
		IRExpr *args[] = {o->arg1, o->arg2, o->arg3};
		add_operation(b, t, o->op, args, 3);
		break;
	}
	case Iex_Qop: {
		const IRQop *o = e->Iex.Qop.details;
		IRExpr *args[] = {o->arg1, o->arg2, o->arg3, o->arg4};
		add_operation(b, t, o->op, args, 4);
		break;
	}
	default: break; /* constants; elements of the x87 stack, which have no labels */
	}
}

void bo_input_stmt(struct block *b, const IRStmt *st)
{
	switch (st->tag) {
	case Ist_WrTmp: add_temporary(b, st->Ist.WrTmp.tmp, st->Ist.WrTmp.data); break;
	case Ist_Put: add_put(b, st->Ist.Put.offset, st->Ist.Put.data); break;
	case Ist_PutI: add_lost(b, "x87 register", st->Ist.PutI.details->data); break;
	case Ist_Store: add_store(b, st->Ist.Store.addr, st->Ist.Store.data, NULL); break;
	case Ist_StoreG: {
		const IRStoreG *sg = st->Ist.StoreG.details;
		add_store(b, sg->addr, sg->data, sg->guard);
		break;
	}
	case Ist_LoadG: add_guarded_load(b, st->Ist.LoadG.details); break;
	case Ist_CAS: add_swap(b, st->Ist.CAS.details); break;
	case Ist_Dirty: add_dirty(b, st->Ist.Dirty.details); break;
	default: break;
	}
}

/* ---- ends ---- */

static void add_run(struct block *b)
{
	IRDirty *d;

	if (now.called == now.step_count || !now.in_sight)
		return;
	now.called = now.step_count;
	d = unsafeIRDirty_0_N(0, "bo_steps_run", VG_(fnptr_to_fnentry)(bo_steps_run),
			      mkIRExprVec_3(IRExpr_GSPTR(), u64((Addr)now.block), u64(now.step_count)));
	d->guard = binop(b, Ity_I1, Iop_CmpNE64, now.in_sight, u64(0));
	d->nFxState = 1;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Read;
	d->fxState[0].offset = (UShort)OFF_RSP;
	d->fxState[0].size = 8;
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
}

void bo_input_exit(struct block *b, const IRStmt *st)
{
	if (may_have_label(st->Ist.Exit.guard)) {
		struct step *step = add_step(STEP_EXIT, 0, 0);
		step->exit.taken = st->Ist.Exit.dst->Ico.U64;
		step->exit.other = 0;
		step->exit.is_turnable = st->Ist.Exit.jk == Ijk_Boring;
		add_atom(atom_with_value(b, st->Ist.Exit.guard));
	}
	add_run(b);
}

/* Now it is known where the block went on after the last exits. */
static void close_exits(Addr next)
{
	for (; now.open < now.step_count; now.open++)
		if (now.steps[now.open].kind == STEP_EXIT)
			now.steps[now.open].exit.other = next;
}

void bo_input_insn(struct block *b)
{
	now.code = bo_code_id(b->insn);
	close_exits(b->insn);
}

/* ---- blocks ---- */

static VgHashTable *blocks; /* that are translated, by address */

static void *keep(const void *array, SizeT size)
{
	void *kept = VG_(malloc)("bo.steps", size ? size : 1);

	VG_(memcpy)(kept, array, size);
	return kept;
}

void bo_input_end(struct block *b)
{
	IRExpr *next = b->out->next;

	close_exits(next->tag == Iex_Const ? next->Iex.Const.con->Ico.U64 : 0);
	if (may_have_label(next)) {
		add_step(STEP_JUMP, 0, 0);
		add_atom(atom_with_value(b, next));
	}
	add_run(b);
	bo_steps_fit(now.labels);
	now.block->steps = keep(now.steps, now.step_count * sizeof(*now.steps));
	now.block->atoms = keep(now.atoms, now.atom_count * sizeof(*now.atoms));
	now.block->constants = keep(now.constants, now.constant_count * sizeof(*now.constants));
	VG_(HT_add_node)(blocks, now.block);
}

void bo_input_forget(Addr address, VexGuestExtents extents)
{
	struct steps *block = clo_bo_inputs ? VG_(HT_remove)(blocks, address) : NULL;

	if (!block)
		return;
	VG_(free)(block->steps);
	VG_(free)(block->atoms);
	VG_(free)(block->constants);
	VG_(free)(block);
}

void bo_input_init_blocks(void)
{
	blocks = VG_(HT_construct)("bo.steps");
}

void bo_input_begin(struct block *b, Addr address, const IRSB *in, const VexGuestLayout *layout)
{
	UInt count = (UInt)in->tyenv->types_used;

	now.temps = make_room(now.temps, count, &now.temp_room, sizeof(*now.temps));
	for (UInt i = 0; i < count; i++)
		now.temps[i] = (struct temporary){-1, NO_VALUE, 0};
	now.step_count = now.atom_count = now.constant_count = now.labels = now.called = now.open = 0;
	now.in_sight = NULL;
	VG_(memset)(now.seen, 0, sizeof(now.seen));
	now.registers = layout->total_sizeB;
	now.near = 2 * layout->total_sizeB;
	now.slots = SLOTS_OWN;
	now.block = VG_(malloc)("bo.steps", sizeof(*now.block));
	now.block->address = address;
	note_word(b, SLOT_FOLLOWED, u64(0));
	note_word(b, SLOT_STACK, guest_reg(b, OFF_RSP));
}
