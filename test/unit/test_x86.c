/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_x86.c - our decoders agree with Zydis about every instruction that Zydis knows.
 *
 *   1  x86/parts.h          prefixes, opcode and memory operand are where Zydis finds them
 *   2  tool/bo_decode.c     an instruction is a flush, a fence and so on exactly if Zydis says so
 *   3  preload/insn.c       the reach of an instruction is never too small; loads and stores are what they are called
 *   4  preload/move.c       an instruction that is accepted is that instruction, with that operand
 *   5  flow/insn.c          an instruction is as long as Zydis says, and continues there
 *
 * The bytes come from a fixed seed: every opcode of every map with random prefixes and operands, and plain random
 * bytes.  The last decoder sees all functions of the loaded libraries as well.  Decoders 3 and 4 see only instructions that fault, so those without a memory operand do not matter to
 * them. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <gelf.h>
#include <link.h>

#include <Zydis/Zydis.h>

#include "../../tool/bo_decode.h"
#include "base/random.h"
#include "flow/insn.h"
#include "preload/insn.h"
#include "preload/move.h"

enum { CODE = 32, TRIES = 150, RANDOM_TRIES = 300000, OPERANDS = ZYDIS_MAX_OPERAND_COUNT };

static uint64_t random_state;

static uint64_t roll(uint64_t limit)
{
	return random_below(&random_state, limit);
}

/* One instruction, as Zydis sees it. */
struct known {
	const uint8_t *code;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[OPERANDS];
	const ZydisDecodedOperand *access[OPERANDS]; /* memory operands that it loads or stores */
	unsigned access_count;
	bool loads, stores;
};

#define FAIL(k, ...)                   \
	do {                           \
		known_print(k);        \
		fail_msg(__VA_ARGS__); \
	} while (0)

static void known_print(const struct known *k)
{
	ZydisFormatter formatter;
	char text[256];

	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterFormatInstruction(&formatter, &k->insn, k->operands, k->insn.operand_count_visible, text,
					sizeof(text), 0, NULL);
	for (unsigned i = 0; i < k->insn.length; i++)
		print_error("%02x ", k->code[i]);
	print_error(" %s\n", text);
}

/* Knights Corner had instructions of its own in place of others. */
static bool is_of_another_machine(const ZydisDecodedInstruction *insn)
{
	return insn->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX || insn->meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
	       insn->meta.isa_ext == ZYDIS_ISA_EXT_KNCE || insn->meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

/* Zydis 4.0 takes the absent base of a 32-bit address for R13D. */
static bool is_misread(const ZydisDecodedInstruction *insn)
{
	return insn->address_width == 32 && insn->attributes & ZYDIS_ATTRIB_HAS_SIB && insn->raw.modrm.mod == 0 &&
	       insn->raw.sib.base == 5;
}

static bool known_read(struct known *k, const uint8_t *code)
{
	static ZydisDecoder decoder;

	if (!decoder.machine_mode && decoder.stack_width == 0)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	memset(k, 0, sizeof(*k));
	k->code = code;
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, ZYDIS_MAX_INSTRUCTION_LENGTH, &k->insn, k->operands)) ||
	    is_of_another_machine(&k->insn) || is_misread(&k->insn))
		return false;
	for (unsigned i = 0; i < k->insn.operand_count; i++) {
		const ZydisDecodedOperand *o = &k->operands[i];

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		k->access[k->access_count++] = o;
		k->loads |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
		k->stores |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
	}
	return true;
}

/* The operand that ModRM describes, or NULL. */
static const ZydisDecodedOperand *known_memory(const struct known *k)
{
	for (unsigned i = 0; i < k->insn.operand_count; i++) {
		const ZydisDecodedOperand *o = &k->operands[i];

		if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
			return o;
	}
	return NULL;
}

static bool known_repeats(const struct known *k)
{
	for (unsigned i = 0; i < k->insn.raw.prefix_count; i++) {
		if (k->insn.raw.prefixes[i].value == 0xf2 || k->insn.raw.prefixes[i].value == 0xf3)
			return true;
	}
	return false;
}

