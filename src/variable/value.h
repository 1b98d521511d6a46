/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value.h - what a register holds before an instruction, in terms of the program's variables.
 *
 *     struct evaluation e = {.info = info, .ways = ways, .scope = &scope, .words = &words, .arena = arena, .use = pc};
 *     struct value v = value_before(&e, REG_RAX, index);
 *     if (v.base == VALUE_OBJECT)                     // the address of v.object, plus v.offset, plus its terms
 *
 * Debug info says which variable is in a register.  Where it says nothing, the instruction that wrote the register is
 * looked at: a copy, a sum, a pointer that was loaded from a variable, or from a member of what a variable points to.
 * Where several ways meet, all of them must agree.  A pointer that a loop moves on by a constant is an array with an
 * index that is not known. */
#ifndef BLACKOUT_VARIABLE_VALUE_H
#define BLACKOUT_VARIABLE_VALUE_H

#include "base/arena.h"
#include "variable/path.h"
#include "variable/scope.h"
#include "variable/ways.h"

enum value_base {
	VALUE_NUMBER, /* no address */
	VALUE_FRAME,  /* the canonical frame address */
	VALUE_STATIC, /* the offset is an address in the module */
	VALUE_OBJECT, /* the address of an object */
	VALUE_SELF,   /* what it was before, at the start of a loop; only while it is evaluated */
};

/* A number that is not known, times a factor. */
struct value_term {
	uint64_t id; /* the same number has the same id */
	int64_t times;
};

struct value {
	enum value_base base;
	struct object object;
	uint64_t self;
	int64_t offset;
	struct value_term terms[PATH_STRIDES_MAX];
	size_t term_count;
};

struct evaluation {
	struct debuginfo *info;
	const struct ways *ways;
	struct scope *scope;
	const struct line_words *words;
	struct arena *arena; /* of texts */
	uint64_t use;        /* the address where the value is used */
	unsigned steps;      /* counts up; there is a limit */
	uint64_t visiting[32];
	size_t visiting_count;
	int64_t slots[8]; /* places in the frame that are followed like registers */
	size_t slot_count;
};

struct value value_before(struct evaluation *e, unsigned reg, uint32_t index);

/* The same without the variables that are in the register there. */
struct value value_computed_before(struct evaluation *e, unsigned reg, uint32_t index);

/* The value of the variable, if it is a pointer or reference in that register at pc. */
bool value_of_variable(struct evaluation *e, const struct scope_variable *variable, unsigned reg, uint64_t pc,
		       struct value *value);

struct value value_add(const struct value *a, const struct value *b);

/* The address of a memory operand, without its base register. */
struct value value_of_rest(struct evaluation *e, const struct x86_memory *memory, uint32_t index);

/* If the address is that of a variable, make it an address of an object. */
bool value_to_object(struct evaluation *e, uint64_t pc, struct value *value);

/* The bytes at the address. */
struct extent value_extent(const struct value *value, uint64_t size);

#endif
