/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.c - the targets of a switch statement, read from its table.
 *
 *     cmp $5, %edi; ja default                 at most 6 entries
 *     lea table(%rip), %rdx
 *     movslq (%rdx,%rdi,4), %rax
 *     add %rdx, %rax; jmp *%rax                distances from the table, in 4 bytes (PIC)
 *
 *     mov table(,%rdi,8), %rax; jmp *%rax      addresses, in 8 bytes
 *     jmp *table(,%rdi,8)
 *     jmp *(%rdx,%rdi,8)                       with the table's address in RDX
 *
 * The instructions before the jump are looked at backward, along one of the ways that lead to it.  The table's address
 * may have been put into its register long before: outside of a loop, for example.  So if it is not found on the way,
 * each place in the function that puts an address into that register is tried. */
#include "flow/graph_in.h"

enum { LOOK_BACK = 24, MOST_ENTRIES = 4096, MOST_UNBOUNDED = 256 };

struct table {
	uint64_t at;
	unsigned size;  /* of an entry: 8 for addresses, 4 for distances from `at` */
	unsigned count; /* 0: not known */
};

/* An instruction on the way, taken apart. */
struct looked {
	uint8_t bytes[FLOW_INSN_BYTES];
	struct x86_parts parts;
	struct x86_memory memory; /* if it has ModRM and is_memory */
	bool is_memory;
	uint8_t reg, rm; /* of ModRM, as numbers of registers */
};

static void look(const struct flow_graph *g, uint32_t node, struct looked *l)
{
	*l = (struct looked){0};
	g->code.read(g->code.arg, g->nodes[node].at, l->bytes, sizeof(l->bytes));
	l->parts = x86_parts_read(l->bytes);
	l->is_memory = x86_is_memory(&l->parts);
	if (l->is_memory)
		l->memory = x86_memory_read(&l->parts);
	l->reg = (uint8_t)(x86_extension(&l->parts) | (l->parts.bits & X86_R ? 8 : 0));
	l->rm = (uint8_t)((*l->parts.modrm & 7) | (l->parts.bits & X86_B ? 8 : 0));
}

static bool is_plain(const struct looked *l)
{
	return l->parts.encoding == X86_LEGACY && l->parts.map == 0;
}

/* LEA of an address relative to RIP: the only way in which code that can be loaded anywhere names a table. */
static bool is_lea(const struct looked *l, uint8_t reg)
{
	return is_plain(l) && l->parts.opcode == 0x8d && l->is_memory && l->memory.relative && l->reg == reg;
}

static uint64_t lea_address(const struct flow_graph *g, uint32_t node, const struct looked *l)
{
	return g->nodes[node].at + g->nodes[node].length + (uint64_t)(int64_t)l->memory.displacement;
}

static bool is_add_to(const struct looked *l, uint8_t reg, uint8_t *other)
{
	if (!is_plain(l) || l->is_memory || !(l->parts.bits & X86_W))
		return false;
	if (l->parts.opcode == 0x01 && l->rm == reg) {
		*other = l->reg;
		return true;
	}
	*other = l->rm;
	return l->parts.opcode == 0x03 && l->reg == reg;
}

static bool is_load_to(const struct looked *l, uint8_t reg)
{
	return is_plain(l) && l->parts.opcode == 0x8b && (l->parts.bits & X86_W) && l->is_memory && l->reg == reg;
}

/* ---- where the table is ---- */

static uint64_t entry_target(const struct flow_graph *g, const struct table *t, unsigned index, bool *is_read)
{
	uint64_t entry = 0;

	*is_read = g->code.read(g->code.arg, t->at + (uint64_t)index * t->size, &entry, t->size) == t->size;
	return t->size == 8 ? entry : t->at + (uint64_t)(int64_t)(int32_t)(uint32_t)entry;
}

/* Cases are in the function, or in another part of it, where no function begins. */
static bool is_target(const struct flow_graph *g, const struct table *t, uint64_t to)
{
	uint8_t byte;

	for (uint32_t i = 0; i < g->function.part_count; i++)
		if (to >= g->function.parts[i].start && to < g->function.parts[i].end)
			return true;
	return t->count && flow_is_inside(g, to) && g->code.read(g->code.arg, to, &byte, 1) == 1;
}

static bool table_is_valid(const struct flow_graph *g, const struct table *t)
{
	bool is_read;
	uint64_t to = entry_target(g, t, 0, &is_read);

	return is_read && is_target(g, t, to);
}

/* Any place that puts a table's address into the register; the nearest before the jump is the most likely one. */
static bool find_lea_anywhere(const struct flow_graph *g, uint32_t jump, uint8_t reg, struct table *t)
{
	uint64_t best = UINT64_MAX;
	struct table candidate = *t;
	struct looked l;

	for (uint32_t i = 0; i < g->count; i++) {
		uint64_t distance = g->nodes[jump].at - g->nodes[i].at;

		if (g->nodes[i].kind != FLOW_PLAIN || g->nodes[i].length < 7 || distance >= best)
			continue;
		look(g, i, &l);
		if (!is_lea(&l, reg))
			continue;
		candidate.at = lea_address(g, i, &l);
		if (table_is_valid(g, &candidate)) {
			best = distance;
			*t = candidate;
		}
	}
	return best != UINT64_MAX;
}

