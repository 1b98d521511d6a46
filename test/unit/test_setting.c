/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recovery in a setting, without a process: its command lines, the file {out}, outputs that are summarized.  Runs are
 * tested in e2e/recovery_settings.test and e2e/lazy_outputs.test. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/command.h"
#include "run/outfile.h"
#include "run/recovery_output.h"
#include "scratch.h"

/* ---- commands ---- */

static char *ops_make(const char *dir)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/the ops", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && write(fd, "get a\n", 6) == 6);
	close(fd);
	return path;
}

static const struct command_files files = {"/w 0/ops", "/w 0/output"};

static void test_commands(void **state)
{
	static const struct {
		struct command_template template;
		const char *argument, *client; /* of the shell */
		bool reads, writes_file;
	} cases[] = {
		{{"./kv run pool", NULL}, "exec ./kv run pool", "", true, false},
		{{"./kv {ops} {first}", NULL}, "exec ./kv '/w 0/ops' 18", "", false, false},
		{{"./kv >{out}; ./kv", NULL}, "./kv >'/w 0/output'; ./kv", "", true, true},
		{{"./kv {ops}", "cli"}, "exec ./kv '/w 0/ops'", "cli", true, false},
		{{"./kv", "cli {ops} {out}"}, "exec ./kv", "cli '/w 0/ops' '/w 0/output'", false, true},
	};
	const struct recovery_setting setting = {.id = 3, .ops = "/o/ops-1", .first = 18};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct command command;

		command_make(&command, &cases[i].template, &setting, &files);
		assert_string_equal(command.argv.items[2], cases[i].argument);
		assert_string_equal(command.client ? command.client : "", cases[i].client);
		assert_int_equal(command.reads, cases[i].reads);
		assert_int_equal(command.writes_file, cases[i].writes_file);
		command_free(&command);
	}
}

/* Without operations, the words are the user's own. */
static void test_command_unchanged(void **state)
{
	const struct command_template template = {"cat {ops} >{out}", "cli {first}"};
	struct command command;

	(void)state;
	command_make(&command, &template, NULL, &files);
	assert_string_equal(command.text, "cat {ops} >{out}");
	assert_string_equal(command.client, "cli {first}");
	assert_false(command.reads || command.writes_file || command.hides);
	command_free(&command);
}

static bool is_same(const char *text, const struct recovery_setting *one, const struct recovery_setting *other)
{
	const struct command_template template = {text, "cli"};
	struct command a, b;

	command_make(&a, &template, one, &files);
	command_make(&b, &template, other, &files);
	bool same = command_same(&a, &b);
	command_free(&a);
	command_free(&b);
	return same;
}

/* Other operations do not change the command lines; other numbers may. */
static void test_command_same(void **state)
{
	const struct recovery_setting one = {1, "/o/ops-1", 5}, two = {2, "/o/ops-2", 6};

	(void)state;
	assert_true(is_same("./kv {ops} {out}", &one, &two));
	assert_false(is_same("./kv {ops} {first}", &one, &two));
	assert_false(is_same("./kv", &one, NULL));
	assert_true(is_same("./kv", NULL, NULL));
}

