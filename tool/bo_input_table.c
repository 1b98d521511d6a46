/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_table.c - memory that is accessed at an address that depends on input.
 *
 * If all addresses that a load can have are in a small part of memory, what is loaded is an expression: of a table, or of
 * cells where the memory depends on input itself.  Otherwise the address is taken as it is: a branch says so. */
#include "bo_input.h"
#include "bo_steps.h"

#include "pub_tool_aspacemgr.h"

#define TABLE_BYTES_MAX 4096u

struct table {
	Addr start;
	UInt size;
	UInt id;    /* in the trace; 0: not defined yet */
	UInt older; /* of the same place, with another content; 0: none */
	UChar *content;
};

static struct table *tables; /* numbered from 1 */
static UInt table_count = 1, table_room, defined;
static struct bo_table newest; /* by start and size */

static UInt table_add(Addr start, UInt size, UInt older)
{
	if (table_count >= table_room) {
		table_room = 2 * table_count + 64;
		tables = VG_(realloc)("bo.tables", tables, table_room * sizeof(*tables));
	}
	tables[table_count] = (struct table){start, size, 0, older, VG_(malloc)("bo.table", size)};
	VG_(memcpy)(tables[table_count].content, (const void *)start, size);
	bo_table_put(&newest, start, size, table_count);
	return table_count++;
}

static UInt table_of(Addr start, UInt size)
{
	UInt first = bo_table_get(&newest, start, size);

	for (UInt t = first; t; t = tables[t].older)
		if (VG_(memcmp)(tables[t].content, (const void *)start, size) == 0)
			return t;
	return table_add(start, size, first);
}

void bo_input_pin(UInt address, UInt code, Addr sp)
{
	UInt same = bo_expr_2(BO_EXPR_EQ, address, bo_expr_const(bo_expr_width(address), bo_expr_value(address)));

	bo_tell_branch(BO_BRANCH_ADDRESS, same, code, sp, 0);
}

/* Steps are followed after the block has run: a later store of the block may have changed what could be loaded. */
static Bool is_readable(struct bo_range r, UInt size)
{
	return r.span <= TABLE_BYTES_MAX - size && VG_(am_is_valid_for_client)(r.first, r.span + size, VKI_PROT_READ) &&
	       !bo_steps_store_follows(r.first, r.span + size);
}

/* What is loaded `index` bytes after the first address.  False: there is too much that it can be. */
static Bool load_any(struct bo_range r, UInt index, UInt size, ULong value, UInt *loaded)
{
	if (bo_memory_has_labels(r.first, r.span + size))
		return bo_cells_load(r.first, r.span, size, index, loaded);
	*loaded = bo_expr_table(table_of(r.first, (UInt)r.span + size), index, size, value);
	return True;
}

UInt bo_input_load_at(UInt address, UInt size, ULong value, UInt code, Addr sp)
{
	Bool uses_path;
	struct bo_range r = bo_range_of(address, &uses_path);
	UInt index = bo_expr_2(BO_EXPR_SUB, address, bo_expr_const(64, r.first)), loaded;

	if (!r.span || !is_readable(r, size) || !load_any(r, index, size, value, &loaded)) {
		bo_input_pin(address, code, sp);
		return bo_memory_get(bo_expr_value(address), size, value);
	}
	if (uses_path)
		bo_tell_branch(BO_BRANCH_BOUND, bo_expr_2(BO_EXPR_ULE, index, bo_expr_const(64, r.span)), code, sp, 0);
	return loaded;
}

UInt bo_input_define_table(UInt number)
{
	struct table *t = &tables[number];
	UChar bytes[TABLE_BYTES_MAX + 32], *p = bytes;

	if (t->id)
		return t->id;
	p = bo_put_v(p, t->start);
	p = bo_put_bytes(p, t->content, t->size);
	bo_write_layer(BO_OP_DEF_TABLE, bytes, (SizeT)(p - bytes));
	return t->id = ++defined;
}

void bo_input_redefine_tables(void)
{
	defined = 0;
	for (UInt t = 1; t < table_count; t++)
		tables[t].id = 0;
}
