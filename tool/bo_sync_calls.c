/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_sync_calls.c - functions of libraries that the layer must know: those by which threads synchronize, and those that copy.
 *
 * Synchronization: threads, mutexes and the like of POSIX, and the guards of static variables in C++.  The threads of C11
 * and C++ come down to these.  bo_function.c finds them by their symbols, and bo_calls.c notices entry and return.  An object
 * is given before the function does anything that another thread could see, and got when it has returned.
 *
 * Copies: not every compiler announces what memcpy and the like will store.  Their call is as good as an announcement, if
 * it comes from code of blackout-cc. */
#include "bo_sync.h"

#include "bo_elf.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"

#define OWNER_DEAD 130 /* EOWNERDEAD: the mutex is locked all the same */
#define TIMED_OUT 110
#define ONCE_DONE 2 /* in a pthread_once_t of the GNU C library */

enum known_kind {
	KNOWN_LOCK,
	KNOWN_UNLOCK,
	KNOWN_READ_LOCK,
	KNOWN_WRITE_LOCK,
	KNOWN_READ_WRITE_UNLOCK,
	KNOWN_WAIT, /* for a condition */
	KNOWN_BARRIER,
	KNOWN_ONCE,
	KNOWN_GUARD,
	KNOWN_JOIN,
	KNOWN_COPY,
	KNOWN_FILL,
};

struct bo_known {
	const HChar *name;
	enum known_kind kind;
};

static const struct bo_known known[] = {
	{"pthread_mutex_lock", KNOWN_LOCK},
	{"pthread_mutex_trylock", KNOWN_LOCK},
	{"pthread_mutex_timedlock", KNOWN_LOCK},
	{"pthread_mutex_clocklock", KNOWN_LOCK},
	{"pthread_mutex_unlock", KNOWN_UNLOCK},
	{"pthread_rwlock_rdlock", KNOWN_READ_LOCK},
	{"pthread_rwlock_tryrdlock", KNOWN_READ_LOCK},
	{"pthread_rwlock_timedrdlock", KNOWN_READ_LOCK},
	{"pthread_rwlock_clockrdlock", KNOWN_READ_LOCK},
	{"pthread_rwlock_wrlock", KNOWN_WRITE_LOCK},
	{"pthread_rwlock_trywrlock", KNOWN_WRITE_LOCK},
	{"pthread_rwlock_timedwrlock", KNOWN_WRITE_LOCK},
	{"pthread_rwlock_clockwrlock", KNOWN_WRITE_LOCK},
	{"pthread_rwlock_unlock", KNOWN_READ_WRITE_UNLOCK},
	{"pthread_spin_lock", KNOWN_LOCK},
	{"pthread_spin_trylock", KNOWN_LOCK},
	{"pthread_spin_unlock", KNOWN_UNLOCK},
	{"pthread_cond_wait", KNOWN_WAIT},
	{"pthread_cond_timedwait", KNOWN_WAIT},
	{"pthread_cond_clockwait", KNOWN_WAIT},
	{"pthread_cond_signal", KNOWN_UNLOCK},
	{"pthread_cond_broadcast", KNOWN_UNLOCK},
	{"pthread_barrier_wait", KNOWN_BARRIER},
	{"pthread_once", KNOWN_ONCE},
	{"pthread_join", KNOWN_JOIN},
	{"pthread_tryjoin_np", KNOWN_JOIN},
	{"pthread_timedjoin_np", KNOWN_JOIN},
	{"pthread_clockjoin_np", KNOWN_JOIN},
	{"sem_wait", KNOWN_LOCK},
	{"sem_trywait", KNOWN_LOCK},
	{"sem_timedwait", KNOWN_LOCK},
	{"sem_clockwait", KNOWN_LOCK},
	{"sem_post", KNOWN_UNLOCK},
	{"__cxa_guard_acquire", KNOWN_GUARD},
	{"__cxa_guard_release", KNOWN_UNLOCK},
	{"memcpy", KNOWN_COPY},
	{"memmove", KNOWN_COPY},
	{"mempcpy", KNOWN_COPY},
	{"memset", KNOWN_FILL},
	{"__memcpy_chk", KNOWN_COPY},
	{"__memmove_chk", KNOWN_COPY},
	{"__mempcpy_chk", KNOWN_COPY},
	{"__memset_chk", KNOWN_FILL},
	{NULL, KNOWN_LOCK},
};

/* A program may have a function of its own with a name such as sem_wait. */
static Bool is_reserved(const HChar *name)
{
	return name[0] == '_' || VG_(strncmp)(name, "pthread_", 8) == 0;
}

/* "pthread_mutex_lock@@GLIBC_2.2.5" is pthread_mutex_lock. */
static Bool is_named(const HChar *symbol, const HChar *name)
{
	SizeT length = VG_(strlen)(name);

	return VG_(strncmp)(symbol, name, length) == 0 && (symbol[length] == '\0' || symbol[length] == '@');
}

const struct bo_known *bo_sync_known(const HChar *symbol, Addr addr)
{
	for (const struct bo_known *k = known; k->name; k++)
		if (is_named(symbol, k->name) && (is_reserved(symbol) || bo_code_is_in_c_library(bo_code_id(addr))))
			return k;
	return NULL;
}

/* ---- copies ---- */

