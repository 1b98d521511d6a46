/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder.c - see recorder.h. */
#include "run/recorder.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/path.h"
#include "run/pmem_force.h"
#include "run/preload_path.h"
#include "run/program.h"

#define TOOL "blackout-amd64-linux"
#define VALGRIND_STACK (16ull << 20)
#define STACK_MAX (1ull << 30)

enum { THREADS_MAX = 2000 /* each costs 7 KiB of memory, even if unused */ };

int recorder_find_valgrind(struct recorder *recorder, struct err *err)
{
	/* Debian's `valgrind` is a shell script that changes the environment of the target before it runs
	 * valgrind.bin. */
	static const char *const names[] = {"valgrind.bin", "/usr/bin/valgrind.bin", "valgrind", "/usr/bin/valgrind"};
	struct program program;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (program_find(&program, names[i], err) < 0)
			continue;
		memcpy(recorder->valgrind, program.path, sizeof(recorder->valgrind));
		return 0;
	}
	err_set(err, "Valgrind is not installed");
	return err_hint(err, "apt-get install valgrind");
}

int recorder_find_self(char path[PATH_MAX], struct err *err)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (n <= 0)
		return err_sys(err, "cannot read /proc/self/exe");
	path[n] = 0;
	return 0;
}

/* The directory of the running executable. */
static int own_dir(char dir[PATH_MAX], struct err *err)
{
	if (recorder_find_self(dir, err) < 0)
		return -1;
	*strrchr(dir, '/') = 0;
	return 0;
}

int recorder_find_shipped(char path[PATH_MAX], const char *name, struct err *err)
{
	static const char *const places[] = {"", "/../libexec/blackout"};
	char dir[PATH_MAX], candidate[2 * PATH_MAX];

	if (own_dir(dir, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (path_format(candidate, sizeof(candidate), "%s%s/%s", dir, places[i], name) &&
		    realpath(candidate, path))
			return 0;
	}
	return err_set(err, "%s is neither in %s nor in %s%s", name, dir, dir, places[1]);
}

int recorder_find_tool(struct recorder *recorder, struct err *err)
{
	char path[PATH_MAX];

	if (recorder_find_shipped(path, "valgrind/" TOOL, err) < 0)
		return err_hint(err, "build it with make, or install it with make install");
	if (access(path, X_OK) < 0)
		return err_sys(err, "%s cannot be executed", path);
	*strrchr(path, '/') = 0;
	memcpy(recorder->lib, path, sizeof(path));
	memcpy(recorder->lib_name, path, sizeof(path));
	return preload_path_replace(recorder->lib_name, err);
}

/* --log-file expands %p and others, so a plain % must be doubled. */
static void log_option(struct words *argv, const char *dir)
{
	char escaped[2 * PATH_MAX];
	size_t n = 0;

	for (const char *c = dir; *c && n + 2 < sizeof(escaped); c++) {
		if (*c == '%')
			escaped[n++] = '%';
		escaped[n++] = *c;
	}
	escaped[n] = 0;
	words_add(argv, "--log-file=%s/recorder.log", escaped);
}

/* Valgrind takes some descriptors for itself.  The tool shows the target the limits that it would have had without
 * Valgrind. */
static void limits_option(struct words *argv)
{
	struct rlimit fds;

	if (getrlimit(RLIMIT_NOFILE, &fds) == 0)
		words_add(argv, "--bo-fds=%llu:%llu", (unsigned long long)fds.rlim_cur,
			  (unsigned long long)fds.rlim_max);
}

/* Valgrind has limits that the kernel does not have: by default 16 MiB of stack, even if the resource limit is higher,
 * and 500 threads. */
static void sizes_option(struct words *argv)
{
	struct rlimit stack;

	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur > VALGRIND_STACK)
		words_add(argv, "--main-stacksize=%llu",
			  (unsigned long long)(stack.rlim_cur < STACK_MAX ? stack.rlim_cur : STACK_MAX));
	words_add(argv, "--max-threads=%d", THREADS_MAX);
}

