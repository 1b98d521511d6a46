/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.c - see value.h. */
#include "variable/value.h"

#include <dwarf.h>
#include <string.h>

#include "variable/call_result.h"
#include "variable/type.h"

#define STEPS_MAX 20000u
#define POINTER_BYTES 8u

/* ---- arithmetic ---- */

static struct value value_number(int64_t number)
{
	return (struct value){.base = VALUE_NUMBER, .offset = number};
}

/* A number about which nothing is known.  It is the one that register `reg` has at the instruction. */
static struct value value_unknown(uint32_t index, unsigned reg, bool after)
{
	struct value v = {.term_count = 1};

	v.terms[0] = (struct value_term){(uint64_t)index << 8 | reg << 1 | after, 1};
	return v;
}

/* Too many terms to follow are like one that may be anything. */
static void value_add_term(struct value *v, uint64_t id, int64_t times)
{
	for (size_t i = 0; i < v->term_count; i++)
		if (v->terms[i].id == id) {
			v->terms[i].times += times;
			if (!v->terms[i].times)
				v->terms[i] = v->terms[--v->term_count];
			return;
		}
	if (v->term_count < PATH_STRIDES_MAX)
		v->terms[v->term_count++] = (struct value_term){id, times};
	else
		v->terms[0].times = 1;
}

struct value value_add(const struct value *a, const struct value *b)
{
	struct value sum = a->base == VALUE_NUMBER ? *b : *a;
	const struct value *other = a->base == VALUE_NUMBER ? a : b;

	sum.offset = (int64_t)((uint64_t)sum.offset + (uint64_t)other->offset);
	for (size_t i = 0; i < other->term_count; i++)
		value_add_term(&sum, other->terms[i].id, other->terms[i].times);
	if (a->base != VALUE_NUMBER && b->base != VALUE_NUMBER) {
		sum.base = VALUE_NUMBER; /* no sum of addresses is an address */
		value_add_term(&sum, UINT64_MAX, 1);
	}
	return sum;
}

static struct value value_times(const struct value *a, int64_t factor)
{
	struct value v = *a;

	if (factor == 1)
		return v;
	if (v.base != VALUE_NUMBER || !factor) {
		v = value_number(0);
		if (factor)
			value_add_term(&v, UINT64_MAX, 1);
		return v;
	}
	v.offset = (int64_t)((uint64_t)v.offset * (uint64_t)factor);
	for (size_t i = 0; i < v.term_count; i++)
		v.terms[i].times = (int64_t)((uint64_t)v.terms[i].times * (uint64_t)factor);
	return v;
}

static bool object_same(const struct object *a, const struct object *b)
{
	Dwarf_Die first = a->type, second = b->type;

	return a->pointed == b->pointed && !strcmp(a->text, b->text) && first.addr == second.addr;
}

static bool value_same(const struct value *a, const struct value *b)
{
	if (a->base != b->base || a->offset != b->offset || a->term_count != b->term_count || a->self != b->self)
		return false;
	for (size_t i = 0; i < a->term_count; i++)
		if (a->terms[i].id != b->terms[i].id || a->terms[i].times != b->terms[i].times)
			return false;
	return a->base != VALUE_OBJECT || object_same(&a->object, &b->object);
}

struct extent value_extent(const struct value *v, uint64_t size)
{
	struct extent extent = {.offset = v->offset, .size = size, .stride_count = v->term_count};

	for (size_t i = 0; i < v->term_count; i++)
		extent.strides[i] = v->terms[i].times;
	return extent;
}

/* ---- variables ---- */

static struct value value_of_object(const char *text, const Dwarf_Die *type, bool pointed, int64_t offset)
{
	return (struct value){.base = VALUE_OBJECT, .object = {text, *type, pointed}, .offset = offset};
}

