/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's files are swapped for crash states.  The swapping process is killed before each of its system calls in
 * turn; afterwards the files are restored, found through the journal or through the notes beside them.  Tested on three
 * kinds of file system: one that can exchange two names, one that has hard links but cannot exchange, and one that has
 * neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image/tree.h"
#include "run/inplace.h"
#include "run/mend.h"
#include "run/swap.h"
#include "scratch.h"

static char told[4096]; /* messages, one per line */

static void tell(const char *sentence)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%s\n", sentence);
}

static void text_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *text_read(const char *path)
{
	static char text[256];
	FILE *file = fopen(path, "r");

	*text = 0;
	if (file && !fgets(text, sizeof(text), file))
		*text = 0;
	if (file)
		fclose(file);
	return text;
}

/* The names in a directory, sorted, with a blank after each. */
static const char *names(const char *path)
{
	static char text[1024];
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	*text = 0;
	for (int i = 0; i < count; i++) {
		if (*entries[i]->d_name != '.') {
			strncat(text, entries[i]->d_name, sizeof(text) - strlen(text) - 2);
			strcat(text, " ");
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return text;
}

/* The user's directory, `pools`, and a stage. */
struct setting {
	bool own, state; /* is there a file of the user, and one in the crash state? */
	bool exchange, links;
	bool journal; /* is the journal still there afterwards, or only the notes? */
};

static void setting_make(const char *dir, const struct setting *s)
{
	assert_int_equal(chdir(dir), 0);
	setenv("XDG_STATE_HOME", dir, 1);
	assert_int_equal(mkdir("pools", 0700) | mkdir("stage", 0700) | mkdir("stage/0", 0700), 0);
	text_write("pools/notes", "of the user");
	if (s->own)
		text_write("pools/pool", "the user");
	if (s->state)
		text_write("stage/0/pool", "crashed");
}

static void setting_clear(void)
{
	static const char *const made[] = {"pools", "stage", "stage.scene", "blackout"};

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		tree_remove(made[i]);
}

/* Like a worker.  The steps before are not part of the test. */
static int swap_and_return(const char *dir)
{
	struct origin *origin = origin_new();
	struct scene scene = {0};
	char pool[512], stage[512];
	struct err err;
	int result;

	snprintf(pool, sizeof(pool), "%s/pools/pool", dir);
	snprintf(stage, sizeof(stage), "%s/stage", dir);
	origin_add_path(origin, pool);
	result = scene_open(&scene, origin, stage, &err);
	if (result == 0)
		result = scene_refresh(&scene, false, &err);
	raise(SIGSTOP);
	if (result == 0)
		result = inplace_put(&scene, &err);
	inplace_restore(&scene);
	scene_close(&scene);
	origin_free(origin);
	return result;
}

/* Calls that this kind of file system does not support. */
static int refused(const struct setting *s, pid_t pid, const struct user_regs_struct *regs)
{
	char name[512] = "";
	struct iovec to = {name, sizeof(name) - 1}, from = {(void *)(uintptr_t)regs->rsi, sizeof(name) - 1};

	if (regs->orig_rax == SYS_renameat2 && regs->r8 & RENAME_EXCHANGE)
		return s->exchange ? 0 : EINVAL;
	if (regs->orig_rax != SYS_link || s->links)
		return 0;
	assert_true(process_vm_readv(pid, &to, 1, &from, 1, 0) > 0);
	return strstr(name, ".blackout-") ? EPERM : 0; /* a stage has links too */
}

static bool call_next(pid_t pid, struct user_regs_struct *regs)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SYSCALL, pid, 0, 0), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status)) {
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		return false;
	}
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, 0, regs), 0);
	return true;
}

