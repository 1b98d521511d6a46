/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting things: paths of --pm, directories of recordings, processes and their ends. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/pmpath.h"
#include "run/process.h"
#include "run/program.h"
#include "run/recording.h"
#include "scratch.h"

static void file_make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);
	assert_true(fd >= 0);
	close(fd);
}

/* ---- pmpath ---- */

static void expect_path(const char *given, const char *base, const char *rest)
{
	char pattern[PATH_MAX], expected[PATH_MAX];
	struct err err;

	assert_int_equal(pmpath_resolve(pattern, given, &err), 0);
	snprintf(expected, sizeof(expected), "%s%s", base, rest);
	assert_string_equal(pattern, expected);
}

static void test_pmpath(void **state)
{
	char here[PATH_MAX], pattern[PATH_MAX], longest[PATH_MAX + 10];
	struct err err;

	assert_non_null(realpath(*state, here));
	assert_int_equal(chdir(here), 0);
	assert_int_equal(mkdir("real", 0777), 0);
	assert_int_equal(symlink("real", "link"), 0);
	expect_path("pool", here, "/pool");
	expect_path("./a//b/../pool*", here, "/a/pool*");
	expect_path("real/..", here, "");
	expect_path("link/pool", here, "/real/pool");
	expect_path("link/../pool", here, "/pool");
	expect_path("link/*.pool", here, "/real/*.pool");
	expect_path("no/such/../../x", here, "/x");
	expect_path("/", "/", "");
	expect_path("/no-such-directory/./pool", "/no-such-directory/pool", "");
	assert_int_equal(pmpath_resolve(pattern, "", &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_int_equal(pmpath_resolve(pattern, longest, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
}

/* ---- program ---- */

static void test_program_search(void **state)
{
	struct program program;
	struct err err;

	assert_int_equal(chdir(*state), 0);
	assert_int_equal(mkdir("bin", 0777), 0);
	file_make("bin/tool");
	assert_int_equal(chmod("bin/tool", 0666), 0);
	setenv("PATH", "/no-such-directory:bin:", 1);
	assert_int_equal(program_find(&program, "tool", &err), -1); /* exists, but is not executable */
	assert_int_equal(err.status, ERR_USAGE);
	assert_non_null(strstr(err.sentence, "is not executable"));
	assert_int_equal(chmod("bin/tool", 0777), 0);
	assert_int_equal(program_find(&program, "tool", &err), 0);
	assert_string_equal(program.path, "bin/tool");
	file_make("beside");
	assert_int_equal(chmod("beside", 0777), 0);
	assert_int_equal(program_find(&program, "beside", &err), 0); /* the empty entry at PATH's end */
	assert_int_equal(program_find(&program, "bin", &err), -1);   /* a directory */
	setenv("PATH", "/usr/bin:/bin", 1);
}

static void test_program_script(void **state)
{
	struct program program;
	struct err err;
	FILE *script;

	assert_int_equal(chdir(*state), 0);
	script = fopen("script", "w");
	assert_non_null(script);
	fputs("#! /bin/sh -e\n", script);
	fclose(script);
	chmod("script", 0777);
	assert_int_equal(program_find(&program, "./script", &err), 0);
	assert_int_equal(program_check(&program, &err), 0);
	assert_true(program.is_script);
	assert_int_equal(program_find(&program, "/bin/sh", &err), 0);
	assert_int_equal(program_check(&program, &err), 0);
	assert_false(program.is_script);
	script = fopen("script", "w"); /* a script that interprets itself */
	assert_non_null(script);
	fprintf(script, "#!%s/script\n", (const char *)*state);
	fclose(script);
	assert_int_equal(program_find(&program, "./script", &err), 0);
	assert_int_equal(program_check(&program, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
}

/* Make an ELF program that names a dynamic linker. */
static void elf_make(const char *path, const char *linker)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr part;
		char linker[64];
	} elf = {
		.header = {.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_machine = EM_X86_64, .e_phnum = 1},
		.part = {.p_type = PT_INTERP},
	};
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	elf.header.e_phoff = (size_t)((char *)&elf.part - (char *)&elf);
	elf.part.p_offset = (size_t)(elf.linker - (char *)&elf);
	elf.part.p_filesz = strlen(linker) + 1;
	snprintf(elf.linker, sizeof(elf.linker), "%s", linker);
	assert_int_equal(fwrite(&elf, sizeof(elf), 1, file), 1);
	fclose(file);
	chmod(path, 0777);
}

static void test_program_linker(void **state)
{
	struct program program;
	struct err err;

	assert_int_equal(chdir(*state), 0);
	elf_make("good", "/bin/sh");
	assert_int_equal(program_find(&program, "./good", &err), 0);
	assert_int_equal(program_check(&program, &err), 0);
	elf_make("bad", "/no/such/ld.so");
	assert_int_equal(program_find(&program, "./bad", &err), 0);
	assert_int_equal(program_check(&program, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_non_null(strstr(err.sentence, "/no/such/ld.so"));
}

/* ---- recording ---- */

static void expect_refused(const char *dir)
{
	struct recording recording;
	struct err err;

	assert_int_equal(recording_create(&recording, dir, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
}

static void test_recording_replaces_only_recordings(void **state)
{
	struct recording recording;
	struct err err;

	assert_int_equal(chdir(*state), 0);
	assert_int_equal(recording_create(&recording, "rec", &err), 0);
	assert_false(recording_started(&recording));
	file_make("rec/trace/0000.bo");
	file_make("rec/trace/.0000.bo.tmp");
	file_make("rec/trace/clock");
	file_make("rec/recorder.log");
	file_make("rec/notes");
	expect_refused("rec"); /* it is being written */
	recording_close(&recording);

	assert_int_equal(recording_create(&recording, "rec", &err), 0);
	assert_int_equal(access("rec/trace/0000.bo", F_OK), -1);
	assert_int_equal(access("rec/trace/.0000.bo.tmp", F_OK), -1);
	assert_int_equal(access("rec/trace/clock", F_OK), -1);
	assert_int_equal(access("rec/recorder.log", F_OK), -1);
	assert_int_equal(access("rec/notes", F_OK), 0); /* not created by us */
	recording_close(&recording);

	mkdir("other", 0777);
	file_make("other/thesis");
	expect_refused("other");
	mkdir("other/trace", 0777);
	file_make("other/trace/thesis");
	expect_refused("other");
	assert_int_equal(access("other/trace/thesis", F_OK), 0);
	file_make("file");
	expect_refused("file");
	expect_refused("no/such/parent");
	unlink("other/trace/thesis");
	rmdir("other/trace");
	unlink("other/thesis");
	assert_int_equal(recording_create(&recording, "other", &err), 0); /* now it is empty */
	recording_close(&recording);
}

static void test_recording_last_words(void **state)
{
	struct recording recording;
	struct err err;
	char line[64];
	FILE *log;

	assert_int_equal(chdir(*state), 0);
	assert_int_equal(recording_create(&recording, "rec", &err), 0);
	recording_last_words(&recording, line, sizeof(line));
	assert_string_equal(line, "");
	log = fopen("rec/recorder.log", "w");
	assert_non_null(log);
	fputs("first\n==123== no space\n==123== \n", log);
	fclose(log);
	recording_last_words(&recording, line, sizeof(line));
	assert_string_equal(line, "no space");
	recording_close(&recording);
}

/* ---- process ---- */

static struct process_end shell(const char *command, bool wait_all)
{
	char *argv[] = {"/bin/sh", "-c", (char *)command, NULL};
	char *environment[] = {"FROM_THE_TEST=here", NULL};
	struct process process = {.argv = argv, .environment = environment, .input = "/dev/null", .wait_all = wait_all};
	struct process_end end;
	struct err err;

	assert_int_equal(process_run(&process, &end, &err), 0);
	return end;
}

static void test_process_ends(void **state)
{
	assert_int_equal(chdir("/"), 0);
	struct process_end end = shell("exit 7", false);

	(void)state;
	assert_int_equal(end.status, 7);
	assert_int_equal(end.signal, 0);
	assert_false(end.interrupted);
	end = shell("kill -SEGV $$", false);
	assert_int_equal(end.signal, SIGSEGV);
	assert_int_equal(shell("test \"$FROM_THE_TEST\" = here", false).status, 0);
	assert_int_equal(shell("read line", false).status, 1); /* standard input is empty */
}

static void test_process_missing(void **state)
{
	char *argv[] = {"/no/such/program", NULL};
	struct process process = {.argv = argv};
	struct process_end end;
	struct err err;

	(void)state;
	assert_int_equal(process_run(&process, &end, &err), -1);
	assert_non_null(strstr(err.sentence, "/no/such/program"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* A parent's ignored SIGCHLD and signal mask are passed to the command unchanged, and its status is still known. */
static void test_process_signals_as_found(void **state)
{
	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(shell("exit 3", false).status, 3);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(shell("grep -q '^SigBlk:[[:space:]]*0*$' /proc/self/status", false).status, 0);
}

static void test_process_waits_for_orphans(void **state)
{
	assert_int_equal(chdir(*state), 0);
	assert_true(shell("(sleep 0.5; touch late) & exit 0", true).seconds >= 0.5);
	assert_int_equal(access("late", F_OK), 0);
	shell("(for i in $(seq 600); do [ -e go ] && break; sleep 0.1; done; touch later) & exit 0", false);
	assert_int_equal(access("later", F_OK), -1);
	assert_int_equal(close(creat("go", 0600)), 0);
	while (wait(NULL) > 0) /* it would disturb the next tests */
		continue;
}

/* Send ourselves a signal once the command has created the file `ready`. */
static pid_t signal_when_ready(int number)
{
	pid_t self = getpid(), pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 4000 && access("ready", F_OK) < 0; i++)
			usleep(10000);
		kill(self, number);
		_exit(0);
	}
	return pid;
}

static void test_process_interrupted(void **state)
{
	assert_int_equal(chdir(*state), 0);
	signal_when_ready(SIGTERM);
	struct process_end end = shell("touch ready; exec sleep 60", false);
	assert_true(end.interrupted);
	assert_int_equal(end.signal, SIGTERM);
	assert_true(end.seconds < 50);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
	assert_int_equal(errno, ECHILD);
}

/* A command that ignores signals, with a child that left the session. */
static void test_process_stubborn(void **state)
{
	assert_int_equal(chdir(*state), 0);
	signal_when_ready(SIGTERM);
	struct process_end end =
		shell("trap '' TERM INT; setsid sh -c \"trap '' TERM; touch ready; sleep 60; sleep 60\" & "
		      "wait; sleep 60; sleep 60",
		      false);
	assert_true(end.interrupted);
	assert_true(end.seconds < 50);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_pmpath),
		scratch_test(test_program_search),
		scratch_test(test_program_script),
		scratch_test(test_program_linker),
		scratch_test(test_recording_replaces_only_recordings),
		scratch_test(test_recording_last_words),
		cmocka_unit_test(test_process_ends),
		cmocka_unit_test(test_process_missing),
		cmocka_unit_test(test_process_signals_as_found),
		scratch_test(test_process_waits_for_orphans),
		scratch_test(test_process_interrupted),
		scratch_test(test_process_stubborn),
	};

	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
