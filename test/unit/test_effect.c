/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_effect.c - variable/effect.h agrees with Zydis: no register that an instruction writes is left out, the forms are
 * those instructions, and what is called a store stores so many bytes there.
 *
 * The bytes come from a fixed seed: every opcode of every map with random prefixes and operands, and random bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <Zydis/Zydis.h>

#include "base/random.h"
#include "variable/effect.h"

enum { CODE = 32, TRIES = 400, RANDOM_TRIES = 400000 };

static uint64_t random_state = 1;
static unsigned long forms[EFFECT_CALL + 1], stores;

struct known {
	const uint8_t *code;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static void known_fail(const struct known *k, const char *what)
{
	ZydisFormatter formatter;
	char text[256];

	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterFormatInstruction(&formatter, &k->insn, k->operands, k->insn.operand_count_visible, text,
					sizeof(text), 0, NULL);
	for (unsigned i = 0; i < k->insn.length; i++)
		print_error("%02x ", k->code[i]);
	fail_msg("%s: %s", text, what);
}

/* Knights Corner had instructions of its own in place of others. */
static bool is_of_another_machine(const ZydisDecodedInstruction *insn)
{
	return insn->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX || insn->meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
	       insn->meta.isa_ext == ZYDIS_ISA_EXT_KNCE || insn->meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

/* The number of a general register, or -1. */
static int general(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : -1;
}

static bool is_call(const struct known *k)
{
	return k->insn.mnemonic == ZYDIS_MNEMONIC_CALL;
}

/* In user mode; and not those whose effect is the kernel's. */
static bool is_ordinary(const struct known *k)
{
	return !(k->insn.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) && k->insn.meta.category != ZYDIS_CATEGORY_SYSTEM;
}

static void writes_check(const struct known *k, const struct effect *e)
{
	for (unsigned i = 0; i < k->insn.operand_count; i++) {
		const ZydisDecodedOperand *o = &k->operands[i];
		int reg = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? general(o->reg.value) : -1;

		if (reg < 0 || !(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) || (is_call(k) && reg == REG_RSP))
			continue;
		if (!(e->writes & 1u << reg))
			known_fail(k, "a register that it writes is left out");
	}
}

static bool memory_same(const ZydisDecodedOperand *o, const struct x86_memory *m)
{
	int base = o->mem.base == ZYDIS_REGISTER_RIP ? X86_NONE : general(o->mem.base);

	return base == m->base && general(o->mem.index) == m->index &&
	       (m->index == X86_NONE || o->mem.scale == 1u << m->scale) &&
	       (o->mem.base == ZYDIS_REGISTER_RIP) == m->relative && (int32_t)o->mem.disp.value == m->displacement;
}

static bool is_register(const ZydisDecodedOperand *o, int8_t reg)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->size == 64 && general(o->reg.value) == reg;
}

static bool is_memory(const ZydisDecodedOperand *o, const struct x86_memory *m)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && memory_same(o, m);
}

static bool form_is_right(const struct known *k, const struct effect *e)
{
	const ZydisDecodedOperand *a = &k->operands[0], *b = &k->operands[1], *c = &k->operands[2];
	ZydisMnemonic name = k->insn.mnemonic;

	switch (e->form) {
	case EFFECT_COPY: return name == ZYDIS_MNEMONIC_MOV && is_register(a, e->target) && is_register(b, e->source);
	case EFFECT_NUMBER:
		return (name == ZYDIS_MNEMONIC_MOV && general(a->reg.value) == e->target &&
			b->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			(a->size == 64 ? b->imm.value.s : (int64_t)(uint32_t)b->imm.value.u) == e->number) ||
		       (name == ZYDIS_MNEMONIC_XOR && a->reg.value == b->reg.value && !e->number);
	case EFFECT_LOAD: return name == ZYDIS_MNEMONIC_MOV && is_register(a, e->target) && is_memory(b, &e->memory);
	case EFFECT_SAVE: return name == ZYDIS_MNEMONIC_MOV && is_memory(a, &e->memory) && is_register(b, e->source);
	case EFFECT_ADDRESS: return name == ZYDIS_MNEMONIC_LEA && is_register(a, e->target) && is_memory(b, &e->memory);
	case EFFECT_ADD: return name == ZYDIS_MNEMONIC_ADD && is_register(a, e->target) && is_register(b, e->source);
	case EFFECT_SUBTRACT:
		return name == ZYDIS_MNEMONIC_SUB && is_register(a, e->target) && is_register(b, e->source);
	case EFFECT_ADD_LOAD:
		return name == ZYDIS_MNEMONIC_ADD && is_register(a, e->target) && is_memory(b, &e->memory);
	case EFFECT_PLUS:
		return is_register(a, e->target) && ((name == ZYDIS_MNEMONIC_ADD && b->imm.value.s == e->number) ||
						     (name == ZYDIS_MNEMONIC_SUB && b->imm.value.s == -e->number));
	case EFFECT_TIMES:
		if (name == ZYDIS_MNEMONIC_SHL)
			return is_register(a, e->target) && e->source == e->target &&
			       (int64_t)1 << (b->imm.value.u & 63) == e->number;
		return name == ZYDIS_MNEMONIC_IMUL && is_register(a, e->target) && c->imm.value.s == e->number &&
		       (e->source == X86_NONE ? b->type == ZYDIS_OPERAND_TYPE_MEMORY : is_register(b, e->source));
	case EFFECT_CALL: return is_call(k);
	default: return true;
	}
}

