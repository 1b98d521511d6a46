/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo.h - declarations shared by the files of the recorder.
 *
 *   bo_main.c      options, start, end, fork                  (the tool as Valgrind sees it)
 *   bo_instr.c     instruments one superblock: adds calls to bo_event.c
 *   bo_stack.c     accesses to the stack that need no check of their own
 *   bo_decode.c    decodes the guest bytes that VEX's IR does not tell apart
 *   bo_event.c     helpers called by the target's code: store, load, flush, fence
 *   bo_code.c      modules, and code ids: (module, offset) interned
 *   bo_context.c   shadow stack, calling contexts, threads
 *   bo_calls.c     calls of chosen functions
 *   bo_function.c  which functions are chosen
 *   bo_operations.c, bo_op_*.c  operations: lines read or printed, calls, requests, annotations (bo_op.h)
 *   bo_table.c     a hash table
 *   bo_file.c      PM files: which files are PM, and their content when first mapped
 *   bo_region.c    where PM files are mapped
 *   bo_syscall.c   system calls on PM files
 *   bo_limits.c    descriptor limits, which Valgrind would refuse or misreport
 *   bo_writer.c    the trace file: chunks, definitions, encoding
 *   bo_label.c     labels: what a value was computed from
 *   bo_label_set.c reads, and sets of them
 *   bo_shadow.c    carries labels through temporaries and registers: adds to what bo_instr.c makes
 *   bo_shadow_ops.c  labels of the results of operations
 *   bo_shadow_ir.c   IR that computes labels
 *   bo_shadow_memory.c  labels of memory
 *   bo_shadow_collect.c  who has labels, when unused ones are collected
 *   bo_input.c, bo_input_*.c  how decisions depend on input (bo_input.h)
 *   bo_expr.c      expressions: how values were computed from input
 *   bo_expr_simplify.c  rules by which they become smaller
 *   bo_expr_ops.c, bo_expr_calls.c  which expression is the result of an operation
 *   bo_role.c      code whose volatile work is none of the program's own
 *   bo_control.c   which branches are being decided
 *   bo_graph.c     control-flow graphs of the target's functions
 *   bo_symbol.c    symbols of the target's modules
 *   bo_plt.c       names of functions that are called by way of the dynamic linker
 *   bo_elf.c       headers of modules in memory
 *   bo_runtime.c   the runtimes of blackout-cc in modules
 *   bo_sync.c      what accesses are in the source, and synchronization by atomic accesses
 *   bo_sync_ir.c   IR for that
 *   bo_sync_calls.c  synchronization by functions of the C library
 *
 * Everything runs under Valgrind's big lock: two threads of the target are never in here at once. */
#ifndef BO_H
#define BO_H

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

#include "libvex_guest_amd64.h"
#include "libvex_ir.h"

#include "blackout/trace_format.h"
#include "bo_decode.h"

/* ---- bo_main.c: options ---- */
extern const HChar *clo_bo_out; /* directory of the recording */
/* Absolute patterns (const HChar *).  If empty, every file that is mapped shared and writable is PM. */
extern XArray *clo_bo_pm;
extern XArray *clo_bo_meta; /* const HChar *: KEY=VALUE facts to keep in the recording */
extern Bool clo_bo_loads;
extern Bool clo_bo_reads;
extern Bool clo_bo_code;
extern Bool clo_bo_follow;
extern Bool clo_bo_dependencies; /* implies clo_bo_loads */
extern Bool clo_bo_sync;
extern Long clo_bo_most;         /* bytes that the recording may have; 0: no limit */
extern Bool clo_bo_transactions; /* calls of libpmemobj are recorded (blackout/pmemobj.h) */
void bo_write_meta(const HChar *key, const HChar *value);
UInt bo_host_cpuid7(UInt reg); /* leaf 7 of the real CPU: 1 = EBX, 2 = ECX */

#define BO_THREADS_MAX 16384 /* more than Valgrind's --max-threads allows */

/* ---- bo_instr.c ---- */
IRSB *bo_instrument(VgCallbackClosure *, IRSB *, const VexGuestLayout *, const VexGuestExtents *, const VexArchInfo *,
		    IRType, IRType);

/* ---- bo_event.c ---- */

/* A description of one instruction, packed so that it is a single constant in the generated code. */
#define BO_SITE(code, size, kind) ((ULong)(code) | (ULong)(size) << 32 | (ULong)(kind) << 56)
#define BO_SITE_CODE(site) ((UInt)(site))
#define BO_SITE_SIZE(site) ((UInt)((site) >> 32) & 0xffffff)
#define BO_SITE_KIND(site) ((UInt)((site) >> 56))

