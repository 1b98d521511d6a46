/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_main.c - Blackout's recorder, a Valgrind tool.
 *
 * It runs a program and records everything the program does to persistent memory, in the sequence in which it takes
 * effect.  The result, as printed by `blackout dump`:
 *
 *     #12  t1  store   pool+0x40 8 0x2a     put kv.c:118
 *     #13  t1  clwb    pool+0x40            put kv.c:119
 *     #14  t1  sfence                       put kv.c:120
 *
 * The table at the top of bo_instr.c maps instructions to events; blackout/trace_format.h defines the bytes of the
 * trace.
 *
 * What it cannot see:
 *   - stores by devices (DMA), and stores by unrecorded processes into a file while it is mapped
 *   - io_uring and AIO writes to PM files
 *   - the memory order of a parallel run: Valgrind runs one thread at a time, so the trace is one legal order of
 *     several
 *   - the exact time of a blocking system call relative to other threads: it is recorded when it returns
 *   - 32-bit code, AVX-512 and MOVDIR64B: VEX does not run them; CPUID hides them from the target
 *   - transactions (TSX): CPUID hides them as well */
#include "bo.h"

#include "bo_input.h"
#include "bo_label.h"
#include "bo_shadow.h"
#include "bo_stack.h"
#include "bo_sync.h"
#include "config.h" /* VERSION of the Valgrind we are linked with */
#include "pub_tool_clientstate.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_vkiscnums.h"

const HChar *clo_bo_out = NULL;
XArray *clo_bo_pm;
XArray *clo_bo_meta;
Bool clo_bo_loads = False;
Bool clo_bo_reads = False;
Bool clo_bo_code = False;
Bool clo_bo_follow = False;
Bool clo_bo_dependencies = False;
Bool clo_bo_sync = False;
Bool clo_bo_transactions = False;
Long clo_bo_most = 0;

/* ---- options ---- */

static ULong fds_soft, fds_hard;

static void read_fd_limits(const HChar *value)
{
	HChar *end;

	fds_soft = VG_(strtoull10)(value, &end);
	fds_hard = *end == ':' ? VG_(strtoull10)(end + 1, &end) : fds_soft;
}

static Bool process_option(const HChar *arg)
{
	const HChar *value;

	if (VG_STR_CLO(arg, "--bo-out", clo_bo_out)) {
	} else if (VG_BOOL_CLO(arg, "--bo-loads", clo_bo_loads)) {
	} else if (VG_BOOL_CLO(arg, "--bo-reads", clo_bo_reads)) {
	} else if (VG_BOOL_CLO(arg, "--bo-code", clo_bo_code)) {
	} else if (VG_BOOL_CLO(arg, "--bo-dependencies", clo_bo_dependencies)) {
	} else if (VG_BOOL_CLO(arg, "--bo-sync", clo_bo_sync)) {
	} else if (VG_BOOL_CLO(arg, "--bo-transactions", clo_bo_transactions)) {
	} else if (VG_BINT_CLO(arg, "--bo-most", clo_bo_most, 0, 1LL << 62)) {
	} else if (VG_BOOL_CLO(arg, "--bo-inputs-check", clo_bo_inputs_check)) {
	} else if (VG_BINT_CLO(arg, "--bo-inputs-most", clo_bo_inputs_most, 16, BO_INPUTS_MOST)) {
	} else if (VG_STR_CLO(arg, "--bo-pm", value))
		VG_(addToXA)(clo_bo_pm, &value);
	else if (VG_STR_CLO(arg, "--bo-meta", value))
		VG_(addToXA)(clo_bo_meta, &value);
	else if (VG_STR_CLO(arg, "--bo-calls", value))
		bo_calls_choose(value, False);
	else if (VG_STR_CLO(arg, "--bo-ops", value))
		bo_operations_choose_file(value);
	else if (VG_STR_CLO(arg, "--bo-op-marks", value))
		return bo_operations_choose(value);
	else if (VG_STR_CLO(arg, "--bo-inputs", value))
		return bo_source_choose(value);
	else if (VG_STR_CLO(arg, "--bo-fds", value))
		read_fd_limits(value);
	else
		return False;
	return True;
}

