/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_ir.h - the superblock that is being instrumented, and small builders of IR for it. */
#ifndef BO_IR_H
#define BO_IR_H

#include "bo.h"
#include "bo_runtime.h"
#include "pub_tool_machine.h"

#define GUEST(reg) ((Int)offsetof(VexGuestAMD64State, guest_##reg))
#define OFF_RSP GUEST(RSP)

struct block {
	IRSB *out;
	Addr insn; /* current instruction */
	UInt insn_length;
	struct bo_decoded decoded;
	const struct bo_runtime_entry *entry; /* of a runtime, which has the current instruction; NULL: other code */
	struct bo_inline_load load;           /* of the current instruction; 0 bytes: it is none */
	Addr returns_to;             /* the block followed a call of an empty entry: where that returns to; 0: none */
	Bool has_loaded;             /* the current instruction already has a load */
	ULong hash_factor, hash_sum; /* instructions not yet folded into bo_code_hash; factor 1: none */
};

static inline IRExpr *u64(ULong value)
{
	return IRExpr_Const(IRConst_U64(value));
}

static inline IRExpr *assign(struct block *b, IRType type, IRExpr *e)
{
	IRTemp t = newIRTemp(b->out->tyenv, type);

	addStmtToIRSB(b->out, IRStmt_WrTmp(t, e));
	return IRExpr_RdTmp(t);
}

static inline IRExpr *binop(struct block *b, IRType type, IROp op, IRExpr *x, IRExpr *y)
{
	return assign(b, type, IRExpr_Binop(op, x, y));
}

static inline IRExpr *add(struct block *b, IRExpr *x, ULong y)
{
	return binop(b, Ity_I64, Iop_Add64, x, u64(y));
}

static inline IRExpr *guest_reg(struct block *b, Int offset)
{
	return assign(b, Ity_I64, IRExpr_Get(offset, Ity_I64));
}

static inline IRExpr *load64(struct block *b, IRExpr *addr)
{
	return assign(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, addr));
}

static inline void store64(struct block *b, IRExpr *addr, IRExpr *value)
{
	addStmtToIRSB(b->out, IRStmt_Store(Iend_LE, addr, value));
}

static inline void call(struct block *b, Int regparms, const HChar *name, void *function, IRExpr **args, IRExpr *guard)
{
	IRDirty *d = unsafeIRDirty_0_N(regparms, name, VG_(fnptr_to_fnentry)(function), args);

	if (guard)
		d->guard = guard;
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
}

/* The byte of bo_granules for an address (enum bo_granule).  An access whose guard is false may have any address, even
 * one outside the table. */
static inline IRExpr *granule_mark(struct block *b, IRExpr *addr, IRExpr *guard)
{
	if (guard)
		addr = assign(b, Ity_I64, IRExpr_ITE(guard, addr, u64(0)));
	IRExpr *granule = binop(b, Ity_I64, Iop_Shr64, addr, IRExpr_Const(IRConst_U8(BO_GRANULE_SHIFT)));
	IRExpr *entry = add(b, granule, (Addr)bo_granules);

	return assign(b, Ity_I8, IRExpr_Load(Iend_LE, Ity_I8, entry));
}

static inline IRExpr *site(const struct block *b, UInt size, UInt kind)
{
	return u64(BO_SITE(b->entry ? BO_CODE_RUNTIME : bo_code_id(b->insn), size, kind));
}

static inline UInt size_of(const struct block *b, const IRExpr *e)
{
	return (UInt)sizeofIRType(typeOfIRExpr(b->out->tyenv, e));
}

#endif
