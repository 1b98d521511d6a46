/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_graph.c - control-flow graphs, made when code of a function is translated for the first time.
 *
 * A function is found by its symbol.  If there is none, the graph begins at the instruction that is translated.  That is
 * as good: where ways meet depends only on what can be reached from there.  A graph is made again when a jump is seen
 * that it does not have. */
#include "bo.h"

#include "bo_graph.h"
#include "bo_symbol.h"
#include "pub_tool_aspacemgr.h"

#define CHUNK 1024u /* points that are allocated together */

struct function {
	Addr entry;
	struct flow_range parts[2]; /* the function, and the part of it that was moved away */
	UInt part_count;
	Addr low, high; /* all its code, parts of other functions too */
};

static XArray *functions; /* struct function */
static struct bo_table point_table, edge_table, return_table;
static struct bo_point **chunks;
static UInt point_count, chunk_room;
static XArray *seen;    /* struct flow_seen */
static UInt generation; /* changes when code is unmapped */
static UInt without_graph;

/* ---- how src/flow sees the target ---- */

static void *resize(void *block, size_t bytes)
{
	if (bytes)
		return VG_(realloc)("bo.flow", block, bytes);
	if (block)
		VG_(free)(block);
	return NULL;
}

static size_t read_code(void *arg, uint64_t at, void *to, size_t size)
{
	const NSegment *seg = VG_(am_find_nsegment)(at);

	if (!seg || !seg->hasR || (seg->kind != SkFileC && seg->kind != SkAnonC && seg->kind != SkShmC))
		return 0;
	if (size > seg->end - at + 1)
		size = seg->end - at + 1;
	VG_(memcpy)(to, (const void *)(Addr)at, size);
	return size;
}

static bool begins(void *arg, uint64_t at)
{
	struct bo_symbol s;

	return bo_symbol_at(at, &s) && s.start == at && !bo_symbol_is_part(&s);
}

/* ---- which functions return ---- */

static Bool is_in(const HChar *name, const HChar *const *list)
{
	for (; *list; list++) {
		SizeT length = VG_(strlen)(*list);
		if (VG_(strncmp)(name, *list, length) == 0 && (name[length] == '\0' || name[length] == '@'))
			return True;
	}
	return False;
}

static enum flow_return return_by_name(const HChar *name)
{
	/* Most that do not return are recognized by their code.  These call the kernel, jump, or unwind. */
	static const HChar *const never[] = {"exit",
					     "_exit",
					     "_Exit",
					     "quick_exit",
					     "pthread_exit",
					     "longjmp",
					     "_longjmp",
					     "siglongjmp",
					     "__longjmp",
					     "__longjmp_chk",
					     "__libc_longjmp",
					     "__libc_siglongjmp",
					     "setcontext",
					     "err",
					     "errx",
					     "verr",
					     "verrx",
					     "_Unwind_Resume",
					     "__cxa_throw",
					     "__cxa_rethrow",
					     "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
					     NULL};
	static const HChar *const fails[] = {"abort",
					     "__assert",
					     "__assert_fail",
					     "__assert_perror_fail",
					     "__stack_chk_fail",
					     "__chk_fail",
					     "__fortify_fail",
					     "__libc_fatal",
					     "__cxa_bad_cast",
					     "__cxa_bad_typeid",
					     "__cxa_throw_bad_array_new_length",
					     "__cxa_call_terminate",
					     "__cxa_call_unexpected",
					     "__cxa_pure_virtual",
					     "__clang_call_terminate",
					     "_ZSt9terminatev",
					     "_ZSt10unexpectedv",
					     NULL};
	static const HChar *const twice[] = {"setjmp",     "_setjmp", "__sigsetjmp", "sigsetjmp",
					     "getcontext", "vfork",   NULL};

	if (is_in(name, never))
		return FLOW_RETURNS_NOT;
	/* std::__throw_length_error and the like report mistakes. */
	if (is_in(name, fails) || (VG_(strncmp)(name, "_ZSt", 4) == 0 && VG_(strstr)(name, "__throw_")))
		return FLOW_FAILS;
	return is_in(name, twice) ? FLOW_RETURNS_TWICE : FLOW_RETURNS;
}

static enum flow_return return_by_names(const struct bo_symbol *s)
{
	enum flow_return how = return_by_name(s->name);

	for (const HChar **other = s->others; other && *other && how == FLOW_RETURNS; other++)
		how = return_by_name(*other);
	return how;
}

