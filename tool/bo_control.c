/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_control.c - which decisions led to the code that runs now.
 *
 * A branch whose condition has a label opens a region.  Everything that the thread does is decided by the branches of
 * its open regions, also in the functions that are called from there.  A region ends
 *
 *   - at the branch's immediate post-dominator (bo_graph.h), when control arrives there in the same frame
 *   - with the frame: when the stack pointer is above the slot of the frame's return address
 *
 * An indirect call through a pointer with a label decides what the callee does: its region ends with the callee's frame.
 *
 * Regions of one frame are nested: while the region of a branch is open, its end post-dominates everything, so the end of
 * an inner region comes before it, or is the same.  If it is the same, as in a loop, the regions are one.  So a frame has
 * at most as many regions as its function has joins.  A region that ends with its frame is the outermost of the frame.
 *
 * A register that has the same value at the end of a region as at its branch was only used for something else, and then
 * restored: it gets its label back.  Not so a small number that depends on no data: `if (x) found = 1;` may find 1 there.
 *
 * Exceptions and longjmp leave calls that do not return.  Graphs do not know where for until it happens.  At a landing
 * (struct flow_point), the frame of the call that was left is still on the shadow stack above its top.  So the jump is
 * learned, and the regions of this frame get the ends that they should have had. */
#include "bo.h"

#include "bo_graph.h"
#include "bo_ir.h"
#include "bo_label.h"
#include "bo_shadow.h"

#define NO_SLOT (~0ULL)
#define REGISTERS 16

struct region {
	Addr slot;                    /* of the return address of its frame */
	Addr end;                     /* 0: with its frame */
	const struct bo_point *point; /* the branch; NULL: a barrier, as of a signal handler */
	Bool is_quiet;                /* a barrier inside of which nothing is a decision */
	ULong label;                  /* of this region */
	ULong total;                  /* and of all regions outside of it */
	ULong values[REGISTERS];      /* of the general registers at the branch */
	ULong labels[REGISTERS];
};

ULong bo_control;
static Addr control_end;            /* of the innermost region */
static Addr control_slot = NO_SLOT; /* of the innermost region */
static struct bo_open_regions *open;
static ULong regions_opened, regions_without_end;

/* ---- the stack of regions ---- */

static struct region *innermost(void)
{
	return &open->at[open->count - 1];
}

static void note_innermost(void)
{
	bo_control = open->count ? innermost()->total : 0;
	control_end = open->count ? innermost()->end : 0;
	control_slot = open->count ? innermost()->slot : NO_SLOT;
}

void bo_control_run(struct bo_open_regions *of_thread)
{
	open = of_thread;
	note_innermost();
}

/* Labels are renumbered. */
void bo_control_visit(struct bo_open_regions *of_thread, void (*visit)(ULong *label))
{
	for (UInt i = 0; i < of_thread->count; i++) {
		struct region *r = &of_thread->at[i];
		visit(&r->label);
		visit(&r->total);
		for (UInt k = 0; k < REGISTERS; k++)
			visit(&r->labels[k]);
	}
	if (of_thread == open)
		note_innermost();
}

/* Compute what regions have in common with those outside, from an index on. */
static void total_from(UInt index)
{
	for (; index < open->count; index++) {
		ULong outside = index && open->at[index].point ? open->at[index - 1].total : 0;
		open->at[index].total = bo_label_union(outside, open->at[index].label);
	}
	note_innermost();
}

/* Room for one more.  A region is large, so it is made where it will be. */
static struct region *make_room(UInt index)
{
	if (open->count == open->room) {
		open->room = open->room ? 2 * open->room : 16;
		open->at = VG_(realloc)("bo.regions", open->at, open->room * sizeof(*open->at));
	}
	for (UInt i = open->count++; i > index; i--)
		open->at[i] = open->at[i - 1];
	return &open->at[index];
}

/* Drop the regions of frames that ended. */
static void leave_frames(Addr sp)
{
	while (control_slot < sp) {
		open->count--;
		note_innermost();
	}
}

