/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_instr.c - instrument one superblock.
 *
 *   from VEX                                 code added after it
 *   ---------------------------------------  ------------------------------------------------------------
 *   Store, StoreG, Dirty that writes memory  if the address may be PM: bo_on_store (or its string or masked form)
 *   CAS                                      bo_on_cas: a locked instruction, no matter what it addresses
 *   MBE                                      bo_on_fence if the guest bytes are SFENCE or MFENCE
 *   end in NoDecode at CLWB, CLFLUSHOPT      bo_on_flush, and the block continues after it
 *   end in InvalICache (CLFLUSH)             the same
 *   Dirty of CPUID                           a second call that offers CLWB and CLFLUSHOPT if the host has them
 *   end in ClientReq                         an exit past RUNNING_ON_VALGRIND
 *   end in Call, or a call chased into       push a frame (two stores, inline)
 *   end in Call of an entry of a runtime     nothing is called if the entry is empty
 *   end in Ret                               pop it (a compare, inline); bo_on_return if it is another frame
 *   end in Sys           [--bo-op-marks=reads]  bo_before_read, which may shorten a read, or make it
 *   entry of a function  [--bo-calls]        bo_on_call
 *   Load, LoadG          [--bo-loads]        if the address may be PM: bo_on_load
 *   entry of a runtime   [--bo-sync]         note what is announced (inline)
 *   CAS, accesses of a runtime  [--bo-sync]  bo_on_atomic_cas, bo_on_atomic_load, bo_on_atomic_store
 *   everything           [--bo-inputs]       what bo_input_block.c adds
 *   Exit and block end   [--bo-code]         fold the instructions since the last one into bo_code_hash
 *
 * "May be PM" is an inline lookup of one byte in bo_granules; if it is zero, the call is skipped.  The check comes
 * after the access, so that a wild access faults in the target's own instruction.  Most accesses to the stack have no
 * check of their own (bo_stack.h). */
#include "bo.h"

#include "bo_input.h"
#include "bo_ir.h"
#include "bo_runtime.h"
#include "bo_shadow.h"
#include "bo_stack.h"
#include "bo_sync.h"

#define OFF_RIP GUEST(RIP)
#define OFF_RAX GUEST(RAX)
#define OFF_RBX GUEST(RBX)
#define OFF_RCX GUEST(RCX)
#define OFF_R9 GUEST(R9) /* from RCX to R9: all registers of arguments */

/* Base of the polynomial hash of executed instructions: any odd number with well-mixed bits. */
#define CODE_HASH_BASE 0x9e3779b97f4a7c15ULL

/* ---- memory accesses ---- */

/* 1-bit expression: the address may be PM (and `guard`, if any, holds). */
static IRExpr *may_be_pm(struct block *b, IRExpr *addr, IRExpr *guard)
{
	IRExpr *mark = granule_mark(b, addr, guard);
	IRExpr *pm = binop(b, Ity_I1, Iop_CmpNE8, mark, IRExpr_Const(IRConst_U8(0)));

	return guard ? binop(b, Ity_I1, Iop_And1, pm, guard) : pm;
}

static void add_masked_store(struct block *b, IRExpr *addr, UInt size)
{
	Bool is_xmm = b->decoded.insn == INSN_MASKED_16;
	Int mask = is_xmm ? GUEST(YMM0) + 32 * (Int)b->decoded.mask : GUEST(FPREG) + 8 * (Int)b->decoded.mask;
	IRExpr *lo = guest_reg(b, mask);
	IRExpr *hi = size == 16 ? guest_reg(b, mask + 8) : u64(0);
	IRExpr **args = mkIRExprVec_5(addr, site(b, size, BO_STORE_NONTEMPORAL), guest_reg(b, OFF_RSP), lo, hi);

	call(b, 0, "bo_on_masked_store", bo_on_masked_store, args, may_be_pm(b, addr, NULL));
}