VG_REGPARM(3) void bo_on_store(Addr addr, ULong site, Addr sp);
VG_REGPARM(3) void bo_on_string_store(Addr addr, ULong site, Addr sp);
void bo_on_masked_store(Addr addr, ULong site, Addr sp, ULong mask_lo, ULong mask_hi);
VG_REGPARM(3) UInt bo_on_load(Addr addr, ULong site, Addr sp); /* the context of the load; 0: not PM */
void bo_on_cas(Addr addr, ULong site, Addr sp, ULong stored);
VG_REGPARM(3) void bo_on_flush(Addr addr, ULong site, Addr sp); /* kind: opcode */
VG_REGPARM(2) void bo_on_fence(ULong site, Addr sp);            /* kind: opcode */
void bo_on_kernel_store(CorePart part, ThreadId tid, Addr addr, SizeT size);
void bo_on_kernel_load(CorePart part, ThreadId tid, const HChar *what, Addr addr, SizeT size);
void bo_on_kernel_load_string(CorePart part, ThreadId tid, const HChar *what, Addr addr);
Bool bo_event_touches_pm(Addr addr, SizeT size);
struct bo_access { /* of the source (bo_sync.h) */
	Addr addr;
	ULong size;
	ULong what; /* 0: not known */
};
extern ULong bo_event_label;    /* of value and address of the next store or load (bo_label.h) */
void bo_event_end_string(void); /* write out the string store that is being joined, if any */
void bo_event_visit_labels(void (*visit)(ULong *label)); /* of that store */

/* ---- bo_table.c: maps a pair of numbers to an id ---- */
struct bo_table {
	struct bo_entry *entries;
	ULong mask;
	UInt used;
};

UInt bo_table_get(const struct bo_table *table, ULong a, ULong b); /* 0: not found */
void bo_table_put(struct bo_table *table, ULong a, ULong b, UInt id);
ULong bo_mix(ULong a, ULong b);

/* ---- bo_code.c ---- */
struct bo_inline_load;                                   /* bo_runtime.h */
UInt bo_code_id(Addr addr);                              /* id of an instruction: (module, offset) interned */
Addr bo_code_address(UInt code);                         /* where it was when it got its id; 0: there is no such id */
ULong bo_code_hash_of(Addr addr);                        /* stable under ASLR */
void bo_code_forget(Addr start, SizeT size);             /* code was unmapped */
const struct bo_runtime_entry *bo_code_entry(Addr addr); /* of a runtime, which has this code; NULL: other code */
Bool bo_code_inline_load(Addr addr, struct bo_inline_load *load);     /* is this instruction one? */
Bool bo_code_inline_store(Addr addr, struct bo_runtime_entry *entry); /* see bo_runtime.h */
UInt bo_code_runtime(UInt code);                                      /* the runtime that its module has; 0: none */
Bool bo_code_is_in_c_library(UInt code);
UInt bo_code_of_call(UInt code); /* the call that returns there */
/* The trace id of the code's module, which is defined first if needed; *offset is the code's offset in the module. */
UInt bo_code_define(UInt code, ULong *offset);
void bo_code_redefine(void); /* start of a new trace file: no module is defined in it yet */
void bo_code_init(void);

/* ---- bo_context.c ---- */

/* The target's calls push these frames and its returns pop them, both inline (bo_instr.c). */
struct bo_frame {
	ULong sp;     /* address of the slot that holds the return address, plus BO_FRAME_WATCHED */
	UInt code;    /* return address, as a code id */
	UInt context; /* context of the caller's chain up to this call; 0 until an event needs it */
};

#define BO_FRAMES_MAX (1u << 19)
/* No return matches such a frame, so that each leads to bo_on_return (bo_calls.c). */
#define BO_FRAME_WATCHED 1u

extern struct bo_frame *bo_frame_top;   /* next free frame of the running thread */
extern struct bo_frame *bo_frame_limit; /* a top beyond this needs bo_frame_make_room */
extern ULong bo_code_hash;              /* of the running thread, since its last fence */

/* The code of a runtime (bo_runtime.h).  Its caller is meant, or in a frame, the call before. */
#define BO_CODE_RUNTIME 0u