static void print_usage(void)
{
	VG_(printf)
	("    --bo-out=DIR        write the recording into DIR/trace\n"
	 "    --bo-pm=PATTERN     record files whose absolute path matches (repeatable)\n"
	 "    --bo-loads=yes      record loads from PM too\n"
	 "    --bo-reads=yes      record what system calls read from PM files\n"
	 "    --bo-code=yes       record a hash of the executed code at each fence\n"
	 "    --bo-dependencies=yes  record what PM loads and stores depend on; loads too\n"
	 "    --bo-sync=yes       record how threads synchronize, and what accesses are in the source\n"
	 "    --bo-inputs=SOURCE  record branches that depend on input: stdin, file:PATH, arg:N,\n"
	 "                        socket (repeatable)\n"
	 "    --bo-inputs-most=N  follow at most so many values\n"
	 "    --bo-inputs-check=yes  record what each value that is followed was\n"
	 "    --bo-calls=PATTERN  record calls of [MODULE:]FUNCTION, with * and ? (repeatable)\n"
	 "    --bo-transactions=yes  record calls of libpmemobj's functions that are about transactions\n"
	 "    --bo-op-marks=HOW   record operations: reads, prints, call:FUNCTION, requests, annotated\n"
	 "    --bo-ops=FILE       the operations of reads; - or none: standard input\n"
	 "    --bo-most=BYTES     end the target when the recording, without the initial contents of\n"
	 "                        files, is this large\n"
	 "    --bo-fds=SOFT:HARD  limits of descriptors that the target is to see\n"
	 "    --bo-meta=KEY=VALUE keep a fact in the recording (repeatable)\n");
}

static void print_debug_usage(void)
{
	VG_(printf)("    (none)\n");
}

/* ---- facts kept in the recording ---- */

void bo_write_meta(const HChar *key, const HChar *value)
{
	UChar *p = bo_writer_begin(32 + VG_(strlen)(key) + VG_(strlen)(value));

	*p++ = BO_OP_META;
	p = bo_put_bytes(p, key, VG_(strlen)(key));
	bo_writer_commit(bo_put_bytes(p, value, VG_(strlen)(value)));
}

/* Write "KEY=VALUE", cut to what fits into an event. */
static void write_given_meta(const HChar *fact)
{
	const HChar *equals = VG_(strchr)(fact, '=');
	HChar key[64];

	if (!equals || equals - fact >= (Int)sizeof(key))
		return;
	VG_(memcpy)(key, fact, (SizeT)(equals - fact));
	key[equals - fact] = '\0';
	bo_write_meta(key, equals + 1);
}

struct feature {
	UInt reg, bit;
	const HChar *name;
};

static void write_features(const HChar *key, const HChar *always, const struct feature *features)
{
	HChar list[128];

	VG_(strcpy)(list, always);
	for (; features->name; features++)
		if (bo_host_cpuid7(features->reg) & 1u << features->bit)
			VG_(sprintf)(list + VG_(strlen)(list), "%s%s", list[0] ? " " : "", features->name);
	bo_write_meta(key, list);
}

static void write_cpu(void)
{
	static const struct feature offered[] = {{1, 23, "clflushopt"}, {1, 24, "clwb"}, {0, 0, NULL}};
	static const struct feature hidden[] = {
		{1, 16, "avx512f"}, {2, 27, "movdiri"}, {2, 28, "movdir64b"}, {1, 11, "rtm"}, {0, 0, NULL}};

	write_features("cpu.offered", "clflush", offered);
	write_features("cpu.hidden", "", hidden);
}