static enum flow_return how_returns(void *arg, uint64_t callee);
static const struct flow_code target = {resize, read_code, begins, how_returns, NULL};

static enum flow_return return_find(Addr callee)
{
	static UInt depth; /* of functions that call each other */
	struct bo_symbol s;
	Bool has_symbol = bo_symbol_at(callee, &s) && s.start == callee;
	enum flow_return how = has_symbol ? return_by_names(&s) : FLOW_RETURNS;
	Addr slot;

	if (how != FLOW_RETURNS || depth == 4)
		return how;
	depth++;
	if (!has_symbol && bo_plt_slot(callee, &slot)) {
		const HChar *name = bo_plt_name(slot);
		Addr function = *(const Addr *)slot;
		if (name)
			how = return_by_name(name);
		if (how == FLOW_RETURNS && begins(NULL, function))
			how = how_returns(NULL, function);
	} else {
		how = flow_returns(&target, callee);
	}
	depth--;
	return how;
}

/* A function that is being looked at counts as one that returns. */
static enum flow_return how_returns(void *arg, uint64_t callee)
{
	UInt known = bo_table_get(&return_table, callee, generation);
	enum flow_return how;

	if (known)
		return (enum flow_return)(known - 1);
	how = return_find(callee);
	if (!bo_table_get(&return_table, callee, generation))
		bo_table_put(&return_table, callee, generation, how + 1);
	return how;
}

/* ---- points ---- */

static struct bo_point *point_at(UInt id)
{
	return &chunks[(id - 1) / CHUNK][(id - 1) % CHUNK];
}

static struct bo_point *point_find(Addr insn)
{
	UInt id = bo_table_get(&point_table, insn, 0);

	return id ? point_at(id) : NULL;
}

static struct bo_point *point_make(Addr insn)
{
	struct bo_point *p = point_find(insn);

	if (p)
		return p;
	if (point_count % CHUNK == 0) {
		if (point_count / CHUNK >= chunk_room) {
			chunk_room = chunk_room ? 2 * chunk_room : 64;
			chunks = VG_(realloc)("bo.points", chunks, chunk_room * sizeof(*chunks));
		}
		chunks[point_count / CHUNK] = VG_(calloc)("bo.points", CHUNK, sizeof(struct bo_point));
	}
	bo_table_put(&point_table, insn, 0, ++point_count);
	p = point_at(point_count);
	p->at = insn;
	p->function = BO_NO_GRAPH;
	return p;
}

/* ---- graphs ---- */

static void take_point(const struct flow_point *from, UInt index)
{
	struct bo_point *to = point_make(from->at);

	/* What has been translated as a join stays one. */
	to->is_join |= from->is_join;
	to->is_landing |= from->is_landing;
	/* Code may be in several graphs; the first one says how its places are called. */
	if (to->function != BO_NO_GRAPH && to->function != index)
		return;
	to->place = from->place;
	to->length = from->length;
	to->kind = from->kind;
	to->function = index;
}

static void take_points(const struct flow_graph *g, UInt index)
{
	struct function *f = VG_(indexXA)(functions, index);

	for (uint32_t i = 0; i < flow_graph_count(g); i++) {
		struct flow_point from = flow_graph_point(g, i);
		take_point(&from, index);
		f->low = from.at < f->low ? from.at : f->low;
		f->high = from.at > f->high ? from.at : f->high;
	}
	for (uint32_t i = 0; i < flow_graph_count(g); i++) {
		struct flow_point from = flow_graph_point(g, i);
		struct bo_point *to = point_find(from.at);
		if (to->function == index)
			to->after = from.after ? point_find(from.after)->place : 0;
	}
}

/* The key of a jump in edge_table: the same addresses may mean other code later. */
static ULong jump_key(const struct flow_seen *jump)
{
	return jump->from | (ULong)generation << 48;
}

static void take_jumps(const struct flow_graph *g)
{
	struct flow_seen jump;

	for (uint32_t i = 0; flow_graph_jump(g, i, &jump); i++)
		if (!bo_table_get(&edge_table, jump_key(&jump), jump.to))
			bo_table_put(&edge_table, jump_key(&jump), jump.to, 1);
}