static void test_link(void **state)
{
	const char *ops = ops_make(*state);
	const struct recovery_setting setting = {1, ops, 0}, null = {2, "/dev/null", 0}, lost = {3, "/nowhere/ops", 0};
	char link[512], target[512] = {0};
	struct err err;

	snprintf(link, sizeof(link), "%s/link", (const char *)*state);
	assert_int_equal(command_link(&null, link, &err), 0);
	assert_int_equal(command_link(&setting, link, &err), 0);
	assert_true(readlink(link, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, ops);
	assert_int_equal(command_link(&lost, link, &err), -1);
	assert_string_equal(err.sentence, "cannot read the operations in /nowhere/ops: No such file or directory");
}

/* ---- {out} ---- */

static void file_write(const struct outfile *file, const char *name, const char *text)
{
	FILE *f = fopen(name ? name : file->path, name ? "w" : "a");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void expect_file(const struct outfile *file, const char *text)
{
	struct output_rules *rules = output_rules_new(1000);
	struct output *got = output_new(rules), *want = output_new(rules);

	outfile_read(file, got);
	output_feed(want, text, strlen(text));
	output_end(got);
	output_end(want);
	assert_int_equal(output_digest(got).low, output_digest(want).low);
	assert_int_equal(outfile_size(file), strlen(text));
	output_free(got);
	output_free(want);
	output_rules_free(rules);
}

static uint64_t inode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void test_outfile(void **state)
{
	struct outfile file = OUTFILE_CLOSED;
	char other[PATH_MAX];
	struct err err;

	snprintf(other, sizeof(other), "%s/other", (const char *)*state);
	assert_int_equal(outfile_place(&file, *state, &err), 0);
	assert_int_equal(outfile_open(&file, &err), 0);
	assert_int_equal(outfile_reset(&file, false, &err), 0);
	uint64_t first = inode(file.path);
	expect_file(&file, "");

	/* A server wrote something; then children append, overwrite, replace, remove. */
	file_write(&file, NULL, "from the server\n");
	assert_int_equal(outfile_keep(&file, &err), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(outfile_reset(&file, true, &err), 0);
		assert_int_equal(inode(file.path), first);
		expect_file(&file, "from the server\n");
		switch (i) {
		case 0: file_write(&file, NULL, "more\n"); break;
		case 1: file_write(&file, file.path, "x\n"); break;
		case 2:
			file_write(&file, other, "another\n");
			assert_int_equal(rename(other, file.path), 0);
			expect_file(&file, "another\n");
			break;
		default: assert_int_equal(unlink(file.path), 0); expect_file(&file, "");
		}
	}
	/* A run of its own starts with nothing, and leaves what is kept. */
	assert_int_equal(outfile_reset(&file, false, &err), 0);
	expect_file(&file, "");
	assert_int_equal(outfile_reset(&file, true, &err), 0);
	expect_file(&file, "from the server\n");
	snprintf(other, sizeof(other), "%s", file.path);
	outfile_close(&file);
	assert_int_equal(access(other, F_OK), -1);
}

/* Recovery may put anything there. */
static void test_outfile_strange(void **state)
{
	struct outfile file = OUTFILE_CLOSED;
	struct err err;

	assert_int_equal(outfile_place(&file, *state, &err), 0);
	assert_int_equal(outfile_open(&file, &err), 0);
	assert_int_equal(mkfifo(file.path, 0600), 0);
	expect_file(&file, "");
	assert_int_equal(outfile_reset(&file, false, &err), 0);
	assert_int_equal(unlink(file.path), 0);
	assert_int_equal(mkdir(file.path, 0700), 0);
	assert_int_equal(outfile_reset(&file, false, &err), 0);
	expect_file(&file, "");
	/* Not more than that can be kept. */
	assert_int_equal(truncate(file.path, 17 << 20), 0);
	assert_int_equal(outfile_keep(&file, &err), -1);
	assert_string_equal(err.sentence, "recovery writes much to {out} before it opens a PM file");
	outfile_close(&file);
}

/* ---- summaries ---- */

static struct output_digest digest_of(struct output *output)
{
	struct output_digest digest = output_digest(output);

	output_free(output);
	return digest;
}

/* What the server printed comes first in the output of each child. */
static void test_summary(void **state)
{
	struct output_rules *rules = output_rules_new(20);
	struct recovery_output out = {0}, before = {0};
	struct output_digest digests[3];

	(void)state;
	assert_int_equal(recovery_output_open(&out), 0);
	recovery_output_clear(&out, output_new(rules));
	assert_int_equal(write(out.write, "hello\n", 6), 6);
	recovery_output_pump(&out, true);
	recovery_output_copy(&before, &out);
	for (int i = 0; i < 3; i++) {
		recovery_output_copy(&out, &before);
		assert_int_equal(write(out.write, i == 1 ? "two\n" : "one\n", 4), 4);
		recovery_output_pump(&out, true);
		assert_false(out.endless);
		struct output *output = recovery_output_take(&out);
		assert_int_equal(output_body(output, NULL).count, 2);
		digests[i] = digest_of(output);
	}
	assert_int_equal(digests[0].low, digests[2].low);
	assert_int_not_equal(digests[0].low, digests[1].low);
	recovery_output_copy(&out, &before);
	assert_int_equal(write(out.write, "and again and again", 19), 19);
	recovery_output_pump(&out, true);
	assert_true(out.endless);
	/* Nobody wants it now. */
	recovery_output_clear(&out, NULL);
	assert_false(out.endless);
	assert_null(recovery_output_take(&out));
	recovery_output_clear(&before, NULL);
	recovery_output_close(&out);
	output_rules_free(rules);
}

static void test_outcome_output(void **state)
{
	struct output_rules *rules = output_rules_new(100);
	struct outcome a = {.output = output_new(rules)}, b;

	(void)state;
	output_feed(a.output, "one\ntwo", 7);
	output_end(a.output);
	struct output_digest digest = output_digest(a.output);
	outcome_copy(&b, &a);
	assert_ptr_not_equal(a.output, b.output);
	outcome_free(&a);
	assert_null(a.output);
	assert_int_equal(output_digest(b.output).low, digest.low);
	outcome_free(&b);
	output_rules_free(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),     cmocka_unit_test(test_command_unchanged),
		cmocka_unit_test(test_command_same), scratch_test(test_link),
		scratch_test(test_outfile),          scratch_test(test_outfile_strange),
		cmocka_unit_test(test_summary),      cmocka_unit_test(test_outcome_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