/* [--bo-dependencies] The call that carries labels also records the event; but only of stores that are whole. */
static void add_labelled_store(struct block *b, IRExpr *addr, IRExpr *data, IRExpr *guard)
{
	switch (b->decoded.insn) {
	case INSN_NONTEMPORAL: bo_shadow_store(b, addr, data, guard, BO_STORE_NONTEMPORAL); break;
	case INSN_STRING_STORE: bo_shadow_store(b, addr, data, guard, BO_STORE_STRING); break;
	case INSN_MASKED_16:
	case INSN_MASKED_8:
		bo_shadow_store(b, addr, data, guard, BO_SHADOW_SILENT);
		add_masked_store(b, addr, size_of(b, data));
		break;
	default: bo_shadow_store(b, addr, data, guard, BO_STORE_PLAIN); break;
	}
}

static void add_store(struct block *b, IRExpr *addr, UInt size, IRExpr *guard)
{
	enum bo_insn insn = b->decoded.insn;
	UInt kind = insn == INSN_NONTEMPORAL ? BO_STORE_NONTEMPORAL : BO_STORE_PLAIN;
	IRExpr **args;

	if (bo_stack_covers(addr, size))
		return;
	if (insn == INSN_MASKED_16 || insn == INSN_MASKED_8) {
		add_masked_store(b, addr, size);
		return;
	}
	args = mkIRExprVec_3(addr, site(b, size, kind), guest_reg(b, OFF_RSP));
	if (insn == INSN_STRING_STORE)
		call(b, 3, "bo_on_string_store", bo_on_string_store, args, may_be_pm(b, addr, guard));
	else
		call(b, 3, "bo_on_store", bo_on_store, args, may_be_pm(b, addr, guard));
}

static void add_load(struct block *b, IRExpr *addr, UInt size, IRExpr *guard)
{
	IRExpr **args;

	if (!clo_bo_loads)
		return;
	b->has_loaded = True;
	if (bo_stack_covers(addr, size))
		return;
	args = mkIRExprVec_3(addr, site(b, size, 0), guest_reg(b, OFF_RSP));
	call(b, 3, "bo_on_load", bo_on_load, args, may_be_pm(b, addr, guard));
}

static IRExpr *cas_compare(struct block *b, IRType type, IRTemp old, IRExpr *expected)
{
	IROp op = type == Ity_I8    ? Iop_CasCmpEQ8
		  : type == Ity_I16 ? Iop_CasCmpEQ16
		  : type == Ity_I32 ? Iop_CasCmpEQ32
				    : Iop_CasCmpEQ64;

	return binop(b, Ity_I1, op, IRExpr_RdTmp(old), expected);
}

static void add_cas(struct block *b, const IRCAS *cas)
{
	IRType type = typeOfIRTemp(b->out->tyenv, cas->oldLo);
	UInt size = (UInt)sizeofIRType(type);
	IRExpr *stored = cas_compare(b, type, cas->oldLo, cas->expdLo);

	if (cas->oldHi != IRTemp_INVALID) {
		stored = binop(b, Ity_I1, Iop_And1, stored, cas_compare(b, type, cas->oldHi, cas->expdHi));
		size *= 2;
	}
	IRExpr *stored64 = assign(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, stored));
	if (clo_bo_sync)
		bo_sync_add_cas(b, cas->addr, stored64);
	if (clo_bo_dependencies) {
		bo_shadow_cas(b, cas, size, stored64);
		return;
	}
	/* LOCK ADD and similar instructions load first, then compare and swap.  The hardware does a single access. */
	if (!b->has_loaded)
		add_load(b, cas->addr, size, NULL);
	call(b, 0, "bo_on_cas", bo_on_cas, mkIRExprVec_4(cas->addr, site(b, size, 0), guest_reg(b, OFF_RSP), stored64),
	     NULL);
}

static void add_dirty(struct block *b, const IRDirty *d)
{
	if (clo_bo_dependencies) {
		bo_shadow_dirty(b, d);
		return;
	}
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
		add_load(b, d->mAddr, (UInt)d->mSize, d->guard);
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		add_store(b, d->mAddr, (UInt)d->mSize, d->guard);
}

/* ---- executed code ---- */

static void note_insn(struct block *b)
{
	/* An empty entry may be executed or not (end_at_call). */
	if (!clo_bo_code || (b->entry && b->entry->is_empty))
		return;
	b->hash_sum = b->hash_sum * CODE_HASH_BASE + bo_code_hash_of(b->insn);
	b->hash_factor *= CODE_HASH_BASE;
}