static void write_argument(UInt n, const HChar *argument)
{
	HChar key[24];
	HChar value[4096];

	VG_(sprintf)(key, "command.%u", n);
	VG_(strncpy)(value, argument, sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	bo_write_meta(key, value);
}

static void write_facts(void)
{
	bo_write_meta("valgrind", VERSION);
	write_cpu();
	bo_write_meta("cwd", VG_(get_startup_wd)());
	write_argument(0, VG_(args_the_exename));
	for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++)
		write_argument((UInt)i + 1, *(HChar **)VG_(indexXA)(VG_(args_for_client), i));
	for (Word i = 0; i < VG_(sizeXA)(clo_bo_meta); i++)
		write_given_meta(*(const HChar **)VG_(indexXA)(clo_bo_meta, i));
}

/* ---- the target's environment ---- Valgrind's core adds a library of its own to LD_PRELOAD.  VALGRIND_* variables are
 * needed to start the recorder, and TMPDIR is where the core may write.  The target must see none of these, so they are
 * removed from the image of its stack before its first instruction. */

static Bool starts_with(const HChar *s, const HChar *prefix)
{
	return VG_(strncmp)(s, prefix, VG_(strlen)(prefix)) == 0;
}

static Bool is_valgrinds(const HChar *path, SizeT length)
{
	const HChar *name = "/vgpreload_";
	SizeT n = VG_(strlen)(name);

	for (SizeT i = 0; i + n <= length; i++)
		if (VG_(strncmp)(path + i, name, n) == 0)
			return True;
	return False;
}

/* Remove our entries from a colon-separated list, in place.  True if nothing is left. */
static Bool strip_preload(HChar *list)
{
	HChar *out = list, *entry = list;

	while (*entry) {
		SizeT length = 0;
		while (entry[length] && entry[length] != ':' && entry[length] != ' ')
			length++;
		if (length && !is_valgrinds(entry, length)) {
			if (out != list)
				*out++ = ':';
			VG_(memmove)(out, entry, length);
			out += length;
		}
		entry += length + (entry[length] != '\0');
	}
	*out = '\0';
	return out == list;
}

/* If the user has a variable with the same name as one that starts the recorder, the user's is passed under this
 * prefix. */
#define KEPT "BLACKOUT_KEPT_"

static Bool is_ours(HChar *variable)
{
	if (starts_with(variable, "VALGRIND_LIB=") || starts_with(variable, "VALGRIND_LAUNCHER="))
		return True;
	/* A program that is executed and followed already has the user's TMPDIR. */
	if (starts_with(variable, "TMPDIR="))
		return VG_(strcmp)(variable + 7, clo_bo_out) == 0;
	return starts_with(variable, "LD_PRELOAD=") && strip_preload(variable + 11);
}

/* The user's own variable of the same name, or NULL. */
static HChar *kept_for(const UWord *environment, const HChar *ours)
{
	SizeT name = (SizeT)(VG_(strchr)(ours, '=') - ours) + 1, prefix = VG_(strlen)(KEPT);

	for (; *environment; environment++) {
		HChar *variable = (HChar *)*environment;
		if (starts_with(variable, KEPT) && VG_(strncmp)(variable + prefix, ours, name) == 0)
			return variable + prefix;
	}
	return NULL;
}

/* The image is argc, argv, NULL, environment, NULL, auxiliary vector.  Removing a variable moves everything after it
 * down by a word. */
static void clean_environment(ThreadId tid)
{
	static HChar removed[] = KEPT;
	UWord *word = (UWord *)VG_(get_SP)(tid);
	UWord *from, *to, type;

	word += 1 + word[0] + 1;
	for (from = word; *from; from++) {
		if (is_ours((HChar *)*from)) {
			HChar *kept = kept_for(word, (HChar *)*from);
			*from = (UWord)(kept ? kept : removed);
		}
	}
	for (from = to = word; *from; from++)
		if (!starts_with((HChar *)*from, KEPT))
			*to++ = *from;
	if (from == to)
		return;
	*to++ = 0;
	from++;
	do {
		type = from[0]; /* moving by one word overwrites it */
		to[0] = type;
		to[1] = from[1];
		to += 2;
		from += 2;
	} while (type != 0 /* AT_NULL */);
}

