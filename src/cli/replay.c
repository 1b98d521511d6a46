/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - see replay.h. */
#include "cli/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/replay_outputs.h"
#include "crash/oracle.h"
#include "finding/crash_finding.h"
#include "image/snapshot.h"
#include "image/stage.h"
#include "ops/substitute.h"
#include "replay/folder.h"
#include "run/program.h"
#include "run/words.h"

enum { SETTING_OPERATIONS = 1 /* the setting of recovery (run/setting.h), if it performs operations */ };

enum { OUTPUTS_WIDTH = 100 /* characters in a line, for outputs side by side */ };

enum { GDB_START = 3 /* seconds that gdb may be idle, reading from disk, before it runs anything */ };

struct replay {
	const struct replay_options *options;
	struct folder *folder;
	struct snapshot *snapshot;
	struct image *image;
	struct state *state;
	struct staging *staging;
	struct stage *stage;
	struct recovery *recovery;
	struct output_rules *rules; /* NULL: outputs are not compared */
	struct recovery_setting setting;
	char cwd[PATH_MAX];
};

/* ---- set-up ---- */

static void replay_close(struct replay *r)
{
	if (r->recovery)
		recovery_free(r->recovery);
	if (r->rules)
		output_rules_free(r->rules);
	if (r->staging)
		staging_close(r->staging);
	if (r->state)
		state_free(r->state);
	if (r->snapshot)
		snapshot_free(r->snapshot);
	folder_free(r->folder);
}

static int replay_read(struct replay *r, const char *path, struct err *err)
{
	if (folder_read(&r->folder, path, err) < 0 || snapshot_read(&r->snapshot, r->folder->state, err) < 0)
		return -1;
	r->image = snapshot_image(r->snapshot);
	r->state = state_none(r->image);
	return 0;
}

static const char *replay_command(const struct replay *r)
{
	return r->options->recover ? r->options->recover : r->folder->facts.recover;
}