/* The hash is a polynomial over instructions, so it does not depend on how VEX cuts code into blocks. */
static void fold_code_hash(struct block *b)
{
	IRExpr *where, *h;

	if (b->hash_factor == 1)
		return;
	where = u64((Addr)&bo_code_hash);
	h = binop(b, Ity_I64, Iop_Mul64, load64(b, where), u64(b->hash_factor));
	store64(b, where, add(b, h, b->hash_sum));
	b->hash_factor = 1;
	b->hash_sum = 0;
}

/* ---- flushes and fences ---- */

/* The address that the current instruction, a flush or a NOP, names. */
static IRExpr *effective_address(struct block *b)
{
	static const Int registers[16] = {
		GUEST(RAX), GUEST(RCX), GUEST(RDX), GUEST(RBX), GUEST(RSP), GUEST(RBP), GUEST(RSI), GUEST(RDI),
		GUEST(R8),  GUEST(R9),  GUEST(R10), GUEST(R11), GUEST(R12), GUEST(R13), GUEST(R14), GUEST(R15),
	};
	const struct bo_decoded *d = &b->decoded;
	const struct x86_memory *m = &d->memory;
	IRExpr *sum = u64((ULong)(Long)m->displacement + (m->relative ? b->insn + d->length : 0));

	if (m->base != X86_NONE)
		sum = binop(b, Ity_I64, Iop_Add64, guest_reg(b, registers[m->base]), sum);
	if (m->index != X86_NONE) {
		IRExpr *scale = IRExpr_Const(IRConst_U8(m->scale));
		IRExpr *index = binop(b, Ity_I64, Iop_Shl64, guest_reg(b, registers[m->index]), scale);
		sum = binop(b, Ity_I64, Iop_Add64, index, sum);
	}
	if (d->is_32bit)
		sum = binop(b, Ity_I64, Iop_And64, sum, u64(0xffffffff));
	if (d->segment)
		sum = binop(b, Ity_I64, Iop_Add64, guest_reg(b, d->segment == 0x64 ? GUEST(FS_CONST) : GUEST(GS_CONST)),
			    sum);
	return sum;
}

static void add_flush(struct block *b)
{
	UInt opcode = b->decoded.insn == INSN_CLWB         ? BO_OP_CLWB
		      : b->decoded.insn == INSN_CLFLUSHOPT ? BO_OP_CLFLUSHOPT
							   : BO_OP_CLFLUSH;
	IRExpr *addr = effective_address(b);

	call(b, 3, "bo_on_flush", bo_on_flush, mkIRExprVec_3(addr, site(b, 0, opcode), guest_reg(b, OFF_RSP)), NULL);
}

static void add_fence(struct block *b)
{
	UInt opcode = b->decoded.insn == INSN_SFENCE ? BO_OP_SFENCE : BO_OP_MFENCE;

	if (b->decoded.insn != INSN_SFENCE && b->decoded.insn != INSN_MFENCE)
		return; /* LFENCE, CPUID, RDTSCP: barriers to VEX, not to persistence */
	fold_code_hash(b);
	call(b, 2, "bo_on_fence", bo_on_fence, mkIRExprVec_2(site(b, 0, opcode), guest_reg(b, OFF_RSP)), NULL);
}

static Bool is_flush(enum bo_insn insn)
{
	return insn == INSN_CLFLUSH || insn == INSN_CLFLUSHOPT || insn == INSN_CLWB;
}

/* Make a block that ends at a flush continue after it, as if VEX had decoded the flush. */
static void end_at_flush(struct block *b, Addr insn)
{
	struct bo_decoded d = bo_decode((const UChar *)insn);

	if (!is_flush(d.insn))
		return;
	if (b->insn != insn) {
		b->insn = insn;
		note_insn(b);
	}
	b->decoded = d;
	add_flush(b);
	b->out->jumpkind = Ijk_Boring;
	b->out->next = u64(insn + d.length);
}

/* ---- CPUID and client requests: hide Valgrind from the target ---- */

#define CPUID7_EBX_CLFLUSHOPT (1u << 23)
#define CPUID7_EBX_CLWB (1u << 24)

static void host_cpuid(UInt leaf, UInt subleaf, UInt regs[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3])
			 : "a"(leaf), "c"(subleaf));
}

