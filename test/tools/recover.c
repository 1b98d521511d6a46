/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recover.c - runs a recovery command on states that are in directories, without a recording.
 *
 *     recover [OPTION=VALUE ...] pm=PATH... state=DIR... command=TEXT
 *
 * DIR/NAME is the content of the PM file PATH with the base name NAME in the state.  If it does not exist, the file
 * does not exist in the state.  For each state it prints a line "DIR: OUTCOME (MODE)", in the sequence of the
 * arguments; then "again: N", for runs in a process that had run before, "mode: MODE" and, if there are any, "reason: TEXT" and "foreign file: PATH".  The first state is run
 * alone.
 *
 *     mode= jobs= timeout= memory= disk= client= ready= cwd=    as in run/recovery.h
 *     huge=yes                                            huge pages for much memory
 *     libpmemobj=lean                                     one arena, and memory of its own
 *     namespaces=no                                       act as if there were no namespaces
 *     show=yes                                            print what recovery printed
 *     stack=yes                                           print the stack of each crash
 *     repeat=N                                            run the states N times, and print the rate per second
 *     ops=FILE...                                         settings with these operations, whose first has the number 10,
 *                                                         20...; the states are run in them by turns
 *     walk=yes                                            walk on the first state, and print what was logged
 *     stop=EVENT[,FILE+OFFSET+SIZE...]                     leave a checkpoint there; these bytes were stored to before
 *     from=K                                              begin the other states at this checkpoint
 *     bound=BYTES                                         summarize the outputs; print their lines, and their digest
 *     attend=TEXT                                         run this instead, in the terminal, on the first state, with
 *                                                         $COMMAND, the recovery command, and $INPUT, its input */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "image/origin.h"
#include "image/tree.h"
#include "ops/output.h"
#include "run/checkpoint.h"
#include "run/recovery.h"
#include "run/words.h"

static struct words states;
static struct recovery_setting settings[64];
static size_t setting_count;
static struct outcome *outcomes;
static struct origin *origin;
static char root[PATH_MAX - 64];
static unsigned again; /* runs in a process that had run before */

static void die(const char *what)
{
	fprintf(stderr, "recover: %s\n", what);
	exit(3);
}

static void copy(const char *from, const char *to)
{
	char buffer[65536];
	ssize_t n;
	int in = open(from, O_RDONLY | O_CLOEXEC);

	if (in < 0) {
		unlink(to);
		return;
	}
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	off_t size = 0;
	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		size += write(out, buffer, (size_t)n);
	if (out < 0 || ftruncate(out, size) < 0)
		die("cannot write the stage");
	close(in);
	close(out);
}

/* Does the work of stage_load. */
static void load(unsigned worker, size_t state)
{
	char from[2 * PATH_MAX], to[2 * PATH_MAX];
	const char *name;

	for (size_t i = 0; i < origin_path_count(origin); i++) {
		int dir = origin_place(origin, origin_path(origin, i), &name);
		snprintf(from, sizeof(from), "%s/%s", states.items[state], name);
		snprintf(to, sizeof(to), "%s/%u/%d/%s", root, worker, dir, name);
		copy(from, to);
	}
}

static void done(void *arg, void *ticket, const struct outcome *outcome)
{
	struct outcome *slot = &outcomes[(size_t)ticket];

	(void)arg;
	outcome_free(slot);
	outcome_copy(slot, outcome);
	again += outcome->again;
}

static void stages_make(struct recovery *r, char (*paths)[PATH_MAX])
{
	char dir[2 * PATH_MAX];

	for (unsigned w = 0; w < recovery_jobs(r); w++) {
		snprintf(paths[w], PATH_MAX, "%s/%u", root, w);
		mkdir(paths[w], 0755);
		for (size_t i = 0; i < origin_dir_count(origin); i++) {
			snprintf(dir, sizeof(dir), "%s/%zu", paths[w], i);
			mkdir(dir, 0755);
		}
		recovery_stage(r, w, paths[w]);
	}
}

static uint64_t setting_of(size_t state)
{
	return setting_count ? 1 + state % setting_count : 0;
}

static const struct recovery_setting *setting_get(void *arg, uint64_t id)
{
	(void)arg;
	return &settings[id - 1];
}

/* Checkpoints */

static bool walks;
static struct checkpoint_plan plan;
static unsigned from;

static void stop_add(char *text)
{
	static struct walk_range ranges[CHECKPOINTS_MAX][256];
	struct checkpoint_stop *stop = &plan.stops[plan.count];
	struct walk_range *to = ranges[plan.count++];

	stop->event = strtoul(text, &text, 0);
	stop->stored = to;
	for (; *text == ','; to++, stop->stored_count++) {
		to->file = (uint32_t)strtoul(text + 1, &text, 0);
		to->offset = strtoull(text + 1, &text, 0);
		to->size = strtoull(text + 1, &text, 0);
	}
}

