/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_function.c - see bo_function.h.
 *
 * The symbols of each module are compared once, when code is translated for the first time after the module was loaded:
 * with the patterns that the user gave, with the list of libpmemobj's functions, and with those of bo_sync_calls.c.  The
 * addresses that match go into a table; the translation of such an address gets a call of bo_on_call.  PLT stubs have no
 * symbols of their own, so they are never chosen.  The symbol of an IFUNC is its resolver: the address that the resolver
 * returns is chosen in its place. */
#include "bo_function.h"

#include "bo_symbol.h"
#include "bo_sync.h"
#include "pub_tool_oset.h"
#include "pub_tool_seqmatch.h"

#define NAME_MAX 4096u /* longer names are cut */

/* ---- core internals that its headers for tools do not declare ---- */

extern void VG_(demangle)(Bool cxx, Bool z, const HChar *symbol, const HChar **name);

/* ---- choosing ---- */

struct pattern {
	const HChar *text; /* as given */
	HChar *module;     /* NULL: any */
	const HChar *function;
	Bool matched;
	Bool is_operation;
};

struct entry {
	Addr addr;
	struct function *function;
};

struct scanned {
	Addr start, end;
};

Bool bo_calls_chosen, bo_calls_noticed;
static XArray *patterns;  /* struct pattern */
static XArray *functions; /* struct function *: translated code points to them, so they stay where they are */
static UInt functions_defined;
static OSet *entries;
static XArray *scanned; /* struct scanned: modules whose symbols were compared */

/* MODULE:FUNCTION; the colons of "space::function" separate nothing. */
void bo_calls_choose(const HChar *text, Bool is_operation)
{
	struct pattern p = {text, NULL, text, False, is_operation};

	for (const HChar *c = text; *c; c++) {
		if (c[0] == ':' && c[1] == ':') {
			c++;
		} else if (c[0] == ':') {
			p.module = VG_(strdup)("bo.pattern", text);
			p.module[c - text] = '\0';
			p.function = c + 1;
			break;
		}
	}
	if (!patterns)
		patterns = VG_(newXA)(VG_(malloc), "bo.patterns", VG_(free), sizeof(struct pattern));
	VG_(addToXA)(patterns, &p);
	bo_calls_chosen = True;
}

void bo_calls_init(void)
{
	bo_calls_chosen |= clo_bo_transactions;
	bo_calls_noticed = bo_calls_chosen || clo_bo_sync;
	functions = VG_(newXA)(VG_(malloc), "bo.functions", VG_(free), sizeof(struct function *));
	scanned = VG_(newXA)(VG_(malloc), "bo.scanned", VG_(free), sizeof(struct scanned));
	entries = VG_(OSetGen_Create)(offsetof(struct entry, addr), NULL, VG_(malloc), "bo.entries", VG_(free));
}

static const HChar *base_name(const HChar *path)
{
	const HChar *slash = VG_(strrchr)(path, '/');

	return slash ? slash + 1 : path;
}

static Bool module_matches(const struct pattern *p, const DebugInfo *di)
{
	const HChar *path = VG_(DebugInfo_get_filename)(di), *soname = VG_(DebugInfo_get_soname)(di);

	return !p->module || VG_(string_match)(p->module, VG_(strchr)(p->module, '/') ? path : base_name(path)) ||
	       (soname && VG_(string_match)(p->module, soname));
}

static Bool prefix_matches(const HChar *pattern, const HChar *name, SizeT length)
{
	static HChar prefix[NAME_MAX];

	if (length >= sizeof(prefix))
		return False;
	VG_(memcpy)(prefix, name, length);
	prefix[length] = '\0';
	return VG_(string_match)(pattern, prefix);
}

/* "f@@VERSION" is f, and the clones "f.constprop.0" and "f.isra.0" are called in its place.  "f.cold" is no function:
 * it is a part of one that is reached by a jump. */
static Bool symbol_matches(const HChar *pattern, const HChar *symbol)
{
	const HChar *end = VG_(strchr)(symbol, '@'), *dot = VG_(strchr)(symbol, '.');

	if (VG_(strstr)(symbol, ".cold"))
		return False;
	if (VG_(string_match)(pattern, symbol) || (end && prefix_matches(pattern, symbol, (SizeT)(end - symbol))))
		return True;
	return dot && (VG_(strncmp)(dot, ".constprop.", 11) == 0 || VG_(strncmp)(dot, ".isra.", 6) == 0) &&
	       prefix_matches(pattern, symbol, (SizeT)(dot - symbol));
}

/* The name of a C++ function without its parameters.  Those begin at the last "(" that is not inside other brackets,
 * and "operator()" has brackets in its name. */