void bo_control_push_barrier(Addr slot, Bool is_quiet)
{
	if (!clo_bo_dependencies)
		return;
	*make_room(open->count) = (struct region){.slot = slot, .is_quiet = is_quiet};
	total_from(open->count - 1);
}

void bo_control_pop_barrier(void)
{
	UInt i = open->count;

	while (i && open->at[i - 1].point)
		i--;
	if (i) {
		open->count = i - 1;
		note_innermost();
	}
}

/* The slot of the frame that runs. */
static Addr frame_slot(Addr sp)
{
	bo_frame_resync(sp);
	return bo_frame_top[-1].sp & ~(Addr)BO_FRAME_WATCHED;
}

/* The index of the outermost region of the frame; the count, if it has none. */
static UInt first_of_frame(Addr slot)
{
	UInt i = open->count;

	while (i && open->at[i - 1].slot == slot && open->at[i - 1].point)
		i--;
	return i;
}

/* ---- what a region leaves as it was ---- */

static const ULong *register_values(const UChar *state)
{
	return (const ULong *)(state + GUEST(RAX));
}

/* The shadow registers lie behind the real ones. */
static ULong *register_labels(UChar *state)
{
	return (ULong *)(state + sizeof(VexGuestAMD64State) + GUEST(RAX));
}

static void registers_note(struct region *r, UChar *state)
{
	const ULong *values = register_values(state), *labels = register_labels(state);

	for (UInt i = 0; i < REGISTERS; i++) {
		r->values[i] = values[i];
		r->labels[i] = labels[i];
	}
}

/* A small number without data may have been chosen inside of the region, and be the same by chance. */
static Bool may_be_chosen(ULong value, ULong label)
{
	return value + 4096 < 8192 && !bo_label_has_data(label);
}

static void registers_restore(const struct region *r, UChar *state)
{
	ULong *labels = register_labels(state);

	for (UInt i = 0; i < REGISTERS; i++)
		if (r->values[i] == register_values(state)[i] && labels[i] != r->labels[i] &&
		    !may_be_chosen(r->values[i], r->labels[i]) && bo_label_is_same_data(labels[i], r->labels[i]))
			labels[i] = r->labels[i];
}

/* What regions decide that last at least as long as one with this end. */
static ULong decided_as_long(UInt first, Addr end)
{
	if (end)
		return bo_control;
	if (first < open->count && open->at[first].end == 0)
		return open->at[first].total;
	return first ? open->at[first - 1].total : 0;
}

static void region_make(UInt index, const struct bo_point *p, Addr slot, Addr end, ULong label, UChar *state)
{
	struct region *r = make_room(index);

	regions_opened++;
	regions_without_end += p->function == BO_NO_GRAPH;
	r->slot = slot;
	r->end = end;
	r->point = p;
	r->is_quiet = False;
	r->label = label;
	registers_note(r, state);
	total_from(index);
}

/* Returns whether the label adds anything to what is decided. */
static Bool region_open(const struct bo_point *p, Addr slot, Addr end, ULong label, UChar *state)
{
	ULong decided;
	UInt first;

	if (open->count && innermost()->is_quiet)
		return False;
	first = first_of_frame(slot);
	decided = decided_as_long(first, end);
	if (bo_label_union(decided, label) == decided)
		return False;
	for (UInt i = open->count; i-- > first;)
		if (open->at[i].end == end) {
			/* Regions inside have ended: control is back outside of them. */
			if (end)
				open->count = i + 1;
			open->at[i].point = p;
			open->at[i].label = bo_label_union(open->at[i].label, label);
			total_from(i);
			return True;
		}
	region_make(end ? open->count : first, p, slot, end, label, state);
	return True;
}

/* ---- branches that decide nothing new ----
 * Most branches are by what decided others before, as in a loop.  So it is remembered which labels add nothing to which
 * decisions; `control` is never 0, to which any label adds something. */

#define SETTLED_BITS 9

