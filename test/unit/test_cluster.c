/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cluster.c - shards that fail are repeated, and no others; nodes that see nothing are avoided.  The engine is one
 * that does as it is told, on a script that is written for each test. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "cluster/tally.h"
#include "run/part.h"
#include "scratch.h"

enum { SHARDS = 3, ATTEMPTS_MAX = 8 };

/* What happens to each attempt of each shard, and on which node; the last is repeated. */
struct plan {
	int status; /* as of waitpid */
	const char *node;
	bool lost, cancelled;
	bool writes; /* there is a part; if the status is 0, it is complete */
};

#define EXITS(n, where)                             \
	{                                           \
		.status = (n) << 8, .node = (where) \
	}
#define DIES(n, where)                         \
	{                                      \
		.status = (n), .node = (where) \
	}
#define DONE                                             \
	{                                                \
		.status = 0, .node = "a", .writes = true \
	}

static struct fake {
	const char *dir;
	const struct plan (*plans)[ATTEMPTS_MAX];
	unsigned attempts[SHARDS + 1];
	unsigned polls, cancels, notes;
	char avoided[128];
	bool refuses_again; /* sbatch does not take a second job */
	bool never_ends;
	unsigned stop_after; /* polls; 0: never */
} fake;

static int fake_open(struct engine **engine, const struct engine_options *options, struct err *err)
{
	assert_non_null(options->script);
	(void)engine, (void)err;
	return 0;
}

static unsigned fake_capacity(struct engine *engine)
{
	(void)engine;
	return SHARDS;
}

static int fake_submit(struct engine *engine, struct cluster_task *const *tasks, size_t count,
		       const struct words *avoid, struct err *err)
{
	(void)engine;
	*fake.avoided = 0;
	for (size_t i = 0; i < avoid->count; i++)
		snprintf(fake.avoided + strlen(fake.avoided), sizeof(fake.avoided) - strlen(fake.avoided), "%s ",
			 avoid->items[i]);
	if (fake.refuses_again && fake.polls)
		return err_set(err, "there are no nodes");
	for (size_t i = 0; i < count; i++) {
		fake.attempts[tasks[i]->shard]++;
		tasks[i]->state = TASK_RUNNING;
		tasks[i]->job = 1;
	}
	return 0;
}

static const struct plan *plan_of(unsigned shard)
{
	unsigned attempt = fake.attempts[shard] - 1;
	const struct plan *plans = fake.plans[shard - 1];

	while (attempt && !plans[attempt].node)
		attempt--;
	return &plans[attempt];
}

static void part_leave(unsigned shard, bool complete)
{
	const struct part part = {.index = shard, .total = SHARDS, .complete = complete, .recording = "/"};
	struct err err;
	char *path;

	assert_true(asprintf(&path, "%s/shards/%u", fake.dir, shard) > 0);
	assert_int_equal(part_write(&part, path, &err), 0);
	free(path);
}

static int fake_poll(struct engine *engine, struct cluster_task *const *tasks, size_t count, struct err *err)
{
	(void)engine, (void)err;
	fake.polls++;
	for (size_t i = 0; i < count && (!fake.never_ends || fake.cancels); i++) {
		const struct plan *plan = plan_of(tasks[i]->shard);

		if (plan->writes)
			part_leave(tasks[i]->shard, !plan->status);
		tasks[i]->state = TASK_ENDED;
		tasks[i]->status = plan->status;
		tasks[i]->lost = plan->lost;
		tasks[i]->cancelled = plan->cancelled;
		snprintf(tasks[i]->node, sizeof(tasks[i]->node), "%s", plan->node);
	}
	return 0;
}

static void fake_cancel(struct engine *engine)
{
	(void)engine;
	fake.cancels++;
}

static void fake_close(struct engine *engine)
{
	(void)engine;
}

static const struct engine_ops fake_ops = {
	.name = "fake",
	.poll_ms = 1,
	.open = fake_open,
	.capacity = fake_capacity,
	.submit = fake_submit,
	.poll = fake_poll,
	.cancel = fake_cancel,
	.close = fake_close,
};

static void note(void *arg, const char *sentence)
{
	(void)arg, (void)sentence;
	fake.notes++;
}

static bool stopped(void *arg)
{
	(void)arg;
	return fake.stop_after && fake.polls >= fake.stop_after;
}

/* All that the options point to lives until the next call. */
static struct cluster_options options_make(bool resume, unsigned shards)
{
	static struct words command;
	static char dir[4096];

	words_free(&command);
	words_add(&command, "/usr/bin/blackout");
	snprintf(dir, sizeof(dir), "%s/shards", fake.dir);
	return (struct cluster_options){
		.engine = &fake_ops,
		.shards = shards,
		.dir = dir,
		.command = &command,
		.note = note,
		.stop = {.asked = stopped},
		.resume = resume,
	};
}

/* Run all shards, as planned. */
static struct cluster *run(const char *dir, const struct plan plans[SHARDS][ATTEMPTS_MAX], int *result, struct err *err)
{
	struct cluster *cluster;