UInt bo_host_cpuid7(UInt reg)
{
	UInt regs[4];

	host_cpuid(0, 0, regs);
	if (regs[0] < 7)
		return 0;
	host_cpuid(7, 0, regs);
	return regs[reg];
}

static void bo_after_cpuid(VexGuestAMD64State *state, ULong leaf, ULong subleaf)
{
	if ((UInt)leaf == 7 && (UInt)subleaf == 0)
		state->guest_RBX |= bo_host_cpuid7(1) & (CPUID7_EBX_CLFLUSHOPT | CPUID7_EBX_CLWB);
}

static void add_after_cpuid(struct block *b, IRExpr *leaf, IRExpr *subleaf)
{
	IRDirty *d = unsafeIRDirty_0_N(0, "bo_after_cpuid", VG_(fnptr_to_fnentry)(bo_after_cpuid),
				       mkIRExprVec_3(IRExpr_GSPTR(), leaf, subleaf));

	d->nFxState = 1;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Modify;
	d->fxState[0].offset = (UShort)OFF_RBX;
	d->fxState[0].size = 8;
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
}

static Bool is_cpuid(const IRDirty *d)
{
	return VG_(strncmp)(d->cee->name, "amd64g_dirtyhelper_CPUID", 24) == 0;
}

/* RAX points at the request's words.  If RDX is left alone, the request returns its default: 0, "no Valgrind". */
static void hide_running_on_valgrind(struct block *b)
{
	IRExpr *request = load64(b, guest_reg(b, OFF_RAX));
	IRExpr *asks = binop(b, Ity_I1, Iop_CmpEQ64, request, u64(0x1001 /* VG_USERREQ__RUNNING_ON_VALGRIND */));
	IRExpr *next = b->out->next;

	if (next->tag == Iex_Const)
		addStmtToIRSB(b->out, IRStmt_Exit(asks, Ijk_Boring, next->Iex.Const.con, OFF_RIP));
}

/* ---- calls and returns ---- */

static void push_frame(struct block *b, Addr return_address)
{
	IRExpr *where = u64((Addr)&bo_frame_top);
	IRExpr *top = load64(b, where);

	store64(b, top, guest_reg(b, OFF_RSP));
	store64(b, add(b, top, 8), u64(b->entry ? BO_CODE_RUNTIME : bo_code_id(return_address))); /* no context yet */
	store64(b, where, add(b, top, sizeof(struct bo_frame)));
}

static void add_call(struct block *b, const struct function *function)
{
	IRDirty *d = unsafeIRDirty_0_N(0, "bo_on_call", VG_(fnptr_to_fnentry)(bo_on_call),
				       mkIRExprVec_3(IRExpr_GSPTR(), u64((Addr)function), guest_reg(b, OFF_RSP)));

	d->nFxState = 1;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Read;
	d->fxState[0].offset = (UShort)OFF_RCX;
	d->fxState[0].size = (UShort)(OFF_R9 + 8 - OFF_RCX);
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
}

/* The entry of a runtime that is called, if it does nothing but return. */
static const struct bo_runtime_entry *empty_entry(Addr addr)
{
	const struct bo_runtime_entry *e = bo_code_entry(addr);

	return e && e->addr == addr && e->is_empty ? e : NULL;
}

static Bool is_entry(const struct bo_runtime_entry *e, Addr addr)
{
	return e && e->addr == addr && !e->is_empty;
}

/* Code that is not of a runtime jumps, perhaps to an entry: a call that is the last thing its caller does. */
static void note_jump(struct block *b, Addr to)
{
	if (!b->entry && is_entry(bo_code_entry(to), to))
		store64(b, u64((Addr)&bo_announced.jump), u64(bo_code_id(b->insn)));
}

/* The entry is left, as its block ends. */
static void note_end_of_entry(struct block *b)
{
	IRExpr *next = b->out->next;
	Bool stays =
		b->out->jumpkind == Ijk_Boring && next->tag == Iex_Const && bo_code_entry(next->Iex.Const.con->Ico.U64);

	if (!b->entry || stays || b->out->jumpkind == Ijk_Call)
		return;
	store64(b, u64((Addr)&bo_announced.jump), u64(0));
	if (clo_bo_sync)
		bo_sync_end_access(b);
}