/* The kernel named the process after the recorder.  Name it after the target's file, as exec would have done. */
static void take_name(void)
{
	const HChar *slash = VG_(strrchr)(VG_(args_the_exename), '/');

	bo_syscall(__NR_prctl, 15 /* PR_SET_NAME */, slash ? slash + 1 : VG_(args_the_exename), 0, 0, 0, 0);
}

static void on_first_insn(ThreadId tid)
{
	static Bool cleaned;

	if (cleaned)
		return;
	cleaned = True;
	clean_environment(tid);
	take_name();
	if (clo_bo_inputs)
		bo_source_on_start(tid);
}

/* ---- start, fork and end of the tool ---- */

static void before_fork(ThreadId tid)
{
	bo_event_end_string();
	bo_writer_reserve_clock();
}

static void in_child(ThreadId tid)
{
	UInt parent = bo_writer_process();

	if (!bo_writer_active())
		return;
	bo_writer_abandon();
	if (!clo_bo_follow)
		return;
	bo_writer_open(parent);
	write_facts();
	bo_context_redefine();
	bo_calls_redefine();
	bo_sync_forked();
	if (clo_bo_dependencies)
		bo_label_redefine();
	if (clo_bo_inputs)
		bo_input_redefine();
	bo_region_redefine();
}

/* The core opens --log-file, moves the descriptor out of the target's way, and forgets to close the original. */
static void close_log_double(void)
{
	HChar path[VG_(strlen)(clo_bo_out) + 32];
	struct vg_stat log, st;

	VG_(sprintf)(path, "%s/recorder.log", clo_bo_out);
	if (sr_isError(VG_(stat)(path, &log)))
		return;
	for (Int fd = 0; fd < 256 && fd < VG_(fd_hard_limit); fd++)
		if (VG_(fstat)(fd, &st) == 0 && st.dev == log.dev && st.ino == log.ino)
			VG_(close)(fd);
}

/* ---- what the core writes has no labels ---- */

static void clear_memory(Addr addr, SizeT size)
{
	if (clo_bo_dependencies)
		bo_shadow_clear(addr, size);
	if (clo_bo_inputs)
		bo_memory_clear(addr, size);
}

static void on_new_memory(Addr addr, SizeT size, Bool r, Bool w, Bool x, ULong debug_info)
{
	clear_memory(addr, size);
}

static void on_new_break(Addr addr, SizeT size, ThreadId tid)
{
	clear_memory(addr, size);
}

static void on_memory_write(CorePart part, ThreadId tid, Addr addr, SizeT size)
{
	clear_memory(addr, size);
	bo_on_kernel_store(part, tid, addr, size);
}

static void on_start_of_code(ThreadId tid, ULong blocks_done)
{
	bo_thread_run(tid, blocks_done);
	bo_stack_run(VG_(get_SP)(tid));
	if (clo_bo_dependencies)
		bo_shadow_collect();
}

static void clear_registers(ThreadId tid, PtrdiffT offset, SizeT size)
{
	static const UChar zeros[sizeof(VexGuestAMD64State)];

	VG_(set_shadow_regs_area)(tid, 1, offset, size, zeros);
}

/* When a handler starts, all registers are new; the frame of the signal has the old ones, with their labels. */
static void on_register_write(CorePart part, ThreadId tid, PtrdiffT offset, SizeT size)
{
	if (part == Vg_CoreSignal)
		clear_registers(tid, 0, sizeof(VexGuestAMD64State));
	else
		clear_registers(tid, offset, size);
}

static void on_request_result(ThreadId tid, PtrdiffT offset, SizeT size, Addr function)
{
	clear_registers(tid, offset, size);
}