	fake.dir = dir;
	fake.plans = plans;
	memset(fake.attempts, 0, sizeof(fake.attempts));
	fake.polls = fake.cancels = fake.notes = 0;
	const struct cluster_options options = options_make(false, 0);
	assert_int_equal(cluster_open(&cluster, &options, err), 0);
	assert_int_equal(cluster_total(cluster), SHARDS);
	*result = cluster_run(cluster, err);
	return cluster;
}

static void expect_shard(const struct cluster *cluster, unsigned number, enum shard_state state, unsigned attempts,
			 const char *problem)
{
	const struct cluster_shard *shard = cluster_shard(cluster, number);

	assert_int_equal(shard->state, state);
	assert_int_equal(fake.attempts[number], attempts);
	if (problem)
		assert_string_equal(shard->problem, problem);
	else
		assert_null(shard->problem);
}

/* One is killed once, one fails always, one passes. */
static void test_repeats(void **state)
{
	const struct plan plans[SHARDS][ATTEMPTS_MAX] = {{DONE},
							 {DIES(9, "b"), DONE},
							 {EXITS(3, "c"), EXITS(3, "d"), EXITS(3, "e"), DONE}};
	struct err err;
	int r;
	struct cluster *c = run(*state, plans, &r, &err);

	assert_int_equal(r, 0);
	expect_shard(c, 1, SHARD_DONE, 1, NULL);
	expect_shard(c, 2, SHARD_DONE, 2, "it was killed by SIGKILL on node b");
	expect_shard(c, 3, SHARD_FAILED, CLUSTER_ATTEMPTS, "exit status 3 on node e");
	assert_true(cluster_shard(c, 1)->has_results && !cluster_shard(c, 3)->has_results);
	assert_int_equal(fake.notes, 3);
	cluster_close(c);
}