/* A block ends in a call.  An empty entry of a runtime is not even called: the stack is put back. */
static void end_at_call(struct block *b)
{
	IRExpr *next = b->out->next;
	Addr after = b->insn + b->insn_length;
	const struct bo_runtime_entry *e = NULL;

	if (next->tag == Iex_Const && !clo_bo_dependencies)
		e = empty_entry(next->Iex.Const.con->Ico.U64);
	if (!e) {
		push_frame(b, after);
		return;
	}
	if (clo_bo_sync)
		bo_sync_add_announcement(b, e);
	addStmtToIRSB(b->out, IRStmt_Put(OFF_RSP, add(b, guest_reg(b, OFF_RSP), 8)));
	b->out->jumpkind = Ijk_Boring;
	b->out->next = u64(after);
}

static void pop_frame(struct block *b)
{
	IRExpr *where = u64((Addr)&bo_frame_top);
	IRExpr *top = load64(b, where);
	IRExpr *below = add(b, top, -sizeof(struct bo_frame));
	IRExpr *sp = guest_reg(b, OFF_RSP);
	IRExpr *slot = load64(b, below);
	IRExpr *matches = binop(b, Ity_I1, Iop_CmpEQ64, slot, add(b, sp, -8ULL));
	IRExpr *differs = assign(b, Ity_I1, IRExpr_Unop(Iop_Not1, matches));

	store64(b, where, assign(b, Ity_I64, IRExpr_ITE(matches, below, top)));
	call(b, 1, "bo_on_return", bo_on_return, mkIRExprVec_1(sp), differs);
}

/* A block may chase into any number of calls, but the shadow stack guarantees room for only one per block. */
static void push_chased_frame(struct block *b, Addr return_address)
{
	IRExpr *top = load64(b, u64((Addr)&bo_frame_top));
	IRExpr *limit = load64(b, u64((Addr)&bo_frame_limit));
	IRExpr *is_full = binop(b, Ity_I1, Iop_CmpLT64U, limit, top);

	call(b, 1, "bo_frame_make_room", bo_frame_make_room, mkIRExprVec_1(guest_reg(b, OFF_RSP)), is_full);
	push_frame(b, return_address);
}

static void enter_chased_call(struct block *b, Addr addr, Addr return_address)
{
	if (empty_entry(addr))
		b->returns_to = return_address;
	else
		push_chased_frame(b, return_address);
}

/* A block ends in a return: to a place that is known, if it is that of an empty entry. */
static void end_at_return(struct block *b)
{
	if (!b->returns_to) {
		pop_frame(b);
		return;
	}
	b->out->jumpkind = Ijk_Boring;
	b->out->next = u64(b->returns_to);
}

/* ---- system calls ---- */

/* The helper may make a read itself: then its result is in RAX, and the target goes on behind the call.  Otherwise it
 * may change the size of the read, which is in RDX. */
static void add_before_read(struct block *b)
{
	IRExpr *next = b->out->next, *is_made;
	IRTemp made;
	IRDirty *d;

	if (!bo_operations_read() || next->tag != Iex_Const)
		return;
	fold_code_hash(b);
	made = newIRTemp(b->out->tyenv, Ity_I64);
	d = unsafeIRDirty_1_N(made, 0, "bo_before_read", VG_(fnptr_to_fnentry)(bo_before_read),
			      mkIRExprVec_2(IRExpr_GSPTR(), u64(bo_code_id(b->insn))));
	d->nFxState = 4;
	VG_(memset)(&d->fxState, 0, sizeof(d->fxState));
	d->fxState[0].fx = Ifx_Modify;
	d->fxState[0].offset = (UShort)GUEST(RDX);
	d->fxState[0].size = 8;
	d->fxState[1].fx = Ifx_Modify;
	d->fxState[1].offset = (UShort)OFF_RAX;
	d->fxState[1].size = 8;
	d->fxState[2].fx = Ifx_Read; /* RSI, RDI, R8, R9, R10 */
	d->fxState[2].offset = (UShort)GUEST(RSI);
	d->fxState[2].size = (UShort)(GUEST(R10) + 8 - GUEST(RSI));
	d->fxState[3].fx = Ifx_Read;
	d->fxState[3].offset = (UShort)OFF_RSP;
	d->fxState[3].size = 8;
	addStmtToIRSB(b->out, IRStmt_Dirty(d));
	is_made = binop(b, Ity_I1, Iop_CmpNE64, IRExpr_RdTmp(made), u64(0));
	addStmtToIRSB(b->out, IRStmt_Exit(is_made, Ijk_Boring, next->Iex.Const.con, OFF_RIP));
}