static struct settled {
	ULong label, control;
} settled[1u << SETTLED_BITS];

static struct settled *settled_slot(ULong label)
{
	return &settled[(label ^ bo_control) * 0x9e3779b97f4a7c15ULL >> (64 - SETTLED_BITS)];
}

static Bool is_settled(ULong label)
{
	const struct settled *s = settled_slot(label);

	return s->label == label && s->control == bo_control && bo_control;
}

void bo_control_forget_settled(void)
{
	VG_(memset)(settled, 0, sizeof(settled));
}

/* ---- helpers that the target's code calls ---- */

/* Tell which branch the reads decide, and return the label of what it decides. */
static ULong decide(const struct bo_point *p, ULong label, Addr sp)
{
	if (UNLIKELY(!bo_label_is_decided(label)) && bo_writer_active()) /* a child may not be followed */
		bo_label_decides(label, bo_context_at(p->code, sp));
	return bo_label_as_control(label);
}

static void bo_on_branch(UChar *state, const struct bo_point *p, ULong label, Addr sp)
{
	ULong set;

	leave_frames(sp);
	if (LIKELY(p->after && is_settled(label)))
		return;
	set = decide(p, label, sp);
	leave_frames(sp); /* deciding may have found that a signal handler is over */
	if (!region_open(p, frame_slot(sp), p->after, set, state) && p->after)
		*settled_slot(label) = (struct settled){label, bo_control};
}

/* Before an indirect call: `slot` is where its return address was just put. */
static void bo_on_call_through(UChar *state, const struct bo_point *p, ULong label, Addr slot)
{
	ULong set = decide(p, label, slot);

	leave_frames(slot);
	region_open(p, slot, 0, set, state);
}

static void bo_on_join(UChar *state, const struct bo_point *p, Addr sp)
{
	Addr slot;

	leave_frames(sp);
	slot = frame_slot(sp);
	while (open->count && innermost()->slot == slot && innermost()->end == p->place) {
		registers_restore(innermost(), state);
		open->count--;
		note_innermost();
	}
	bo_shadow_collect(); /* no label is in a temporary now: a join is the start of a block */
}

static VG_REGPARM(1) void bo_on_leave(Addr sp)
{
	leave_frames(sp);
}

static VG_REGPARM(2) void bo_on_jump(struct bo_point *p, Addr to)
{
	struct flow_seen jump = {p->at, to, false};

	p->last_target = to;
	bo_graph_see(&jump);
}

static void bo_on_landing(UChar *state, const struct bo_point *p, Addr sp)
{
	struct flow_seen jump = {.to = p->at, .by_unwinding = true};
	Addr slot;

	leave_frames(sp);
	slot = frame_slot(sp);
	if (!open->count || innermost()->slot != slot)
		return;
	jump.from = bo_code_address(bo_frame_top->code);
	if (!jump.from || jump.from == p->at || !bo_graph_see(&jump))
		return; /* the call returned, or is known to be left for this place */
	for (UInt i = first_of_frame(slot); i < open->count; i++)
		open->at[i].end = open->at[i].point->after;
	note_innermost();
	bo_on_join(state, p, sp);
}

/* ---- IR ---- */

/* Compare a 64-bit variable of ours. */
static IRExpr *compare(struct block *b, IROp op, const void *variable, IRExpr *with)
{
	return binop(b, Ity_I1, op, load64(b, u64((Addr)variable)), with);
}

static Bool is_zero(const IRExpr *label)
{
	return !label || (label->tag == Iex_Const && label->Iex.Const.con->Ico.U64 == 0);
}

static IRExpr *is_set(struct block *b, IRExpr *label)
{
	return binop(b, Ity_I1, Iop_CmpNE64, label, u64(0));
}

/* Call a helper that reads the general registers and their labels, and may change labels. */
static void call_on_state(struct block *b, const HChar *name, void *helper, IRExpr **args, IRExpr *guard)
{
	IRDirty *d = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(helper), args);

	d->guard = guard;
	d->nFxState = 1;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Read;
	d->fxState[0].offset = (UShort)GUEST(RAX);
	d->fxState[0].size = REGISTERS * 8;
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
}