/* 1: parts */

static unsigned long parts_memories;

static int number_of(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP
		       ? X86_NONE
		       : ZydisRegisterGetId(reg);
}

static void memory_compare(const struct known *k, const struct x86_memory *m)
{
	const ZydisDecodedOperand *o = known_memory(k);
	bool relative = o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP;
	unsigned end = k->insn.raw.modrm.offset + 1u + (k->insn.raw.modrm.rm == 4) + k->insn.raw.disp.size / 8u;

	if (m->base != number_of(o->mem.base) || m->index != number_of(o->mem.index) || m->relative != relative)
		FAIL(k, "base %d, index %d, relative %d", m->base, m->index, m->relative);
	if (m->index != X86_NONE && 1u << m->scale != o->mem.scale)
		FAIL(k, "scale %u", m->scale);
	if (m->displacement != o->mem.disp.value || m->end != k->code + end)
		FAIL(k, "displacement %d, end %td", m->displacement, m->end - k->code);
	parts_memories++;
}

static void parts_check(const struct known *k)
{
	static const enum x86_encoding encodings[] = {[ZYDIS_INSTRUCTION_ENCODING_LEGACY] = X86_LEGACY,
						      [ZYDIS_INSTRUCTION_ENCODING_3DNOW] = X86_LEGACY,
						      [ZYDIS_INSTRUCTION_ENCODING_XOP] = X86_XOP,
						      [ZYDIS_INSTRUCTION_ENCODING_VEX] = X86_VEX,
						      [ZYDIS_INSTRUCTION_ENCODING_EVEX] = X86_EVEX};
	struct x86_parts p = x86_parts_read(k->code);
	const ZydisDecodedOperand *o = known_memory(k);

	if (k->insn.raw.prefix_count >= 10 || k->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW)
		return;
	if (p.encoding != encodings[k->insn.encoding] || p.opcode != k->insn.opcode)
		FAIL(k, "encoding %d, opcode %#x", p.encoding, p.opcode);
	if (p.encoding == X86_XOP ? p.map != k->insn.opcode_map - ZYDIS_OPCODE_MAP_XOP8 + 8
				  : p.map != (unsigned)k->insn.opcode_map)
		FAIL(k, "map %u", p.map);
	if (p.lock != !!(k->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK))
		FAIL(k, "lock %d", p.lock);
	if (k->insn.attributes & ZYDIS_ATTRIB_HAS_MODRM && p.modrm != k->code + k->insn.raw.modrm.offset)
		FAIL(k, "ModRM at %td", p.modrm - k->code);
	if (!o)
		return;
	assert_true(x86_is_memory(&p));
	/* An instruction on scalars may have any length. */
	if (p.encoding != X86_LEGACY && 8 * p.vector < k->insn.avx.vector_length)
		FAIL(k, "vectors of %u bytes", p.vector);
	/* LEA ignores segments, and MPX ignores the size of addresses. */
	if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN || k->insn.meta.isa_set == ZYDIS_ISA_SET_MPX)
		return;
	if ((p.segment == 0x64) != (o->mem.segment == ZYDIS_REGISTER_FS) ||
	    (p.segment == 0x65) != (o->mem.segment == ZYDIS_REGISTER_GS))
		FAIL(k, "segment %#x", p.segment);
	if (p.addrsize != (k->insn.address_width == 32))
		FAIL(k, "address size");
	if (p.encoding != X86_EVEX && o->mem.type != ZYDIS_MEMOP_TYPE_VSIB) {
		struct x86_memory m = x86_memory_read(&p);

		memory_compare(k, &m);
	}
}

/* 2: the recorder */

static unsigned long tool_seen[INSN_NOP + 1];

