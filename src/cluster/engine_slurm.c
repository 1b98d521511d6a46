/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_slurm.c - shards are tasks of an array job of Slurm.
 *
 * Everything goes through Slurm's commands, as a user would do it: sbatch, squeue, scancel, sinfo.  All jobs of one run
 * have the same name, which nobody else has, so one question covers all of them and nothing is left when one call of
 * sbatch was cut short.  Tasks that are to be repeated are a new array job: Slurm's own requeue is not allowed on every
 * cluster, and waits for minutes.  Accounting (sacct) is not needed: squeue knows a task that has ended for MinJobAge,
 * five minutes unless configured otherwise, and we ask every second. */
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "base/mem.h"
#include "cluster/engine.h"
#include "cluster/utility.h"
#include "run/program.h"

struct engine {
	struct engine_options options;
	struct words args;
	char *listed; /* the last answer of squeue, with the rows below in it */
	struct row *rows;
	size_t count;
};

/* What squeue says about a task. */
struct row {
	long job;
	unsigned shard;
	int status;
	const char *state, *node, *reason;
};

static int args_split(struct words *args, const char *text, struct err *err)
{
	wordexp_t split;

	if (wordexp(text, &split, WRDE_NOCMD) != 0) {
		err_set(err, "--cluster-args cannot be split into words: '%s'", text);
		err_hint(err, "quote what the shell would take as special");
		return err_status(err, ERR_USAGE);
	}
	for (size_t i = 0; i < split.we_wordc; i++)
		words_add(args, "%s", split.we_wordv[i]);
	wordfree(&split);
	return 0;
}

static int slurm_open(struct engine **engine, const struct engine_options *options, struct err *err)
{
	struct program sbatch;

	*engine = NULL;
	if (program_find(&sbatch, "sbatch", err) < 0) {
		err_set(err, "Slurm is not installed: there is no sbatch in PATH");
		err_hint(err, "--cluster local runs the shards on this machine");
		return err_status(err, ERR_USAGE);
	}
	struct engine *e = mem_alloc(sizeof(*e));
	e->options = *options;
	*engine = e;
	return options->args ? args_split(&e->args, options->args, err) : 0;
}

/* The last line that a command printed, without the name of the command. */
static const char *last_line(char *printed)
{
	size_t length = strlen(printed);

	while (length && printed[length - 1] == '\n')
		printed[--length] = 0;
	char *line = strrchr(printed, '\n');
	line = line ? line + 1 : printed;
	char *error = strstr(line, "error: ");
	return error ? error + strlen("error: ") : line;
}

/* Run it.  If it fails, the sentence is "NAME: what it printed", after `problem`. */
static int slurm_ask(struct utility *u, const char *problem, struct err *err)
{
	if (utility_run(u, err) < 0)
		return -1;
	if (!u->status)
		return 0;
	err_set(err, "%s: %s: %s", problem, u->argv[0], last_line(u->printed));
	utility_free(u);
	return -1;
}

static unsigned slurm_capacity(struct engine *e)
{
	char *const argv[] = {"sinfo", "--noheader", "--Node", "--responding", "--format=%N", NULL};
	struct utility sinfo = {.argv = argv};
	struct words nodes = {0};
	struct err ignored;
	unsigned count = 0;

	(void)e;
	if (slurm_ask(&sinfo, "", &ignored) < 0)
		return 0;
	for (char *save, *name = strtok_r(sinfo.printed, "\n", &save); name; name = strtok_r(NULL, "\n", &save))
		words_add(&nodes, "%s", name);
	utility_free(&sinfo);
	/* A node is listed for each of its partitions. */
	words_sort(&nodes);
	for (size_t i = 0; i < nodes.count; i++)
		count += !i || strcmp(nodes.items[i], nodes.items[i - 1]) != 0;
	words_free(&nodes);
	return count;
}

/* Join with commas. */
static char *list_text(const struct words *words)
{
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	BUG_ON(!out);
	for (size_t i = 0; i < words->count; i++)
		fprintf(out, "%s%s", i ? "," : "", words->items[i]);
	fclose(out);
	return text;
}

static void sbatch_words(const struct engine *e, struct cluster_task *const *tasks, size_t count,
			 const struct words *avoid, struct words *argv)
{
	struct words shards = {0};
	char *list;

	for (size_t i = 0; i < count; i++)
		words_add(&shards, "%u", tasks[i]->shard);
	list = list_text(&shards);
	words_add(argv, "sbatch");
	words_add(argv, "--parsable");
	words_add(argv, "--array=%s", list);
	words_add(argv, "--ntasks=1");
	/* The user's words come after what they may change, and before what they must not. */
	for (size_t i = 0; i < e->args.count; i++)
		words_add(argv, "%s", e->args.items[i]);
	words_add(argv, "--job-name=%s", e->options.name);
	words_add(argv, "--export=ALL");
	words_add(argv, "--no-requeue");
	/* The script opens its own log, where it can be seen. */
	words_add(argv, "--output=/dev/null");
	words_add(argv, "--error=/dev/null");
	free(list);
	words_free(&shards);
	if (!avoid->count)
		return;
	list = list_text(avoid);
	words_add(argv, "--exclude=%s", list);
	free(list);
}

static int slurm_submit(struct engine *e, struct cluster_task *const *tasks, size_t count, const struct words *avoid,
			struct err *err)
{
	struct words argv = {0};