/* Set variables for our tool.  The tool removes them from the target's environment, and restores the user's own values,
 * which are passed under other names. */
static void lead_to_tool(struct words *environment, const char *lib, const char *dir)
{
	static const char *const names[] = {"VALGRIND_LIB", "VALGRIND_LAUNCHER", "TMPDIR"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]))
			words_add(environment, "BLACKOUT_KEPT_%s=%s", names[i], getenv(names[i]));
	words_add(environment, "VALGRIND_LIB=%s", lib);
	/* Valgrind creates two small files for a moment.  The user's own TMPDIR may not be writable. */
	words_add(environment, "TMPDIR=%s", dir);
}

void recorder_command(const struct recorder *recorder, const struct recorder_job *job, struct words *argv,
		      struct words *environment)
{
	words_add(argv, "%s", recorder->valgrind);
	words_add(argv, "--tool=blackout");
	/* The user's own VALGRIND_OPTS and .valgrindrc are meant for other tools. */
	words_add(argv, "--command-line-only=yes");
	words_add(argv, "-q");
	log_option(argv, job->dir);
	/* Our tool handles flush instructions that Valgrind does not know, so no message is needed. */
	words_add(argv, "--sigill-diagnostics=no");
	/* Do not create files in /tmp for gdb to attach through. */
	words_add(argv, "--vgdb=no");
	words_add(argv, "--trace-children=%s", job->follow ? "yes" : "no");
	/* Valgrind cannot run inside Valgrind.  If the target itself records something, that part is not recorded by
	 * us. */
	words_add(argv, "--trace-children-skip=*/valgrind,*/valgrind.bin");
	words_add(argv, "--bo-out=%s", job->dir);
	limits_option(argv);
	sizes_option(argv);
	for (size_t i = 0; i < job->pm.count; i++)
		words_add(argv, "--bo-pm=%s", job->pm.items[i]);
	if (job->loads)
		words_add(argv, "--bo-loads=yes");
	if (job->reads)
		words_add(argv, "--bo-reads=yes");
	if (job->code_hash)
		words_add(argv, "--bo-code=yes");
	if (job->dependencies)
		words_add(argv, "--bo-dependencies=yes");
	if (job->sync)
		words_add(argv, "--bo-sync=yes");
	if (job->most)
		words_add(argv, "--bo-most=%" PRIu64, job->most);
	if (job->transactions)
		words_add(argv, "--bo-transactions=yes");
	for (size_t i = 0; i < job->inputs.count; i++)
		words_add(argv, "--bo-inputs=%s", job->inputs.items[i]);
	if (job->inputs_most)
		words_add(argv, "--bo-inputs-most=%" PRIu64, job->inputs_most);
	if (job->inputs_check)
		words_add(argv, "--bo-inputs-check=yes");
	for (size_t i = 0; i < job->calls.count; i++) {
		words_add(argv, "--bo-calls=%s", job->calls.items[i]);
		words_add(argv, "--bo-meta=calls.%zu=%s", i, job->calls.items[i]);
	}
	if (job->op_marks) {
		words_add(argv, "--bo-op-marks=%s", job->op_marks);
		words_add(argv, "--bo-meta=op_marks=%s", job->op_marks);
	}
	if (job->op_marks && job->ops)
		words_add(argv, "--bo-ops=%s", job->ops);
	words_add(argv, "--bo-meta=pmem_force=%d", job->pmem_force);
	words_add(argv, "--bo-meta=follow=%d", job->follow);
	words_add(argv, "--");
	for (size_t i = 0; i < job->target.count; i++)
		words_add(argv, "%s", job->target.items[i]);
	lead_to_tool(environment, recorder->lib_name, job->dir);
	if (job->pmem_force)
		pmem_force_add(environment);
}