static enum bo_insn tool_expected(const struct known *k)
{
	switch (k->insn.mnemonic) {
	case ZYDIS_MNEMONIC_CLFLUSH: return INSN_CLFLUSH;
	case ZYDIS_MNEMONIC_CLFLUSHOPT: return INSN_CLFLUSHOPT;
	case ZYDIS_MNEMONIC_CLWB: return INSN_CLWB;
	case ZYDIS_MNEMONIC_SFENCE: return INSN_SFENCE;
	case ZYDIS_MNEMONIC_MFENCE: return INSN_MFENCE;
	case ZYDIS_MNEMONIC_MOVNTI:
	case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_MOVNTDQ:
	case ZYDIS_MNEMONIC_MOVNTPS:
	case ZYDIS_MNEMONIC_MOVNTPD:
	case ZYDIS_MNEMONIC_MOVNTSS:
	case ZYDIS_MNEMONIC_MOVNTSD:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTPS:
	case ZYDIS_MNEMONIC_VMOVNTPD: return INSN_NONTEMPORAL;
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU: return INSN_MASKED_16;
	case ZYDIS_MNEMONIC_MASKMOVQ: return INSN_MASKED_8;
	case ZYDIS_MNEMONIC_CALL: return k->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR ? INSN_CALL : INSN_OTHER;
	case ZYDIS_MNEMONIC_NOP: return k->insn.opcode == 0x1f && k->insn.raw.modrm.mod != 3 ? INSN_NOP : INSN_OTHER;
	case ZYDIS_MNEMONIC_MOVSB:
	case ZYDIS_MNEMONIC_MOVSW:
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_MOVSQ:
	case ZYDIS_MNEMONIC_STOSB:
	case ZYDIS_MNEMONIC_STOSW:
	case ZYDIS_MNEMONIC_STOSD:
	case ZYDIS_MNEMONIC_STOSQ:
		return k->insn.meta.category == ZYDIS_CATEGORY_STRINGOP && known_repeats(k) ? INSN_STRING_STORE
											    : INSN_OTHER;
	default: return INSN_OTHER;
	}
}

static void tool_check(const struct known *k)
{
	struct bo_decoded d = bo_decode(k->code);

	if (k->insn.raw.prefix_count >= 10)
		return;
	if (d.insn != tool_expected(k))
		FAIL(k, "the recorder says %d, not %d", d.insn, tool_expected(k));
	tool_seen[d.insn]++;
	switch (d.insn) {
	case INSN_CLFLUSH:
	case INSN_CLFLUSHOPT:
	case INSN_CLWB:
		assert_int_equal(d.segment, known_memory(k)->mem.segment == ZYDIS_REGISTER_FS   ? 0x64
					    : known_memory(k)->mem.segment == ZYDIS_REGISTER_GS ? 0x65
												: 0);
		assert_int_equal(d.is_32bit, k->insn.address_width == 32);
		__attribute__((fallthrough));
	case INSN_NOP: memory_compare(k, &d.memory); __attribute__((fallthrough));
	case INSN_SFENCE:
	case INSN_MFENCE:
		if (d.length != k->insn.length)
			FAIL(k, "length %u", d.length);
		break;
	case INSN_MASKED_16:
	case INSN_MASKED_8:
		if (d.mask != ZydisRegisterGetId(k->operands[1].reg.value))
			FAIL(k, "mask %u", d.mask);
		break;
	default: break;
	}
}

/* 3: the reach of an instruction */

static unsigned long insn_seen[INSN_WIDE + 1], insn_loads, insn_stores;

/* Hints do not fault.  All others that access memory can. */
static bool known_faults(const struct known *k)
{
	switch (k->insn.meta.category) {
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_CLDEMOTE: return false;
	default: return k->access_count > 0;
	}
}

