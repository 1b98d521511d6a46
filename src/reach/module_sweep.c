/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module_sweep.c - see module_sweep.h. */
#include "reach/module_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "flow/flow.h"
#include "x86/persist.h"

/* ---- leaders ---- */

bool sweep_leads(const struct sweep *s, uint32_t address)
{
	uint32_t bit = address - s->low;

	return address >= s->low && address < s->high && s->leaders[bit / 64] >> bit % 64 & 1;
}

static void leader_add(struct sweep *s, uint64_t address)
{
	if (address >= s->low && address < s->high)
		s->leaders[(address - s->low) / 64] |= UINT64_C(1) << (address - s->low) % 64;
}

/* ---- instructions ---- */

/* The address that an instruction computes relative to itself, if it has ModRM. */
static uint64_t relative_address(const struct x86_parts *p, uint64_t next)
{
	return next + (uint64_t)(int64_t)x86_number_read(p->modrm + 1, 4);
}

static bool is_relative(const struct x86_parts *p)
{
	return (*p->modrm & 0xc7) == 5;
}

static void take(struct sweep *s, const struct module_elf *elf, uint32_t at, uint64_t address)
{
	if (module_elf_starts(elf, address))
		vec_push(&s->takes, ((struct sweep_pair){at, (uint32_t)address}));
}

/* The addresses of functions that an instruction has: LEA, a load from a word that the loader fills in, or in a file
 * that is loaded at a fixed address any number. */
static void addresses_take(struct sweep *s, const struct module_elf *elf, const struct x86_parts *p,
			   const struct sweep_end *insn)
{
	uint32_t next = insn->at + insn->length;
	const struct module_slot *slot;

	if (p->encoding != X86_LEGACY || p->map != 0)
		return;
	if (p->opcode == 0x8d && is_relative(p)) {
		take(s, elf, insn->at, relative_address(p, next));
	} else if (p->opcode == 0x8b && is_relative(p)) {
		slot = module_elf_slot(elf, relative_address(p, next));
		if (slot && slot->local != MODULE_NONE)
			take(s, elf, insn->at, slot->local);
	} else if (elf->fixed && ((p->opcode >= 0xb8 && p->opcode <= 0xbf) || p->opcode == 0xc7 || p->opcode == 0x68)) {
		uint8_t number[4];

		if (module_elf_bytes(elf, next - 4, number, 4) == 4)
			take(s, elf, insn->at, (uint32_t)x86_number_read(number, 4));
	}
}

/* Opcodes of one byte: MOV, arithmetic, shifts, XCHG. */
static bool stores_word(const struct x86_parts *p)
{
	unsigned extension = x86_extension(p);

	if (p->opcode < 0x38)
		return (p->opcode & 6) == 0;
	switch (p->opcode) {
	case 0x80:
	case 0x81:
	case 0x83: return extension != 7; /* CMP */
	case 0x86:
	case 0x87:
	case 0x88:
	case 0x89:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xc7:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3: return true;
	case 0xf6:
	case 0xf7: return extension == 2 || extension == 3; /* NOT, NEG */
	case 0xfe:
	case 0xff: return extension < 2; /* INC, DEC */
	default: return false;
	}
}

/* Opcodes after 0F: moves of vectors, SETcc, CMPXCHG, XADD. */
static bool stores_more(const struct x86_parts *p)
{
	switch (p->opcode) {
	case 0x11:
	case 0x13:
	case 0x17:
	case 0x29:
	case 0x7f:
	case 0xb0:
	case 0xb1:
	case 0xc0:
	case 0xc1:
	case 0xd6: return true;
	case 0x7e: return p->simd != X86_SIMD_F3;
	default: return (p->opcode & 0xf0) == 0x90;
	}
}

static bool is_string_store(const struct x86_parts *p)
{
	return p->map == 0 && (p->opcode == 0xa4 || p->opcode == 0xa5 || p->opcode == 0xaa || p->opcode == 0xab);
}

/* May it store to memory that is neither on the stack nor a variable of the module? */
static bool stores_by_pointer(const struct sweep *s, const struct x86_parts *p)
{
	enum { RSP = 4, RBP = 5 };
	struct x86_memory m;

	if (is_string_store(p))
		return true;
	if (p->segment || p->encoding == X86_EVEX || p->map > 1 || !x86_is_memory(p) ||
	    !(p->map ? stores_more(p) : stores_word(p)))
		return false;
	m = x86_memory_read(p);
	return m.base != X86_NONE && m.base != RSP && !(m.base == RBP && s->is_framed);
}

/* MOV RBP, RSP. */
static bool makes_frame(const uint8_t *code)
{
	return code[0] == 0x48 && ((code[1] == 0x89 && code[2] == 0xe5) || (code[1] == 0x8b && code[2] == 0xec));
}

static void plain_add(struct sweep *s, const struct module_elf *elf, const uint8_t *code, const struct sweep_end *insn)
{
	struct x86_parts p = x86_parts_read(code);

	s->is_framed |= makes_frame(code);
	if (x86_persist_read(&p) != X86_PERSIST_NONE)
		vec_push(&s->persists, insn->at);
	else if (stores_by_pointer(s, &p))
		vec_push(&s->stores, insn->at);
	else
		addresses_take(s, elf, &p, insn);
}

