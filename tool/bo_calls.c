/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_calls.c - the layer "calls": entry and end of the functions that the user chose, and of some of libpmemobj's;
 * and of those by which threads synchronize, for bo_sync_calls.c.
 *
 * Choosing.  The symbols of each module are compared with the patterns and with the list of libpmemobj's functions once, when code is translated for the first time
 * after the module was loaded.  The addresses that match go into a table; the translation of such an address gets a
 * call of bo_on_call.  PLT stubs have no symbols of their own, so they are never chosen.  The symbol of an IFUNC is its
 * resolver: the address that the resolver returns is chosen in its place.
 *
 * Returning.  The end of a call costs nothing in code that was not chosen.  The entry of a call marks its frame on the
 * shadow stack (BO_FRAME_WATCHED).  No return matches a marked frame, so the return of the call leads to bo_on_return,
 * as every other surprise does.  If it goes to where the call came from, the call has returned.  In all other cases,
 * it was left: longjmp, an exception or the end of its thread removed its frame.  That is noticed no later than at the
 * next event of the thread.
 *
 * Tail calls.  A function that leaves by a jump into another chosen function stays open.  Both return when the other
 * one does.  A jump to the entry of a call that is open in this same frame is a loop, not a call. */
#include "bo.h"

#include "blackout/pmemobj.h"
#include "bo_symbol.h"
#include "bo_sync.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_machine.h"
#include "pub_tool_oset.h"
#include "pub_tool_seqmatch.h"
#include "pub_tool_threadstate.h"

#define NAME_MAX 4096u /* longer names are cut */
#define NO_SLOT (~0ULL)

/* ---- core internals that its headers for tools do not declare ---- */

extern void VG_(demangle)(Bool cxx, Bool z, const HChar *symbol, const HChar **name);

/* ---- which functions ---- */

struct function {
	UInt id;              /* in the trace; 0: not yet defined */
	UInt code;            /* of its entry */
	UInt caller, context; /* of its last call; context 0: there was none */
	const HChar *symbol, *name;
	Bool is_operation;
	Bool is_resolver;
	Bool is_recorded;              /* its calls are in the trace */
	Bool is_asked_for;             /* a pattern matches it; otherwise it is one of libpmemobj's */
	enum bo_pmemobj_result result; /* which words of it are recorded */
	const struct bo_known *known;  /* it synchronizes; NULL: it does not */
};

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

static void function_define(struct function *f)
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

/* Is it a function of libpmemobj whose calls are always recorded? */
static Bool is_watched(const HChar *symbol, enum bo_pmemobj_result *result)
{
	static const struct {
		const HChar *name;
		enum bo_pmemobj_result result;
	} watched[] = {
#define X(name, result) {#name, BO_RESULT_##result},
		BO_PMEMOBJ_FUNCTIONS(X)
#undef X
	};
	const SizeT prefix = sizeof(BO_PMEMOBJ_PREFIX) - 1;

	*result = BO_RESULT_NUMBER;
	if (VG_(strncmp)(symbol, BO_PMEMOBJ_PREFIX, prefix) != 0)
		return False;
	for (UInt i = 0; i < sizeof(watched) / sizeof(*watched); i++)
		if (symbol_matches(watched[i].name, symbol + prefix)) {
			*result = watched[i].result;
			return True;
		}
	return False;
}

/* The first chosen name at an address is the one that is reported.  Functions of libpmemobj are defined before they are
 * called, so that readers know that the program has them before it maps its pools. */
