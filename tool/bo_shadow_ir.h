/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_shadow_ir.h - IR that computes labels (bo_label.h), for bo_shadow.c and bo_shadow_ops.c.
 *
 * A label is an atom of type I64.  Most labels are 0, so everything here is a test that skips a call; and where a label
 * is known to be 0 when code is translated, nothing is added at all. */
#ifndef BO_SHADOW_IR_H
#define BO_SHADOW_IR_H

#include "bo_ir.h"

struct label {
	IRExpr *e;
	Bool mix; /* may be a mix */
};

/* A value has one label for each 8 bytes, or one if it is smaller. */
#define LANES_MAX 4

struct lanes {
	UInt count;
	struct label at[LANES_MAX];
};

#define NO_LABEL ((struct label){u64(0), False})

Bool label_is_none(struct label l); /* known to be 0 */
struct label label_flatten(struct block *b, struct label l);
struct label label_union(struct block *b, struct label x, struct label y);
struct label label_of_all(struct block *b, const struct lanes *lanes);
struct label label_as_control(struct block *b, struct label l);
struct label label_add(struct block *b, struct label l, struct label set); /* `set` is no mix */
struct label label_select(struct block *b, IRExpr *condition, struct label yes, struct label no);
struct label label_extract(struct block *b, struct label l, UInt from, UInt bytes);
struct label label_insert(struct block *b, struct label into, struct label l, UInt at, UInt bytes);
struct label label_concat(struct block *b, struct label high, struct label low, UInt bytes); /* of each */

/* A call that returns a label, skipped if the guard is false: then the label is `otherwise`. */
IRExpr *label_call(struct block *b, const HChar *name, void *function, IRExpr **args, IRExpr *guard, IRExpr *otherwise);
IRExpr *is_not_0(struct block *b, IRExpr *label);

struct lanes lanes_none(IRType type);
struct lanes lanes_same(IRType type, struct label l);

/* ---- bo_shadow_ops.c ---- */
/* The labels of the result of an operation, from those of its operands. */
struct lanes lanes_of_operation(struct block *b, IRType type, IROp op, IRExpr *const *args,
				const struct lanes *operands, UInt count);

#endif
