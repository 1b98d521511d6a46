/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders of crash findings: creating, naming, reading, and rejecting them. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_sample.h"
#include "replay/folder.h"
#include "scratch.h"

static const char *const ignored[] = {"^time", "\xff$"};

static const struct folder_facts facts = {
	.recover = "./kv check \xff pool", /* valid for a shell, but not in JSON */
	.client = "./client",
	.ready = "7777",
	.cwd = "/somewhere",
	.timeout = 2.5,
	.memory = 1 << 30,
	.pmem_force = true,
	.ignore = ignored,
	.ignore_count = 2,
};

static void folder_make(const char *dir, const char *name)
{
	char path[PATH_MAX], image[PATH_MAX + 16];
	struct err err;

	assert_int_equal(folder_new(path, dir, name, &err), 0);
	snprintf(image, sizeof(image), "%s/" FOLDER_STATE, path);
	int fd = open(image, O_CREAT | O_WRONLY, 0666);
	assert_true(fd >= 0);
	close(fd);
}

static void test_folders(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = crash_sample_sighting(NULL, &lost);
	char path[PATH_MAX];
	struct folder *f;
	struct err err;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	folder_make(*state, "0001");
	folder_make(*state, "0002");
	assert_int_equal(folders_finish(s.findings, *state, &facts, &err), 0);
	assert_string_equal(s.findings->at[0].crash->folder, "F1");
	snprintf(path, sizeof(path), "%s/crash/.0002", (const char *)*state);
	assert_int_equal(access(path, F_OK), -1); /* it belongs to no finding */
	snprintf(path, sizeof(path), "%s/crash/F1", (const char *)*state);
	if (folder_read(&f, path, &err) < 0)
		fail_msg("%s", err.sentence);
	assert_int_equal(access(f->state, F_OK), 0);
	assert_string_equal(f->id, "F1");
	assert_string_equal(f->kind, "recovery-crash");
	assert_string_equal(f->fingerprint, s.findings->at[0].fingerprint);
	assert_string_equal(f->location, "kv+0x20");
	assert_string_equal(f->facts.recover, facts.recover);
	assert_string_equal(f->facts.client, "./client");
	assert_string_equal(f->facts.ready, "7777");
	assert_string_equal(f->facts.cwd, "/somewhere");
	assert_true(f->facts.timeout == 2.5 && f->facts.memory == 1 << 30 && f->facts.pmem_force);
	assert_int_equal(f->ending.kind, ENDING_SIGNAL);
	assert_int_equal(f->ending.value, 11);
	folder_free(f);
	assert_int_equal(folders_clear(*state, &err), 0);
	assert_int_equal(access(path, F_OK), -1);
	crash_sample_free(&s);
}

/* The folder of a mismatch has the operations, and what was expected. */
static void test_folder_operations(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	struct crash_sighting sighting = crash_sample_mismatch(NULL, &lost);
	char path[PATH_MAX], operations[PATH_MAX], bytes[16];
	struct folder *f;
	struct err err;

	snprintf(operations, sizeof(operations), "%s/ops-1", (const char *)*state);
	FILE *file = fopen(operations, "w");
	assert_non_null(file);
	assert_int_equal(fwrite("get k\0\xff\nget", 1, 11, file), 11);
	fclose(file);
	sighting.operation.performs = true;
	sighting.operation.first = 18;
	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	folder_make(*state, "0001");
	snprintf(path, sizeof(path), "%s/crash/.0001", (const char *)*state);
	assert_int_equal(folder_keep_operations(path, "/nowhere", &err), -1);
	assert_string_equal(err.sentence, "cannot read /nowhere: No such file or directory");
	assert_int_equal(folder_keep_operations(path, operations, &err), 0);
	assert_int_equal(folders_finish(s.findings, *state, &facts, &err), 0);
	snprintf(path, sizeof(path), "%s/crash/F1", (const char *)*state);
	if (folder_read(&f, path, &err) < 0)
		fail_msg("%s", err.sentence);
	assert_true(f->operations[0] == '/' && f->operation.known && f->operation.inside && f->operation.performs);
	assert_int_equal(f->operation.index, 17);
	assert_int_equal(f->operation.first, 18);
	assert_string_equal(f->operation.text, "insert k7 v3");
	assert_int_equal(f->mismatch.expected_count, 2);
	assert_string_equal(f->mismatch.expected[0].line, "v3");
	assert_string_equal(f->mismatch.expected[0].history, "if the operation happened");
	assert_string_equal(f->mismatch.expected[1].line, OUTPUT_ENDS);
	assert_string_equal(f->mismatch.got, "v1");
	assert_int_equal(f->mismatch.line, 2);
	assert_string_equal(f->mismatch.query, "get k7");
	assert_int_equal(f->facts.ignore_count, 2);
	assert_string_equal(f->facts.ignore[1], "\xff$");
	assert_int_equal(f->ending.kind, ENDING_OUTPUT);
	file = fopen(f->operations, "r");
	assert_non_null(file);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), file), 11);
	assert_memory_equal(bytes, "get k\0\xff\nget", 11);
	fclose(file);
	assert_int_equal(unlink(f->operations), 0);
	folder_free(f);
	assert_int_equal(folder_read(&f, path, &err), -1);
	assert_null(f);
	assert_non_null(strstr(err.sentence, "/crash/F1/operations: No such file or directory"));
	crash_sample_free(&s);
}

