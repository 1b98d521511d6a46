/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_doctor.c - `blackout doctor`: check what a recording needs on this machine, and say how to fix what is missing.
 *
 * There is one function per check, and one table of them.  "warn" means that results will be poorer.  "fail" means that
 * nothing can be recorded, and gives exit status 3. */
#include <cpuid.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/command.h"
#include "cli/option.h"
#include "image/place.h"
#include "image/tree.h"
#include "protocol/stub.h"
#include "run/namespace.h"
#include "run/process.h"
#include "run/program.h"
#include "run/recorder.h"
#include "run/recording.h"
#include "solve/solver.h"
#include "trace/symbols.h"

enum verdict { OK, WARN, FAIL };

static int failures;

static void say(enum verdict verdict, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(enum verdict verdict, const char *fmt, ...)
{
	static const char *const words[] = {"ok", "warn", "fail"};
	va_list args;

	failures += verdict == FAIL;
	printf("%-5s ", words[verdict]);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void mend(const char *how)
{
	if (*how)
		printf("      hint: %s\n", how);
}

static void say_err(const struct err *err)
{
	say(FAIL, "%s", err->sentence);
	mend(err->hint);
}

/* The first line that a command prints, without its newline. */
static void first_line(const char *command, char *line, size_t size)
{
	FILE *pipe = popen(command, "re");

	*line = 0;
	if (!pipe)
		return;
	if (!fgets(line, (int)size, pipe))
		*line = 0;
	line[strcspn(line, "\n")] = 0;
	pclose(pipe);
}

static void valgrind_examine(void)
{
	struct recorder recorder;
	struct err err;
	char command[PATH_MAX + 32], version[64];

	if (recorder_find_valgrind(&recorder, &err) < 0) {
		say_err(&err);
		return;
	}
	*version = 0;
	if (path_format(command, sizeof(command), "'%s' --version 2>/dev/null", recorder.valgrind))
		first_line(command, version, sizeof(version));
	if (*version)
		say(OK, "%s (%s)", version, recorder.valgrind);
	else
		say(FAIL, "%s does not run", recorder.valgrind);
}

/* Record /bin/true in a temporary directory.  This is the best test of whether the recorder works. */
static int trial_record(const struct recorder *recorder, const char *dir, char *complaint, size_t size)
{
	struct recording recording;
	struct recorder_job job = {0};
	struct words argv = {0}, environment = {0};
	struct process_end end = {0};
	struct err err;

	if (recording_create(&recording, dir, &err) < 0) {
		snprintf(complaint, size, "%.*s", (int)size - 1, err.sentence);
		return -1;
	}
	job.dir = recording.dir;
	words_add(&job.target, "/bin/true");
	recorder_command(recorder, &job, &argv, &environment);
	struct process process = {.argv = argv.items, .environment = environment.items, .input = "/dev/null"};
	int result = process_run(&process, &end, &err);
	if (result == 0 && (end.signal || end.status || !recording_started(&recording)))
		result = -1;
	recording_last_words(&recording, complaint, size);
	recording_remove(&recording);
	words_free(&job.target);
	words_free(&argv);
	words_free(&environment);
	return result;
}

static void recorder_examine(void)
{
	char *place = NULL, dir[PATH_MAX], complaint[200] = "";
	struct recorder recorder;
	struct err err;

	if (recorder_find_tool(&recorder, &err) < 0) {
		say_err(&err);
		return;
	}
	if (recorder_find_valgrind(&recorder, &err) < 0)
		return;
	int lock = place_make("/tmp", &place, &err);
	if (lock < 0 || path_make(dir, sizeof(dir), &err, "%s/trial", place) < 0) {
		say(FAIL, "recorder: %s", err.sentence);
		free(place);
		return;
	}
	if (trial_record(&recorder, dir, complaint, sizeof(complaint)) == 0) {
		say(OK, "recorder (%s)", recorder.lib);
	} else {
		say(FAIL, "recorder: a trial recording of /bin/true failed%s%s", *complaint ? ": " : "", complaint);
		mend("build it again on this machine, with its Valgrind: make clean all");
	}
	tree_remove(place);
	close(lock);
	free(place);
}

static void cpu_examine(void)
{
	unsigned a = 0, b = 0, c = 0, d = 0, b7 = 0, c7 = 0;

	__get_cpuid(1, &a, &b, &c, &d);
	__get_cpuid_count(7, 0, &a, &b7, &c7, &a);
	say(b7 & bit_CLWB ? OK : WARN, "CPU: flush instructions:%s%s%s%s", d & 1u << 19 ? " clflush" : "",
	    b7 & bit_CLFLUSHOPT ? " clflushopt" : "", b7 & bit_CLWB ? " clwb" : "", b7 || d ? "" : " none known");
	if (!(b7 & bit_CLWB))
		mend("targets that choose instructions at run time take a different path here than on a machine with clwb");
	if (b7 & bit_AVX512F)
		say(OK, "CPU: AVX-512 is hidden from targets, which then copy with AVX2");
}

/* Does a library that programs store through have debug info?  Prints nothing if the library is not installed. */
static void library_examine(const char *name, const char *mending)
{
	static const char *const dirs[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64",
					   "/usr/lib64"};
	char path[128];
	struct stat st;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		if (path_format(path, sizeof(path), "%s/%s", dirs[i], name) && stat(path, &st) == 0)
			break;
		*path = 0;
	}
	if (!*path)
		return;
	struct trace_module module = {.path = path, .file_size = (uint64_t)st.st_size, .mtime = (uint64_t)st.st_mtime};
	struct symbols *symbols = symbols_open(NULL);
	bool lines = symbols_module_state(symbols, &module) == SYMBOLS_LINES;
	symbols_close(symbols);
	say(lines ? OK : WARN, "debug info of %s%s", name, lines ? "" : ": none, so its frames have no source lines");
	if (!lines)
		mend(mending);
}

static void debug_examine(void)
{
	library_examine("libc.so.6", "apt-get install libc6-dbg");
	library_examine("libpmem.so.1", "install libpmem1-dbgsym from the distribution's archive of debug packages");
	library_examine("libpmemobj.so.1",
			"install libpmemobj1-dbgsym from the distribution's archive of debug packages");
}

/* Things without which testing crash states works less well. */
static void recovery_examine(void)
{
	char stub[PATH_MAX];
	struct program gdb;
	struct err err;

	if (recorder_find_shipped(stub, STUB_LIBRARY, &err) < 0) {
		say(WARN, "recovery: %s", err.sentence);
		mend("crash states can still be tested, but slowly; reinstall Blackout");
	} else if (namespace_try(false, &err) < 0) {
		say(WARN, "recovery: no private mount namespace: %s", err.sentence);
		mend("programs that the fork server cannot run are then tested one state at a time, with your files moved aside meanwhile");
	} else {
		say(OK, "recovery: fork server, namespace");
	}
	if (program_find(&gdb, "gdb", &err) == 0) {
		say(OK, "gdb (%s)", gdb.path);
		return;
	}
	say(WARN, "no gdb: findings do not say where recovery crashes, and replay has no --gdb");
	mend("apt-get install gdb");
}

/* What `blackout search` needs. */
static void solver_examine(void)
{
	char path[PATH_MAX], command[PATH_MAX + 32], version[128];
	struct err err;

	*version = 0;
	if (recorder_find_shipped(path, SOLVER_PROGRAM, &err) == 0 &&
	    path_format(command, sizeof(command), "'%s' --version 2>/dev/null", path))
		first_line(command, version, sizeof(version));
	if (*version) {
		say(OK, "solver (%s)", version);
		return;
	}
	say(WARN, "no solver: " SOLVER_PROGRAM " is missing or does not run, so search cannot make inputs");
	mend("apt-get install libz3-4, and build or install Blackout again");
}

static void space_examine_in(const char *dir)
{
	const uint64_t mib = 1 << 20;
	struct statvfs st;

	if (statvfs(dir, &st) < 0) {
		say(FAIL, "space in %s: cannot be read", dir);
		return;
	}
	uint64_t free_mib = (uint64_t)st.f_bavail * st.f_frsize / mib;
	bool writable = access(dir, W_OK) == 0;
	enum verdict verdict = free_mib < 16 || !writable ? FAIL : free_mib < 1024 ? WARN : OK;
	say(verdict, "space in %s: %lu MiB%s", dir, (unsigned long)free_mib, writable ? "" : ", but not writable");
	if (verdict != OK)
		mend("record somewhere else with --out");
}

static void space_examine(void)
{
	char cwd[PATH_MAX];

	space_examine_in(getcwd(cwd, sizeof(cwd)) ? cwd : ".");
	space_examine_in("/tmp");
}

static const struct option options[] = {{0}};

const struct usage usage_doctor = {
	.command = "doctor",
	.operands = "",
	.about = "Check this machine: Valgrind, recorder, CPU, debug info, recovery, gdb, solver,\n"
		 "space. Say how to fix what is missing.",
	.options = options,
};

int cmd_doctor(int argc, char **argv)
{
	static void (*const examinations[])(void) = {valgrind_examine, recorder_examine, cpu_examine,  debug_examine,
						     recovery_examine, solver_examine,   space_examine};
	int status;

	if (!option_parse(&usage_doctor, argc, argv, &status))
		return status;
	for (size_t i = 0; i < sizeof(examinations) / sizeof(*examinations); i++) {
		examinations[i]();
		fflush(stdout);
	}
	return command_finish(failures ? ERR_CANNOT : STATUS_DONE);
}