/* What a pointer or reference with this name points to. */
static bool value_of_pointer(const char *text, const Dwarf_Die *type, int64_t offset, struct value *v)
{
	Dwarf_Die pointer, to, stripped;

	if (!type_strip(type, &pointer))
		return false;
	int tag = dwarf_tag(&pointer);
	if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type)
		return false;
	if (!type_of_die(&pointer, &to) || !type_strip(&to, &stripped) ||
	    dwarf_tag(&stripped) == DW_TAG_subroutine_type)
		return false;
	*v = value_of_object(text, &to, tag == DW_TAG_pointer_type, offset);
	return true;
}

/* The pointer that is at this place. */
static bool value_of_content(struct evaluation *e, const struct value *at, struct value *v)
{
	struct extent extent = value_extent(at, POINTER_BYTES);
	struct path path;

	if (at->base != VALUE_OBJECT || !path_find(&at->object, &extent, e->words, &path) || !path.exact)
		return false;
	const char *text = arena_copy(e->arena, path.text, strlen(path.text));
	return value_of_pointer(text, &path.leaf, 0, v);
}

bool value_of_variable(struct evaluation *e, const struct scope_variable *variable, unsigned reg, uint64_t pc,
		       struct value *v)
{
	struct location parts[LOCATION_PARTS_MAX];
	size_t count = scope_locate(e->scope, variable, pc, parts);

	if (name_is_reserved(variable->name))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct location *at = &parts[i];

		if (at->reg != reg || (at->kind != LOCATION_REGISTER && at->kind != LOCATION_AT))
			continue;
		if (at->kind == LOCATION_AT) {
			*v = value_of_object(variable->name, &variable->type, false, -at->plus);
			return at->whole;
		}
		if (at->whole)
			return value_of_pointer(variable->name, &variable->type, -at->plus, v);
		struct value inside = value_of_object(variable->name, &variable->type, false, (int64_t)at->part);
		if (!value_of_content(e, &inside, v))
			return false;
		v->offset -= at->plus;
		return true;
	}
	return false;
}

/* A struct says more than a number or a byte, or than the inside of an atomic. */
static bool value_is_telling(const struct value *v)
{
	Dwarf_Die type;

	if (!type_strip(&v->object.type, &type) || type_is_hidden(&type))
		return false;
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: return true;
	}
	return false;
}

/* The variable in a register at pc.  If it is elsewhere when the value is used, it has another value then. */
static bool variable_in(struct evaluation *e, unsigned reg, uint64_t pc, bool any, struct value *v)
{
	struct location parts[LOCATION_PARTS_MAX];

	for (size_t i = 0; i < e->scope->variables.count; i++) {
		const struct scope_variable *variable = &e->scope->variables.at[i];
		struct value found;

		if (!value_of_variable(e, variable, reg, pc, &found) || (!any && !value_is_telling(&found)))
			continue;
		if (pc != e->use && scope_locate(e->scope, variable, e->use, parts) &&
		    !value_of_variable(e, variable, reg, e->use, v))
			continue;
		*v = found;
		return true;
	}
	return false;
}

static bool frame_variable(struct evaluation *e, uint64_t pc, int64_t offset, struct value *v)
{
	struct location parts[LOCATION_PARTS_MAX];

	for (size_t i = 0; i < e->scope->variables.count; i++) {
		struct scope_variable *variable = &e->scope->variables.at[i];
		Dwarf_Word size;

		if (scope_locate(e->scope, variable, pc, parts) != 1 || !parts[0].whole ||
		    parts[0].kind != LOCATION_FRAME || dwarf_aggregate_size(&variable->type, &size) != 0)
			continue;
		if (offset < parts[0].plus || offset >= parts[0].plus + (int64_t)size)
			continue;
		*v = value_of_object(variable->name, &variable->type, false, offset - parts[0].plus);
		return true;
	}
	return false;
}