/* What is there of an earlier run is kept or removed, and goes with its number of shards. */
static void test_resume(void **state)
{
	const struct plan plans[SHARDS][ATTEMPTS_MAX] = {{DONE}, {DONE}, {DONE}};
	char left[4096];
	struct err err;
	int r;

	snprintf(left, sizeof(left), "%s/shards/2/shard", (const char *)*state);
	cluster_close(run(*state, plans, &r, &err));
	assert_int_equal(access(left, F_OK), 0);
	fake.plans = NULL;
	for (int resume = 1; resume >= 0; resume--) {
		const struct cluster_options options = options_make(resume, 0);
		struct cluster *cluster;

		assert_int_equal(cluster_open(&cluster, &options, &err), 0);
		assert_int_equal(access(left, F_OK) == 0, resume);
		cluster_close(cluster);
	}
	const struct cluster_options other = options_make(true, SHARDS + 1);
	struct cluster *cluster;
	assert_int_equal(cluster_open(&cluster, &other, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	cluster_close(cluster);
}

/* Nobody knows how it ended, or somebody cancelled it. */
static void test_lost(void **state)
{
	const struct plan plans[SHARDS][ATTEMPTS_MAX] = {{DONE},
							 {{.node = "b", .lost = true}, DONE},
							 {{.status = 15, .node = "c", .cancelled = true}, DONE}};
	struct err err;
	int r;
	struct cluster *c = run(*state, plans, &r, &err);

	expect_shard(c, 2, SHARD_DONE, 2, "it disappeared on node b");
	expect_shard(c, 3, SHARD_FAILED, 1, "it was killed by SIGTERM on node c");
	cluster_close(c);
}

/* A node without the folder is no failure of the shard, however often that happens. */
static void test_blind(void **state)
{
	const struct plan blind = EXITS(TASK_SEES_NOTHING, "x");
	const struct plan plans[SHARDS][ATTEMPTS_MAX] = {{blind, DONE},
							 {blind, EXITS(TASK_NO_PROGRAM, "y"),
							  EXITS(TASK_NO_DIRECTORY, "z"), EXITS(3, "a"), DONE},
							 {DONE}};
	struct err err;
	int r;
	struct cluster *c = run(*state, plans, &r, &err);

	assert_int_equal(r, 0);
	expect_shard(c, 2, SHARD_DONE, 5, "exit status 3 on node a");
	assert_int_equal(cluster_shard(c, 2)->attempts, 1);
	assert_string_equal(fake.avoided, "x y z ");
	assert_int_equal(fake.notes, 4); /* each node once, and the failure */
	cluster_close(c);

	/* There is no other node. */
	const struct plan all_blind[SHARDS][ATTEMPTS_MAX] = {{blind}, {blind}, {DONE}};
	fake.refuses_again = true;
	c = run(*state, all_blind, &r, &err);
	fake.refuses_again = false;
	assert_int_equal(r, 0);
	assert_int_equal(cluster_shard(c, 1)->state, SHARD_FAILED);
	assert_non_null(strstr(cluster_shard(c, 1)->problem, "node x does not see "));
	assert_int_equal(cluster_shard(c, 3)->state, SHARD_DONE);
	cluster_close(c);
}

/* A command line that one shard refuses is refused by all. */
static void test_usage(void **state)
{
	const struct plan plans[SHARDS][ATTEMPTS_MAX] = {{DONE}, {EXITS(2, "b")}, {DONE}};
	struct err err;
	int r;
	struct cluster *c = run(*state, plans, &r, &err);

	assert_int_equal(r, -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_int_equal(fake.attempts[2], 1);
	cluster_close(c);
}

/* The user stops it: what the shards wrote is there, and nothing is submitted again. */
static void test_stop(void **state)
{
	const struct plan plans[SHARDS][ATTEMPTS_MAX] = {{{.status = 130 << 8, .node = "a", .writes = true}},
							 {DIES(15, "b")},
							 {DONE}};
	struct err err;
	int r;
	struct cluster *c;

	fake.never_ends = true;
	fake.stop_after = 2;
	c = run(*state, plans, &r, &err);
	fake.never_ends = false;
	fake.stop_after = 0;
	assert_int_equal(r, 0);
	assert_int_equal(fake.cancels, 1);
	expect_shard(c, 1, SHARD_TO_DO, 1, NULL);
	expect_shard(c, 2, SHARD_TO_DO, 1, NULL);
	expect_shard(c, 3, SHARD_DONE, 1, NULL);
	assert_true(cluster_shard(c, 1)->has_results && !cluster_shard(c, 2)->has_results);
	cluster_close(c);
}

/* The script as the shell runs it: strange names, an old journal, and what is not there. */
static int script_run(const struct task_common *common, const char *path)
{
	FILE *out = fopen(path, "we");
	char *command;

	assert_non_null(out);
	task_script(common, out);
	fclose(out);
	assert_true(asprintf(&command, "/bin/sh '%s' 2", path) > 0);
	int status = system(command);
	free(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void file_put(const char *path, const char *text, mode_t mode)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	assert_int_equal(chmod(path, mode), 0);
}

static void expect_log(const char *dir, const char *expected)
{
	char path[4096], text[1024];

	snprintf(path, sizeof(path), "%s/2.log", dir);
	FILE *in = fopen(path, "re");
	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = 0;
	fclose(in);
	unlink(path);
	assert_string_equal(text, expected);
}

static void test_script(void **state)
{
	char dir[4096], path[8192], program[8192], script[8192];
	struct words command = {0};

	fake.dir = *state;
	snprintf(dir, sizeof(dir), "%s/it's \"$odd\"", fake.dir);
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(script, sizeof(script), "%s/script", fake.dir);
	words_add(&command, "%s", program);
	words_add(&command, "--recover=./check 'a b' $HOME");
	struct task_common common = {
		.dir = dir, .cwd = dir, .token = "tok en", .total = 7, .command = &command, .jobs = 3};

	assert_int_equal(mkdir(dir, 0777), 0);
	assert_int_equal(script_run(&common, script), TASK_SEES_NOTHING);
	snprintf(path, sizeof(path), "%s/token", dir);
	file_put(path, "other\n", 0666);
	assert_int_equal(script_run(&common, script), TASK_SEES_NOTHING);
	file_put(path, "tok en\n", 0666);
	assert_int_equal(script_run(&common, script), TASK_NO_PROGRAM);
	file_put(program, "#!/bin/sh\nfor i; do echo \"<${i##*/}>\"; done\n[ \"$(pwd)\" = \"$PWD\" ] && exit 5\n",
		 0777);
	common.cwd = "/does/not/exist";
	assert_int_equal(script_run(&common, script), TASK_NO_DIRECTORY);
	common.cwd = dir;
	assert_int_equal(script_run(&common, script), 5);
	expect_log(dir, "<check>\n<--shard>\n<7>\n<--out>\n<2>\n<--jobs>\n<3>\n<check 'a b' $HOME>\n");

	/* An earlier attempt left its journal. */
	snprintf(path, sizeof(path), "%s/2", dir);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof(path), "%s/2/crash.journal", dir);
	file_put(path, "blackout-journal\na\nb\n", 0666);
	common.jobs = 0;
	assert_int_equal(script_run(&common, script), 5);
	expect_log(dir, "<check>\n<--shard>\n<7>\n<--out>\n<2>\n<--resume>\n<--jobs>\n<1>\n<check 'a b' $HOME>\n");
	words_free(&command);

	/* The journal is counted as it grows, and anew if it was begun anew. */
	struct tally tally = {0};
	tally_update(&tally, path);
	tally_update(&tally, path);
	assert_int_equal(tally_states(&tally), 2);
	file_put(path, "blackout-journal\nc\n", 0666);
	tally_update(&tally, path);
	assert_int_equal(tally_states(&tally), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_repeats), scratch_test(test_resume), scratch_test(test_lost),
		scratch_test(test_blind),   scratch_test(test_usage),  scratch_test(test_stop),
		scratch_test(test_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