/* A finding whose folder cannot be completed has none, but is still a finding. */
static void test_folders_lost(void **state)
{
	struct crash_sample s = crash_sample_make(*state);
	const struct crash_store lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
	const struct crash_sighting sighting = crash_sample_sighting(NULL, &lost);
	struct err err;

	crash_add(s.crash, &sighting);
	crash_end(s.crash);
	folder_make(*state, "0002"); /* of another finding */
	assert_int_equal(folders_finish(s.findings, *state, &facts, &err), -1);
	assert_non_null(strstr(err.sentence, "/crash/.0001/replay.json: No such file or directory"));
	assert_int_equal(s.findings->count, 1);
	assert_null(s.findings->at[0].crash->folder);
	crash_sample_free(&s);
}

static void folder_refuse(const char *text, const char *sentence)
{
	struct folder *f = NULL;
	struct err err;

	assert_int_equal(folder_parse(&f, "x", text, strlen(text), &err), -1);
	assert_string_equal(err.sentence, sentence);
	assert_null(f);
}

#define HEAD "{\"schema\":\"blackout/replay/1\",\"version\":\"1\""
#define ABOUT \
	HEAD ",\"finding\":{\"id\":\"F1\",\"kind\":\"k\",\"message\":\"m\",\"location\":\"l\",\"fingerprint\":\"f\"}"
#define HOW ABOUT ",\"recovery\":{\"command\":\"c\",\"cwd\":\"/\",\"timeout\":1}"

static void test_folders_refused(void **state)
{
	struct folder *f;
	struct err err;

	folder_refuse("", "x is not JSON: line 1, column 0: '[' or '{' expected near end of file");
	folder_refuse("[]", "x is not a replay.json: it has no schema");
	folder_refuse(
		"{\"schema\":\"blackout/replay/2\"}",
		"x has the schema 'blackout/replay/2', but this version of Blackout reads only 'blackout/replay/1'");
	folder_refuse(HEAD "}", "x is not a replay.json of this version: finding is not an object");
	folder_refuse(ABOUT "}", "x is not a replay.json of this version: recovery is not an object");
	folder_refuse(ABOUT ",\"recovery\":{\"command\":\"c\",\"cwd\":\"/\",\"timeout\":0}}",
		      "x is not a replay.json of this version: timeout is not a time");
	folder_refuse(ABOUT ",\"recovery\":{\"command_hex\":\"6g\",\"cwd\":\"/\",\"timeout\":1}}",
		      "x is not a replay.json of this version: command_hex is not in hexadecimal");
	folder_refuse(ABOUT ",\"recovery\":{\"command_hex\":\"6100\",\"cwd\":\"/\",\"timeout\":1}}",
		      "x is not a replay.json of this version: command_hex is not in hexadecimal");
	folder_refuse(HOW "}", "x is not a replay.json of this version: expect is not an object");
	folder_refuse(HOW ",\"expect\":{\"outcome\":\"joy\",\"value\":0}}",
		      "x is not a replay.json of this version: outcome is not known to this version");
	folder_refuse(HOW ",\"expect\":{\"outcome\":\"exit\",\"value\":-1}}",
		      "x is not a replay.json of this version: value is not a number or is out of range");
	folder_refuse(HOW ",\"expect\":{\"outcome\":\"exit\",\"value\":2147483648}}",
		      "x is not a replay.json of this version: value is not a number or is out of range");
	folder_refuse(HOW ",\"operation\":{\"index\":-2}}",
		      "x is not a replay.json of this version: index is not a number or is out of range");
	folder_refuse(HOW ",\"operation\":{\"index\":0,\"state\":\"inside\",\"first\":-1}}",
		      "x is not a replay.json of this version: first is not a number or is out of range");
	folder_refuse(HOW ",\"operation\":{\"index\":0,\"state\":\"asleep\"}}",
		      "x is not a replay.json of this version: state is not known to this version");
	folder_refuse(HOW ",\"expect\":{\"outcome\":\"output\",\"value\":0,\"output\":{\"expected\":[]}}}",
		      "x is not a replay.json of this version: expected is not an array of lines");
	folder_refuse(HOW
		      ",\"expect\":{\"outcome\":\"output\",\"value\":0,\"output\":{\"expected\":[{\"line\":\"a\"}]}}}",
		      "x is not a replay.json of this version: got is missing");
	folder_refuse(ABOUT ",\"recovery\":{\"command\":\"c\",\"cwd\":\"/\",\"timeout\":1,\"ignore_output\":[7]}}",
		      "x is not a replay.json of this version: regex is missing");
	assert_int_equal(folder_read(&f, *state, &err), -1);
	assert_non_null(strstr(err.sentence, "replay.json: No such file or directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_folders),
		scratch_test(test_folder_operations),
		scratch_test(test_folders_lost),
		scratch_test(test_folders_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
