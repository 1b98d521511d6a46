/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_sync.c - see bo_sync.h. */
#include "bo_sync.h"

#define INTERRUPTED_MAX 64u /* handlers within handlers; those left by longjmp count, too */

struct bo_announcements bo_announced;
static struct bo_sync_thread *running;

/* ---- threads and signals ---- */

void bo_sync_run(struct bo_sync_thread *of_thread)
{
	if (running)
		running->announced = bo_announced;
	running = of_thread;
	bo_announced = running->announced;
}

void bo_sync_reset(struct bo_sync_thread *of_thread)
{
	VG_(memset)(&of_thread->announced, 0, sizeof(of_thread->announced));
	of_thread->interrupted_count = 0;
	if (of_thread == running)
		bo_announced = of_thread->announced;
}

/* The oldest is forgotten if there are too many: nobody returns to a handler that was left. */
void bo_sync_interrupt(void)
{
	struct bo_announcements *kept = running->interrupted;

	if (!kept)
		kept = running->interrupted = VG_(malloc)("bo.interrupted", INTERRUPTED_MAX * sizeof(*kept));
	if (running->interrupted_count == INTERRUPTED_MAX)
		VG_(memmove)(kept, kept + 1, --running->interrupted_count * sizeof(*kept));
	kept[running->interrupted_count++] = bo_announced;
	VG_(memset)(&bo_announced, 0, sizeof(bo_announced));
}

void bo_sync_resume(void)
{
	if (running->interrupted_count)
		bo_announced = running->interrupted[--running->interrupted_count];
}

/* ---- accesses of the source ---- */

static Bool is_within(const struct bo_announcement *a, Addr addr, SizeT size)
{
	return a->what && addr - a->addr < a->size && size <= a->size - (addr - a->addr);
}

/* The frame of the call that led to the running function, as something to compare; 0: the code is of the announcer's own
 * module. ~0: it is neither of that module nor of the C library that it called. */
static UInt library_call_of(const struct bo_announcement *a, UInt code)
{
	UInt runtime = BO_WHAT_RUNTIME(a->what), caller = bo_frame_top[-1].code;

	if (code == BO_CODE_RUNTIME || bo_code_runtime(code) == runtime)
		return 0;
	if (bo_code_is_in_c_library(code) && (caller == BO_CODE_RUNTIME || bo_code_runtime(caller) == runtime))
		return bo_frame_top[-1].context;
	return ~0u;
}

static struct bo_access access_of(struct bo_announcement *a)
{
	static ULong accesses;

	if (!BO_WHAT_NUMBER(a->what))
		a->what |= ++accesses << BO_WHAT_NUMBER_SHIFT;
	return (struct bo_access){a->addr, a->size, a->what};
}

static const struct bo_access unknown;

struct bo_access bo_sync_access_of_store(UInt code, Addr addr, SizeT size)
{
	struct bo_announcement *a = &bo_announced.write;
	UInt library_call;

	if (!is_within(a, addr, size))
		return unknown;
	library_call = library_call_of(a, code);
	if (library_call == ~0u || (a->covered && a->caller != library_call))
		return unknown;
	if (a->covered >= a->size && !library_call) /* the C library may store bytes twice */
		return unknown;
	a->caller = library_call;
	a->covered += size;
	return access_of(a);
}

struct bo_access bo_sync_access_of_load(UInt code, Addr addr, SizeT size)
{
	struct bo_announcement *a = &bo_announced.read;

	return is_within(a, addr, size) && library_call_of(a, code) != ~0u ? access_of(a) : unknown;
}

/* The compiler may have announced the same copy, and it knows more. */
void bo_sync_announce_copy(UInt runtime, Addr to, Addr from, SizeT size)
{
	ULong what = BO_WHAT(BO_ATOMICITY_PLAIN, BO_NO_COMPARISON, runtime);

	if (!bo_announced.write.covered && is_within(&bo_announced.write, to, size))
		return;
	bo_announced.write = (struct bo_announcement){.addr = to, .size = size, .what = what};
	if (from)
		bo_announced.read = (struct bo_announcement){.addr = from, .size = size, .what = what};
}

Bool bo_sync_only_stores(UInt code)
{
	return code == BO_CODE_RUNTIME && !bo_announced.read.what && bo_announced.write.what;
}

void bo_sync_write_access(const struct bo_access *access, Addr addr)
{
	ULong number = BO_WHAT_NUMBER(access->what);
	UChar *p;

	if (!access->what)
		return;
	p = bo_layer_begin(BO_OP_ACCESS);
	p = bo_put_v(p, BO_WHAT_ACCESS(access->what));
	p = bo_put_v(p, bo_zigzag(number - bo_recent_access));
	p = bo_put_v(p, addr - access->addr);
	bo_layer_commit(bo_put_v(p, access->size));
	bo_recent_access = number;
}

/* ---- synchronization ---- */