static void scan_names(const DebugInfo *di, const struct bo_symbol *s)
{
	const HChar **others = s->others;

	for (const HChar *symbol = s->name; symbol; symbol = others ? *others++ : NULL) {
		enum bo_pmemobj_result result;
		const HChar *name;
		Bool is_operation, asked = is_asked_for(di, symbol, &name, &is_operation);
		Bool watched = clo_bo_transactions && is_watched(symbol, &result);
		struct function *f = asked || watched ? entry_add(s->start, symbol, name) : NULL;

		if (!f)
			continue;
		f->is_operation = is_operation;
		f->is_resolver = s->is_ifunc;
		f->is_recorded = True;
		f->is_asked_for = asked;
		f->result = watched ? result : BO_RESULT_NUMBER;
		if (watched && bo_writer_active())
			function_define(f);
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

/* ---- events ---- */

void bo_calls_redefine(void)
{
	functions_defined = 0;
	for (Word i = 0; i < VG_(sizeXA)(functions); i++)
		function_at(i)->id = 0;
}

static UChar *begin_event(UInt opcode, UInt context, struct function *f)
{
	UChar *p;

	if (UNLIKELY(!f->id))
		function_define(f);
	p = bo_put_v(bo_layer_begin(opcode), context);
	return bo_put_v(p, f->id);
}

/* Registers that hold no argument often stay the same from call to call, and so do pointers. */
static void write_call(UInt context, struct function *f, const ULong *arguments)
{
	UChar *p = begin_event(BO_OP_CALL_LIKE, context, f);

	for (UInt i = 0; i < BO_CALL_ARGUMENTS; i++) {
		p = bo_put_v(p, bo_zigzag(arguments[i] - bo_recent_arguments[i]));
		bo_recent_arguments[i] = arguments[i];
	}
	bo_layer_commit(p);
}

/* ---- open calls ---- */

struct open_call {
	Addr slot; /* address of its return address; NO_SLOT: the barrier of a signal handler on another stack */
	Addr return_address;
	struct function *function;
	UInt context;
	struct bo_known_call known;
};

static struct bo_open_calls *open; /* of the running thread; the innermost call is the last one */
Addr bo_call_slot = NO_SLOT;

static struct open_call *innermost(void)
{
	return &open->at[open->count - 1];
}

static void note_innermost(void)
{
	bo_call_slot = open->count ? innermost()->slot : NO_SLOT;
}

static void push(const struct open_call *call)
{
	if (open->count == open->room) {
		open->room = open->room ? 2 * open->room : 16;
		open->at = VG_(realloc)("bo.open", open->at, open->room * sizeof(*open->at));
	}
	open->at[open->count++] = *call;
	note_innermost();
}

static struct open_call pop(void)
{
	struct open_call call = *innermost();

	open->count--;
	note_innermost();
	return call;
}

/* The offset in the PMEMoid that the function stored for its caller; 0 if the caller did not want it. */
static ULong stored_offset(const struct open_call *call)
{
	const ULong *oid = (const ULong *)call->known.arguments[1];

	return oid && VG_(am_is_valid_for_client)(call->known.arguments[1], 2 * sizeof(*oid), VKI_PROT_READ) ? oid[1]
													     : 0;
}

/* `result`: NULL if the call was left. */
static void write_end(const struct open_call *call, const ULong *result)
{
	enum bo_pmemobj_result kind = call->function->result;
	UChar *p;

	if (!bo_writer_active())
		return;
	if (result && call->function->known)
		bo_sync_return(call->function->known, &call->known, *result, call->context);
	if (!call->function->is_recorded)
		return;
	p = begin_event(!result ? BO_OP_LEFT : kind ? BO_OP_RETURN_PAIR : BO_OP_RETURN, call->context, call->function);
	if (result)
		p = bo_put_v(p, *result);
	if (result && kind)
		p = bo_put_v(p, kind == BO_RESULT_OID ? open->state->guest_RDX : stored_offset(call));
	bo_layer_commit(p);
	if (call->function->is_operation)
		bo_operations_leave_call(call->context);
}

static void leave_innermost(void)
{
	struct open_call call = pop();

	if (call.slot != NO_SLOT && !call.function->is_resolver)
		write_end(&call, NULL);
}

void bo_calls_leave(Addr sp)
{
	while (bo_call_slot < sp)
		leave_innermost();
}

void bo_calls_leave_all(void)
{
	while (open && open->count)
		leave_innermost();
}

void bo_calls_run(struct bo_open_calls *of_thread)
{
	open = of_thread;
	note_innermost();
}

void bo_calls_push_barrier(void)
{
	static const struct open_call barrier = {.slot = NO_SLOT};

	if (bo_calls_noticed)
		push(&barrier);
}

void bo_calls_pop_barrier(void)
{
	Bool is_barrier = False;

	while (bo_calls_noticed && open->count && !is_barrier) {
		is_barrier = innermost()->slot == NO_SLOT;
		leave_innermost();
	}
}

/* ---- entry and return ---- */

/* Is the function open in the frame at this slot?  Then a jump led back to its entry, and whatever it had called by a
 * jump is over. */
static Bool goes_on(Addr slot, const struct function *function)
{
	for (UInt i = open->count; i-- > 0 && open->at[i].slot == slot;)
		if (open->at[i].function == function) {
			while (open->count > i + 1)
				leave_innermost();
			return True;
		}
	return False;
}

/* Most often, a function is called from where it was called the last time. */
static UInt context_of_call(struct function *f, Addr sp)
{
	UInt caller = bo_context_of_caller(sp);

	if (UNLIKELY(f->caller != caller || !f->context)) {
		f->caller = caller;
		f->context = bo_context_child(caller, f->code);
	}
	return f->context;
}

void bo_on_call(VexGuestAMD64State *state, struct function *f, Addr sp)
{
	ULong arguments[BO_CALL_ARGUMENTS] = {state->guest_RDI, state->guest_RSI, state->guest_RDX,
					      state->guest_RCX, state->guest_R8,  state->guest_R9};
	struct open_call call = {.slot = sp, .function = f, .known.arguments = {arguments[0], arguments[1]}};

	if (!bo_writer_active() || sp % sizeof(Addr))
		return;
	if (f->known && !f->is_resolver && bo_sync_announce(f->known, arguments, sp) && !f->is_recorded)
		return;
	call.context = context_of_call(f, sp);
	if (goes_on(sp, f))
		return;
	call.return_address = *(const Addr *)sp;
	bo_frame_watch(sp);
	open->state = state;
	if (f->known && !f->is_resolver)
		bo_sync_enter(f->known, &call.known, call.context);
	push(&call);
	if (f->is_resolver || !f->is_recorded)
		return;
	if (f->is_operation)
		bo_operations_enter_call(call.context);
	write_call(call.context, f, arguments);
}

static XArray *resolved; /* Addr: implementations of IFUNCs that may already have been translated */

static void note_implementation(Addr addr, const struct function *resolver)
{
	struct function *f = entry_add(addr, resolver->symbol, resolver->name);

	if (!f)
		return;
	f->is_operation = resolver->is_operation;
	f->is_recorded = resolver->is_recorded;
	f->is_asked_for = resolver->is_asked_for;
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

static void end_calls(Addr sp)
{
	Addr destination = *(const Addr *)(sp - sizeof(Addr));
	ULong result = open->state->guest_RAX;

	while (bo_call_slot < sp) {
		if (bo_call_slot != sp - sizeof(Addr) || innermost()->return_address != destination) {
			leave_innermost();
			continue;
		}
		struct open_call call = pop();
		if (call.function->is_resolver)
			note_implementation(result, call.function);
		else
			write_end(&call, &result);
	}
}

/* The return address is still in its slot, right below the stack pointer, and the registers are up to date: the
 * target's code has written them before it came here. */
VG_REGPARM(1) void bo_on_return(Addr sp)
{
	if (UNLIKELY(bo_call_slot < sp))
		end_calls(sp);
	bo_frame_resync(sp);
}

/* ---- the end ---- */

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