Bool bo_control_is_join(Addr insn)
{
	const struct bo_point *p = bo_graph_point(insn);

	return p->is_join || p->is_landing;
}

static void add_landing(struct block *b, IRExpr *point, IRExpr *sp)
{
	IRExpr *is_decided = compare(b, Iop_CmpNE64, &bo_control, u64(0));

	call_on_state(b, "bo_on_landing", bo_on_landing, mkIRExprVec_3(IRExpr_GSPTR(), point, sp), is_decided);
}

void bo_control_add_join(IRSB *out, Addr insn)
{
	const struct bo_point *p = bo_graph_point(insn);
	struct block b = {.out = out, .insn = insn};
	IRExpr *sp, *point = u64((Addr)p), *place;

	if (!p->is_join && !p->is_landing)
		return;
	sp = guest_reg(&b, OFF_RSP);
	if (p->is_landing)
		add_landing(&b, point, sp);
	place = load64(&b, u64((Addr)&p->place));
	call_on_state(&b, "bo_on_join", bo_on_join, mkIRExprVec_3(IRExpr_GSPTR(), point, sp),
		      compare(&b, Iop_CmpEQ64, &control_end, place));
}

static struct bo_point *point_of_decision(Addr insn)
{
	struct bo_point *p = bo_graph_point(insn);

	if (!p->code)
		p->code = bo_code_id(insn);
	return p;
}

static void add_decision(struct block *b, const HChar *name, void *helper, IRExpr *label)
{
	IRExpr *point = u64((Addr)point_of_decision(b->insn));

	if (!is_zero(label))
		call_on_state(b, name, helper, mkIRExprVec_4(IRExpr_GSPTR(), point, label, guest_reg(b, OFF_RSP)),
			      is_set(b, label));
}

void bo_control_add_branch(IRSB *out, Addr insn, IRExpr *label)
{
	const struct bo_point *p = bo_graph_point(insn);
	struct block b = {.out = out, .insn = insn};

	if (p->function == BO_NO_GRAPH || p->kind == FLOW_BRANCH || p->kind == FLOW_REPEAT)
		add_decision(&b, "bo_on_branch", bo_on_branch, label);
}

/* Regions of frames that are left by this jump end. */
static void add_leave(struct block *b)
{
	IRExpr *sp = guest_reg(b, OFF_RSP);

	call(b, 1, "bo_on_leave", bo_on_leave, mkIRExprVec_1(sp), compare(b, Iop_CmpLT64U, &control_slot, sp));
}

static void add_indirect_jump(struct block *b, IRExpr *label)
{
	struct bo_point *p = point_of_decision(b->insn);

	add_leave(b);
	call(b, 2, "bo_on_jump", bo_on_jump, mkIRExprVec_2(u64((Addr)p), b->out->next),
	     compare(b, Iop_CmpNE64, &p->last_target, b->out->next));
	add_decision(b, "bo_on_branch", bo_on_branch, label);
}

void bo_control_add_end(IRSB *out, Addr insn, IRExpr *label)
{
	struct block b = {.out = out, .insn = insn};
	Bool is_indirect = out->next->tag != Iex_Const;

	if (out->jumpkind == Ijk_Ret)
		add_leave(&b);
	else if (out->jumpkind == Ijk_Boring && is_indirect)
		add_indirect_jump(&b, label);
	else if (out->jumpkind == Ijk_Call && is_indirect)
		add_decision(&b, "bo_on_call_through", bo_on_call_through, label);
}

/* ---- facts ---- */

void bo_control_describe(HChar *text)
{
	UInt functions, without, seen;

	bo_graph_count(&functions, &without, &seen);
	VG_(sprintf)
	(text, "functions=%u regions=%llu endless=%llu undecoded=%u jumps=%u", functions, regions_opened,
	 regions_without_end, without, seen);
}