static bool static_variable(struct evaluation *e, uint64_t pc, uint64_t address, struct value *v)
{
	struct location parts[LOCATION_PARTS_MAX];
	Dwarf_Die die, type;
	uint64_t start;

	for (size_t i = 0; i < e->scope->variables.count; i++) {
		struct scope_variable *variable = &e->scope->variables.at[i];
		Dwarf_Word size;

		if (scope_locate(e->scope, variable, pc, parts) != 1 || parts[0].kind != LOCATION_STATIC ||
		    dwarf_aggregate_size(&variable->type, &size) != 0)
			continue;
		if (address - (uint64_t)parts[0].plus < size) {
			*v = value_of_object(variable->name, &variable->type, false,
					     (int64_t)(address - (uint64_t)parts[0].plus));
			return true;
		}
	}
	if (!debuginfo_global(e->info, address, &die, &start) || !type_of_die(&die, &type))
		return false;
	const char *name = dwarf_diename(&die);
	if (!name)
		return false;
	*v = value_of_object(name, &type, false, (int64_t)(address - start));
	return true;
}

bool value_to_object(struct evaluation *e, uint64_t pc, struct value *v)
{
	struct value found;

	if (v->base == VALUE_OBJECT)
		return true;
	if (v->base == VALUE_FRAME    ? !frame_variable(e, pc, v->offset, &found)
	    : v->base == VALUE_STATIC ? !static_variable(e, pc, (uint64_t)v->offset, &found)
				      : true)
		return false;
	memcpy(found.terms, v->terms, sizeof(found.terms));
	found.term_count = v->term_count;
	*v = found;
	return true;
}

/* ---- memory ---- */

struct value value_of_rest(struct evaluation *e, const struct x86_memory *m, uint32_t index)
{
	const struct ways_insn *insn = ways_at(e->ways, index);
	struct value v = value_number(m->displacement);

	if (m->relative) {
		v.base = VALUE_STATIC;
		v.offset = (int64_t)(insn->at + insn->length + (uint64_t)(int64_t)m->displacement);
	}
	if (m->index != X86_NONE) {
		struct value number = value_before(e, (unsigned)m->index, index);

		number = value_times(&number, (int64_t)1 << m->scale);
		v = value_add(&v, &number);
	}
	return v;
}

static struct value value_of_memory(struct evaluation *e, const struct x86_memory *m, uint32_t index)
{
	struct value v = value_of_rest(e, m, index);

	if (m->base != X86_NONE) {
		struct value base = value_before(e, (unsigned)m->base, index);

		v = value_add(&base, &v);
	}
	return v;
}

/* A reference to a variable that the frame holds. */
static bool frame_reference(struct evaluation *e, uint64_t pc, int64_t offset, struct value *v)
{
	struct location parts[LOCATION_PARTS_MAX];

	for (size_t i = 0; i < e->scope->variables.count; i++) {
		const struct scope_variable *variable = &e->scope->variables.at[i];

		if (scope_locate(e->scope, variable, pc, parts) != 1 || parts[0].kind != LOCATION_FRAME_TO ||
		    parts[0].plus != offset)
			continue;
		*v = value_of_object(variable->name, &variable->type, false, 0);
		return true;
	}
	return false;
}

static struct value value_back(struct evaluation *e, unsigned reg, uint32_t index);

/* What was saved to a place in the frame. */
static struct value value_saved(struct evaluation *e, int64_t offset, uint32_t index)
{
	size_t slot = 0;

	while (slot < e->slot_count && e->slots[slot] != offset)
		slot++;
	if (slot == sizeof(e->slots) / sizeof(*e->slots))
		return value_unknown(index, REG_COUNT, false);
	if (slot == e->slot_count)
		e->slots[e->slot_count++] = offset;
	return value_back(e, REG_COUNT + (unsigned)slot, index);
}

static struct value value_loaded(struct evaluation *e, const struct value *from, uint32_t index, unsigned reg)
{
	uint64_t pc = ways_at(e->ways, index)->at, there;
	struct value at = *from, v, saved;

