/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_sync_ir.c - IR that notes announcements, and calls for atomic accesses (bo_sync.h). */
#include "bo_sync.h"

#include "bo_ir.h"

/* ---- arguments of an entry, when it is called ---- */

/* From 1.  The seventh is above the return address. */
static IRExpr *argument(struct block *b, UInt number)
{
	static const Int registers[] = {GUEST(RDI), GUEST(RSI), GUEST(RDX), GUEST(RCX), GUEST(R8), GUEST(R9)};

	return number <= 6 ? guest_reg(b, registers[number - 1]) : load64(b, add(b, guest_reg(b, OFF_RSP), 8));
}

static IRExpr *size_argument(struct block *b, const struct bo_runtime_entry *e)
{
	return e->bytes || !e->size_argument ? u64(e->bytes) : argument(b, e->size_argument);
}

/* An order, in its place in the word `what`. */
static IRExpr *shifted_order(struct block *b, UInt number, UInt mask, UChar shift)
{
	IRExpr *order = binop(b, Ity_I64, Iop_And64, argument(b, number), u64(mask));

	return binop(b, Ity_I64, Iop_Shl64, order, IRExpr_Const(IRConst_U8(shift)));
}

/* ---- announcements ---- */

static UInt atomicity_of(const struct bo_runtime_entry *e)
{
	switch (e->kind) {
	case BO_ENTRY_ATOMIC_LOAD:
	case BO_ENTRY_ATOMIC_STORE:
	case BO_ENTRY_ATOMIC_UPDATE:
	case BO_ENTRY_COMPARE: return BO_ATOMICITY_ATOMIC;
	default: return e->flags & BO_ENTRY_VOLATILE ? BO_ATOMICITY_VOLATILE : BO_ATOMICITY_PLAIN;
	}
}

static IRExpr *what(struct block *b, const struct bo_runtime_entry *e)
{
	UInt failure = e->failure_argument ? 0 : BO_NO_COMPARISON;
	IRExpr *word = u64(BO_WHAT(atomicity_of(e), failure, e->runtime));

	/* Compilers put hints into the higher bits of an order. */
	if (e->order_argument)
		word = binop(b, Ity_I64, Iop_Or64, word, shifted_order(b, e->order_argument, 0x3f, 2));
	if (e->failure_argument)
		word = binop(b, Ity_I64, Iop_Or64, word, shifted_order(b, e->failure_argument, 0x3f, 8));
	return word;
}

static void note(struct block *b, struct bo_announcement *a, IRExpr *addr, IRExpr *size, IRExpr *word)
{
	store64(b, u64((Addr)&a->addr), addr);
	store64(b, u64((Addr)&a->size), size);
	store64(b, u64((Addr)&a->what), word);
	if (a == &bo_announced.write)
		store64(b, u64((Addr)&a->covered), u64(0));
}

static void note_nothing(struct block *b, struct bo_announcement *a)
{
	store64(b, u64((Addr)&a->what), u64(0));
}

void bo_sync_add_inline_store(struct block *b, const struct bo_runtime_entry *e, IRExpr *addr)
{
	note(b, &bo_announced.write, addr, u64(e->bytes), what(b, e));
}

static void note_access(struct block *b, const struct bo_runtime_entry *e, Bool reads, Bool writes)
{
	IRExpr *addr = argument(b, 1), *size = size_argument(b, e), *word = what(b, e);

	if (reads)
		note(b, &bo_announced.read, addr, size, word);
	if (writes)
		note(b, &bo_announced.write, addr, size, word);
}

static void note_copy(struct block *b, const struct bo_runtime_entry *e)
{
	IRExpr *size = size_argument(b, e), *word = what(b, e);

	note(b, &bo_announced.write, argument(b, 1), size, word);
	note(b, &bo_announced.read, argument(b, 2), size, word);
}

static void add_fence(struct block *b, const struct bo_runtime_entry *e)
{
	IRExpr *order = e->order_argument ? argument(b, e->order_argument) : u64(BO_ORDER_SEQ_CST);

	call(b, 2, "bo_on_thread_fence", bo_on_thread_fence, mkIRExprVec_2(order, guest_reg(b, OFF_RSP)), NULL);
}

void bo_sync_add_announcement(struct block *b, const struct bo_runtime_entry *e)
{
	switch (e->kind) {
	case BO_ENTRY_READ: note_access(b, e, True, False); break;
	case BO_ENTRY_FILL:
	case BO_ENTRY_WRITE: note_access(b, e, False, True); break;
	case BO_ENTRY_READ_WRITE:
	case BO_ENTRY_ATOMIC_UPDATE:
	case BO_ENTRY_COMPARE: note_access(b, e, True, True); break;
	case BO_ENTRY_ATOMIC_LOAD:
		note_access(b, e, True, False);
		note_nothing(b, &bo_announced.write);
		break;
	case BO_ENTRY_ATOMIC_STORE:
		note_access(b, e, False, True);
		note_nothing(b, &bo_announced.read);
		break;
	case BO_ENTRY_COPY: note_copy(b, e); break;
	case BO_ENTRY_THREAD_FENCE:
		note_nothing(b, &bo_announced.read);
		note_nothing(b, &bo_announced.write);
		add_fence(b, e);
		break;
	default:
		note_nothing(b, &bo_announced.read);
		note_nothing(b, &bo_announced.write);
		break;
	}
}

static Bool is_atomic(const struct bo_runtime_entry *e)
{
	return e && atomicity_of(e) == BO_ATOMICITY_ATOMIC;
}

/* The guest's registers need not be up to date within a block, but the load has its address. */
static void announce_inline_load(struct block *b, IRExpr *addr)
{
	ULong what = BO_WHAT(BO_ACCESS(BO_ATOMICITY_ATOMIC, b->load.order), BO_NO_COMPARISON, b->load.runtime);

	note(b, &bo_announced.read, addr, u64(b->load.bytes), u64(what));
	note_nothing(b, &bo_announced.write);
}

void bo_sync_end_access(struct block *b)
{
	if (b->load.bytes || is_atomic(b->entry))
		note_nothing(b, &bo_announced.read);
}

/* ---- atomic accesses ---- */

static Bool is_return(const struct block *b)
{
	return *(const UChar *)b->insn == 0xc3;
}

void bo_sync_add_load(struct block *b, IRExpr *addr)
{
	if (b->load.bytes)
		announce_inline_load(b, addr);
	if (b->load.bytes || (is_atomic(b->entry) && !is_return(b)))
		call(b, 3, "bo_on_atomic_load", bo_on_atomic_load,
		     mkIRExprVec_3(addr, site(b, 0, 0), guest_reg(b, OFF_RSP)), NULL);
}

void bo_sync_add_store(struct block *b, IRExpr *addr)
{
	if (is_atomic(b->entry))
		call(b, 3, "bo_on_atomic_store", bo_on_atomic_store,
		     mkIRExprVec_3(addr, site(b, 0, 0), guest_reg(b, OFF_RSP)), NULL);
}

/* The C library synchronizes by functions that are known by name (bo_sync_calls.c). */
void bo_sync_add_cas(struct block *b, IRExpr *addr, IRExpr *stored)
{
	if (is_atomic(b->entry) || (!b->entry && !bo_code_is_in_c_library(bo_code_id(b->insn))))
		call(b, 0, "bo_on_atomic_cas", bo_on_atomic_cas,
		     mkIRExprVec_4(addr, site(b, 0, 0), guest_reg(b, OFF_RSP), stored), NULL);
}