static void function_graph(UInt index)
{
	const struct function *f = VG_(indexXA)(functions, index);
	struct flow_function function = {.entry = f->entry, .parts = f->parts, .part_count = f->part_count};
	struct flow_graph *g;

	if (seen) {
		function.seen = VG_(sizeXA)(seen) ? VG_(indexXA)(seen, 0) : NULL;
		function.seen_count = (UInt)VG_(sizeXA)(seen);
	}
	g = flow_graph_new(&target, &function);
	if (!g)
		return;
	take_points(g, index);
	take_jumps(g);
	flow_graph_free(g);
}

static void function_add(Addr entry, const struct bo_symbol *symbol)
{
	struct function f = {.entry = entry, .low = entry, .high = entry};
	struct bo_symbol part;

	if (!functions)
		functions = VG_(newXA)(VG_(malloc), "bo.functions", VG_(free), sizeof(struct function));
	if (symbol) {
		f.parts[f.part_count++] = (struct flow_range){symbol->start, symbol->start + symbol->size};
		if (bo_symbol_find_part(symbol, &part))
			f.parts[f.part_count++] = (struct flow_range){part.start, part.start + part.size};
	}
	VG_(addToXA)(functions, &f);
	function_graph((UInt)VG_(sizeXA)(functions) - 1);
	/* A function jumps to its part, or an exception leads there. */
	if (symbol && bo_symbol_is_part(symbol))
		point_make(entry)->is_landing = True;
}

struct bo_point *bo_graph_point(Addr insn)
{
	struct bo_point *p = point_find(insn);
	struct bo_symbol symbol;

	if (p && (p->function != BO_NO_GRAPH || p->is_hopeless))
		return p;
	if (bo_symbol_at(insn, &symbol)) {
		function_add(symbol.start, &symbol);
		p = point_find(insn);
	}
	if (!p || p->function == BO_NO_GRAPH) {
		function_add(insn, NULL);
		p = point_make(insn);
	}
	p->is_hopeless = p->function == BO_NO_GRAPH;
	without_graph += p->is_hopeless;
	return p;
}

/* ---- jumps that are seen ---- */

/* The call that returns to an address. */
static const struct bo_point *call_before(Addr return_address)
{
	for (UInt length = 2; length <= X86_LENGTH_MAX; length++) {
		const struct bo_point *p = point_find(return_address - length);
		if (p && p->length == length && p->function != BO_NO_GRAPH &&
		    (p->kind == FLOW_CALL || p->kind == FLOW_CALL_INDIRECT || p->kind == FLOW_STOP))
			return p;
	}
	return NULL;
}

Bool bo_graph_see(const struct flow_seen *jump)
{
	const struct bo_point *from;

	if (bo_table_get(&edge_table, jump_key(jump), jump->to))
		return False;
	bo_table_put(&edge_table, jump_key(jump), jump->to, 1);
	from = jump->by_unwinding ? call_before(jump->from) : point_find(jump->from);
	if (!from || from->function == BO_NO_GRAPH || begins(NULL, jump->to))
		return False;
	if (!seen)
		seen = VG_(newXA)(VG_(malloc), "bo.seen", VG_(free), sizeof(*jump));
	VG_(addToXA)(seen, jump);
	function_graph(from->function);
	return True;
}

/* ---- the end of code ---- */

static Bool is_within(Addr addr, Addr start, SizeT size)
{
	return addr - start < size;
}

void bo_graph_forget(Addr start, SizeT size)
{
	Bool any = False;

	for (Word i = 0; functions && i < VG_(sizeXA)(functions); i++) {
		const struct function *f = VG_(indexXA)(functions, i);
		any |= f->low < start + size && f->high >= start;
	}
	if (!any)
		return;
	generation++;
	for (UInt id = 1; id <= point_count; id++)
		if (is_within(point_at(id)->at, start, size))
			*point_at(id) = (struct bo_point){.at = point_at(id)->at, .function = BO_NO_GRAPH};
	for (Word i = seen ? VG_(sizeXA)(seen) : 0; i-- > 0;) {
		const struct flow_seen *s = VG_(indexXA)(seen, i);
		if (is_within(s->from, start, size) || is_within(s->to, start, size))
			VG_(removeIndexXA)(seen, i);
	}
}

void bo_graph_count(UInt *function_count, UInt *without, UInt *seen_count)
{
	*function_count = functions ? (UInt)VG_(sizeXA)(functions) : 0;
	*without = without_graph;
	*seen_count = seen ? (UInt)VG_(sizeXA)(seen) : 0;
}