static void walk_print(const struct recovery *r)
{
	size_t count;
	const struct walk_event *e = recovery_walked(r, 0, &count);

	for (size_t i = 0; i < count; i++)
		printf("%zu: %s %u+0x%lx %lu\n", i, e[i].kind == WALK_TOUCH ? "touch" : "read", e[i].file, e[i].offset,
		       e[i].size);
	printf("checkpoints: %u\n", recovery_checkpoints(r, 0));
}

static int walk_all(struct recovery *r, struct err *err)
{
	for (unsigned w = 0; walks && w < recovery_jobs(r); w++) {
		load(w, 0);
		recovery_set(r, w, setting_of(0));
		recovery_walk(r, w, &plan, plan.count);
		outcome_free(&outcomes[0]);
		if (recovery_run(r, w, 1, &outcomes[0], err) != 0)
			return -1;
	}
	if (walks)
		walk_print(r);
	return 0;
}

static int run_all(struct recovery *r, size_t repeat, struct err *err)
{
	int w;

	load(0, 0);
	recovery_set(r, 0, setting_of(0));
	if (recovery_run(r, 0, 1, &outcomes[0], err) != 0)
		return -1;
	if (walk_all(r, err) < 0)
		return -1;
	for (size_t i = 1; i < states.count * repeat; i++) {
		if ((w = recovery_idle(r, err)) < 0)
			return -1;
		/* With the fork server recovery cannot change a state, so a single state need not be loaded again. */
		if (states.count > 1 || recovery_mode(r) != RECOVERY_FORK || i < recovery_jobs(r))
			load((unsigned)w, i % states.count);
		recovery_set(r, (unsigned)w, setting_of(i % states.count));
		recovery_from(r, (unsigned)w, from);
		if (recovery_start(r, (unsigned)w, (void *)(i % states.count), err) < 0)
			return -1;
	}
	return recovery_drain(r, err);
}

static void stack_print(struct recovery *r, size_t state, enum ending_kind kind)
{
	struct recovery_frame frames[32];
	struct err err;

	load(0, state);
	recovery_set(r, 0, setting_of(state));
	int count = recovery_stack(r, 0, kind == ENDING_TIMEOUT, frames, 32, &err);
	for (int i = 0; i < count; i++)
		printf("    %s %s:%u %s\n", frames[i].function, *frames[i].file ? strrchr(frames[i].file, '/') + 1 : "",
		       frames[i].line, frames[i].module);
}

static void output_print(const struct output *output)
{
	struct output_body body = output_body(output, NULL);
	struct output_digest digest = output_digest(output);
	char text[128];

	printf("output: %zu lines, digest %016lx%s\n", body.count, digest.low ^ digest.high,
	       output_is_endless(output) ? ", endless" : "");
	for (size_t i = 0; i < body.count && i < 20 && output_excerpt(&body, i, "", text, sizeof(text)); i++)
		printf("| %s\n", text);
}

static void print(struct recovery *r, bool show, bool stack)
{
	char text[64];

	for (size_t i = 0; i < states.count; i++) {
		const struct outcome *o = &outcomes[i];
		ending_text(o->ending, text, sizeof(text));
		printf("%s: %s%s (%s%s)\n", states.items[i], text, o->by_client ? " of the client" : "",
		       recovery_mode_name(o->mode), o->from ? ", from a checkpoint" : "");
		if (show && o->out.text)
			printf("stdout%s: %s\n", o->out.cut ? " (cut)" : "", o->out.text);
		if (show && o->err.text)
			printf("stderr%s: %s\n", o->err.cut ? " (cut)" : "", o->err.text);
		if (o->output)
			output_print(o->output);
		if (stack && o->ending.kind != ENDING_EXIT)
			stack_print(r, i, o->ending.kind);
	}
	if (again)
		printf("again: %u\n", again);
	printf("mode: %s\n", recovery_mode_name(recovery_mode(r)));
	if (recovery_reason(r))
		printf("reason: %s\n", recovery_reason(r));
	for (size_t i = 0; recovery_foreign_file(r, i); i++)
		printf("foreign file: %s\n", recovery_foreign_file(r, i));
}