static SizeT name_without_parameters(const HChar *name)
{
	Int depth = 0;

	for (SizeT i = VG_(strlen)(name); i-- > 0;) {
		depth += name[i] == ')' || (name[i] == '>' && !(i && name[i - 1] == '-'));
		depth -= name[i] == '(' || name[i] == '<';
		if (name[i] == '(' && depth == 0)
			return i;
	}
	return VG_(strlen)(name);
}

static Bool name_matches(const HChar *pattern, const HChar *name)
{
	return VG_(string_match)(pattern, name) || prefix_matches(pattern, name, name_without_parameters(name));
}

/* Every pattern that matches counts as used; *is_operation if one of them is of operations. */
static Bool is_asked_for(const DebugInfo *di, const HChar *symbol, const HChar **name, Bool *is_operation)
{
	Bool mangled = symbol[0] == '_' && symbol[1] == 'Z', chosen = False;

	*name = symbol;
	*is_operation = False;
	if (mangled && patterns)
		VG_(demangle)(True, False, symbol, name);
	for (Word i = 0; patterns && i < VG_(sizeXA)(patterns); i++) {
		struct pattern *p = VG_(indexXA)(patterns, i);
		if ((symbol_matches(p->function, symbol) || (mangled && name_matches(p->function, *name))) &&
		    module_matches(p, di)) {
			p->matched = chosen = True;
			*is_operation |= p->is_operation;
		}
	}
	return chosen;
}

static struct function *function_add(Addr addr, const HChar *symbol, const HChar *name)
{
	struct function *f = VG_(calloc)("bo.function", 1, sizeof(*f));

	f->code = bo_code_id(addr);
	f->symbol = VG_(strdup)("bo.symbol", symbol);
	f->name = VG_(strdup)("bo.name", name);
	VG_(addToXA)(functions, &f);
	return f;
}

static struct function *function_at(Word index)
{
	return *(struct function **)VG_(indexXA)(functions, index);
}

static struct function *entry_find(Addr addr)
{
	const struct entry *e = VG_(OSetGen_Lookup)(entries, &addr);

	return e ? e->function : NULL;
}

/* The function whose entry is at this address; NULL if it has one already. */
static struct function *entry_add(Addr addr, const HChar *symbol, const HChar *name)
{
	struct entry *e;

	if (VG_(OSetGen_Contains)(entries, &addr))
		return NULL;
	e = VG_(OSetGen_AllocNode)(entries, sizeof(*e));
	*e = (struct entry){addr, function_add(addr, symbol, name)};
	VG_(OSetGen_Insert)(entries, e);
	return e->function;
}

void bo_function_define(struct function *f)
{
	SizeT symbol = VG_(strlen)(f->symbol), name = VG_(strlen)(f->name);
	UChar *p, bytes[2 * NAME_MAX + 64];
	ULong module, offset;

	f->id = ++functions_defined;
	module = bo_code_define(f->code, &offset);
	p = bo_put_v(bytes, module);
	p = bo_put_v(p, offset);
	p = bo_put_bytes(p, f->symbol, symbol < NAME_MAX ? symbol : NAME_MAX);
	p = bo_put_bytes(p, f->name, name < NAME_MAX ? name : NAME_MAX);
	bo_write_layer(f->is_asked_for ? BO_OP_DEF_FUNCTION : BO_OP_DEF_WATCHED, bytes, (SizeT)(p - bytes));
}

/* A function of libpmemobj whose calls are always recorded. */
struct watched {
	const HChar *name;
	enum bo_pmemobj_result result;
	UInt arguments;
};