	if (at.base == VALUE_STATIC && !at.term_count && debuginfo_slot(e->info, (uint64_t)at.offset, &there) && there)
		return (struct value){.base = VALUE_STATIC, .offset = (int64_t)there};
	if (at.base == VALUE_FRAME && !at.term_count && frame_reference(e, pc, at.offset, &v))
		return v;
	bool known = value_to_object(e, pc, &at) && value_of_content(e, &at, &v);
	if (known && !type_is_hidden(&v.object.type))
		return v;
	if (from->base == VALUE_FRAME && !from->term_count) {
		saved = value_saved(e, from->offset, index);
		if (saved.base != VALUE_NUMBER)
			return saved;
	}
	return known ? v : value_unknown(index, reg, true);
}

/* ---- instructions ---- */

static struct value value_after(struct evaluation *e, unsigned reg, uint32_t index)
{
	const struct ways_insn *insn = ways_at(e->ways, index);
	const struct effect *effect = &insn->effect;
	struct value a, b;

	if (effect->form == EFFECT_OTHER || (unsigned)effect->target != reg)
		return value_unknown(index, reg, true);
	switch (effect->form) {
	case EFFECT_COPY: return value_before(e, (unsigned)effect->source, index);
	case EFFECT_NUMBER: return value_number(effect->number);
	case EFFECT_ADDRESS: return value_of_memory(e, &effect->memory, index);
	case EFFECT_LOAD: a = value_of_memory(e, &effect->memory, index); return value_loaded(e, &a, index, reg);
	case EFFECT_ADD_LOAD:
		a = value_of_memory(e, &effect->memory, index);
		a = value_loaded(e, &a, index, reg);
		b = value_before(e, reg, index);
		return value_add(&a, &b);
	case EFFECT_ADD:
	case EFFECT_SUBTRACT:
		a = value_before(e, reg, index);
		b = value_before(e, (unsigned)effect->source, index);
		if (effect->form == EFFECT_SUBTRACT)
			b = value_times(&b, -1);
		return value_add(&a, &b);
	case EFFECT_PLUS:
		a = value_before(e, reg, index);
		b = value_number(effect->number);
		return value_add(&a, &b);
	case EFFECT_TIMES:
		a = effect->source == X86_NONE ? value_unknown(index, reg, true)
					       : value_before(e, (unsigned)effect->source, index);
		return value_times(&a, effect->number);
	case EFFECT_CALL:
		if (call_result(e, index, &a))
			return a;
		break;
	default: break;
	}
	return value_unknown(index, reg, true);
}

/* ---- places in the frame ---- */

static bool value_of_frame(struct evaluation *e, unsigned reg, uint64_t pc, struct value *v)
{
	unsigned frame_reg;
	int64_t plus;

	if ((reg != REG_RSP && reg != REG_RBP) || !scope_frame(e->scope, pc, &frame_reg, &plus) || frame_reg != reg)
		return false;
	*v = (struct value){.base = VALUE_FRAME, .offset = -plus};
	return true;
}

/* Where in the frame an instruction stores. */
static bool insn_saves_at(struct evaluation *e, const struct ways_insn *insn, int64_t *offset)
{
	struct value frame;

	const struct x86_memory *memory = &insn->store.memory;

	if (!insn->store.size || memory->index != X86_NONE || memory->base == X86_NONE ||
	    !value_of_frame(e, (unsigned)memory->base, insn->at, &frame))
		return false;
	*offset = frame.offset + memory->displacement;
	return true;
}

/* Does it change a register, or a place in the frame? */
static bool insn_changes(struct evaluation *e, const struct ways_insn *insn, unsigned reg)
{
	int64_t offset;

	if (reg < REG_COUNT)
		return insn->effect.writes & 1u << reg;
	if (!insn_saves_at(e, insn, &offset))
		return false;
	int64_t slot = e->slots[reg - REG_COUNT];
	return offset < slot + (int64_t)POINTER_BYTES && slot < offset + (int64_t)insn->store.size;
}

static struct value value_after_save(struct evaluation *e, unsigned reg, uint32_t index)
{
	const struct ways_insn *insn = ways_at(e->ways, index);
	int64_t offset;