/* The context id of an instruction of the running thread; defines the context in the trace. */
UInt bo_context_at(UInt code, Addr sp);
UInt bo_context_of_caller(Addr sp);               /* of the call that led to the running function */
Bool bo_context_has_caller(UInt caller, Addr sp); /* False: not known without bo_context_of_caller */
UInt bo_context_child(UInt caller, UInt code);    /* of an instruction in a function with this caller */
UInt bo_code_of_syscall(ThreadId tid);
UInt bo_context_of_syscall(ThreadId tid);
void bo_frame_resync(Addr sp); /* drop the frames whose calls have ended */
/* Make room for a whole slice: drop stale frames, and if that is not enough, the outermost half of a very deep
 * stack. */
VG_REGPARM(1) void bo_frame_make_room(Addr sp);
/* Mark the frame of the running function, whose return address is at `sp`. */
void bo_frame_watch(Addr sp);
void bo_context_redefine(void); /* write all definitions again, into a new trace file */
void bo_thread_create(ThreadId parent, ThreadId child);
void bo_thread_exit(ThreadId tid);
void bo_thread_run(ThreadId tid, ULong blocks_done);
void bo_thread_visit_labels(void (*visit)(ULong *label));
ThreadId bo_thread_end(void);    /* above all threads that there ever were */
Bool bo_signal_is_handled(void); /* by any thread */
void bo_signal_enter(ThreadId tid, Int signal, Bool alt_stack);
void bo_signal_leave(ThreadId tid, Int signal);
void bo_signal_set_alt_stack(ThreadId tid, Addr start, SizeT size);

/* ---- bo_calls.c, bo_function.c ---- */
struct bo_open_calls { /* of one thread */
	struct open_call *at;
	UInt count, room;
	const VexGuestAMD64State *state; /* its registers, if it has ever made a call */
};

extern Bool bo_calls_chosen;  /* is the layer on? */
extern Bool bo_calls_noticed; /* are there functions whose calls matter, to this or another layer? */
extern Addr bo_call_slot; /* of the innermost open call of the running thread; the highest address if there is none */
void bo_calls_choose(const HChar *pattern, Bool is_operation); /* of operations: the outermost call is one */
void bo_calls_init(void);
struct function *bo_calls_entry(Addr addr); /* the chosen function whose entry is there; NULL if there is none */
void bo_on_call(VexGuestAMD64State *state, struct function *function, Addr sp);
VG_REGPARM(1) void bo_on_return(Addr sp); /* a return that does not match the frame on top */
void bo_calls_leave(Addr sp);             /* calls whose slots are below `sp` are over */
void bo_calls_leave_all(void);            /* the running thread ends */
void bo_calls_push_barrier(void);         /* a signal handler starts on another stack */
void bo_calls_pop_barrier(void);
void bo_calls_run(struct bo_open_calls *of_thread); /* this thread runs now */
void bo_calls_settle(void);                         /* outside of the target's code: act on resolved IFUNCs */
void bo_calls_forget(Addr start, SizeT size);       /* code was unmapped */
void bo_calls_redefine(void);                       /* start of a new trace file: no function is defined in it yet */
void bo_calls_write_unmatched(void);

/* ---- bo_operations.c ---- */
Bool bo_operations_choose(const HChar *how);       /* False: there is no such kind of marks */
void bo_operations_choose_file(const HChar *path); /* "-": standard input */
void bo_operations_init(void);
Bool bo_operations_on(void);   /* is the layer on? */
Bool bo_operations_read(void); /* must reads be looked at? */
/* Right before each system call of the target.  True: it was a read, and it has been made (bo_op_reads.c). */
ULong bo_before_read(VexGuestAMD64State *state, ULong code);
void bo_operations_on_code(void); /* before code is translated */
void bo_operations_enter_call(UInt context);
void bo_operations_leave_call(UInt context);
Bool bo_operations_request(ThreadId tid, UWord *args, UWord *result);
void bo_operations_thread_exit(ThreadId tid);
void bo_operations_before(ThreadId tid, UInt number, const UWord *args); /* around each system call */
void bo_operations_after(ThreadId tid, UInt number, const UWord *args, SysRes result);

/* ---- bo_file.c ---- */
struct bo_file {
	UInt id; /* in the trace; 0: not PM, or not yet (only mapped read-only so far) */
	ULong dev, ino;
	ULong size, mtime_ns; /* as last seen: show whether another process changed the file while it was not mapped */
	UInt mappings;
	Bool nameless; /* its last name was removed: a named file with the same dev and ino is a different file */
	HChar *path;
};

