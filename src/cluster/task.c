/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c - see task.h. */
#include "cluster/task.h"

#include "run/shell.h"

static void assignment_write(const char *name, const char *value, FILE *out)
{
	fprintf(out, "%s=", name);
	shell_quote(value, out);
	fputc('\n', out);
}

void task_script(const struct task_common *c, FILE *out)
{
	fputs("#!/bin/sh\n# A shard of a check; blackout writes and runs this.\n", out);
	assignment_write("dir", c->dir, out);
	assignment_write("cwd", c->cwd, out);
	assignment_write("token", c->token, out);
	assignment_write("program", c->command->items[0], out);
	fprintf(out,
		"shard=${SLURM_ARRAY_TASK_ID:-$1}\n"
		"[ \"$(cat \"$dir/token\" 2>/dev/null)\" = \"$token\" ] || exit %d\n"
		"cd \"$cwd\" 2>/dev/null || exit %d\n"
		"[ -x \"$program\" ] || exit %d\n"
		"{ : >>\"$dir/$shard.log\"; } 2>/dev/null || exit %d\n"
		"exec </dev/null >>\"$dir/$shard.log\" 2>&1\n"
		"resume=\n"
		"[ ! -e \"$dir/$shard/crash.journal\" ] || resume=--resume\n",
		TASK_SEES_NOTHING, TASK_NO_DIRECTORY, TASK_NO_PROGRAM, TASK_NO_LOG);
	if (c->jobs)
		fprintf(out, "jobs=%u\n", c->jobs);
	else
		fputs("jobs=${SLURM_CPUS_ON_NODE:-1}\n", out);
	fprintf(out, "exec \"$program\" check --shard \"$shard/%u\" --out \"$dir/$shard\" $resume --jobs \"$jobs\"",
		c->total);
	for (size_t i = 1; i < c->command->count; i++) {
		fputc(' ', out);
		shell_quote(c->command->items[i], out);
	}
	fputc('\n', out);
}
