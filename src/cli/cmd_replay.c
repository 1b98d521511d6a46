/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_replay.c - `blackout replay DIR F1`: rebuild the crash state of a finding, and run recovery on it.
 *
 * Everything that is needed is in DIR/crash/F1 (replay/folder.h), so the folder alone works as well, even if somebody
 * else sent it.  Recovery sees the state at the original paths, as when it failed (run/recovery.h).  The user's own
 * files are not touched.
 *
 * The exit status is 1 if recovery fails again, and 0 if it passes now.  It is always 0 after --gdb and --shell, where
 * the user judges. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/option.h"
#include "cli/quantity.h"
#include "cli/replay.h"

static struct replay_options given;

static const struct option options[] = {
	{"gdb", NULL, NULL, "run recovery in gdb, up to where it fails", OPTION_FLAG, &given.gdb},
	{"gdb-command", "CMD", NULL, "make gdb execute this command there, and exit", OPTION_LIST, &given.gdb_commands},
	{"shell", NULL, NULL, "start a shell that sees the crash state at the original paths", OPTION_FLAG,
	 &given.shell},
	{"keep-image", "FILE", NULL, "write the PM file to FILE, or several into the directory FILE", OPTION_TEXT,
	 &given.keep},
	{"recover", "CMD", NULL, "run this command instead of the recorded one", OPTION_TEXT, &given.recover},
	{"cwd", "DIR", NULL, "run recovery in this directory instead of the recorded one", OPTION_TEXT, &given.cwd},
	{"timeout", "SECONDS", NULL, "time limit for recovery (default: as in the run)", OPTION_TEXT, &given.timeout},
	{"recovery-mode", OPTION_VALUES(RECOVERY_MODE_TABLE(RECOVERY_MODE_BAR)), "auto",
	 "how recovery is shown the crash state at the original paths", OPTION_TEXT, &given.mode},
	OPTION_QUIET(&given.quiet),
	{0},
};

const struct usage usage_replay = {
	.command = "replay",
	.operands = "DIR FINDING | FOLDER",
	.about = "Rebuild the crash state of a finding (F1, F2 ...) that `run` or `check` left in\n"
		 "DIR, and run recovery on it. FOLDER is the folder of one finding,\n"
		 "DIR/crash/FINDING, or a copy of it.",
	.options = options,
	.operand = OPERAND_FINDING,
	.operands_min = 1,
	.operands_max = 2,
};

#define USAGE_FAIL(err, ...) (err_set(err, __VA_ARGS__), err_status(err, ERR_USAGE))

/* DIR FINDING, or the folder itself. */
static int folder_find(char path[PATH_MAX], char **names, int count, struct err *err)
{
	struct stat st;
	char json[PATH_MAX];

	if (count == 2 && strchr(names[1], '/'))
		return USAGE_FAIL(err, "'%s' is not the name of a finding", names[1]);
	if ((count == 2 ? path_make(path, PATH_MAX, err, "%s/crash/%s", names[0], names[1])
			: path_make(path, PATH_MAX, err, "%s", names[0])) < 0 ||
	    path_make(json, sizeof(json), err, "%s/replay.json", path) < 0)
		return err_status(err, ERR_USAGE);
	if (stat(json, &st) == 0)
		return 0;
	if (stat(names[0], &st) < 0) {
		err_sys(err, "cannot read %s", names[0]);
		return err_status(err, ERR_USAGE);
	}
	if (count == 1) {
		USAGE_FAIL(err, "%s is not the folder of a finding", names[0]);
		return err_hint(err, "blackout replay DIR FINDING");
	}
	USAGE_FAIL(err, "%s has no crash state for a finding %s", names[0], names[1]);
	return err_hint(err, "crash findings are those with a line `replay:` in %s/report.txt", names[0]);
}

static int options_check(struct replay_options *o, struct err *err)
{
	if (o->gdb_commands.count)
		o->gdb = true;
	if (o->gdb && o->shell)
		return USAGE_FAIL(err, "--gdb and --shell cannot be used together");
	BUG_ON(!recovery_mode_find(o->mode, &o->recovery_mode)); /* the table of options lists them */
	return o->timeout ? seconds_parse("timeout", o->timeout, &o->seconds, err) : 0;
}

int cmd_replay(int argc, char **argv)
{
	char path[PATH_MAX];
	struct err err;
	int status, first = option_parse(&usage_replay, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	if (options_check(&given, &err) < 0 || folder_find(path, argv + first, argc - first, &err) < 0)
		return command_fail(&err);
	status = replay_run(&given, path, &err);
	return status < 0 ? command_fail(&err) : command_finish(status);
}
