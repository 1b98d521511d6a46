/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_memory.c - labels of memory: for each byte an expression, and which of its bytes it is.
 *
 * So a value that is stored and loaded again needs no further expressions, whatever its size.  A granule gets its table
 * when the first label is stored there. */
#include "bo_index.h"
#include "bo_input.h"

#define GRANULE_BYTES (1ULL << BO_GRANULE_SHIFT)
#define GRANULES (1ULL << (47 - BO_GRANULE_SHIFT))
#define LINE_BYTES (1ULL << BO_MARK_SHIFT)

UInt *bo_marks;
static UInt **granules; /* by address / GRANULE_BYTES: labels of its bytes; NULL: all 0 */

/* A label of a byte: BYTES_MAX * expression + byte of it. */
#define BYTES_MAX 8

static UInt byte_get(Addr addr)
{
	const UInt *g = granules[addr >> BO_GRANULE_SHIFT];

	return g ? g[addr & (GRANULE_BYTES - 1)] : 0;
}

static UInt *mark_of(Addr addr)
{
	return &bo_marks[addr >> BO_MARK_SHIFT & (BO_MARKS - 1)];
}

static void count(Addr addr, UInt more)
{
	*mark_of(addr) += more;
	if ((addr & (LINE_BYTES - 1)) < BO_MARK_REACH - 1)
		*mark_of(addr - LINE_BYTES) += more;
}

static void byte_put(Addr addr, UInt label)
{
	UInt **g = &granules[addr >> BO_GRANULE_SHIFT], *byte;

	if (!*g) {
		if (!label)
			return;
		*g = bo_reserve(GRANULE_BYTES * sizeof(UInt));
	}
	byte = &(*g)[addr & (GRANULE_BYTES - 1)];
	if (!*byte != !label)
		count(addr, label ? 1 : ~0u);
	*byte = label;
}

/* ---- values ---- */

/* How many bytes from the first one on are neighbors in the same expression, or have no label. */
static UInt run_length(const UInt *bytes, UInt size)
{
	UInt length = 1;

	while (length < size && bytes[length] == (bytes[0] ? bytes[0] + length : 0))
		length++;
	return length;
}

static UInt run_expression(UInt first, UInt length, ULong value)
{
	if (!first)
		return bo_expr_const(8 * length, value);
	return bo_label_widen(bo_label_part(first / BYTES_MAX, 8 * (first % BYTES_MAX), 8 * length), 8 * length);
}

UInt bo_memory_get(Addr addr, UInt size, ULong value)
{
	UInt bytes[BYTES_MAX], any = 0, whole = 0;

	for (UInt i = 0; i < size; i++)
		any |= bytes[i] = byte_get(addr + i);
	if (!any)
		return 0;
	for (UInt done = 0, length; done < size; done += length) {
		length = run_length(bytes + done, size - done);
		if (done && done + length == size && !bytes[done] && !(value >> 8 * done))
			return whole;
		UInt part = run_expression(bytes[done], length, value >> 8 * done);
		whole = done ? bo_expr_concat(part, whole) : part;
	}
	return whole;
}

void bo_memory_put(Addr addr, UInt size, UInt label)
{
	UInt width = label ? bo_expr_width(label) : 0;

	for (UInt i = 0; i < size; i++)
		byte_put(addr + i, 8 * i < width ? BYTES_MAX * label + i : 0);
}

/* ---- ranges ---- */

/* The part of a range that is in one line; nothing in it has a label if the line has no mark. */
static SizeT within_line(Addr addr, SizeT size)
{
	SizeT room = LINE_BYTES - (addr & (LINE_BYTES - 1));

	return size < room ? size : room;
}

/* The part that can be skipped or must be looked at as a whole. */
static SizeT next_part(Addr addr, SizeT size)
{
	SizeT room = GRANULE_BYTES - (addr & (GRANULE_BYTES - 1));

	if (granules[addr >> BO_GRANULE_SHIFT])
		return within_line(addr, size);
	return size < room ? size : room;
}

static Bool may_have_labels(Addr addr)
{
	return granules[addr >> BO_GRANULE_SHIFT] && *mark_of(addr);
}

Bool bo_memory_has_labels(Addr addr, SizeT size)
{
	for (SizeT part; size; addr += part, size -= part) {
		part = next_part(addr, size);
		if (may_have_labels(addr))
			for (SizeT i = 0; i < part; i++)
				if (byte_get(addr + i))
					return True;
	}
	return False;
}

void bo_memory_clear(Addr addr, SizeT size)
{
	for (SizeT part; size; addr += part, size -= part) {
		part = next_part(addr, size);
		if (may_have_labels(addr))
			for (SizeT i = 0; i < part; i++)
				byte_put(addr + i, 0);
	}
}

void bo_memory_move(Addr from, Addr to, SizeT size)
{
	bo_memory_clear(to, size);
	for (SizeT done = 0, part; done < size; done += part) {
		part = next_part(from + done, size - done);
		if (may_have_labels(from + done))
			for (SizeT i = done; i < done + part; i++)
				byte_put(to + i, byte_get(from + i));
	}
	bo_memory_clear(from, size);
}

void bo_memory_init(void)
{
	granules = bo_reserve(GRANULES * sizeof(*granules));
	bo_marks = bo_reserve(BO_MARKS * sizeof(*bo_marks));
}