static void init_labels(void)
{
	if (clo_bo_dependencies && clo_bo_inputs)
		VG_(fmsg_bad_option)("--bo-inputs", "it excludes --bo-dependencies: values have labels of one kind\n");
	if (clo_bo_inputs) {
		bo_input_init();
		VG_(track_copy_mem_remap)(bo_memory_move);
	} else {
		bo_label_init();
		bo_shadow_memory_init();
		bo_shadow_init();
		VG_(track_copy_mem_remap)(bo_shadow_move);
	}
	VG_(track_new_mem_mmap)(on_new_memory);
	VG_(track_new_mem_brk)(on_new_break);
	VG_(track_post_reg_write)(on_register_write);
	VG_(track_post_reg_write_clientcall_return)(on_request_result);
}

static void post_clo_init(void)
{
	if (!clo_bo_out)
		VG_(fmsg_bad_option)("--bo-out", "it says where the recording goes and must be given\n");
	clo_bo_follow = VG_(clo_trace_children);
	clo_bo_loads |= clo_bo_dependencies;
	if (!fds_hard)
		VG_(fmsg_bad_option)("--bo-fds", "it says which limits the target had and must be given\n");
	bo_limits_init(fds_soft, fds_hard);
	close_log_double();
	bo_file_init();
	if (clo_bo_dependencies || clo_bo_inputs)
		init_labels();
	/* Where a function begins, its arguments must be in their registers.  Inside a block they may not be. */
	if (clo_bo_sync)
		VG_(clo_vex_control).guest_chase = False;
	/* And where a store is announced by an instruction, so must be those of its address. */
	if (clo_bo_sync)
		VG_(clo_vex_control).iropt_register_updates_default = VG_(clo_px_file_backed) =
			VexRegUpdAllregsAtEachInsn;
	bo_code_init();
	bo_calls_init();
	bo_operations_init();
	bo_writer_open(~0u);
	write_facts();
	if (clo_bo_inputs)
		bo_source_redefine();
	VG_(atfork)(before_fork, NULL, in_child);
}

static void write_dependencies(void)
{
	HChar text[384];

	bo_label_describe(text);
	VG_(strcat)(text, " ");
	bo_shadow_describe(text + VG_(strlen)(text));
	VG_(strcat)(text, " ");
	bo_control_describe(text + VG_(strlen)(text));
	bo_write_meta("dependencies", text);
}

static void fini(Int unused)
{
	bo_event_end_string();
	bo_write_exit();
	bo_calls_write_unmatched();
	if (clo_bo_dependencies && bo_writer_active())
		write_dependencies();
	if (clo_bo_inputs && bo_writer_active())
		bo_concrete_write();
	bo_writer_close();
}

static void pre_clo_init(void)
{
	VG_(details_name)("Blackout");
	VG_(details_version)(NULL);
	VG_(details_description)("a recorder of persistent-memory behavior");
	VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, by the Blackout authors.");
	VG_(details_bug_reports_to)("the Blackout project");
	VG_(details_avg_translation_sizeB)(400);
	VG_(basic_tool_funcs)(post_clo_init, bo_instrument, fini);

	clo_bo_pm = VG_(newXA)(VG_(malloc), "bo.pm", VG_(free), sizeof(HChar *));
	clo_bo_meta = VG_(newXA)(VG_(malloc), "bo.meta", VG_(free), sizeof(HChar *));
	VG_(needs_command_line_options)(process_option, print_usage, print_debug_usage);
	VG_(needs_client_requests)(bo_operations_request);
	VG_(needs_superblock_discards)(bo_input_forget);
	VG_(needs_syscall_wrapper)(bo_pre_syscall, bo_post_syscall);
	VG_(track_post_mem_write)(on_memory_write);
	VG_(track_pre_mem_read)(bo_on_kernel_load);
	VG_(track_pre_mem_read_asciiz)(bo_on_kernel_load_string);
	VG_(track_start_client_code)(on_start_of_code);
	VG_(track_pre_thread_ll_create)(bo_thread_create);
	VG_(track_pre_thread_first_insn)(on_first_insn);
	VG_(track_pre_thread_ll_exit)(bo_thread_exit);
	VG_(track_pre_deliver_signal)(bo_signal_enter);
	VG_(track_post_deliver_signal)(bo_signal_leave);
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