/* The address in a register at a node: an LEA on the way to it, or anywhere. */
static bool find_lea(const struct flow_graph *g, uint32_t node, uint8_t reg, struct table *t)
{
	uint32_t jump = node;
	struct looked l;

	for (unsigned left = LOOK_BACK; left && node != FLOW_NONE; left--, node = g->nodes[node].before) {
		look(g, node, &l);
		if (is_lea(&l, reg)) {
			t->at = lea_address(g, node, &l);
			return table_is_valid(g, t);
		}
	}
	return find_lea_anywhere(g, jump, reg, t);
}

/* A table of addresses, indexed by a memory operand. */
static bool find_addresses(const struct flow_graph *g, uint32_t node, const struct looked *l, struct table *t)
{
	t->size = 8;
	if (l->memory.index == X86_NONE || (l->memory.scale != 3 && l->memory.scale != 0))
		return false;
	/* gcc -O0 multiplies the index before, and may name the registers in any order. */
	if (l->memory.scale == 0 && find_lea(g, node, (uint8_t)l->memory.index, t))
		return true;
	if (l->memory.base == X86_NONE) {
		t->at = (uint64_t)(int64_t)l->memory.displacement;
		return table_is_valid(g, t);
	}
	return l->memory.displacement == 0 && find_lea(g, node, (uint8_t)l->memory.base, t);
}

static bool find_table(const struct flow_graph *g, uint32_t jump, struct table *t)
{
	uint32_t node = g->nodes[jump].before;
	struct looked l;
	uint8_t reg, other;

	look(g, jump, &l);
	if (l.is_memory)
		return find_addresses(g, jump, &l, t);
	reg = l.rm;
	for (unsigned left = 6; left && node != FLOW_NONE; left--, node = g->nodes[node].before) {
		look(g, node, &l);
		if (is_load_to(&l, reg))
			return find_addresses(g, node, &l, t);
		if (is_add_to(&l, reg, &other)) {
			t->size = 4;
			return find_lea(g, node, other, t) || find_lea(g, node, reg, t);
		}
	}
	return false;
}

/* ---- how long it is ---- */

/* CMP or SUB of an immediate operand. */
static bool is_comparison(const struct looked *l, uint64_t *with)
{
	uint8_t op = l->parts.opcode, extension = (uint8_t)x86_extension(&l->parts);
	const uint8_t *at = l->is_memory ? l->memory.end : l->parts.modrm + 1;

	if (!is_plain(l))
		return false;
	if (op == 0x3c || op == 0x3d || op == 0x2c || op == 0x2d) {
		*with = (uint32_t)x86_number_read(l->parts.modrm, op & 1 ? 4 : 1);
		return true;
	}
	if ((op != 0x80 && op != 0x81 && op != 0x83) || (extension != 7 && extension != 5))
		return false;
	*with = (uint32_t)x86_number_read(at, op != 0x81 ? 1 : l->parts.opsize ? 2 : 4);
	return true;
}

/* How many values pass the branch, if it compared with `with`?  0: it is no such branch. */
static uint64_t values_passing(const struct looked *branch, bool is_taken, uint64_t with)
{
	switch (branch->parts.opcode & 15) {
	case 0x2: return is_taken ? with : 0;     /* JB */
	case 0x3: return is_taken ? 0 : with;     /* JAE */
	case 0x6: return is_taken ? with + 1 : 0; /* JBE */
	case 0x7: return is_taken ? 0 : with + 1; /* JA */
	}
	return 0;
}

/* The branch that lets only valid indexes pass, and the comparison before it. */
static unsigned find_count(const struct flow_graph *g, uint32_t jump)
{
	uint32_t node = jump, branch = FLOW_NONE;
	bool is_taken = false;
	struct looked l;

	for (unsigned left = LOOK_BACK; left && node != FLOW_NONE; left--) {
		uint32_t before = g->nodes[node].before;
		uint64_t with, count;

		look(g, node, &l);
		if (branch != FLOW_NONE && is_comparison(&l, &with)) {
			look(g, branch, &l);
			count = values_passing(&l, is_taken, with);
			if (count)
				return count <= MOST_ENTRIES ? (unsigned)count : 0;
			branch = FLOW_NONE;
		}
		if (before != FLOW_NONE && g->nodes[before].kind == FLOW_BRANCH) {
			branch = before;
			is_taken = g->nodes[node].jumped;
		}
		node = before;
	}
	return 0;
}

void flow_table_read(struct flow_graph *g, uint32_t jump,
		     void (*found)(struct flow_graph *g, uint32_t jump, uint64_t to))
{
	struct table t = {.count = find_count(g, jump)};

	if (!find_table(g, jump, &t))
		return;
	for (unsigned i = 0; i < (t.count ? t.count : MOST_UNBOUNDED); i++) {
		bool is_read;
		uint64_t to = entry_target(g, &t, i, &is_read);

		if (!is_read || !is_target(g, &t, to))
			return;
		found(g, jump, to);
	}
}