static void store_check(const struct known *k)
{
	struct effect_store store;

	if (!effect_stores(k->code, &store))
		return;
	for (unsigned i = 0; i < k->insn.operand_count; i++) {
		const ZydisDecodedOperand *o = &k->operands[i];

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || !(o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (!memory_same(o, &store.memory))
			known_fail(k, "it stores elsewhere");
		if (o->size != store.size * 8)
			known_fail(k, "it stores another number of bytes");
		stores++;
		return;
	}
	known_fail(k, "it stores nothing");
}

static void check(const uint8_t *code)
{
	static ZydisDecoder decoder;
	struct known k = {.code = code};

	if (!decoder.stack_width)
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	struct effect e = effect_read(code);
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, ZYDIS_MAX_INSTRUCTION_LENGTH, &k.insn, k.operands)) ||
	    is_of_another_machine(&k.insn) || !is_ordinary(&k))
		return;
	writes_check(&k, &e);
	if (!form_is_right(&k, &e))
		known_fail(&k, "its form is another one");
	forms[e.form]++;
	store_check(&k);
}

static uint8_t *prefixes_put(uint8_t *at)
{
	static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0x67, 0xf0, 0x64};

	while (random_below(&random_state, 3) == 0)
		*at++ = prefixes[random_below(&random_state, sizeof(prefixes))];
	if (random_below(&random_state, 2))
		*at++ = (uint8_t)(0x40 | random_below(&random_state, 16));
	return at;
}

/* `map`: 0 to 3 legacy, 4 VEX of two bytes, 5 to 7 VEX of three, 8 to 10 EVEX. */
static void code_make(uint8_t code[CODE], unsigned map, uint8_t opcode)
{
	uint8_t *at = code;

	for (unsigned i = 0; i < CODE; i++)
		code[i] = (uint8_t)random_below(&random_state, 256);
	if (map < 4) {
		at = prefixes_put(at);
		if (map)
			*at++ = 0x0f;
		if (map > 1)
			*at++ = map == 2 ? 0x38 : 0x3a;
	} else if (map == 4) {
		*at = 0xc5;
		at += 2;
	} else if (map < 8) {
		at[0] = 0xc4;
		at[1] = (uint8_t)((at[1] & 0xe0) | (map - 4));
		at += 3;
	} else {
		at[0] = 0x62;
		at[1] = (uint8_t)((at[1] & 0xf0) | (map - 7));
		at[2] |= 4;
		at[3] = (uint8_t)((at[3] & 0xe8) | (random_below(&random_state, 4) ? 0 : at[3] & 7));
		at += 4;
	}
	*at = opcode;
}

static void test_opcodes(void **state)
{
	uint8_t code[CODE];

	(void)state;
	for (unsigned map = 0; map < 11; map++)
		for (unsigned opcode = 0; opcode < 256; opcode++)
			for (unsigned i = 0; i < TRIES; i++) {
				code_make(code, map, (uint8_t)opcode);
				check(code);
			}
	for (unsigned form = 0; form <= EFFECT_CALL; form++)
		assert_true(forms[form] > 20);
	assert_true(stores > 10000);
}

static void test_random_bytes(void **state)
{
	uint8_t code[CODE];

	(void)state;
	for (unsigned i = 0; i < RANDOM_TRIES; i++) {
		for (unsigned k = 0; k < CODE; k++)
			code[k] = (uint8_t)random_below(&random_state, 256);
		check(code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