static void plain_check(const struct known *k, const struct insn *insn)
{
	for (unsigned i = 0; i < k->access_count; i++) {
		if (k->access[i]->size > 8u * insn->size)
			FAIL(k, "reaches %u bytes, not %u", k->access[i]->size / 8, insn->size);
		if (k->access[i]->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
			FAIL(k, "has several operands");
	}
	if (insn->loads && k->stores)
		FAIL(k, "is no load");
	if (insn->stores && (k->loads || k->access_count != 1 || k->access[0]->size != 8u * insn->size ||
			     k->access[0]->actions != ZYDIS_OPERAND_ACTION_WRITE))
		FAIL(k, "is no plain store");
	insn_loads += insn->loads;
	insn_stores += insn->stores;
}

static void string_check(const struct known *k, const struct insn *insn)
{
	bool source = false, target = false, stores = false;

	for (unsigned i = 0; i < k->access_count; i++) {
		const ZydisDecodedOperandMem *m = &k->access[i]->mem;

		source |= m->base == ZYDIS_REGISTER_RSI;
		target |= m->base == ZYDIS_REGISTER_RDI;
		stores |= m->base == ZYDIS_REGISTER_RDI && (k->access[i]->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
		if ((m->base != ZYDIS_REGISTER_RSI && m->base != ZYDIS_REGISTER_RDI) ||
		    m->segment == ZYDIS_REGISTER_FS || m->segment == ZYDIS_REGISTER_GS)
			FAIL(k, "is not at RSI or RDI");
		if (k->access[i]->size != 8u * insn->size)
			FAIL(k, "elements of %u bytes", insn->size);
	}
	if (insn->source != source || insn->target != target || (target && insn->compares == stores))
		FAIL(k, "source %d, target %d, compares %d", insn->source, insn->target, insn->compares);
	if (insn->repeats != (known_repeats(k) && !insn->compares))
		FAIL(k, "repeats %d", insn->repeats);
}

static void insn_check(const struct known *k)
{
	struct insn insn = insn_look(k->code);
	bool flush = k->insn.mnemonic == ZYDIS_MNEMONIC_CLFLUSH || k->insn.mnemonic == ZYDIS_MNEMONIC_CLFLUSHOPT ||
		     k->insn.mnemonic == ZYDIS_MNEMONIC_CLWB;

	if (!flush && !known_faults(k))
		return;
	insn_seen[insn.kind]++;
	if (k->insn.raw.prefix_count < 10 && (insn.kind == INSN_FLUSH) != flush)
		FAIL(k, "flush: %d", insn.kind == INSN_FLUSH);
	if (insn.kind == INSN_FLUSH)
		assert_int_equal(insn.length, k->insn.length);
	else if (insn.kind == INSN_PLAIN)
		plain_check(k, &insn);
	else if (insn.kind == INSN_STRING)
		string_check(k, &insn);
}

/* 4: the instructions that the stub executes */

static unsigned long move_seen[MOVE_CALCULATE + 1];

static ZydisRegister move_register(const struct move *m)
{
	static const ZydisRegister bytes[16] = {ZYDIS_REGISTER_AL,   ZYDIS_REGISTER_CL,   ZYDIS_REGISTER_DL,
						ZYDIS_REGISTER_BL,   ZYDIS_REGISTER_SPL,  ZYDIS_REGISTER_BPL,
						ZYDIS_REGISTER_SIL,  ZYDIS_REGISTER_DIL,  ZYDIS_REGISTER_R8B,
						ZYDIS_REGISTER_R9B,  ZYDIS_REGISTER_R10B, ZYDIS_REGISTER_R11B,
						ZYDIS_REGISTER_R12B, ZYDIS_REGISTER_R13B, ZYDIS_REGISTER_R14B,
						ZYDIS_REGISTER_R15B};
	static const ZydisRegister high[4] = {ZYDIS_REGISTER_AH, ZYDIS_REGISTER_CH, ZYDIS_REGISTER_DH,
					      ZYDIS_REGISTER_BH};

	if (m->vector)
		return ZydisRegisterEncode(ZYDIS_REGCLASS_XMM, m->reg);
	if (m->high)
		return high[m->reg];
	return m->width == 1 ? bytes[m->reg]
			     : ZydisRegisterEncode(m->width == 8   ? ZYDIS_REGCLASS_GPR64
						   : m->width == 4 ? ZYDIS_REGCLASS_GPR32
								   : ZYDIS_REGCLASS_GPR16,
						   m->reg);
}

static bool move_is_mnemonic(const struct move *m, ZydisMnemonic mnemonic)
{
	static const ZydisMnemonic operations[] = {
		[MOVE_ADD] = ZYDIS_MNEMONIC_ADD,  [MOVE_OR] = ZYDIS_MNEMONIC_OR,   [MOVE_AND] = ZYDIS_MNEMONIC_AND,
		[MOVE_SUB] = ZYDIS_MNEMONIC_SUB,  [MOVE_XOR] = ZYDIS_MNEMONIC_XOR, [MOVE_CMP] = ZYDIS_MNEMONIC_CMP,
		[MOVE_TEST] = ZYDIS_MNEMONIC_TEST};

	if (m->kind == MOVE_CALCULATE)
		return operations[m->operation] == mnemonic;
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MOV: return !m->vector && !m->sign && (m->kind == MOVE_STORE || m->size == m->width);
	case ZYDIS_MNEMONIC_MOVZX: return !m->vector && !m->sign && m->kind == MOVE_LOAD;
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD: return !m->vector && m->sign && m->kind == MOVE_LOAD;
	case ZYDIS_MNEMONIC_MOVAPS:
	case ZYDIS_MNEMONIC_MOVAPD:
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQA:
	case ZYDIS_MNEMONIC_MOVDQU: return m->vector && m->size == 16;
	case ZYDIS_MNEMONIC_MOVQ:
	case ZYDIS_MNEMONIC_MOVSD: return m->vector && m->size == 8;
	default: return false;
	}
}

/* Compare the address, with random registers. */
static void move_address_check(const struct known *k, const struct move *m)
{
	static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
					  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	static ZydisRegisterContext theirs;
	static ucontext_t ours;
	ZyanU64 at;

	for (unsigned i = 0; i < 16; i++) {
		theirs.values[ZYDIS_REGISTER_RAX + i] = random_next(&random_state);
		ours.uc_mcontext.gregs[registers[i]] = (greg_t)theirs.values[ZYDIS_REGISTER_RAX + i];
	}
	ours.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)k->code;
	assert_true(ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&k->insn, k->access[0], (uintptr_t)k->code, &theirs, &at)));
	if (move_address(m, &ours) != at)
		FAIL(k, "at %#lx, not %#lx", move_address(m, &ours), (unsigned long)at);
}

