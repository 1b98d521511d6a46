/* SPDX-License-Identifier: GPL-2.0-or-later */
/* effect_store.c - where an instruction stores, and how much; see effect.h. */
#include "variable/effect.h"

/* Instructions of map 0 with a memory operand that they store to. */
static bool one_byte_stores(const struct x86_parts *p)
{
	uint8_t op = p->opcode;
	unsigned operation = x86_extension(p);

	if (op < 0x38)
		return (op & 7) < 2;
	switch (op) {
	case 0x80:
	case 0x81:
	case 0x83: return operation != 7;
	case 0x86:
	case 0x87:
	case 0x88:
	case 0x89:
	case 0x8c:
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3: return true;
	case 0xc6:
	case 0xc7: return operation == 0;
	case 0xf6:
	case 0xf7: return operation == 2 || operation == 3;
	case 0xfe:
	case 0xff: return operation < 2;
	}
	return false;
}

static uint32_t one_byte_size(const struct x86_parts *p)
{
	if (!one_byte_stores(p))
		return 0;
	if (p->opcode == 0x8c)
		return 2;
	return p->opcode & 1 ? x86_word(p) : 1;
}

/* Whole vectors, and the low parts of them. */
static uint32_t vector_size(const struct x86_parts *p)
{
	switch (p->opcode) {
	case 0x11:
	case 0x2b: return p->simd == X86_SIMD_F3 ? 4 : p->simd == X86_SIMD_F2 ? 8 : p->vector;
	case 0x29: return p->vector;
	case 0x7f:
	case 0xe7: return p->encoding == X86_LEGACY && p->simd == X86_SIMD_NONE ? 8 : p->vector;
	case 0x13:
	case 0x17:
	case 0xd6: return 8;
	case 0x7e: return p->simd == X86_SIMD_F3 ? 0 : (p->bits & X86_W) ? 8 : 4;
	}
	return 0;
}

static uint32_t two_byte_size(const struct x86_parts *p)
{
	uint32_t size = vector_size(p);

	if (size || p->encoding != X86_LEGACY)
		return size;
	if (p->opcode >= 0x90 && p->opcode <= 0x9f)
		return 1;
	switch (p->opcode) {
	case 0xb0:
	case 0xc0: return 1;
	case 0xa4:
	case 0xa5:
	case 0xac:
	case 0xad:
	case 0xb1:
	case 0xc1:
	case 0xc3: return x86_word(p);
	case 0xba: return x86_extension(p) > 4 ? x86_word(p) : 0;
	case 0xc7: return x86_extension(p) == 1 ? ((p->bits & X86_W) ? 16 : 8) : 0;
	}
	return 0;
}

static uint32_t three_byte_size(const struct x86_parts *p)
{
	if (p->map == 2)
		return p->encoding != X86_LEGACY                                       ? 0
		       : p->opcode == 0xf9 || (p->opcode == 0xf1 && p->repeat != 0xf2) ? x86_word(p)
										       : 0;
	switch (p->opcode) {
	case 0x14: return 1;
	case 0x15: return 2;
	case 0x16: return (p->bits & X86_W) ? 8 : 4;
	case 0x17: return 4;
	case 0x19:
	case 0x39: return p->encoding == X86_LEGACY ? 0 : 16;
	}
	return 0;
}

static uint32_t store_size(const struct x86_parts *p)
{
	if (p->encoding == X86_EVEX && p->partial)
		return 0;
	switch (p->map) {
	case 0: return p->encoding == X86_LEGACY ? one_byte_size(p) : 0;
	case 1: return two_byte_size(p);
	case 2:
	case 3: return three_byte_size(p);
	}
	return 0;
}

static bool string_stores(const struct x86_parts *p)
{
	return p->encoding == X86_LEGACY && p->map == 0 && ((p->opcode & ~1u) == 0xa4 || (p->opcode & ~1u) == 0xaa);
}

bool effect_stores(const uint8_t *code, struct effect_store *store)
{
	struct x86_parts p = x86_parts_read(code);

	if (p.addrsize || p.segment || p.encoding == X86_XOP)
		return false;
	if (string_stores(&p)) {
		*store = (struct effect_store){.memory = {.base = REG_RDI, .index = X86_NONE},
					       .size = p.opcode & 1 ? x86_word(&p) : 1,
					       .repeats = p.repeat};
		return true;
	}
	if (!x86_is_memory(&p))
		return false;
	*store = (struct effect_store){.memory = x86_memory_read(&p), .size = store_size(&p)};
	if (p.encoding == X86_EVEX && *p.modrm >> 6 == 1) /* the displacement counts in units of the operand */
		store->memory.displacement *= (int32_t)store->size;
	return store->size != 0;
}