static void end_add(struct sweep *s, const struct module_elf *elf, const uint8_t *code, struct sweep_end insn)
{
	uint32_t next = insn.at + insn.length;

	if (insn.kind == FLOW_CALL_INDIRECT || insn.kind == FLOW_JUMP_INDIRECT) {
		struct x86_parts p = x86_parts_read(code);

		insn.target = is_relative(&p) ? (uint32_t)relative_address(&p, next) : MODULE_NONE;
		insn.by_slot = is_relative(&p) && module_elf_slot(elf, insn.target);
	} else {
		leader_add(s, insn.target);
	}
	leader_add(s, next);
	vec_push(&s->ends, insn);
}

/* Decode one instruction that must end before `limit`; return its length. */
static uint32_t insn_sweep(struct sweep *s, const struct module_elf *elf, const uint8_t *code, uint32_t at,
			   uint32_t limit)
{
	struct flow_insn read = flow_insn_read(code, at);
	struct sweep_end insn = {.at = at, .target = (uint32_t)read.target, .length = read.length, .kind = read.kind};

	if (!read.length || read.length > limit - at) { /* no code: what follows is found again at the next start */
		insn.kind = FLOW_STOP;
		insn.length = 1;
	}
	if (insn.kind == FLOW_PLAIN || insn.kind == FLOW_REPEAT)
		plain_add(s, elf, code, &insn);
	else
		end_add(s, elf, code, insn);
	return insn.length;
}

static void section_sweep(struct sweep *s, const struct module_elf *elf, const struct module_section *section,
			  size_t *start)
{
	uint32_t at = section->address, end = at + section->size;

	leader_add(s, at);
	while (at < end) {
		uint8_t rest[FLOW_INSN_BYTES] = {0};
		const uint8_t *code = section->bytes + (at - section->address);

		while (*start < elf->starts.count && elf->starts.at[*start] <= at) {
			leader_add(s, elf->starts.at[(*start)++]);
			s->is_framed = false;
		}
		uint32_t limit =
			*start < elf->starts.count && elf->starts.at[*start] < end ? elf->starts.at[*start] : end;
		if (end - at < FLOW_INSN_BYTES)
			code = memcpy(rest, code, end - at);
		at += insn_sweep(s, elf, code, at, limit);
	}
}

/* ---- switch statements ---- */

static void *flow_memory(void *block, size_t bytes)
{
	if (bytes)
		return mem_resize(block, bytes, 1);
	free(block);
	return NULL;
}

static size_t flow_read(void *elf, uint64_t at, void *to, size_t size)
{
	return module_elf_bytes(elf, at, to, size);
}

static bool flow_begins(void *elf, uint64_t at)
{
	return module_elf_starts(elf, at);
}

/* Ways that are never taken only lead to more code. */
static enum flow_return flow_call_returns(void *elf, uint64_t callee)
{
	(void)elf;
	(void)callee;
	return FLOW_RETURNS;
}

/* The function around an address: from the last start before it to the next. */
static struct flow_range function_around(const struct sweep *s, const struct module_elf *elf, uint32_t at)
{
	size_t low = 0, high = elf->starts.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (elf->starts.at[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct flow_range){low ? elf->starts.at[low - 1] : s->low,
				   low < elf->starts.count ? elf->starts.at[low] : s->high};
}

static void function_cases(struct sweep *s, const struct module_elf *elf, struct flow_range range)
{
	struct flow_code code = {flow_memory, flow_read, flow_begins, flow_call_returns, (void *)(uintptr_t)elf};
	struct flow_function function = {.entry = range.start, .parts = &range, .part_count = 1};
	struct flow_graph *g = flow_graph_new(&code, &function);
	struct flow_seen jump;

	for (uint32_t i = 0; g && flow_graph_jump(g, i, &jump); i++) {
		vec_push(&s->cases, ((struct sweep_pair){(uint32_t)jump.from, (uint32_t)jump.to}));
		leader_add(s, jump.to);
	}
	flow_graph_free(g);
}

static int pair_compare(const void *a, const void *b)
{
	const struct sweep_pair *x = a, *y = b;

	return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->to > y->to) - (x->to < y->to);
}

static void cases_find(struct sweep *s, const struct module_elf *elf)
{
	uint64_t done = 0;

	for (size_t i = 0; i < s->ends.count; i++) {
		const struct sweep_end *e = &s->ends.at[i];

		if (e->kind != FLOW_JUMP_INDIRECT || e->by_slot || e->at < done)
			continue;
		struct flow_range range = function_around(s, elf, e->at);
		function_cases(s, elf, range);
		done = range.end;
	}
	if (s->cases.count)
		qsort(s->cases.at, s->cases.count, sizeof(*s->cases.at), pair_compare);
}

/* ---- the sweep ---- */

void sweep_make(struct sweep *s, const struct module_elf *elf)
{
	const struct module_section *last;
	size_t start = 0;

	*s = (struct sweep){0};
	if (!elf->sections.count)
		return;
	last = &elf->sections.at[elf->sections.count - 1];
	s->low = elf->sections.at[0].address;
	s->high = last->address + last->size;
	s->leaders = mem_alloc(((size_t)(s->high - s->low) / 64 + 1) * sizeof(*s->leaders));
	for (size_t i = 0; i < elf->sections.count; i++)
		section_sweep(s, elf, &elf->sections.at[i], &start);
	cases_find(s, elf);
}

void sweep_free(struct sweep *s)
{
	vec_free(&s->ends);
	vec_free(&s->takes);
	vec_free(&s->cases);
	vec_free(&s->persists);
	vec_free(&s->stores);
	free(s->leaders);
}