static void move_check(const struct known *k)
{
	struct move m;

	if (!known_faults(k) || !move_look(k->code, &m))
		return;
	move_seen[m.kind]++;
	if (m.length != k->insn.length || !move_is_mnemonic(&m, k->insn.mnemonic) || k->insn.operand_count_visible != 2)
		FAIL(k, "taken for another instruction: kind %d, operation %d, length %u", m.kind, m.operation,
		     m.length);
	if (k->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK || k->access_count != 1)
		FAIL(k, "is more than a move");
	if (k->access[0]->size != 8u * m.size)
		FAIL(k, "size %u", m.size);
	if (k->stores != move_stores(&m) || k->loads != (m.kind != MOVE_STORE))
		FAIL(k, "stores: %d", move_stores(&m));
	bool second = k->access[0]->id == 1;
	const ZydisDecodedOperand *other = &k->operands[!second];
	if (m.kind == MOVE_CALCULATE && m.operation != MOVE_TEST && second != m.memory_second)
		FAIL(k, "operands are exchanged");
	if (m.immediate != (other->type == ZYDIS_OPERAND_TYPE_IMMEDIATE))
		FAIL(k, "immediate: %d", m.immediate);
	if (m.immediate ? (other->imm.value.u ^ (uint64_t)m.number) << (64 - 8 * m.size) != 0
			: other->reg.value != move_register(&m))
		FAIL(k, "register %u, number %ld", m.reg, (long)m.number);
	move_address_check(k, &m);
}

/* 5: lengths, and where instructions continue */

static unsigned long flow_seen[FLOW_STOP + 1];