/* The absolute path of the directory to run in: "." would bypass what is mounted over it. */
static int cwd_find(struct replay *r, struct err *err)
{
	const char *cwd = r->options->cwd ? r->options->cwd : r->folder->facts.cwd;
	struct stat st;

	if (realpath(cwd, r->cwd) && stat(r->cwd, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	err_set(err,
		r->options->cwd ? "%s is not a directory"
				: "the directory %s, where recovery was run, does not exist on this machine",
		cwd);
	return err_hint(err, "choose another with --cwd DIR");
}

static struct verdict replay_verdict(const struct outcome *outcome)
{
	struct oracles *oracles = oracles_new(NULL, 0);
	struct crash_context crash = oracles_place(oracles, (struct crash_context){0});
	struct verdict verdict = oracles_judge(oracles, outcome, &crash);

	oracles_free(oracles);
	return verdict;
}

static bool replay_passed(void *arg, void *ticket, const struct outcome *outcome)
{
	(void)arg;
	(void)ticket;
	return verdict_passed(replay_verdict(outcome));
}

static const struct recovery_setting *replay_setting(void *arg, uint64_t id)
{
	BUG_ON(id != SETTING_OPERATIONS);
	return &((struct replay *)arg)->setting;
}

/* Recovery performs the operations that it performed then. */
static int replay_settle(struct replay *r, struct err *err)
{
	const struct folder *folder = r->folder;

	r->setting = (struct recovery_setting){
		.id = SETTING_OPERATIONS,
		.ops = folder->operations,
		.first = (size_t)folder->operation.first,
	};
	if (!folder->mismatch.expected_count)
		return 0;
	r->rules = output_rules_new(OUTPUT_BYTES_MAX);
	for (size_t i = 0; i < folder->facts.ignore_count; i++)
		if (output_rules_ignore(r->rules, folder->facts.ignore[i], err) < 0)
			return -1;
	return 0;
}

static int replay_stage(struct replay *r, struct err *err)
{
	const struct folder_facts *facts = &r->folder->facts;

	if (r->folder->operation.performs && replay_settle(r, err) < 0)
		return -1;
	const struct recovery_options options = {
		.command = replay_command(r),
		.client = facts->client,
		.ready = facts->ready,
		.cwd = r->cwd,
		.pmem_force = facts->pmem_force,
		.timeout = r->options->timeout ? r->options->seconds : facts->timeout,
		.memory = facts->memory,
		.disk = facts->disk,
		.jobs = 1,
		.mode = r->options->recovery_mode,
		.origin = snapshot_origin(r->snapshot),
		.setting = r->folder->operation.performs ? replay_setting : NULL,
		.setting_arg = r,
		.output = r->rules,
		.passed = replay_passed,
		.stop = {.asked = interrupt_asked},
	};

	if (cwd_find(r, err) < 0 || staging_open(&r->staging, options.origin, NULL, 1, err) < 0 ||
	    !(r->stage = stage_new(r->staging, r->image, err)) || stage_load(r->stage, r->state, err) < 0 ||
	    recovery_new(&r->recovery, &options, err) < 0)
		return -1;
	recovery_stage(r->recovery, 0, stage_dir(r->stage));
	if (r->folder->operation.performs)
		recovery_set(r->recovery, 0, SETTING_OPERATIONS);
	return 0;
}

/* ---- --keep-image ---- */

static int image_keep(const struct replay *r, uint32_t file, const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return err_sys(err, "cannot write %s", path);
	int result = image_write(r->image, r->state, file, fd, err);
	if (close(fd) < 0 && result == 0)
		result = err_sys(err, "cannot write %s", path);
	if (result == 0 && !r->options->quiet)
		fprintf(stderr, "wrote %s as %s\n", image_path(r->image, file), path);
	return result;
}

/* If there are several files, they go into a directory under their own names.  If two have the same name, the file
 * number is added. */
static int images_keep_all(const struct replay *r, struct err *err)
{
	if (mkdir(r->options->keep, 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot create the directory %s", r->options->keep);
	for (uint32_t file = 1; file <= image_file_count(r->image); file++) {
		char path[PATH_MAX], number[16] = "";
		const char *name;

		if (!image_exists(r->image, file))
			continue;
		name = strrchr(image_path(r->image, file), '/') + 1;
		for (uint32_t other = 1; other < file; other++)
			if (image_exists(r->image, other) &&
			    !strcmp(strrchr(image_path(r->image, other), '/') + 1, name))
				snprintf(number, sizeof(number), ".%u", file);
		if (path_make(path, sizeof(path), err, "%s/%s%s", r->options->keep, name, number) < 0 ||
		    image_keep(r, file, path, err) < 0)
			return -1;
	}
	return 0;
}

static int images_keep(const struct replay *r, struct err *err)
{
	uint32_t count = 0, only = 0;

	for (uint32_t file = 1; file <= image_file_count(r->image); file++) {
		if (!image_exists(r->image, file))
			continue;
		only = file;
		count++;
	}
	if (count == 1)
		return image_keep(r, only, r->options->keep, err);
	if (!count && !r->options->quiet)
		fprintf(stderr, "there is no PM file in this crash state\n");
	return images_keep_all(r, err);
}

/* ---- --gdb and --shell ---- */

/* Does the user's command start the program? */
static bool gdb_is_started(const struct option_list *commands)
{
	for (size_t i = 0; i < commands->count; i++)
		if (!strncmp(commands->items[i], "run", 3) || !strncmp(commands->items[i], "start", 5))
			return true;
	return false;
}

/* gdb kills the program when it exits.  A shell that waits for the program would then print "Killed", so we kill the
 * shell first.  Not every gdb has Python. */
static const char gdb_script[] = "if ! $_isvoid($_strlen)\n"
				 "python\n"
				 "import os\n"
				 "def end_waiting(event):\n"
				 "    debugged = {inferior.pid for inferior in gdb.inferiors()}\n"
				 "    with open('/proc/self/task/%d/children' % os.getpid()) as children:\n"
				 "        for pid in map(int, children.read().split()):\n"
				 "            if pid not in debugged:\n"
				 "                os.kill(pid, 9)\n"
				 "if hasattr(gdb.events, 'gdb_exiting'):\n"
				 "    gdb.events.gdb_exiting.connect(end_waiting)\n"
				 "end\n"
				 "end\n";

static int gdb_script_write(const struct replay *r, char path[PATH_MAX], struct err *err)
{
	if (path_make(path, PATH_MAX, err, "%s/gdb", staging_path(r->staging)) < 0)
		return -1;
	FILE *file = fopen(path, "we");
	bool written = file && fputs(gdb_script, file) >= 0;
	if (file)
		written &= fclose(file) == 0;
	return written ? 0 : err_sys(err, "cannot write %s", path);
}

/* What a shell runs in gdb: the recovery command in its setting, with its standard input.  The caller frees it. */
static char *gdb_command(const char *command, const char *input)
{
	char *text, *opened;

	if (!input)
		return strdup(command);
	opened = substitute_shell("exec <{ops}", &(struct substitution){.ops = input}, NULL);
	BUG_ON(asprintf(&text, "%s\n%s", opened, command) < 0);
	free(opened);
	return text;
}

/* gdb follows the shell into the program, and stops where recovery fails: at the signal, or at the exit. */
static void gdb_words(const struct replay *r, const char *script, const char *command, struct words *words)
{
	const struct option_list *commands = &r->options->gdb_commands;
	static const char *const settings[] = {"set follow-fork-mode child", "set breakpoint pending on",
					       "set debuginfod enabled off"};

	words_add(words, "gdb");
	words_add(words, "-q");
	if (commands->count)
		words_add(words, "-batch");
	words_add(words, "-ix");
	words_add(words, "%s", script);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		words_add(words, "-iex");
		words_add(words, "%s", settings[i]);
	}
	if (r->folder->ending.kind == ENDING_EXIT || r->folder->ending.kind == ENDING_OUTPUT) {
		words_add(words, "-ex");
		words_add(words, "catch syscall exit_group");
	}
	if (!gdb_is_started(commands)) {
		words_add(words, "-ex");
		words_add(words, "run");
	}
	for (size_t i = 0; i < commands->count; i++) {
		words_add(words, "-ex");
		words_add(words, "%s", commands->items[i]);
	}
	words_add(words, "--args");
	words_add(words, "/bin/sh");
	words_add(words, "-c");
	words_add(words, "%s", command);
}

/* The user sees the crash state through a mount, and the directory to mount on must exist. */
static int dirs_check(const struct origin *origin, struct err *err)
{
	struct stat st;

	for (size_t i = 0; i < origin_dir_count(origin); i++) {
		const char *dir = origin_dir(origin, i);

		if (stat(dir, &st) == 0)
			continue;
		err_set(err, "the directory %s, where a PM file was, does not exist on this machine", dir);
		return err_hint(err, "mkdir -p %s; nothing will be left in it", dir);
	}
	return 0;
}

/* If recovery hangs, a gdb that runs a script would wait forever.  It is interrupted, and then shows where recovery
 * is. */
static double attend_limit(const struct replay *r)
{
	bool scripted = r->options->gdb && (r->options->gdb_commands.count || !isatty(STDIN_FILENO));

	if (!scripted || r->folder->ending.kind != ENDING_TIMEOUT)
		return 0;
	return GDB_START + (r->options->timeout ? r->options->seconds : r->folder->facts.timeout);
}

static void client_say(const struct replay *r)
{
	const char *client = r->folder->facts.client;

	if (!client || r->options->quiet)
		return;
	if (r->options->shell)
		fprintf(stderr, "recovery is a server; its client is not started. The client command is: %s\n", client);
	else
		fprintf(stderr,
			"recovery is a server; its client starts when the server is ready, and gdb stops when the client is done: %s\n",
			client);
}

static int replay_attend(struct replay *r, struct err *err)
{
	const char *shell = getenv("SHELL");
	char script[PATH_MAX];
	const char *command, *input;
	struct words words = {0};
	struct process_end end;
	struct program gdb;

	if (dirs_check(snapshot_origin(r->snapshot), err) < 0 || !(command = recovery_command(r->recovery, 0, err)))
		return -1;
	input = recovery_input(r->recovery, 0);
	if (r->options->gdb && program_find(&gdb, "gdb", err) < 0) {
		err_status(err, ERR_CANNOT);
		return err_hint(err, "apt install gdb");
	}
	if (r->options->gdb && gdb_script_write(r, script, err) < 0)
		return -1;
	if (r->options->gdb) {
		char *text = gdb_command(command, input);

		gdb_words(r, script, text, &words);
		free(text);
	} else {
		words_add(&words, "%s", shell && *shell ? shell : "/bin/sh");
	}
	if (r->options->shell && !r->options->quiet) {
		if (input)
			fprintf(stderr, "recovery reads its operations from %s\n", input);
		fprintf(stderr,
			"until this shell ends, the PM files are those of crash state %s; the recovery command is: %s\n",
			r->folder->id, command);
	}
	client_say(r);
	const struct recovery_visit visit = {
		.argv = words.items,
		.limit = attend_limit(r),
		.client = r->options->gdb,
	};
	int result = recovery_attend(r->recovery, 0, &visit, &end, err);
	words_free(&words);
	if (result < 0)
		return -1;
	return end.interrupted ? STATUS_INTERRUPTED : STATUS_DONE;
}

/* ---- recovery ---- */

static void tail_show(const struct tail *tail, FILE *to)
{
	if (!tail->text || !tail->size)
		return;
	if (tail->cut)
		fputs("...\n", to);
	fwrite(tail->text, 1, tail->size, to);
	if (tail->text[tail->size - 1] != '\n')
		fputc('\n', to);
}

static int outcome_judge(const struct replay *r, const struct outcome *outcome)
{
	const struct folder *folder = r->folder;
	struct verdict verdict = replay_verdict(outcome);
	char now[200], then[200];

	if (!r->options->quiet) {
		fflush(stdout);
		tail_show(&outcome->out, stdout);
		fflush(stdout);
		tail_show(&outcome->err, stderr);
	}
	fflush(stderr);
	if (verdict_passed(verdict) && r->rules) {
		const struct replay_outputs outputs = {.mismatch = &folder->mismatch, .got = outcome->output};

		if (!r->options->quiet)
			replay_outputs_show(&outputs, OUTPUTS_WIDTH, stdout);
		if (!replay_outputs_match(&outputs))
			verdict = (struct verdict){.known = true, .rejected_by = 1, .ending = {ENDING_OUTPUT, 0}};
	}
	ending_text(verdict.ending, now, sizeof(now));
	ending_text(folder->ending, then, sizeof(then));
	if (verdict_passed(verdict))
		printf("%s: recovery now passes on this crash state; before: %s\n", folder->id, then);
	else if (ending_same(verdict.ending, folder->ending))
		printf("%s: recovery fails on this crash state as before: %s\n", folder->id, now);
	else
		printf("%s: recovery fails on this crash state, but differently: %s; before: %s\n", folder->id, now,
		       then);
	return verdict_passed(verdict) ? STATUS_DONE : STATUS_FOUND;
}

static int replay_recover(struct replay *r, struct err *err)
{
	struct outcome outcome;
	int result = recovery_run(r->recovery, 0, 1, &outcome, err);

	if (result == RECOVERY_INTERRUPTED)
		return STATUS_INTERRUPTED;
	if (result < 0)
		return -1;
	result = outcome_judge(r, &outcome);
	outcome_free(&outcome);
	return result;
}

static void operation_show(const struct folder *folder)
{
	const struct finding_crash crash = {.operation = folder->operation, .recovery.mismatch = folder->mismatch};
	char text[8192];

	crash_operation_text(&crash, text, sizeof(text));
	if (*text)
		printf("    power fails: %s\n", text);
	crash_mismatch_text(&crash, text, sizeof(text));
	if (*text)
		printf("    outputs: %s\n", text);
	if (folder->operation.performs)
		printf("    recovery performs: %s, {first} is %" PRIu64 "\n", folder->operations,
		       folder->operation.first);
}

static void finding_show(const struct replay *r)
{
	const struct folder *folder = r->folder;

	if (r->options->quiet)
		return;
	printf("%s  %s  %s\n    %s\n", folder->id, folder->kind, folder->location, folder->message);
	operation_show(folder);
	printf("    recovery: %s\n\n", replay_command(r));
	fflush(stdout);
}

int replay_run(const struct replay_options *options, const char *path, struct err *err)
{
	struct replay r = {.options = options};
	int status = replay_read(&r, path, err);

	if (status == 0) {
		finding_show(&r);
		if (options->keep)
			status = images_keep(&r, err);
	}
	if (status == 0)
		status = replay_stage(&r, err);
	if (status == 0)
		status = options->gdb || options->shell ? replay_attend(&r, err) : replay_recover(&r, err);
	replay_close(&r);
	return status;
}