Bool bo_sync_announce(const struct bo_known *k, const ULong *arguments, Addr sp)
{
	const struct bo_frame *caller = bo_frame_top - 1;
	UInt runtime;

	if (k->kind != KNOWN_COPY && k->kind != KNOWN_FILL)
		return False;
	if ((caller->sp | BO_FRAME_WATCHED) != (sp | BO_FRAME_WATCHED) || caller->code == BO_CODE_RUNTIME)
		return True; /* a runtime has announced it */
	runtime = bo_code_runtime(caller->code);
	if (runtime)
		bo_sync_announce_copy(runtime, arguments[0], k->kind == KNOWN_COPY ? arguments[1] : 0, arguments[2]);
	return True;
}

/* ---- locks of readers and writers ---- Readers do not wait for each other.  So what readers give is another object, one
 * byte further, which only writers get. */

static XArray *written; /* Addr: locks that a writer holds */

static Bool unlock_writer(Addr lock)
{
	for (Word i = 0; written && i < VG_(sizeXA)(written); i++)
		if (*(Addr *)VG_(indexXA)(written, i) == lock) {
			VG_(removeIndexXA)(written, i);
			return True;
		}
	return False;
}

static void lock_writer(Addr lock)
{
	if (!written)
		written = VG_(newXA)(VG_(malloc), "bo.written", VG_(free), sizeof(Addr));
	VG_(addToXA)(written, &lock);
}

/* ---- threads that have ended ---- */

struct ended {
	Addr handle; /* pthread_t: the GNU C library uses the address of the thread's own data */
	UInt thread;
};

static XArray *ended; /* struct ended */

static struct ended *ended_find(Addr handle)
{
	for (Word i = 0; ended && i < VG_(sizeXA)(ended); i++) {
		struct ended *e = VG_(indexXA)(ended, i);
		if (e->handle == handle)
			return e;
	}
	return NULL;
}

void bo_sync_thread_exit(ThreadId tid)
{
	struct ended fresh = {.thread = bo_running_thread}, *old;

	VG_(get_shadow_regs_area)(tid, (UChar *)&fresh.handle, 0, offsetof(VexGuestAMD64State, guest_FS_CONST), 8);
	if (!ended)
		ended = VG_(newXA)(VG_(malloc), "bo.ended", VG_(free), sizeof(fresh));
	old = ended_find(fresh.handle);
	if (old)
		*old = fresh;
	else
		VG_(addToXA)(ended, &fresh);
}

void bo_sync_forked(void)
{
	if (ended)
		VG_(dropTailXA)(ended, VG_(sizeXA)(ended));
}

/* ---- calls ---- */

static void acquire(ULong object, UInt context)
{
	bo_sync_write(BO_ACT_ACQUIRE, context, object, 0);
}

static void release(ULong object, UInt context)
{
	bo_sync_write(BO_ACT_RELEASE, context, object, 0);
}

static Bool once_is_done(Addr once)
{
	return bo_elf_is_readable(once, sizeof(Int)) && *(const Int *)once & ONCE_DONE;
}

void bo_sync_enter(const struct bo_known *k, struct bo_known_call *call, UInt context)
{
	ULong object = call->arguments[0];

	switch (k->kind) {
	case KNOWN_ONCE: call->was_done = once_is_done(object); return;
	case KNOWN_READ_WRITE_UNLOCK: object += !unlock_writer(object); break;
	case KNOWN_WAIT: object = call->arguments[1]; break;
	case KNOWN_UNLOCK:
	case KNOWN_BARRIER: break;
	default: return;
	}
	if (bo_sync_is_seen())
		release(object, context);
}

static void return_of_join(Addr handle, UInt context)
{
	const struct ended *e = ended_find(handle);

	if (e)
		bo_sync_write(BO_ACT_JOIN, context, e->thread, 0);
}

/* Did the function do what its name says? */
static Bool has_succeeded(const struct bo_known *k, Int result)
{
	switch (k->kind) {
	case KNOWN_LOCK:
	case KNOWN_WRITE_LOCK: return result == 0 || result == OWNER_DEAD;
	case KNOWN_WAIT: return result == 0 || result == OWNER_DEAD || result == TIMED_OUT;
	case KNOWN_BARRIER: return result == 0 || result == -1; /* in one of the threads */
	case KNOWN_GUARD: return True;
	default: return result == 0;
	}
}

static void write_return(const struct bo_known *k, const struct bo_known_call *call, Int result, UInt context)
{
	ULong object = call->arguments[0];

	switch (k->kind) {
	case KNOWN_JOIN: return_of_join(object, context); break;
	case KNOWN_WAIT:
		if (result != TIMED_OUT)
			acquire(object, context);
		acquire(call->arguments[1], context);
		break;
	case KNOWN_WRITE_LOCK:
		acquire(object, context);
		acquire(object + 1, context);
		break;
	case KNOWN_ONCE:
		acquire(object, context);
		if (!call->was_done)
			release(object, context);
		break;
	case KNOWN_UNLOCK:
	case KNOWN_READ_WRITE_UNLOCK: break;
	default: acquire(object, context); break;
	}
}

void bo_sync_return(const struct bo_known *k, const struct bo_known_call *call, ULong result, UInt context)
{
	if (!has_succeeded(k, (Int)result))
		return;
	if (k->kind == KNOWN_WRITE_LOCK)
		lock_writer(call->arguments[0]);
	if (bo_sync_is_seen())
		write_return(k, call, (Int)result, context);
}
