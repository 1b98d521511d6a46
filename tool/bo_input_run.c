/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_run.c - follows the steps of a block (bo_steps.h), and gives registers, temporaries and memory their labels.
 *
 * Expressions have values.  So wherever a label is taken from a register or from memory, it is compared with the value
 * that is there: a label that was left behind by something that the recorder did not see is dropped, and counted. */
#include "bo_input.h"

#include "bo_ir.h"
#include "bo_steps.h"

#define OPERANDS_MAX 12

ULong bo_slots_more[SLOTS_MORE];

static UInt *labels; /* of the running block */
static UInt label_room;

/* The block that runs. */
static struct {
	const struct steps *block;
	const ULong *near; /* slots */
	UChar *shadow;     /* registers */
	Addr sp;
	ULong step, end; /* that is followed; before which all have been executed */
} run;

/* Programs look at the same bytes again and again.  So results of operations on at most two values of one lane each are
 * remembered. */
struct known_result {
	UInt op;
	UInt label[2]; /* of the operands */
	UInt result;
	ULong value; /* of the operand that has no label; 0: there is none */
};

#define KNOWN_RESULTS (1u << 15) /* not more than a processor's caches hold */

static struct known_result known_results[KNOWN_RESULTS];

void bo_steps_fit(UInt count)
{
	if (count <= label_room)
		return;
	label_room = 2 * count;
	labels = VG_(realloc)("bo.labels", labels, label_room * sizeof(*labels));
}

/* ---- atoms ---- */

static const struct atom *atom_at(const struct step *s, UInt index)
{
	return &run.block->atoms[s->first + index];
}

static ULong word_of(Int value)
{
	if (value < 0)
		return run.block->constants[~value];
	return value < (Int)SLOTS_NEAR ? run.near[value] : bo_slots_more[value - (Int)SLOTS_NEAR];
}

static UInt label_of(const struct atom *a)
{
	return a->label < 0 ? 0 : labels[a->label];
}

static Bool has_value(const struct atom *a)
{
	return a->value != NO_VALUE;
}

static ULong value_in_lane(const struct atom *a, UInt lane)
{
	return word_of(a->value < 0 ? a->value - (Int)lane : a->value + (Int)lane) & bo_width_mask(a->width);
}

/* Of an atom whose value was noted, or which has a label. */
static ULong value_of(const struct atom *a)
{
	return has_value(a) ? value_in_lane(a, 0) : bo_expr_value(label_of(a));
}

static Bool has_label(const struct atom *a)
{
	if (a->label < 0)
		return False;
	for (UInt i = 0; i < a->count; i++)
		if (labels[a->label + (Int)i])
			return True;
	return False;
}

static struct bo_value whole_value(const struct atom *a)
{
	struct bo_value v = {.count = a->count, .width = a->width};

	for (UInt i = 0; i < a->count; i++) {
		v.label[i] = a->label < 0 ? 0 : labels[a->label + (Int)i];
		v.value[i] = has_value(a) ? value_in_lane(a, i) : bo_expr_value(v.label[i]);
	}
	return v;
}

static void set_label(const struct atom *a, UInt lane, UInt label)
{
	labels[a->label + (Int)lane] = label;
}

static void clear_labels(const struct atom *a)
{
	for (UInt i = 0; i < a->count; i++)
		set_label(a, i, 0);
}

/* A constant is no label, and a label need not have the width of its value. */
static UInt as_label(UInt expr)
{
	const struct bo_expr *e = bo_expr_at(expr);

	if (e->kind == BO_EXPR_CONST)
		return 0;
	return e->kind == BO_EXPR_ZEXT ? e->operand[0] : expr;
}

/* A label that was found, if it still is that of the value. */
static UInt checked(UInt label, ULong value, const HChar *where)
{
	if (!label || bo_expr_value(label) == value)
		return label;
	bo_concrete(where);
	return 0;
}

/* ---- results of operations ---- */

static Bool is_right(const struct atom *result, const struct bo_value *v)
{
	for (UInt i = 0; i < v->count; i++)
		if (v->label[i] && bo_expr_value(v->label[i]) != value_in_lane(result, i))
			return False;
	return True;
}

static void tell_values(const struct atom *result, const struct bo_value *v)
{
	for (UInt i = 0; i < v->count; i++)
		if (v->label[i])
			bo_tell_value(v->label[i], value_in_lane(result, i));
}