static enum flow_kind flow_expected(const struct known *k)
{
	bool direct = k->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (k->insn.meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return k->insn.mnemonic == ZYDIS_MNEMONIC_XBEGIN || k->insn.mnemonic == ZYDIS_MNEMONIC_XEND
			       ? FLOW_PLAIN
			       : FLOW_BRANCH;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return k->insn.mnemonic == ZYDIS_MNEMONIC_XABORT ? FLOW_PLAIN : direct ? FLOW_JUMP : FLOW_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL: return direct ? FLOW_CALL : FLOW_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET: return FLOW_RETURN;
	case ZYDIS_CATEGORY_SYSRET: return FLOW_STOP;
	case ZYDIS_CATEGORY_STRINGOP:
	case ZYDIS_CATEGORY_IOSTRINGOP: return known_repeats(k) ? FLOW_REPEAT : FLOW_PLAIN;
	default: break;
	}
	switch (k->insn.mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT: return FLOW_STOP;
	default: return FLOW_PLAIN;
	}
}

static void flow_check(const struct known *k)
{
	struct flow_insn insn = flow_insn_read(k->code, (uintptr_t)k->code);
	ZyanU64 target;

	if (k->insn.raw.prefix_count >= 10)
		return;
	if (insn.length != k->insn.length)
		FAIL(k, "length %u, not %u", insn.length, k->insn.length);
	if (insn.kind != flow_expected(k))
		FAIL(k, "kind %u, not %u", insn.kind, flow_expected(k));
	flow_seen[insn.kind]++;
	if (insn.kind != FLOW_BRANCH && insn.kind != FLOW_JUMP && insn.kind != FLOW_CALL)
		return;
	assert_true(ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&k->insn, &k->operands[0], (uintptr_t)k->code, &target)));
	if (insn.target != target)
		FAIL(k, "to %#lx, not %#lx", (unsigned long)insn.target, (unsigned long)target);
}

/* All of them */

static unsigned long known_count;

static void check(const uint8_t *code)
{
	struct known k;

	if (!known_read(&k, code)) {
		/* No instruction: nothing to say, but nothing bad may happen either. */
		struct move m;

		(void)bo_decode(code);
		(void)insn_look(code);
		(void)move_look(code, &m);
		(void)flow_insn_read(code, 0);
		return;
	}
	known_count++;
	parts_check(&k);
	tool_check(&k);
	insn_check(&k);
	move_check(&k);
	flow_check(&k);
}

static void code_randomize(uint8_t code[CODE])
{
	for (unsigned i = 0; i < CODE; i += 8) {
		uint64_t bytes = random_next(&random_state);

		memcpy(code + i, &bytes, 8);
	}
}

static uint8_t *prefixes_put(uint8_t *at)
{
	static const uint8_t prefixes[] = {0x66, 0x66, 0x66, 0x66, 0xf3, 0xf3, 0xf2,
					   0xf2, 0x67, 0x64, 0x65, 0xf0, 0x2e, 0x3e};

	for (unsigned left = roll(2) ? 0 : 1 + (unsigned)roll(2); left; left--)
		*at++ = prefixes[roll(sizeof(prefixes))];
	return at;
}

/* Put prefixes and the opcode of a map; random bytes follow. */
static void code_make(uint8_t code[CODE], enum x86_encoding encoding, unsigned map, unsigned opcode)
{
	uint8_t *at = code;

	code_randomize(code);
	/* Other encodings allow only prefixes of segments and address size. */
	if (encoding == X86_LEGACY)
		at = prefixes_put(at);
	else if (!roll(4))
		*at++ = roll(2) ? 0x67 : 0x64;
	switch (encoding) {
	case X86_LEGACY:
		if (roll(2))
			*at++ = (uint8_t)(0x40 | roll(16));
		if (map)
			*at++ = 0x0f;
		if (map > 1)
			*at++ = map == 2 ? 0x38 : 0x3a;
		break;
	case X86_VEX:
		if (map == 1 && roll(2)) {
			*at++ = 0xc5;
			*at = (uint8_t)(*at | (roll(2) ? 0x78 : 0)); /* no third operand */
			at++;
			break;
		}
		__attribute__((fallthrough));
	case X86_XOP:
		*at++ = encoding == X86_VEX ? 0xc4 : 0x8f;
		*at = (uint8_t)((*at & 0xe0) | map);
		at++;
		*at = (uint8_t)(*at | (roll(2) ? 0x78 : 0));
		at++;
		break;
	case X86_EVEX:
		*at++ = 0x62;
		*at = (uint8_t)((*at & 0xf0) | map);
		at++;
		*at = (uint8_t)(*at | 4 | (roll(2) ? 0x78 : 0));
		at++;
		*at = (uint8_t)(roll(2) ? *at : (*at & 0x60) | 8); /* no mask */
		at++;
		break;
	}
	*at++ = (uint8_t)opcode;
	*at = (uint8_t)(roll(4) ? *at % 0xc0 /* memory */ : *at | 0xc0 /* a register */);
}

