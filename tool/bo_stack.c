/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_stack.c - see bo_stack.h. */
#include "bo.h"

#include "bo_stack.h"

#define REACH 4096 /* bytes around the stack pointer that are trusted; no PM is so near to the window */

static struct {
	Addr start;
	SizeT size;
} window;

static Bool may_be_pm; /* the stack: nothing is trusted */

/* Of the block that is being instrumented, by temporary: how far its value is from the stack pointer at the start. */
static struct distance {
	Long bytes;
	Bool is_known;
} * distances;
static Int distance_room, distance_count; /* count 0: the block trusts nothing */

/* ---- the window ---- */

static void trust_nothing(void)
{
	may_be_pm = True;
	VG_(discard_translations)(0, ~0UL / 2, "bo: stack");
}

void bo_stack_run(Addr sp)
{
	Addr start, end;

	if (may_be_pm)
		return;
	bo_region_gap(sp, &start, &end);
	window.start = start + REACH;
	window.size = end - start > 2 * REACH ? end - start - 2 * REACH : 0;
	if (sp - window.start >= window.size)
		trust_nothing();
}

/* ---- distances ---- */

static struct distance distance_of(const IRExpr *e)
{
	return e->tag == Iex_RdTmp ? distances[e->Iex.RdTmp.tmp] : (struct distance){0};
}

static struct distance moved(struct distance from, const IRExpr *by, Long sign)
{
	from.is_known &= by->tag == Iex_Const;
	if (from.is_known)
		from.bytes += sign * (Long)by->Iex.Const.con->Ico.U64;
	return from;
}

static struct distance distance_of_result(const IRExpr *e, struct distance sp)
{
	if (e->tag == Iex_Get && e->Iex.Get.offset == OFF_RSP && e->Iex.Get.ty == Ity_I64)
		return sp;
	if (e->tag == Iex_Binop && e->Iex.Binop.op == Iop_Add64)
		return moved(distance_of(e->Iex.Binop.arg1), e->Iex.Binop.arg2, 1);
	if (e->tag == Iex_Binop && e->Iex.Binop.op == Iop_Sub64)
		return moved(distance_of(e->Iex.Binop.arg1), e->Iex.Binop.arg2, -1);
	return distance_of(e);
}

static void make_room(Int count)
{
	if (count > distance_room) {
		distance_room = 2 * count;
		distances = VG_(realloc)("bo.stack", distances, (SizeT)distance_room * sizeof(*distances));
	}
	VG_(memset)(distances, 0, (SizeT)count * sizeof(*distances));
}

/* Temporaries are assigned once, so one pass finds all distances. */
static void find_distances(const IRSB *in)
{
	struct distance sp = {.is_known = True};

	make_room(in->tyenv->types_used);
	for (Int i = 0; i < in->stmts_used; i++) {
		const IRStmt *st = in->stmts[i];
		if (st->tag == Ist_WrTmp)
			distances[st->Ist.WrTmp.tmp] = distance_of_result(st->Ist.WrTmp.data, sp);
		else if (st->tag == Ist_Put && st->Ist.Put.offset == OFF_RSP)
			sp = distance_of(st->Ist.Put.data);
	}
}

/* ---- instrumentation ---- */

static Bool is_near(const IRExpr *addr, UInt size)
{
	struct distance d = distance_of(addr);

	return d.is_known && d.bytes >= -REACH && d.bytes + size <= REACH;
}

static Bool has_near_stores(const IRSB *in)
{
	for (Int i = 0; i < in->stmts_used; i++) {
		const IRStmt *st = in->stmts[i];
		if (st->tag == Ist_Store && is_near(st->Ist.Store.addr, (UInt)sizeof(ULong)))
			return True;
	}
	return False;
}

Bool bo_stack_covers(const IRExpr *addr, UInt size)
{
	return addr->tag == Iex_RdTmp && addr->Iex.RdTmp.tmp < (IRTemp)distance_count && is_near(addr, size);
}

void bo_stack_begin(struct block *b, const IRSB *in, Addr start)
{
	IRExpr *inside, *size, *is_outside;

	distance_count = 0;
	if (may_be_pm)
		return;
	find_distances(in);
	if (!has_near_stores(in))
		return;
	distance_count = in->tyenv->types_used;
	inside = binop(b, Ity_I64, Iop_Sub64, guest_reg(b, OFF_RSP), load64(b, u64((Addr)&window.start)));
	size = load64(b, u64((Addr)&window.size));
	is_outside = binop(b, Ity_I1, Iop_CmpLE64U, size, inside);
	addStmtToIRSB(b->out, IRStmt_Exit(is_outside, Ijk_Yield, IRConst_U64(start), GUEST(RIP)));
}