/* Instead of a result that can be any value, so that all runs on the same path tell the same expressions. */
static void tell_own_values(const struct bo_value *v)
{
	for (UInt i = 0; i < v->count; i++)
		if (v->label[i])
			bo_tell_value(v->label[i], bo_expr_value(v->label[i]));
}

static void set_result(const struct atom *result, struct bo_value *v)
{
	for (UInt i = 0; i < v->count; i++) {
		v->label[i] = as_label(v->label[i]);
		tl_assert(bo_expr_width(v->label[i]) <= v->width);
		set_label(result, i, v->label[i]);
	}
}

static UInt operands_of(const struct step *s, UInt first, UInt count, struct bo_value *operands)
{
	count = count < OPERANDS_MAX ? count : OPERANDS_MAX;
	for (UInt i = 0; i < count; i++)
		operands[i] = whole_value(atom_at(s, first + i));
	return count;
}

static Bool any_has_label(const struct step *s, UInt first, UInt count)
{
	for (UInt i = first; i < first + count; i++)
		if (has_label(atom_at(s, i)))
			return True;
	return False;
}

static struct bo_value empty_result(const struct atom *a)
{
	return (struct bo_value){.count = a->count, .width = a->width};
}

/* VEX computes results that it does not use.  Some can be any value, and so can what is computed from them. */
static Bool is_open(const struct step *s, const struct bo_value *operands)
{
	UInt n = s->atoms - 1u;

	for (UInt i = 0; i < n; i++)
		for (UInt lane = 0; lane < operands[i].count; lane++)
			if (operands[i].label[lane] &&
			    bo_expr_value(operands[i].label[lane]) != operands[i].value[lane])
				return True;
	return bo_expr_is_open((IROp)s->where, operands, atom_at(s, n)->value >= 0);
}

static void check_operation(const struct step *s, const struct bo_value *operands, const struct bo_value *v)
{
	const struct atom *result = atom_at(s, 0);

	if (!clo_bo_inputs_check || !has_value(result))
		return;
	if (is_open(s, operands)) {
		tell_own_values(v);
	} else {
		bo_checked_operation((IROp)s->where, is_right(result, v));
		tell_values(result, v);
	}
}

/* False: the operation is not followed. */
static Bool find_result(const struct step *s)
{
	const struct atom *result = atom_at(s, 0);
	struct bo_value operands[OPERANDS_MAX], v = empty_result(result);
	IROp op = (IROp)s->where;

	clear_labels(result);
	if (!bo_expr_operation(op, operands, operands_of(s, 1, s->atoms - 1u, operands), &v)) {
		bo_concrete_operation(op);
		return False;
	}
	set_result(result, &v);
	check_operation(s, operands, &v);
	return True;
}

static Bool can_be_known(const struct step *s)
{
	return s->atoms <= 3 && !clo_bo_inputs_check && atom_at(s, 0)->count == 1 && atom_at(s, 1)->count == 1 &&
	       (s->atoms < 3 || atom_at(s, 2)->count == 1);
}

static struct known_result question_of(const struct step *s)
{
	struct known_result q = {.op = s->where, .label = {label_of(atom_at(s, 1)), 0}};

	if (s->atoms == 3)
		q.label[1] = label_of(atom_at(s, 2));
	if (!q.label[0])
		q.value = value_of(atom_at(s, 1));
	else if (s->atoms == 3 && !q.label[1])
		q.value = value_of(atom_at(s, 2));
	return q;
}

static Bool is_same_question(const struct known_result *a, const struct known_result *b)
{
	return a->op == b->op && a->label[0] == b->label[0] && a->label[1] == b->label[1] && a->value == b->value;
}

/* Where the answer is, or will be.  Labels and values that follow each other have places that do, too. */
static struct known_result *place_of(const struct known_result *q)
{
	UInt newest = q->label[0] > q->label[1] ? q->label[0] : q->label[1];

	return &known_results[(2 * newest + q->op + q->value) % KNOWN_RESULTS];
}