/* NULL: the symbol is none. */
static const struct watched *watched_find(const HChar *symbol)
{
	static const struct watched all[] = {
#define X(name, result, arguments) {#name, BO_RESULT_##result, arguments},
		BO_PMEMOBJ_FUNCTIONS(X)
#undef X
	};
	const SizeT prefix = sizeof(BO_PMEMOBJ_PREFIX) - 1;

	if (VG_(strncmp)(symbol, BO_PMEMOBJ_PREFIX, prefix) != 0)
		return NULL;
	for (UInt i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (symbol_matches(all[i].name, symbol + prefix))
			return &all[i];
	return NULL;
}

/* The first chosen name at an address is the one that is reported. */
static void scan_names(const DebugInfo *di, const struct bo_symbol *s)
{
	const HChar **others = s->others;

	for (const HChar *symbol = s->name; symbol; symbol = others ? *others++ : NULL) {
		const HChar *name;
		Bool is_operation, asked = is_asked_for(di, symbol, &name, &is_operation);
		const struct watched *watched = clo_bo_transactions ? watched_find(symbol) : NULL;
		struct function *f = asked || watched ? entry_add(s->start, symbol, name) : NULL;

		if (!f)
			continue;
		f->is_operation = is_operation;
		f->is_resolver = s->is_ifunc;
		f->is_recorded = True;
		f->is_asked_for = asked;
		f->result = watched ? watched->result : BO_RESULT_NUMBER;
		f->arguments = asked ? BO_CALL_ARGUMENTS : watched->arguments;
		return;
	}
}

/* Functions that synchronize may be recorded, too. */
static void scan_known_names(const struct bo_symbol *s)
{
	const HChar **others = s->others;
	const struct bo_known *known;
	struct function *f;

	for (const HChar *symbol = s->name; symbol; symbol = others ? *others++ : NULL) {
		known = bo_sync_known(symbol, s->start);
		if (!known)
			continue;
		f = entry_add(s->start, symbol, symbol);
		if (!f)
			f = entry_find(s->start);
		f->known = known;
		f->is_resolver = s->is_ifunc;
		return;
	}
}

static void scan_symbol(const DebugInfo *di, Int index)
{
	struct bo_symbol s = bo_symbol_get(di, index);

	if (!s.is_code && !s.is_ifunc)
		return;
	if (bo_calls_chosen)
		scan_names(di, &s);
	if (clo_bo_sync)
		scan_known_names(&s);
}

static Bool was_scanned(Addr start)
{
	for (Word i = 0; i < VG_(sizeXA)(scanned); i++)
		if (((struct scanned *)VG_(indexXA)(scanned, i))->start == start)
			return True;
	return False;
}

static void scan_new_modules(void)
{
	for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di; di = VG_(next_DebugInfo)(di)) {
		Addr start = VG_(DebugInfo_get_text_avma)(di);
		struct scanned module = {start, start + VG_(DebugInfo_get_text_size)(di)};
		if (module.end == start || was_scanned(start))
			continue;
		VG_(addToXA)(scanned, &module);
		for (Int i = 0, n = bo_symbol_count(di); i < n; i++)
			scan_symbol(di, i);
	}
}

/* Code was unmapped: another module may be loaded there. */
void bo_calls_forget(Addr start, SizeT size)
{
	const struct entry *e;

	if (!bo_calls_noticed)
		return;
	for (Word i = VG_(sizeXA)(scanned); i-- > 0;) {
		const struct scanned *module = VG_(indexXA)(scanned, i);
		if (module->start >= start + size || module->end <= start)
			continue;
		start = module->start < start ? module->start : start;
		VG_(removeIndexXA)(scanned, i);
	}
	VG_(OSetGen_ResetIterAt)(entries, &start);
	while ((e = VG_(OSetGen_Next)(entries)) && e->addr < start + size) {
		Addr addr = e->addr;
		VG_(OSetGen_FreeNode)(entries, VG_(OSetGen_Remove)(entries, &addr));
		VG_(OSetGen_ResetIterAt)(entries, &start);
	}
}

struct function *bo_calls_entry(Addr addr)
{
	static UInt epoch; /* changes when a module is loaded or unloaded */

	if (epoch != VG_(current_DiEpoch)().n) {
		epoch = VG_(current_DiEpoch)().n;
		scan_new_modules();
	}
	return entry_find(addr);
}

/* ---- IFUNCs ---- */

static XArray *resolved; /* Addr: implementations of IFUNCs that may already have been translated */

void bo_function_resolved(Addr addr, const struct function *resolver)
{
	struct function *f = entry_add(addr, resolver->symbol, resolver->name);

	if (!f)
		return;
	f->is_operation = resolver->is_operation;
	f->is_recorded = resolver->is_recorded;
	f->is_asked_for = resolver->is_asked_for;
	f->arguments = resolver->arguments;
	f->known = resolver->known;
	if (!resolved)
		resolved = VG_(newXA)(VG_(malloc), "bo.resolved", VG_(free), sizeof(Addr));
	VG_(addToXA)(resolved, &addr);
}

void bo_calls_settle(void)
{
	for (; resolved && VG_(sizeXA)(resolved); VG_(dropTailXA)(resolved, 1))
		VG_(discard_translations)(*(Addr *)VG_(indexXA)(resolved, VG_(sizeXA)(resolved) - 1), 1, "bo: ifunc");
}

/* ---- the trace ---- */

void bo_calls_redefine(void)
{
	functions_defined = 0;
	for (Word i = 0; i < VG_(sizeXA)(functions); i++)
		function_at(i)->id = 0;
}

/* Tell the user about patterns that no function matched. */
void bo_calls_write_unmatched(void)
{
	HChar key[32];
	UInt n = 0;

	for (Word i = 0; patterns && i < VG_(sizeXA)(patterns); i++) {
		const struct pattern *p = VG_(indexXA)(patterns, i);
		if (p->matched)
			continue;
		VG_(sprintf)(key, "calls.unmatched.%u", n++);
		bo_write_meta(key, p->text);
	}
}
