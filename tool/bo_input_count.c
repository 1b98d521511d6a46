/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_count.c - how often each kind of operation was not followed, or was followed and checked.
 *
 * bo_op_names.h is made from Valgrind's header (mk/tool.mk). */
#include "bo_input.h"

#define OPERATIONS (Iop_LAST - Iop_INVALID)

static const HChar *const op_names[OPERATIONS] = {
#include "bo_op_names.h"
};

struct count {
	const HChar *name;
	ULong concrete, right, wrong;
	Bool is_known;
};

static struct count of_operations[OPERATIONS];
static struct count *others;
static UInt other_count, other_room;

static struct count *count_of_operation(IROp op)
{
	struct count *c = &of_operations[op - Iop_INVALID];

	c->name = op_names[op - Iop_INVALID];
	return c;
}

static struct count *count_of(const HChar *name)
{
	for (UInt i = 0; i < other_count; i++)
		if (others[i].name == name || VG_(strcmp)(others[i].name, name) == 0)
			return &others[i];
	if (other_count == other_room) {
		other_room = 2 * other_room + 16;
		others = VG_(realloc)("bo.counts", others, other_room * sizeof(*others));
	}
	others[other_count] = (struct count){.name = name};
	return &others[other_count++];
}

void bo_concrete_operation(IROp op)
{
	count_of_operation(op)->concrete++;
}

void bo_concrete(const HChar *name)
{
	count_of(name)->concrete++;
}

static void check(struct count *c, Bool is_right)
{
	if (is_right)
		c->right++;
	else
		c->wrong++;
}

void bo_checked_operation(IROp op, Bool is_right)
{
	check(count_of_operation(op), is_right);
}

void bo_checked(const HChar *name, Bool is_right)
{
	check(count_of(name), is_right);
}

static void write_number(const HChar *prefix, const HChar *name, ULong number)
{
	HChar key[128], value[24];

	VG_(snprintf)(key, sizeof(key), "%s%s", prefix, name);
	VG_(sprintf)(value, "%llu", number);
	bo_write_meta(key, value);
}

static void write_count(const struct count *c)
{
	if (c->concrete)
		write_number(BO_META_CONCRETE, c->name, c->concrete);
	if (c->right || c->is_known)
		write_number(BO_META_CHECKED, c->name, c->right);
	if (c->wrong)
		write_number(BO_META_WRONG, c->name, c->wrong);
}

/* Whatever is known has a count, so that a test can see what it has never met. */
static void count_known(void)
{
	const HChar *name;

	for (UInt i = 0; i < OPERATIONS; i++)
		if (bo_expr_knows((IROp)(Iop_INVALID + i)))
			count_of_operation((IROp)(Iop_INVALID + i))->is_known = True;
	for (UInt i = 0; (name = bo_expr_call_name(i)); i++)
		count_of(name)->is_known = True;
}

void bo_concrete_write(void)
{
	if (clo_bo_inputs_check)
		count_known();
	for (UInt i = 0; i < OPERATIONS; i++)
		if (of_operations[i].name)
			write_count(&of_operations[i]);
	for (UInt i = 0; i < other_count; i++)
		write_count(&others[i]);
	if (bo_expr_refused())
		write_number(BO_META_CONCRETE, "no room", bo_expr_refused());
}