static void run_operation(const struct step *s)
{
	struct known_result q, *known;

	if (!any_has_label(s, 1, s->atoms - 1u)) {
		clear_labels(atom_at(s, 0));
		return;
	}
	if (!can_be_known(s)) {
		find_result(s);
		return;
	}
	q = question_of(s);
	known = place_of(&q);
	if (is_same_question(known, &q)) {
		set_label(atom_at(s, 0), 0, known->result);
		return;
	}
	if (!find_result(s))
		return; /* to be counted each time */
	q.result = label_of(atom_at(s, 0));
	*known = q;
}

static void run_cut(const struct step *s)
{
	const struct atom *result = atom_at(s, 0);
	UInt label = label_of(atom_at(s, 1));

	set_label(result, 0, label ? as_label(bo_label_part(label, 0, result->width)) : 0);
}

static void check_named(const HChar *name, const struct atom *result, const struct bo_value *v)
{
	if (!clo_bo_inputs_check || !has_value(result))
		return;
	bo_checked(name, is_right(result, v));
	tell_values(result, v);
}

static void run_call(const struct step *s)
{
	const struct atom *result = atom_at(s, 0);
	struct bo_value operands[OPERANDS_MAX], v = empty_result(result);

	clear_labels(result);
	if (!any_has_label(s, 1, s->atoms - 1u))
		return;
	if (!bo_expr_call(s->name, operands, operands_of(s, 1, s->atoms - 1u, operands), &v)) {
		bo_concrete(s->name);
		return;
	}
	set_result(result, &v);
	check_named(s->name, result, &v);
}

static void run_choice(const struct step *s)
{
	const struct atom *result = atom_at(s, 0), *condition = atom_at(s, 1);
	struct bo_value yes = whole_value(atom_at(s, 2)), no = whole_value(atom_at(s, 3)), v = empty_result(result);
	UInt decides = label_of(condition);

	if (!any_has_label(s, 1, 3)) {
		clear_labels(result);
		return;
	}
	for (UInt i = 0; i < v.count; i++)
		v.label[i] = decides ? bo_expr_ite(decides, bo_value_lane(&yes, i), bo_value_lane(&no, i))
				     : (value_of(condition) ? yes : no).label[i];
	set_result(result, &v);
	check_named("ITE", result, &v);
}

/* ---- registers ---- */

static UInt *cell_at(UInt offset)
{
	return (UInt *)(run.shadow + (offset & ~7u));
}

static void run_get(const struct step *s)
{
	const struct atom *result = atom_at(s, 0);

	for (UInt i = 0; i < result->count; i++) {
		UInt cell = *cell_at(s->where + 8 * i);
		UInt label =
			cell && s->size < 8 ? as_label(bo_label_part(cell, 8 * (s->where & 7), result->width)) : cell;
		set_label(result, i, checked(label, value_in_lane(result, i), "a register that was changed"));
	}
}

/* The 8 bytes of which `size` at `from` get a label, and which are `value` then. */
static UInt put_part(UInt old, UInt from, UInt size, UInt label, ULong value)
{
	UInt now = bo_expr_const(64, value), whole;

	old = old ? bo_label_widen(old, 64) : now;
	whole = label ? bo_label_widen(label, 8 * size) : bo_expr_extract(now, 8 * from, 8 * size);
	if (from)
		whole = bo_expr_concat(whole, bo_expr_extract(old, 0, 8 * from));
	if (from + size < 8)
		whole = bo_expr_concat(bo_expr_extract(old, 8 * (from + size), 64 - 8 * (from + size)), whole);
	return as_label(whole);
}

static void run_put(const struct step *s)
{
	const struct atom *value = atom_at(s, 0);
	UInt label = label_of(value), *cell = cell_at(s->where);

	if (s->size < 8) {
		if (label || *cell)
			*cell = put_part(*cell, s->where & 7, s->size, label, value_of(atom_at(s, 1)));
		return;
	}
	for (UInt i = 0; i < value->count; i++)
		*cell_at(s->where + 8 * i) = value->label < 0 ? 0 : labels[value->label + (Int)i];
}

/* ---- memory ---- */

static UInt load_lane(const struct atom *result, UInt lane, Addr addr, UInt size)
{
	ULong value = value_in_lane(result, lane);

	return checked(as_label(bo_memory_get(addr + 8 * lane, size, value)), value, "memory that was changed");
}

