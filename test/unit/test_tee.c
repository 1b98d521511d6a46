/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command prints is shown and kept, all of it, in its order; a process that it leaves behind does not stop us. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/process.h"
#include "run/tee.h"

static char dir[] = "/tmp/blackout-test-tee-XXXXXX";

static char *content(const char *name, size_t *size)
{
	FILE *file = fopen(name, "r");
	char *text = malloc(1 << 20);

	assert_non_null(file);
	assert_non_null(text);
	*size = fread(text, 1, 1 << 20, file);
	fclose(file);
	return text;
}

static void expect_both(const char *command, const char *end, size_t expected)
{
	char *argv[] = {"/bin/sh", "-c", (char *)command, NULL};
	int show = open("shown", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct process_end ended;
	struct err err;
	struct tee *tee;
	size_t kept_size, shown_size;

	assert_int_equal(tee_start(&tee, "kept", show, &err), 0);
	struct process process = {.argv = argv, .input = "/dev/null", .output = tee_input(tee)};
	assert_int_equal(process_run(&process, &ended, &err), 0);
	assert_int_equal(tee_stop(tee, &err), 0);
	close(show);
	char *kept = content("kept", &kept_size), *shown = content("shown", &shown_size);
	assert_int_equal(kept_size, expected);
	assert_int_equal(shown_size, expected);
	assert_memory_equal(kept, shown, expected);
	assert_memory_equal(kept + expected - strlen(end), end, strlen(end));
	free(kept);
	free(shown);
}

static void test_all(void **state)
{
	(void)state;
	expect_both("true", "", 0);
	expect_both("echo one; echo two", "one\ntwo\n", 8);
	expect_both("head -c 700000 /dev/zero; printf end", "end", 700003);
	expect_both("exec /bin/echo straight", "straight\n", 9);
}

/* It holds the pipe open long after the command has ended. */
static void test_left_behind(void **state)
{
	(void)state;
	expect_both("sleep 100 & echo $! >pid; echo done", "done\n", 5);
	FILE *file = fopen("pid", "r");
	int pid;
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	assert_int_equal(kill(pid, SIGKILL), 0);
}

static void test_no_file(void **state)
{
	struct err err;
	struct tee *tee;

	(void)state;
	assert_int_equal(tee_start(&tee, "no/such/file", STDERR_FILENO, &err), -1);
	assert_string_equal(err.sentence, "cannot write no/such/file: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_no_file),
	};

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	int failed = cmocka_run_group_tests_name("tee", tests, NULL, NULL);
	unlink("kept");
	unlink("shown");
	unlink("pid");
	return chdir("/") < 0 || rmdir(dir) < 0 ? 1 : failed;
}