static void attend(struct recovery *r, const char *command)
{
	char *argv[] = {"/bin/sh", "-c", (char *)command, NULL};
	const struct recovery_visit visit = {.argv = argv};
	struct process_end end;
	struct err err;

	load(0, 0);
	recovery_set(r, 0, setting_of(0));
	setenv("COMMAND", recovery_command(r, 0, &err), 1);
	setenv("INPUT", recovery_input(r, 0) ? recovery_input(r, 0) : "/dev/null", 1);
	if (recovery_attend(r, 0, &visit, &end, &err) < 0)
		die(err.sentence);
	printf("status %d\n", end.status);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *value(int argc, char **argv, const char *key)
{
	const char *found = NULL;

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], key, strlen(key)) && argv[i][strlen(key)] == '=')
			found = argv[i] + strlen(key) + 1;
	return found;
}

static void collect(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "state=", 6))
			words_add(&states, "%s", argv[i] + 6);
		if (!strncmp(argv[i], "ops=", 4)) {
			struct recovery_setting *new = &settings[setting_count++];
			*new = (struct recovery_setting){setting_count, argv[i] + 4, 10 * setting_count};
		}
		if (!strncmp(argv[i], "stop=", 5))
			stop_add(argv[i] + 5);
		if (!strncmp(argv[i], "pm=", 3) && !origin_add_path(origin, argv[i] + 3))
			die("a PM path must be absolute");
	}
	if (!states.count)
		die("no state");
	outcomes = mem_alloc(states.count * sizeof(*outcomes));
}

static bool passed(void *arg, void *ticket, const struct outcome *outcome)
{
	(void)arg;
	(void)ticket;
	return ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0});
}

int main(int argc, char **argv)
{
	static char paths[64][PATH_MAX], stub[PATH_MAX];
	struct recovery_options o = {.command = value(argc, argv, "command"),
				     .done = done,
				     .passed = passed,
				     .pmem_force = true};
	const char *text, *shm = getenv("RECOVER_STAGES");
	struct recovery *r;
	struct err err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	origin = origin_new();
	collect(argc, argv);
	o.origin = origin;
	o.cwd = value(argc, argv, "cwd");
	o.client = value(argc, argv, "client");
	o.ready = value(argc, argv, "ready");
	o.timeout = (text = value(argc, argv, "timeout")) ? atof(text) : 10;
	o.disk = (text = value(argc, argv, "disk")) ? strtoull(text, NULL, 10) : 0;
	o.memory = (text = value(argc, argv, "memory")) ? strtoull(text, NULL, 10) : 0;
	o.jobs = (text = value(argc, argv, "jobs")) ? (unsigned)atoi(text) : 1;
	o.no_namespaces = (text = value(argc, argv, "namespaces")) && !strcmp(text, "no");
	o.huge_pages = (text = value(argc, argv, "huge")) && !strcmp(text, "yes");
	o.lean_pmemobj = (text = value(argc, argv, "libpmemobj")) && !strcmp(text, "lean");
	walks = plan.count || value(argc, argv, "walk");
	from = (text = value(argc, argv, "from")) ? (unsigned)atoi(text) : 0;
	o.setting = setting_get;
	struct output_rules *rules =
		(text = value(argc, argv, "bound")) ? output_rules_new(strtoull(text, NULL, 10)) : NULL;
	o.output = rules;
	if ((text = value(argc, argv, "mode")) && !recovery_mode_find(text, &o.mode))
		die("no such mode");
	o.stub = stub;
	ssize_t n = readlink("/proc/self/exe", stub, sizeof(stub) - 1);
	stub[n > 0 ? n : 0] = 0;
	strcpy(strstr(stub, "/test/tools/"), "/libblackout-preload.so");
	snprintf(root, sizeof(root), "%s/recover-XXXXXX", shm ? shm : "/dev/shm");
	if (!mkdtemp(root))
		die("cannot make the stages");

	int result = recovery_new(&r, &o, &err);
	if (result < 0) {
		tree_remove(root);
		fprintf(stderr, "recover: %s\n", err.sentence);
		return err.status;
	}
	stages_make(r, paths);
	size_t repeat = (text = value(argc, argv, "repeat")) ? (size_t)atol(text) : 1;
	double start = seconds();
	if ((text = value(argc, argv, "attend")))
		attend(r, text);
	else if ((result = run_all(r, repeat, &err)) < 0)
		fprintf(stderr, "recover: %s\n", err.sentence);
	else if (repeat > 1)
		printf("%.0f states/s\n", (double)(states.count * repeat) / (seconds() - start));
	if (result == 0 && !value(argc, argv, "attend"))
		print(r, value(argc, argv, "show"), value(argc, argv, "stack"));
	recovery_free(r);
	for (size_t i = 0; i < states.count; i++)
		outcome_free(&outcomes[i]);
	free(outcomes);
	if (rules)
		output_rules_free(rules);
	words_free(&states);
	origin_free(origin);
	/* Recovery must have removed its own files; only the stages are left. */
	tree_remove(root);
	return result < 0 ? 3 : 0;
}