static void run_load(const struct step *s)
{
	const struct atom *result = atom_at(s, 0), *address = atom_at(s, 1);
	UInt depends = label_of(address);

	if (depends && s->size <= 8) {
		ULong value = value_in_lane(result, 0);
		UInt label = as_label(bo_input_load_at(bo_label_widen(depends, 64), s->size, value, s->code, run.sp));
		set_label(result, 0, checked(label, value, "memory that was changed"));
		return;
	}
	if (depends)
		bo_input_pin(depends, s->code, run.sp);
	for (UInt i = 0; i < result->count; i++)
		set_label(result, i, load_lane(result, i, value_of(address), s->size < 8 ? s->size : 8));
}

static UInt widen(UInt loaded, IRLoadGOp how, UInt width)
{
	Bool is_signed = how == ILGop_16Sto32 || how == ILGop_8Sto32;

	return is_signed ? bo_expr_sext(loaded, width) : bo_expr_zext(loaded, width);
}

static void run_guarded_load(const struct step *s)
{
	const struct atom *result = atom_at(s, 0), *guard = atom_at(s, 2), *otherwise = atom_at(s, 3);

	if (label_of(guard))
		bo_concrete("the guard of a load");
	if (!value_of(guard)) {
		for (UInt i = 0; i < result->count; i++)
			set_label(result, i, otherwise->label < 0 ? 0 : labels[otherwise->label + (Int)i]);
		return;
	}
	if (label_of(atom_at(s, 1)))
		bo_input_pin(label_of(atom_at(s, 1)), s->code, run.sp);
	for (UInt i = 0; i < result->count; i++) {
		UInt size = s->size < 8 ? s->size : 8, bits = 8 * size;
		ULong value = value_in_lane(result, i);
		UInt loaded = bo_memory_get(value_of(atom_at(s, 1)) + 8 * i, size, value & bo_width_mask(bits));
		if (loaded && bits < result->width)
			loaded = widen(bo_label_widen(loaded, bits), (IRLoadGOp)s->where, result->width);
		set_label(result, i, checked(as_label(loaded), value, "memory that was changed"));
	}
}

static Bool is_off(const struct atom *guard)
{
	if (!guard->count)
		return False;
	if (label_of(guard))
		bo_concrete("the guard of a store");
	return !value_of(guard);
}

static void run_store(const struct step *s)
{
	const struct atom *address = atom_at(s, 0), *value = atom_at(s, 1);

	if (is_off(atom_at(s, 2)))
		return;
	if (label_of(address))
		bo_input_pin(label_of(address), s->code, run.sp);
	for (UInt i = 0; i < value->count; i++)
		bo_memory_put(value_of(address) + 8 * i, s->size < 8 ? s->size : 8,
			      value->label < 0 ? 0 : labels[value->label + (Int)i]);
}

static void run_wipe(const struct step *s)
{
	if (!is_off(atom_at(s, 1)))
		bo_memory_clear(value_of(atom_at(s, 0)), s->size);
}

/* The comparison decides whether anything is stored.  It is a branch of its own. */
static void run_swap(const struct step *s)
{
	UInt words = (s->atoms - 1u) / 3;
	Addr addr = value_of(atom_at(s, 0));
	Bool stores = True;

	if (label_of(atom_at(s, 0)))
		bo_input_pin(label_of(atom_at(s, 0)), s->code, run.sp);
	for (UInt i = 0; i < words; i++) {
		const struct atom *old = atom_at(s, 1 + 3 * i), *expected = atom_at(s, 2 + 3 * i);
		ULong value = value_of(old);
		UInt label = as_label(bo_memory_get(addr + i * s->size, s->size, value));
		set_label(old, 0, checked(label, value, "memory that was changed"));
		stores &= value == value_of(expected);
		if (label_of(old) || label_of(expected)) {
			struct bo_value o = whole_value(old), e = whole_value(expected);
			bo_tell_branch(BO_BRANCH_CONDITION,
				       bo_expr_2(BO_EXPR_EQ, bo_value_lane(&o, 0), bo_value_lane(&e, 0)), s->code,
				       run.sp, 0);
		}
	}
	for (UInt i = 0; i < words && stores; i++)
		bo_memory_put(addr + i * s->size, s->size, label_of(atom_at(s, 3 + 3 * i)));
}

/* ---- other calls ---- */

/* A register that is read: its atom has the place of the register instead of a label. */
static struct bo_value register_value(const struct atom *a)
{
	struct bo_value v = empty_result(a);