/* ---- one statement, one block ---- */

static void add_inline_store(struct block *b)
{
	struct bo_runtime_entry e = {0};

	if (b->decoded.insn == INSN_NOP && bo_code_inline_store(b->insn, &e))
		bo_sync_add_inline_store(b, &e, effective_address(b));
}

static void begin_insn(struct block *b, const IRStmt *mark)
{
	Addr addr = mark->Ist.IMark.addr;
	const struct function *function;

	/* A call that VEX chased into is visible only as a jump in the stream of instructions. */
	if (b->insn && addr != b->insn + b->insn_length) {
		if (b->decoded.insn == INSN_CALL)
			enter_chased_call(b, addr, b->insn + b->insn_length);
		else
			note_jump(b, addr);
	}
	b->insn = addr;
	b->insn_length = mark->Ist.IMark.len;
	b->decoded = bo_decode((const UChar *)addr);
	b->has_loaded = False;
	b->entry = bo_code_entry(addr);
	if (!clo_bo_sync || !bo_code_inline_load(addr, &b->load))
		b->load.bytes = 0;
	note_insn(b);
	if (clo_bo_dependencies)
		bo_shadow_insn(b);
	if (clo_bo_inputs)
		bo_input_insn(b);
	if (clo_bo_sync && b->entry && b->entry->addr == addr)
		bo_sync_add_announcement(b, b->entry);
	if (clo_bo_sync)
		add_inline_store(b);
	function = bo_calls_noticed ? bo_calls_entry(addr) : NULL;
	if (function)
		add_call(b, function);
}

static void add_loads_of(struct block *b, const IRStmt *st)
{
	const IRExpr *e = st->Ist.WrTmp.data;

	if (clo_bo_loads && e->tag == Iex_Load)
		add_load(b, e->Iex.Load.addr, (UInt)sizeofIRType(e->Iex.Load.ty), NULL);
}

static void add_guarded_load(struct block *b, const IRLoadG *lg)
{
	IRType loaded, widened;

	typeOfIRLoadGOp(lg->cvt, &widened, &loaded);
	add_load(b, lg->addr, (UInt)sizeofIRType(loaded), lg->guard);
}

static void instrument_dirty(struct block *b, IRStmt *st)
{
	IRDirty *d = st->Ist.Dirty.details;

	if (is_cpuid(d)) {
		IRExpr *leaf = guest_reg(b, OFF_RAX), *subleaf = guest_reg(b, OFF_RCX);
		addStmtToIRSB(b->out, st);
		add_after_cpuid(b, leaf, subleaf);
		return;
	}
	addStmtToIRSB(b->out, st);
	add_dirty(b, d);
}

static void instrument_access(struct block *b, const IRStmt *st)
{
	switch (st->tag) {
	case Ist_Store: add_store(b, st->Ist.Store.addr, size_of(b, st->Ist.Store.data), NULL); break;
	case Ist_StoreG: {
		const IRStoreG *sg = st->Ist.StoreG.details;
		add_store(b, sg->addr, size_of(b, sg->data), sg->guard);
		break;
	}
	case Ist_WrTmp: add_loads_of(b, st); break;
	case Ist_LoadG: add_guarded_load(b, st->Ist.LoadG.details); break;
	default: break;
	}
}

static void instrument_labelled(struct block *b, const IRStmt *st)
{
	switch (st->tag) {
	case Ist_Store: add_labelled_store(b, st->Ist.Store.addr, st->Ist.Store.data, NULL); break;
	case Ist_StoreG: {
		const IRStoreG *sg = st->Ist.StoreG.details;
		add_labelled_store(b, sg->addr, sg->data, sg->guard);
		break;
	}
	case Ist_LoadG: bo_shadow_guarded_load(b, st->Ist.LoadG.details); break;
	default: bo_shadow_stmt(b, st); break;
	}
}