void bo_file_init(void);
struct bo_file *bo_file_by_fd(Int fd); /* NULL if it is not a PM file */
struct bo_file *bo_file_by_stat(const struct vg_stat *st);
struct bo_file *bo_file_known(const struct vg_stat *st); /* a PM file, or one that may become PM */
Int bo_file_reader(Int fd);             /* a descriptor that can read what `fd` writes: `fd` itself, a new one, or -1 */
struct bo_file *bo_file_at(UInt index); /* 0-based, PM or not; NULL past the end */
void bo_file_note_created(const struct vg_stat *st);
void bo_file_refresh(struct bo_file *file); /* after the target changed it by a system call that is in the trace */
struct bo_file *bo_file_to_map(UInt flags, Int fd,
			       struct vg_stat *st); /* NULL unless it is PM or may become PM by mprotect */
struct bo_file *bo_file_to_read(Int fd);            /* a PM file, mapped or not; NULL if it is none */
Bool bo_file_is_pm_with(UInt prot);                 /* is such a file PM when mapped with this protection? */
/* The file is PM from now on: write its name and content.  `fd` is the descriptor it is mapped from, or -1 if that is
 * no longer known. */
void bo_file_define(struct bo_file *file, Int fd);
/* The file is mapped again: write its content if another process changed it. */
void bo_file_update(struct bo_file *file, Int fd, const struct vg_stat *st);
void bo_file_redefine(void); /* write names again, into a new trace file */

/* ---- bo_region.c ---- */
struct bo_region {
	Addr start;
	SizeT size;
	ULong offset; /* file offset of start */
	struct bo_file *file;
	UInt prot, flags;
};

/* One byte per 2 MiB of address space, non-zero where an access is worth a call.  Instrumented code tests it. */
#define BO_GRANULE_SHIFT 21
enum bo_granule {
	BO_GRANULE_PM = 1,     /* PM may be there */
	BO_GRANULE_LABELS = 2, /* labels may be there (bo_shadow_memory.c) */
};
#define BO_GRANULES (1UL << (47 - BO_GRANULE_SHIFT))
extern UChar bo_granules[BO_GRANULES]; /* static, so that its address fits into an instruction */

Bool bo_region_any(void);                          /* is PM mapped now, or was it ever? */
const struct bo_region *bo_region_find(Addr addr); /* PM only; NULL if none */
const struct bo_region *bo_region_next(Addr addr); /* PM region with the lowest start above addr */
/* True: certainly no PM there.  False: not known without a search. */
Bool bo_region_none(Addr addr, SizeT size);
/* The range around an address where no file is mapped that is PM or may become PM; empty if one is mapped there. */
void bo_region_gap(Addr addr, Addr *start, Addr *end);
void bo_region_map(ThreadId tid, Addr addr, SizeT size, UInt prot, UInt flags, Int fd, ULong offset);
void bo_region_unmap(ThreadId tid, Addr addr, SizeT size);
void bo_region_remap(ThreadId tid, Addr old_addr, SizeT old_size, Addr new_addr, SizeT new_size, Bool keeps_old);
void bo_region_protect(ThreadId tid, Addr addr, SizeT size, UInt prot);
void bo_region_redefine(void); /* write files and mappings again, into a new trace file */

/* ---- bo_syscall.c ---- */
void bo_pre_syscall(ThreadId tid, UInt number, UWord *args, UInt nargs);
void bo_post_syscall(ThreadId tid, UInt number, UWord *args, UInt nargs, SysRes result);
/* How many of the `size` bytes that the core reports the call really stored. */
SizeT bo_syscall_stored(ThreadId tid, SizeT size);
ULong bo_position_of(Int fd); /* where it reads and writes next */
void bo_write_exit(void);     /* writes EXIT if the target ended by itself */

/* ---- bo_limits.c ---- */
void bo_limits_init(ULong soft, ULong hard); /* descriptor limits that the target shall see */
void bo_limits_before(ThreadId tid, UInt number, const UWord *args);
void bo_limits_after(ThreadId tid, UInt number, const UWord *args, Bool failed);

/* ---- bo_control.c: control dependencies [--bo-dependencies] ----
 * A region begins at a branch whose condition has a label, and ends where all ways from the branch meet again in the
 * same frame, or with the frame.  bo_shadow.c calls the following to add the IR for that; labels are those of
 * bo_label.h, given as atoms of type I64, or NULL for a label that is known to be 0. */