	sbatch_words(e, tasks, count, avoid, &argv);
	struct utility sbatch = {.argv = argv.items, .input = e->options.script};
	int r = slurm_ask(&sbatch, "Slurm did not take the job", err);
	if (r == 0) {
		long job = strtol(sbatch.printed, NULL, 10);

		for (size_t i = 0; i < count; i++) {
			tasks[i]->job = job;
			tasks[i]->state = TASK_WAITING;
		}
		utility_free(&sbatch);
	}
	words_free(&argv);
	return r;
}

/* How an ended task ended; states that are not here are those of tasks that have not. */
static const struct ended_state {
	const char *state, *reason;
	bool cancelled;
} ended_states[] = {
	{"COMPLETED", NULL, false},
	{"FAILED", NULL, false},
	{"CANCELLED", "was cancelled", true},
	{"TIMEOUT", "exceeded its time limit in Slurm", false},
	{"DEADLINE", "reached its deadline in Slurm", false},
	{"NODE_FAIL", "lost its node", false},
	{"BOOT_FAIL", "got a node that did not start", false},
	{"OUT_OF_MEMORY", "ran out of memory", false},
	{"PREEMPTED", "was preempted", false},
	{"REVOKED", "was revoked by Slurm", false},
};

static const struct ended_state *ended_find(const char *state)
{
	for (size_t i = 0; i < sizeof(ended_states) / sizeof(*ended_states); i++)
		if (!strcmp(ended_states[i].state, state))
			return &ended_states[i];
	return NULL;
}

#define FIELDS "ArrayJobID:|,ArrayTaskID:|,State:|,exit_code:|,NodeList:|,Reason:|"

static bool row_parse(char *line, struct row *row)
{
	char *fields[6], *rest = line;

	for (size_t i = 0; i < 6; i++)
		if (!(fields[i] = strsep(&rest, "|")))
			return false;
	*row = (struct row){
		.job = strtol(fields[0], NULL, 10),
		.shard = (unsigned)strtoul(fields[1], NULL, 10),
		.state = fields[2],
		.status = (int)strtol(fields[3], NULL, 10),
		.node = fields[4],
		.reason = fields[5],
	};
	return true;
}

static int row_order(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->job != y->job ? (x->job < y->job ? -1 : 1) : (x->shard > y->shard) - (x->shard < y->shard);
}

/* Ask for all tasks at once: `--array` unfolds those that wait. */
static int rows_read(struct engine *e, struct err *err)
{
	struct words argv = {0};

	words_add(&argv, "squeue");
	words_add(&argv, "--noheader");
	words_add(&argv, "--array");
	words_add(&argv, "--states=all");
	words_add(&argv, "--name=%s", e->options.name);
	words_add(&argv, "--Format=%s", FIELDS);
	struct utility squeue = {.argv = argv.items};
	int r = slurm_ask(&squeue, "Slurm does not answer", err);
	words_free(&argv);
	if (r < 0)
		return -1;
	free(e->listed);
	e->listed = squeue.printed;
	e->count = 0;
	for (char *save, *line = strtok_r(e->listed, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		e->rows = mem_resize(e->rows, e->count + 1, sizeof(*e->rows));
		e->count += row_parse(line, &e->rows[e->count]);
	}
	if (e->count)
		qsort(e->rows, e->count, sizeof(*e->rows), row_order);
	return 0;
}

static void task_update(struct cluster_task *task, const struct row *row)
{
	const struct ended_state *ended = ended_find(row->state);

	snprintf(task->node, sizeof(task->node), "%s", row->node);
	snprintf(task->waits_for, sizeof(task->waits_for), "%s", row->reason);
	if (ended) {
		task->state = TASK_ENDED;
		task->status = row->status;
		task->reason = ended->reason;
		task->cancelled = ended->cancelled;
	} else {
		task->state = *row->node ? TASK_RUNNING : TASK_WAITING;
	}
}

static int slurm_poll(struct engine *e, struct cluster_task *const *tasks, size_t count, struct err *err)
{
	if (rows_read(e, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const struct row key = {.job = tasks[i]->job, .shard = tasks[i]->shard};
		const struct row *row = e->count ? bsearch(&key, e->rows, e->count, sizeof(*e->rows), row_order) : NULL;

		if (tasks[i]->state == TASK_ENDED)
			continue;
		if (row) {
			task_update(tasks[i], row);
		} else {
			tasks[i]->state = TASK_ENDED;
			tasks[i]->lost = true;
		}
	}
	return 0;
}

static void slurm_cancel(struct engine *e)
{
	struct words argv = {0};
	struct err ignored;

	words_add(&argv, "scancel");
	words_add(&argv, "--quiet");
	words_add(&argv, "--name=%s", e->options.name);
	struct utility scancel = {.argv = argv.items};
	if (utility_run(&scancel, &ignored) == 0)
		utility_free(&scancel);
	words_free(&argv);
}

static void slurm_close(struct engine *e)
{
	if (!e)
		return;
	words_free(&e->args);
	free(e->listed);
	free(e->rows);
	free(e);
}

const struct engine_ops engine_slurm = {
	.name = "slurm",
	.poll_ms = 1000,
	.open = slurm_open,
	.capacity = slurm_capacity,
	.submit = slurm_submit,
	.poll = slurm_poll,
	.cancel = slurm_cancel,
	.close = slurm_close,
};