	if (insn->effect.form != EFFECT_SAVE || !insn_saves_at(e, insn, &offset) || offset != e->slots[reg - REG_COUNT])
		return value_unknown(index, reg, true);
	return value_before(e, (unsigned)insn->effect.source, index);
}

/* ---- ways ---- */

/* What the register has when control comes from `from` to `to`. */
static struct value value_along(struct evaluation *e, unsigned reg, uint32_t from, uint32_t to)
{
	struct value v, computed;

	if (!insn_changes(e, ways_at(e->ways, from), reg))
		return value_back(e, reg, from);
	if (reg >= REG_COUNT)
		return value_after_save(e, reg, from);
	uint64_t pc = ways_at(e->ways, to)->at;
	if (variable_in(e, reg, pc, false, &v))
		return v;
	computed = value_after(e, reg, from);
	return computed.base == VALUE_NUMBER && variable_in(e, reg, pc, true, &v) ? v : computed;
}

/* A loop moves a pointer on: it is an element of an array. */
static void value_add_steps(struct value *v, const struct value *self, uint64_t id)
{
	if (self->offset)
		value_add_term(v, id << 8 | 0xff, self->offset);
	for (size_t i = 0; i < self->term_count; i++)
		value_add_term(v, self->terms[i].id, self->terms[i].times);
}

static struct value value_merged(struct evaluation *e, unsigned reg, uint32_t index)
{
	const uint32_t *before;
	uint32_t count = ways_before(e->ways, index, &before);
	uint64_t self = (uint64_t)index << 5 | reg;
	struct value found = {0}, steps = {0};
	bool any = false, same = true;

	for (size_t i = 0; i < e->visiting_count; i++)
		if (e->visiting[i] == self)
			return (struct value){.base = VALUE_SELF, .self = self};
	if (e->visiting_count == sizeof(e->visiting) / sizeof(*e->visiting))
		return value_unknown(index, reg, false);
	e->visiting[e->visiting_count++] = self;
	for (uint32_t i = 0; i < count && same; i++) {
		struct value v = value_along(e, reg, before[i], index);

		if (v.base == VALUE_SELF && v.self == self) {
			value_add_steps(&steps, &v, self);
			continue;
		}
		same = !any || value_same(&found, &v);
		found = v;
		any = true;
	}
	e->visiting_count--;
	if (!any || !same)
		return value_unknown(index, reg, false);
	return value_add(&found, &steps);
}

/* The value before an instruction, from what comes before it. */
static struct value value_back(struct evaluation *e, unsigned reg, uint32_t index)
{
	const uint32_t *before;
	struct value v;

	for (;;) {
		const struct ways_insn *insn = ways_at(e->ways, index);
		uint32_t count = ways_before(e->ways, index, &before);

		if (++e->steps > STEPS_MAX)
			return value_unknown(index, reg, false);
		if (insn->open || !count)
			return variable_in(e, reg, insn->at, true, &v) ? v : value_unknown(index, reg, false);
		if (count > 1)
			return variable_in(e, reg, insn->at, false, &v) ? v : value_merged(e, reg, index);
		if (insn_changes(e, ways_at(e->ways, before[0]), reg))
			return value_along(e, reg, before[0], index);
		index = before[0];
	}
}

struct value value_computed_before(struct evaluation *e, unsigned reg, uint32_t index)
{
	struct value v;

	if (value_of_frame(e, reg, ways_at(e->ways, index)->at, &v))
		return v;
	return value_back(e, reg, index);
}

struct value value_before(struct evaluation *e, unsigned reg, uint32_t index)
{
	uint64_t pc = ways_at(e->ways, index)->at;
	struct value v;

	if (variable_in(e, reg, pc, false, &v))
		return v;
	struct value computed = value_computed_before(e, reg, index);
	return computed.base == VALUE_NUMBER && variable_in(e, reg, pc, true, &v) ? v : computed;
}