	for (UInt i = 0; i < a->count; i++) {
		v.value[i] = value_in_lane(a, i);
		v.label[i] = checked(*cell_at((UInt)a->label + 8 * i), v.value[i], "a register that was changed");
	}
	return v;
}

static Bool value_has_label(const struct bo_value *v)
{
	for (UInt i = 0; i < v->count; i++)
		if (v->label[i])
			return True;
	return False;
}

static void run_dirty(const struct step *s)
{
	const struct atom *result = atom_at(s, 0), *address = atom_at(s, 1);
	struct bo_value arguments[OPERANDS_MAX], registers[OPERANDS_MAX], v = empty_result(result);
	UInt n = operands_of(s, 2, s->where, arguments), m = s->atoms - 2u - s->where;
	Bool any = any_has_label(s, 2, s->where), is_followed;

	for (UInt i = 0; i < m; i++) {
		registers[i] = register_value(atom_at(s, 2 + s->where + i));
		any |= value_has_label(&registers[i]);
	}
	if (address->count)
		any |= bo_memory_has_labels(value_of(address), s->size);
	if (result->count)
		clear_labels(result);
	if (!any)
		return;
	is_followed = result->count && !address->count && bo_expr_dirty_call(s->name, arguments, n, registers, m, &v);
	if (!is_followed) {
		bo_concrete(s->name);
		return;
	}
	set_result(result, &v);
	check_named(s->name, result, &v);
}

/* ---- branches ---- */

static void run_exit(const struct step *s)
{
	const struct atom *condition = atom_at(s, 0);
	UInt label = checked(label_of(condition), value_of(condition), "a condition");
	Addr other = value_of(condition) ? s->exit.other : s->exit.taken;

	if (label)
		bo_tell_branch(s->exit.is_turnable ? BO_BRANCH_CONDITION : BO_BRANCH_BOUND, label, s->code, run.sp,
			       other);
}

static void run_jump(const struct step *s)
{
	const struct atom *target = atom_at(s, 0);
	UInt label = checked(label_of(target), value_of(target), "a target"), same;

	if (!label)
		return;
	same = bo_expr_2(BO_EXPR_EQ, label, bo_expr_const(bo_expr_width(label), value_of(target)));
	bo_tell_branch(BO_BRANCH_JUMP, same, s->code, run.sp, 0);
}

static void run_step(const struct step *s)
{
	switch (s->kind) {
	case STEP_GET: run_get(s); break;
	case STEP_PUT: run_put(s); break;
	case STEP_OPERATION: run_operation(s); break;
	case STEP_CUT: run_cut(s); break;
	case STEP_CHOICE: run_choice(s); break;
	case STEP_CALL: run_call(s); break;
	case STEP_LOAD: run_load(s); break;
	case STEP_GUARDED_LOAD: run_guarded_load(s); break;
	case STEP_STORE: run_store(s); break;
	case STEP_WIPE: run_wipe(s); break;
	case STEP_SWAP: run_swap(s); break;
	case STEP_DIRTY: run_dirty(s); break;
	case STEP_EXIT: run_exit(s); break;
	default: run_jump(s); break;
	}
}

static Bool may_store_to(const struct step *s, Addr addr, SizeT size)
{
	Addr to;
	SizeT stored = s->kind == STEP_SWAP ? 2 * s->size : s->size;

	if (s->kind != STEP_STORE && s->kind != STEP_SWAP && s->kind != STEP_WIPE)
		return False;
	to = value_of(atom_at(s, 0));
	return to < addr + size && addr < to + stored;
}

Bool bo_steps_store_follows(Addr addr, SizeT size)
{
	for (ULong i = run.step + 1; i < run.end; i++)
		if (may_store_to(&run.block->steps[i], addr, size))
			return True;
	return False;
}

void bo_steps_run(VexGuestAMD64State *state, const struct steps *block, ULong end)
{
	ULong *near = (ULong *)((UChar *)state + 2 * sizeof(*state));

	run.block = block;
	run.near = near;
	run.shadow = (UChar *)state + sizeof(*state);
	run.sp = near[SLOT_STACK];
	run.end = end;
	for (run.step = near[SLOT_FOLLOWED]; run.step < end; run.step++)
		run_step(&block->steps[run.step]);
	near[SLOT_FOLLOWED] = end;
}