static void agrees_on_opcodes(void **state)
{
	static const struct {
		enum x86_encoding encoding;
		unsigned map;
	} maps[] = {{X86_LEGACY, 0}, {X86_LEGACY, 1}, {X86_LEGACY, 2}, {X86_LEGACY, 3}, {X86_VEX, 1},
		    {X86_VEX, 2},    {X86_VEX, 3},    {X86_EVEX, 1},   {X86_EVEX, 2},   {X86_EVEX, 3},
		    {X86_EVEX, 5},   {X86_EVEX, 6},   {X86_XOP, 8},    {X86_XOP, 9},    {X86_XOP, 10}};
	uint8_t code[CODE];

	(void)state;
	random_state = random_seed(1, 1);
	for (unsigned i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		for (unsigned opcode = 0; opcode < 256; opcode++)
			for (unsigned n = maps[i].encoding == X86_LEGACY ? 8 * TRIES : TRIES; n; n--) {
				code_make(code, maps[i].encoding, maps[i].map, opcode);
				check(code);
			}
	/* Each kind must have been seen often enough to mean something. */
	assert_true(known_count > 400000 && parts_memories > 50000);
	for (unsigned i = 0; i <= INSN_NOP; i++)
		assert_true(tool_seen[i] >= 10);
	for (unsigned i = 0; i <= INSN_WIDE; i++)
		assert_true(insn_seen[i] >= 50);
	for (unsigned i = 0; i <= MOVE_CALCULATE; i++)
		assert_true(move_seen[i] >= 500);
	for (unsigned i = 0; i <= FLOW_STOP; i++)
		assert_true(flow_seen[i] >= 50);
	assert_true(insn_loads > 5000 && insn_stores > 500);
}

static void agrees_on_random_bytes(void **state)
{
	uint8_t code[CODE];

	(void)state;
	random_state = random_seed(2, 1);
	for (unsigned n = 0; n < RANDOM_TRIES; n++) {
		code_randomize(code);
		check(code);
	}
}

/* Real code: the functions of the libraries that are loaded here, from their symbols.  Some are hand-written. */

static unsigned long real_count;

/* Does flow/insn.c see the same instructions as Zydis? */
static void function_check(const uint8_t *code, size_t size)
{
	for (size_t at = 0; at + CODE <= size; real_count++) {
		struct known k;

		if (!known_read(&k, code + at))
			return; /* data */
		flow_check(&k);
		at += k.insn.length;
	}
}

static void symbols_check(const struct dl_phdr_info *info, Elf *elf, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym sym;
	GElf_Shdr header;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size &&
		    gelf_getshdr(elf_getscn(elf, sym.st_shndx), &header))
			function_check((const uint8_t *)(uintptr_t)(info->dlpi_addr + sym.st_value), sym.st_size);
}

static int library_check(struct dl_phdr_info *info, size_t size, void *arg)
{
	int fd = open(info->dlpi_name, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;

	(void)size;
	(void)arg;
	if (fd < 0)
		return 0; /* the program itself, or code of the kernel */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			symbols_check(info, elf, section);
	elf_end(elf);
	close(fd);
	return 0;
}

static void agrees_on_libraries(void **state)
{
	(void)state;
	elf_version(EV_CURRENT);
	dl_iterate_phdr(library_check, NULL);
	assert_true(real_count > 500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_on_opcodes),
					   cmocka_unit_test(agrees_on_random_bytes),
					   cmocka_unit_test(agrees_on_libraries)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