/* A thread that waits in a loop loads the same objects over and over.  Nothing is gained by writing that again before
 * anything else has happened. */
static struct {
	ULong place; /* in the trace, after the last of them */
	UInt thread, count;
	struct {
		ULong object;
		UInt order;
	} loads[4];
} repeated;

static Bool is_repeated(ULong object, UInt order)
{
	if (repeated.place != bo_writer_place() || repeated.thread != bo_running_thread)
		repeated.count = 0;
	for (UInt i = 0; i < repeated.count; i++)
		if (repeated.loads[i].object == object && repeated.loads[i].order == order)
			return True;
	return False;
}

static void may_repeat(ULong object, UInt order)
{
	if (clo_bo_follow) /* another process may have changed the object */
		return;
	if (repeated.count == sizeof(repeated.loads) / sizeof(*repeated.loads))
		repeated.count = 0;
	repeated.loads[repeated.count].object = object;
	repeated.loads[repeated.count++].order = order;
	repeated.place = bo_writer_place();
	repeated.thread = bo_running_thread;
}

Bool bo_sync_is_seen(void)
{
	return bo_writer_active() && bo_region_any();
}

void bo_sync_write(UInt act, UInt context, ULong object, UInt order)
{
	UChar *p;

	if (act == BO_ACT_ATOMIC_LOAD && is_repeated(object, order))
		return;
	p = bo_layer_begin(BO_OP_SYNC);
	p = bo_put_v(p, context);
	p = bo_put_v(p, act);
	p = bo_put_v(p, object);
	bo_layer_commit(bo_put_v(p, order));
	if (act == BO_ACT_ATOMIC_LOAD)
		may_repeat(object, order);
}

static UInt order_of(UInt order)
{
	return order < BO_ORDER_COUNT ? order : BO_ORDER_SEQ_CST;
}

static void write_atomic(UInt act, Addr addr, ULong site, Addr sp, UInt order)
{
	bo_sync_write(act, bo_context_at(BO_SITE_CODE(site), sp), addr, order_of(order));
}

/* In an entry that loads only.  Others may look at the object before they change it. */
VG_REGPARM(3) void bo_on_atomic_load(Addr addr, ULong site, Addr sp)
{
	if (addr == bo_announced.read.addr && !bo_announced.write.what && bo_sync_is_seen())
		write_atomic(BO_ACT_ATOMIC_LOAD, addr, site, sp,
			     BO_ACCESS_ORDER(BO_WHAT_ACCESS(bo_announced.read.what)));
}

VG_REGPARM(3) void bo_on_atomic_store(Addr addr, ULong site, Addr sp)
{
	if (addr == bo_announced.write.addr && !bo_announced.read.what && bo_sync_is_seen())
		write_atomic(BO_ACT_ATOMIC_STORE, addr, site, sp,
			     BO_ACCESS_ORDER(BO_WHAT_ACCESS(bo_announced.write.what)));
}

/* The load of the object follows, and has the other order. */
static void comparison_fails(Addr addr, ULong site, Addr sp, UInt order)
{
	ULong mask = BO_ACCESS(0, 0x3full);

	bo_announced.read.what = (bo_announced.read.what & ~mask) | BO_ACCESS(0, (ULong)order_of(order));
	write_atomic(BO_ACT_ATOMIC_LOAD, addr, site, sp, order);
}

/* A locked instruction of a runtime.  An entry that stores only may use one; an entry that loads only, too. */
static void announced_cas(Addr addr, ULong site, Addr sp, Bool stored)
{
	const struct bo_announcement *read = &bo_announced.read, *write = &bo_announced.write;
	UInt failure = BO_WHAT_FAILURE(write->what);

	if (!write->what)
		bo_on_atomic_load(addr, site, sp);
	else if (!read->what && stored)
		bo_on_atomic_store(addr, site, sp);
	else if (addr != write->addr)
		return; /* a fence */
	else if (stored)
		write_atomic(BO_ACT_ATOMIC_UPDATE, addr, site, sp, BO_ACCESS_ORDER(BO_WHAT_ACCESS(write->what)));
	else if (failure != BO_NO_COMPARISON)
		comparison_fails(addr, site, sp, failure);
}

void bo_on_atomic_cas(Addr addr, ULong site, Addr sp, ULong stored)
{
	if (!bo_sync_is_seen())
		return;
	if (BO_SITE_CODE(site) == BO_CODE_RUNTIME)
		announced_cas(addr, site, sp, stored != 0);
	else
		write_atomic(stored ? BO_ACT_ATOMIC_UPDATE : BO_ACT_ATOMIC_LOAD, addr, site, sp, BO_ORDER_SEQ_CST);
}

VG_REGPARM(2) void bo_on_thread_fence(ULong order, Addr sp)
{
	if (bo_sync_is_seen())
		bo_sync_write(BO_ACT_FENCE, bo_context_at(BO_CODE_RUNTIME, sp), 0, order_of(order & 0xff));
}
