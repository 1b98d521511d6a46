/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.h - the variables and parameters that are visible at an instruction, and where they are.
 *
 *     struct scope scope = {0};
 *     scope_open(&scope, info, pc);
 *     for (size_t i = 0; i < scope.variables.count; i++)      // of the innermost block or inlined function first
 *             n = scope_locate(&scope, &scope.variables.at[i], pc, parts);
 *     scope_close(&scope); */
#ifndef BLACKOUT_VARIABLE_SCOPE_H
#define BLACKOUT_VARIABLE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "trace/debuginfo_code.h"

struct scope_variable {
	Dwarf_Die die;
	const char *name;
	Dwarf_Die type;
};

struct scope {
	struct debuginfo *info;
	Dwarf_Die function;
	VEC_OF(struct scope_variable) variables;
};

enum location_kind {
	LOCATION_REGISTER, /* the value is that of a register, plus `plus` */
	LOCATION_AT,       /* it is in memory at that address */
	LOCATION_FRAME,    /* in memory at the frame address, plus `plus` */
	LOCATION_FRAME_TO, /* in memory; its address is in the frame, there */
	LOCATION_STATIC,   /* in memory at the address `plus` */
};

/* Where a part of a variable is. */
struct location {
	enum location_kind kind;
	unsigned reg; /* by its number in instructions */
	int64_t plus;
	uint64_t part; /* offset of the part in the variable */
	bool whole;    /* the part is all of it */
};

#define LOCATION_PARTS_MAX 8

/* False: no function there. */
bool scope_open(struct scope *scope, struct debuginfo *info, uint64_t pc);
void scope_close(struct scope *scope);

/* Where a variable is at pc, in up to LOCATION_PARTS_MAX parts; 0: nowhere, or in a way that is not followed. */
size_t scope_locate(struct scope *scope, const struct scope_variable *variable, uint64_t pc, struct location *parts);

/* The register that the frame address is computed from at pc, and what is added to it. */
bool scope_frame(struct scope *scope, uint64_t pc, unsigned *reg, int64_t *plus);

#endif