static Bool is_load(const IRStmt *st)
{
	return st->tag == Ist_WrTmp && st->Ist.WrTmp.data->tag == Iex_Load;
}

/* The code of a runtime, or a load that stands for it: the accesses may be atomic ones of the source. */
static void instrument_atomic(struct block *b, const IRStmt *st)
{
	if (st->tag == Ist_Store)
		bo_sync_add_store(b, st->Ist.Store.addr);
	else if (is_load(st))
		bo_sync_add_load(b, st->Ist.WrTmp.data->Iex.Load.addr);
}

static void instrument_stmt(struct block *b, IRStmt *st)
{
	if (st->tag == Ist_IMark)
		begin_insn(b, st);
	if (st->tag == Ist_Exit || st->tag == Ist_CAS)
		fold_code_hash(b);
	if (st->tag == Ist_Exit && st->Ist.Exit.jk == Ijk_Boring)
		note_jump(b, st->Ist.Exit.dst->Ico.U64);
	if (st->tag == Ist_Exit && clo_bo_dependencies)
		bo_shadow_exit(b, st);
	if (st->tag == Ist_Exit && clo_bo_inputs)
		bo_input_exit(b, st);
	if (st->tag == Ist_Dirty) {
		instrument_dirty(b, st);
		return;
	}
	addStmtToIRSB(b->out, st);
	switch (st->tag) {
	case Ist_CAS: add_cas(b, st->Ist.CAS.details); break;
	case Ist_MBE: add_fence(b); break;
	default:
		if (clo_bo_sync && (b->entry || b->load.bytes))
			instrument_atomic(b, st);
		if (clo_bo_dependencies)
			instrument_labelled(b, st);
		else
			instrument_access(b, st);
		if (b->load.bytes && is_load(st))
			bo_sync_end_access(b);
		break;
	}
}

static void instrument_end(struct block *b)
{
	if (clo_bo_dependencies)
		bo_shadow_end(b);
	if (clo_bo_inputs)
		bo_input_end(b);
	note_end_of_entry(b);
	switch (b->out->jumpkind) {
	case Ijk_NoDecode:
		if (b->out->next->tag == Iex_Const)
			end_at_flush(b, b->out->next->Iex.Const.con->Ico.U64);
		break;
	case Ijk_InvalICache: end_at_flush(b, b->insn); break;
	case Ijk_ClientReq: hide_running_on_valgrind(b); break;
	case Ijk_Sys_syscall: add_before_read(b); break;
	case Ijk_Call: end_at_call(b); break;
	case Ijk_Ret: end_at_return(b); break;
	case Ijk_Boring:
		if (b->out->next->tag == Iex_Const)
			note_jump(b, b->out->next->Iex.Const.con->Ico.U64);
		break;
	default: break;
	}
	fold_code_hash(b);
}

/* A block is translated when it is about to be executed. */
static void tell_code(const VexGuestExtents *extents)
{
	for (Int i = 0; i < extents->n_used; i++)
		bo_tell_code(extents->base[i], extents->len[i]);
}

IRSB *bo_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout, const VexGuestExtents *extents,
		    const VexArchInfo *archinfo, IRType guest_word, IRType host_word)
{
	struct block b = {.out = deepCopyIRSBExceptStmts(in), .hash_factor = 1};
	Int i = 0;

	bo_operations_on_code();
	if (clo_bo_dependencies && !bo_shadow_begin(&b, in, layout))
		return b.out;
	for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		addStmtToIRSB(b.out, in->stmts[i]); /* preamble: never touched */
	if (!clo_bo_dependencies)
		bo_stack_begin(&b, in, closure->nraddr);
	if (clo_bo_inputs) {
		bo_input_begin(&b, closure->nraddr, in, layout);
		tell_code(extents);
	}
	for (; i < in->stmts_used; i++) {
		if (in->stmts[i]->tag == Ist_NoOp)
			continue;
		instrument_stmt(&b, in->stmts[i]);
		if (clo_bo_inputs)
			bo_input_stmt(&b, in->stmts[i]);
	}
	instrument_end(&b);
	return b.out;
}