/* False: it ended before the call with this number. */
static bool swapper_kill(const char *dir, const struct setting *s, unsigned calls)
{
	struct user_regs_struct regs;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		_exit(swap_and_return(dir) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (unsigned i = 0; i <= calls; i++) {
		if (!call_next(pid, &regs))
			return false;
		if (i == calls)
			break;
		int why = refused(s, pid, &regs);
		if (why) {
			regs.orig_rax = (unsigned long long)-1;
			ptrace(PTRACE_SETREGS, pid, 0, &regs);
		}
		if (!call_next(pid, &regs))
			return false;
		if (why) {
			regs.rax = (unsigned long long)-why;
			ptrace(PTRACE_SETREGS, pid, 0, &regs);
		}
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return true;
}

static void expect_as_before(const struct setting *s, unsigned calls)
{
	const char *expected = s->own ? "notes pool " : "notes ";

	if (strcmp(names("pools"), expected) != 0)
		fail_msg("killed before call %u: there is now %s", calls, names("pools"));
	assert_string_equal(text_read("pools/notes"), "of the user");
	if (s->own)
		assert_string_equal(text_read("pools/pool"), "the user");
}

static void kill_everywhere(const char *dir, const struct setting *s)
{
	unsigned calls = 0, swapped = 0;
	bool more = true;
	struct stat st;

	for (; more; calls++) {
		setting_make(dir, s);
		more = swapper_kill(dir, s, calls);
		/* At any time, either the user's file or the state's file is there, if the file system allows that. */
		if (s->own && s->state && (s->exchange || s->links))
			assert_int_equal(lstat("pools/pool", &st), 0);
		*told = 0;
		if (!s->journal)
			tree_remove("blackout");
		mend_journals();
		if (!s->journal)
			mend_path("pools/pool");
		swapped += strstr(told, "restored ") != NULL;
		expect_as_before(s, calls);
		assert_int_equal(access("blackout", F_OK), -1);
		setting_clear();
	}
	assert_true(calls > 20);
	assert_true(swapped > 4 || !s->state);
}

static void test_killed(void **state)
{
	static const struct setting settings[] = {
		{.own = true, .state = true, .exchange = true, .journal = true},
		{.own = true, .state = true, .exchange = true},
		{.own = true, .state = true, .links = true},
		{.own = true, .state = true},
		{.own = true, .journal = true},
		{.state = true, .journal = true},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		kill_everywhere(*state, &settings[i]);
}

/* In a process that dies while the file is swapped. */
static void swap_and_die(void)
{
	struct owner owner;
	int report[2];
	struct err err;

	assert_int_equal(pipe(report), 0);
	pid_t pid = fork();
	if (pid == 0) {
		int dir = open("stage/0", O_PATH | O_DIRECTORY);
		owner = owner_self();
		_exit(write(report[1], &owner, sizeof(owner)) < 0 || swap_out("pools/pool", dir, "pool", &err) < 0);
	}
	assert_int_equal(read(report[0], &owner, sizeof(owner)), sizeof(owner));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(report[0]);
	close(report[1]);
	assert_false(owner_is_alive(&owner));
}

/* The crash state can no longer be reached, because anything a program wrote there would be lost. */
static void test_dangles(void **state)
{
	setting_make(*state, &(struct setting){.own = true, .state = true});
	swap_and_die();
	assert_int_equal(open("pools/pool", O_RDWR | O_CREAT, 0600), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(text_read("stage/0/pool"), "crashed");
	mend_dir("pools");
	assert_string_equal(text_read("pools/pool"), "the user");
}

/* A file, or link, that another program put in its place meanwhile is kept. */
static void test_kept(void **state)
{
	setting_make(*state, &(struct setting){.own = true, .state = true});
	swap_and_die();
	text_write("pools/new", "work");
	assert_int_equal(rename("pools/new", "pools/pool"), 0);
	*told = 0;
	mend_dir("pools");
	assert_non_null(strstr(told, "the file that was found in its place was kept as pools/pool.blackout-kept-1\n"));
	assert_string_equal(text_read("pools/pool"), "the user");
	assert_string_equal(text_read("pools/pool.blackout-kept-1"), "work");

	swap_and_die();
	assert_int_equal(unlink("pools/pool") | symlink("notes", "pools/pool"), 0);
	mend_dir("pools");
	assert_string_equal(text_read("pools/pool"), "the user");
	assert_string_equal(text_read("pools/pool.blackout-kept-2"), "of the user");
	assert_string_equal(names("pools"), "notes pool pool.blackout-kept-1 pool.blackout-kept-2 ");
}

/* A process with the same id but another start time is a different one.  A locked directory is left alone. */
static void test_owners(void **state)
{
	struct owner self = owner_self(), other = {self.pid, self.start + 1};
	char note[128];
	struct err err;

	setting_make(*state, &(struct setting){.own = true});
	assert_true(owner_is_alive(&self));
	assert_false(owner_is_alive(&other));
	assert_true(owner_was_there(getpid(), time(NULL)));
	assert_false(owner_was_there(getpid(), time(NULL) - 3600));

	snprintf(note, sizeof(note), "pools/pool.blackout-aside-%d.%llu", self.pid, self.start);
	assert_int_equal(rename("pools/pool", note), 0);
	mend_dir("pools");
	assert_int_equal(access(note, F_OK), 0);

	assert_int_equal(rename(note, "pools/pool"), 0);
	snprintf(note, sizeof(note), "pools/pool.blackout-aside-%d.%llu", other.pid, other.start);
	assert_int_equal(rename("pools/pool", note), 0);
	int lock = open("pools", O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	mend_dir("pools");
	assert_int_equal(access(note, F_OK), 0);
	close(lock);
	mend_dir("pools");
	assert_int_equal(access(note, F_OK), -1);
	assert_string_equal(text_read("pools/pool"), "the user");
	assert_int_equal(mend_check("pools/pool", &err), 0);
}

/* Names that only look like ours. */
static void test_names(void **state)
{
	static const char *const strange[] = {
		"pool.blackout-aside-",   "pool.blackout-aside-x",    "pool.blackout-aside-12x",
		".blackout-aside-12.3",   "pool.blackout-aside-0",    "pool.blackout-kept-1",
		"pool.blackout-aside--5", "pool.blackout-absent-1.x", "pool"};
	struct owner owner;
	size_t length;

	(void)state;
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		assert_false(swap_note_parse(strange[i], &owner, &length));
	assert_true(swap_note_parse("pool.blackout-aside-12.345", &owner, &length));
	assert_int_equal(length, 4);
	assert_int_equal(owner.pid, 12);
	assert_int_equal(owner.start, 345);
	assert_true(swap_note_parse("p.blackout-absent-7", &owner, &length));
	assert_int_equal(owner.start, 0);

	assert_true(mend_is_state("/dev/shm/blackout-123-aB3xYz/w0.scene/0/pool"));
	assert_true(mend_is_state("/home/u/out/blackout-1-aaaaaa/w12.scene/3/a/pool"));
	assert_false(mend_is_state("/dev/shm/blackout-123-aB3xYz/w0/0/pool"));
	assert_false(mend_is_state("/home/u/blackout-tests/w0.scene/pool"));
	assert_false(mend_is_state("/home/u/pool"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_killed), scratch_test(test_dangles),   scratch_test(test_kept),
		scratch_test(test_owners), cmocka_unit_test(test_names),
	};

	mend_tell(tell);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
