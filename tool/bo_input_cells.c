/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_cells.c - memory that depends on input itself, loaded at an address that depends on input.
 *
 * If it can be one of few cells, what is loaded is a choice of these by the bits of their number.  C libraries load so where
 * two texts differ first, or where one ends.  Cells do not overlap: larger ones at any address are parts of texts that are
 * being copied, and the copy is stored at an address that is taken as it is. */
#include "bo_input.h"

/* Of two cells, one is taken: that is a decision, as in `p += *p == '+'`, and makes what follows simpler. */
#define CELLS_LEAST 3u
#define CELLS_BITS 6u
#define CELLS_MOST (1u << CELLS_BITS)

static ULong content_of(Addr addr, UInt size)
{
	ULong content = 0;

	VG_(memcpy)(&content, (const void *)addr, size);
	return content;
}

/* What the cell is in all runs on this path; 0: the label there is not that of the content. */
static UInt cell_at(Addr addr, UInt size)
{
	ULong content = content_of(addr, size);
	UInt cell = bo_memory_get(addr, size, content);

	if (!cell)
		return bo_expr_const(8 * size, content);
	return bo_expr_value(cell) == content ? bo_label_widen(cell, 8 * size) : 0;
}

/* `count` is at most twice the value of the bit; the number is below the count. */
static UInt choose(const UInt *cells, UInt count, UInt number, UInt bit)
{
	UInt half = 1u << bit;

	if (count == 1)
		return cells[0];
	if (count <= half)
		return choose(cells, count, number, bit - 1);
	return bo_expr_ite(bo_expr_extract(number, bit, 1), choose(cells + half, count - half, number, bit - 1),
			   choose(cells, half, number, bit - 1));
}

Bool bo_cells_load(Addr first, ULong span, UInt size, UInt index, UInt *loaded)
{
	UInt cells[CELLS_MOST], shift = (UInt)__builtin_ctz(size);
	ULong count = span / size + 1;

	if (count < CELLS_LEAST || count > CELLS_MOST || (shift && !bo_expr_is_const(bo_expr_extract(index, 0, shift))))
		return False;
	first += bo_expr_value(index) & (size - 1);
	for (UInt i = 0; i < count; i++) {
		cells[i] = cell_at(first + i * size, size);
		if (!cells[i])
			return False;
	}
	*loaded = choose(cells, (UInt)count, bo_expr_extract(index, shift, 64 - shift), CELLS_BITS - 1);
	return True;
}