extern ULong bo_control; /* of the running thread: the union of its open regions, of kind control */
/* May a region end before this instruction?  Asked for each instruction of a block before anything is added.  A block
 * is cut there (bo_shadow.c), because VEX may have moved values across: so every join is the first IMark of its block. */
Bool bo_control_is_join(Addr insn);
void bo_control_add_join(IRSB *out, Addr insn); /* at the first IMark of a block: regions may end here */
/* Before each Exit of kind Boring.  Nothing is added if the instruction is no decision, as a locked one that is tried
 * again. */
void bo_control_add_branch(IRSB *out, Addr insn, IRExpr *label);
/* At the end of a block, after RSP was written: returns, indirect jumps, indirect calls.  `label`: of the address that
 * the block continues at. */
void bo_control_add_end(IRSB *out, Addr insn, IRExpr *label);

struct bo_open_regions { /* of one thread */
	struct region *at;
	UInt count, room;
};

void bo_control_visit(struct bo_open_regions *of_thread, void (*visit)(ULong *label));
void bo_control_forget_settled(void);                   /* after labels were renumbered */
void bo_control_run(struct bo_open_regions *of_thread); /* this thread runs now */
/* A signal handler starts: none of its code is decided yet.  Quiet: nothing in this frame is a decision. */
void bo_control_push_barrier(Addr slot, Bool is_quiet);
void bo_control_pop_barrier(void);
void bo_control_describe(HChar *text); /* facts about graphs, for META; less than 128 characters */

/* ---- bo_writer.c ---- */
extern UInt bo_running_thread;                       /* thread number in the trace: from 1, never reused */
extern struct bo_recent bo_recent_words;             /* of the current chunk */
extern ULong bo_recent_arguments[BO_CALL_ARGUMENTS]; /* of the last call in the current chunk */
extern ULong bo_recent_access;                       /* of the last ACCESS in the current chunk */
void bo_writer_open(UInt parent_process);
void bo_writer_close(void);
void bo_writer_abandon(void); /* for a child that is not followed: write nothing from now on */
Bool bo_writer_active(void);
UInt bo_writer_process(void);
ULong bo_writer_place(void);        /* in the file: where the next event will be */
UChar *bo_writer_begin(SizeT most); /* room for one event of at most this size, by the running thread */
void bo_writer_commit(UChar *end);
void bo_writer_spare(SizeT bytes); /* these bytes of the recording do not count for --bo-most */
/* The FORK event contains the child's pid, which is known only when the child may already have written events.  So the
 * fork reserves its place in the sequence beforehand. */
void bo_writer_reserve_clock(void);
void bo_writer_use_reserved_clock(void); /* the next event takes that place */
void bo_writer_release_clock(void);
UChar *bo_put_address(UChar *p, Addr addr);
UChar *bo_put_bytes(UChar *p, const void *bytes, SizeT size); /* v length, then the bytes */
/* Write one event that has only v fields, after an optional string (NULL for none).  For everything that is not hot. */
void bo_write(UInt opcode, const ULong *fields, UInt nfields, const HChar *string);
void bo_write_layer(UInt opcode, const UChar *bytes, SizeT size); /* one event of a layer */
/* One event of a layer that has less than 128 bytes, which are written where `begin` says. */
UChar *bo_layer_begin(UInt opcode);
void bo_layer_commit(UChar *end);

/* ---- core internals that the distribution's library exports but its headers do not declare ---- */
extern SysRes VG_(do_syscall)(UWord sysno, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord, RegWord);
extern VexControl vex_control;
extern Bool VG_(is_valid_tid)(ThreadId tid);
extern Int VG_(fd_hard_limit);
extern Int VG_(fd_soft_limit);
extern Bool VG_(clo_trace_children);
extern SysRes VG_(am_mmap_anon_float_valgrind)(SizeT length);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt prot, Int fd, Off64T offset);
extern void VG_(discard_translations)(Addr start, ULong range, const HChar *who);
extern Int VG_(safe_fd)(Int oldfd);
extern Int VG_(fcntl)(Int fd, Int cmd, Addr arg);
extern Bool VG_(resolve_filename)(Int fd, const HChar **path);

#define bo_syscall(nr, a, b, c, d, e, f) \
	VG_(do_syscall)((nr), (RegWord)(a), (RegWord)(b), (RegWord)(c), (RegWord)(d), (RegWord)(e), (RegWord)(f), 0, 0)

#endif
