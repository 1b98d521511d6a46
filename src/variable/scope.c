/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.c - see scope.h. */
#include "variable/scope.h"

#include <dwarf.h>

#include "variable/effect.h"
#include "variable/type.h"

#define SCOPES_MAX 64

/* DWARF has its own numbers of registers. */
static bool register_number(uint64_t dwarf, unsigned *reg)
{
	static const uint8_t low[8] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP};

	if (dwarf >= REG_COUNT)
		return false;
	*reg = dwarf < 8 ? low[dwarf] : (unsigned)dwarf;
	return true;
}

static void variables_collect(struct scope *scope, Dwarf_Die *block)
{
	Dwarf_Die die;

	if (dwarf_child(block, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		struct scope_variable v = {.die = die};

		if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
			continue;
		v.name = dwarf_diename(&die);
		if (v.name && *v.name && type_of_die(&die, &v.type))
			vec_push(&scope->variables, v);
	} while (dwarf_siblingof(&die, &die) == 0);
}

bool scope_open(struct scope *scope, struct debuginfo *info, uint64_t pc)
{
	Dwarf_Die scopes[SCOPES_MAX];
	size_t count = debuginfo_scopes(info, pc, scopes, SCOPES_MAX);

	scope->info = info;
	if (!count)
		return false;
	scope->function = scopes[0];
	for (size_t i = count; i > 0; i--)
		variables_collect(scope, &scopes[i - 1]);
	return true;
}

void scope_close(struct scope *scope)
{
	vec_free(&scope->variables);
}

bool scope_frame(struct scope *scope, uint64_t pc, unsigned *reg, int64_t *plus)
{
	unsigned dwarf;

	return debuginfo_cfa(scope->info, pc, &dwarf, plus) && register_number(dwarf, reg);
}

/* ---- locations ---- */

static bool frame_plus(struct scope *scope, uint64_t pc, unsigned reg, int64_t plus, struct location *at)
{
	unsigned frame_reg;
	int64_t frame_at;

	if (!scope_frame(scope, pc, &frame_reg, &frame_at) || frame_reg != reg)
		return false;
	*at = (struct location){.kind = LOCATION_FRAME, .plus = plus - frame_at};
	return true;
}

/* What DW_OP_fbreg counts from. */
static bool frame_base(struct scope *scope, uint64_t pc, int64_t plus, struct location *at)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;
	unsigned reg;

	if (!dwarf_attr_integrate(&scope->function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1) != 1 || count != 1)
		return false;
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		*at = (struct location){.kind = LOCATION_FRAME, .plus = plus};
		return true;
	}
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return register_number(ops[0].atom - DW_OP_reg0, &reg) && frame_plus(scope, pc, reg, plus, at);
	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		return register_number(ops[0].atom - DW_OP_breg0, &reg) &&
		       frame_plus(scope, pc, reg, plus + (int64_t)ops[0].number, at);
	return false;
}

static bool static_location(Dwarf_Attribute *attribute, const Dwarf_Op *op, struct location *at)
{
	Dwarf_Attribute real;
	Dwarf_Addr address = op->number;

	if (op->atom == DW_OP_addrx &&
	    (dwarf_getlocation_attr(attribute, op, &real) != 0 || dwarf_formaddr(&real, &address) != 0))
		return false;
	*at = (struct location){.kind = LOCATION_STATIC, .plus = (int64_t)address};
	return true;
}

/* One operation, without those that may follow it. */
static bool location_of_op(struct scope *scope, uint64_t pc, Dwarf_Attribute *attribute, const Dwarf_Op *op,
			   struct location *at)
{
	uint8_t atom = op->atom;

	*at = (struct location){0};
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		at->kind = LOCATION_REGISTER;
		return register_number(atom - DW_OP_reg0, &at->reg);
	}
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		at->kind = LOCATION_AT;
		at->plus = (int64_t)op->number;
		return register_number(atom - DW_OP_breg0, &at->reg);
	}
	if (atom == DW_OP_fbreg)
		return frame_base(scope, pc, (int64_t)op->number, at);
	return (atom == DW_OP_addr || atom == DW_OP_addrx) && static_location(attribute, op, at);
}

/* A location of memory whose register is that of the frame is in the frame. */
static void location_settle(struct scope *scope, uint64_t pc, struct location *at)
{
	struct location frame;

	if (at->kind == LOCATION_AT && frame_plus(scope, pc, at->reg, at->plus, &frame)) {
		frame.part = at->part;
		*at = frame;
	}
}

/* One part, which begins at ops[0]; returns how many operations it takes, without DW_OP_piece; 0: not followed. */
static size_t location_of_part(struct scope *scope, uint64_t pc, Dwarf_Attribute *attribute, const Dwarf_Op *ops,
			       size_t count, struct location *at)
{
	size_t taken = 1;

	if (!count || !location_of_op(scope, pc, attribute, &ops[0], at))
		return 0;
	if (count > taken && ops[taken].atom == DW_OP_plus_uconst) {
		at->plus += (int64_t)ops[taken].number;
		taken++;
	}
	if (count > taken && ops[taken].atom == DW_OP_stack_value) {
		if (at->kind != LOCATION_AT)
			return 0;
		at->kind = LOCATION_REGISTER;
		return taken + 1;
	}
	location_settle(scope, pc, at);
	if (count > taken && ops[taken].atom == DW_OP_deref) {
		if (at->kind != LOCATION_FRAME)
			return 0;
		at->kind = LOCATION_FRAME_TO;
		taken++;
	}
	return taken;
}

size_t scope_locate(struct scope *scope, const struct scope_variable *variable, uint64_t pc, struct location *parts)
{
	Dwarf_Die die = variable->die;
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count, found = 0;
	uint64_t part = 0;

	if (!dwarf_attr(&die, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1) != 1)
		return 0;
	for (size_t at = 0; at < count && found < LOCATION_PARTS_MAX;) {
		if (ops[at].atom == DW_OP_piece) { /* a part that is nowhere */
			part += ops[at++].number;
			continue;
		}
		struct location *here = &parts[found];
		size_t taken = location_of_part(scope, pc, &attribute, ops + at, count - at, here);
		if (!taken)
			return 0;
		at += taken;
		here->part = part;
		if (at == count) {
			here->whole = at == taken;
			return here->whole ? 1 : 0;
		}
		if (ops[at].atom != DW_OP_piece)
			return 0;
		part += ops[at++].number;
		found++;
	}
	return found;
}
