/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept_input.c - see kept_input.h. */
#include "search/kept_input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "ops/substitute.h"
#include "run/kept_operations.h"
#include "run/pmem_force.h"
#include "run/shell.h"

enum { ROW_BYTES = 16, ROWS_SHOWN = 8 };

/* ---- the script ---- */

/* A copy of the user's file is there only if it is whole, and is removed only when the file is as before. */
static void put_back(FILE *out, const struct input_sources *sources)
{
	fputs("kept=$(mktemp -d) || exit 1\nback() {\n", out);
	for (size_t i = 0; i < sources->count; i++) {
		if (!sources->at[i].path)
			continue;
		fprintf(out, "\t[ ! -e \"$kept/%zu\" ] || cp -p -- \"$kept/%zu\" ", i, i);
		shell_quote(sources->at[i].path, out);
		fputs(" || exit 1\n", out);
	}
	fputs("\trm -rf \"$kept\"\n}\ntrap back EXIT\ntrap 'exit 1' HUP INT TERM\n", out);
}

/* Sources that are files are put in place of the user's, who gets them back. */
static void put_files(FILE *out, const struct input_sources *sources)
{
	bool any = false;

	for (size_t i = 0; i < sources->count; i++) {
		const struct input_source *source = &sources->at[i];

		if (!source->path)
			continue;
		if (!any)
			put_back(out, sources);
		any = true;
		fputs("cp -p -- ", out);
		shell_quote(source->path, out);
		fprintf(out, " \"$kept/part\" && mv \"$kept/part\" \"$kept/%zu\" || exit 1\ncp -- \"$here\"/", i);
		shell_quote(source->name, out);
		fputc(' ', out);
		shell_quote(source->path, out);
		fputs(" || exit 1\n", out);
	}
}

/* The words that the program needs in its environment. */
static void put_environment(FILE *out, const struct execution_plan *plan)
{
	struct words environment = {0};

	if (plan->job->pmem_force)
		pmem_force_add(&environment);
	for (size_t i = 0; i < environment.count; i++)
		fprintf(out, "%s ", environment.items[i]);
	words_free(&environment);
}

static void put_command(FILE *out, const struct execution_plan *plan, const struct input *input, const char *dir)
{
	char ops[PATH_MAX], output[PATH_MAX];
	struct words argv = {0};
	struct err ignored;
	const char *name = execution_stdin(plan);

	if (path_make(ops, sizeof(ops), &ignored, "%s/" EXECUTION_OPERATIONS, dir) < 0 ||
	    path_make(output, sizeof(output), &ignored, "%s/output", dir) < 0)
		return;
	execution_command(&argv, plan, input, plan->how->operations.list ? ops : NULL, output);
	put_environment(out, plan);
	for (size_t i = 0; i < argv.count; i++) {
		if (i)
			fputc(' ', out);
		shell_quote(argv.items[i], out);
	}
	if (!name && !plan->client)
		fputs(" </dev/null", out);
	else if (!plan->client)
		fprintf(out, " <\"$here\"/%s", name);
	words_free(&argv);
}

/* A server runs until its client is done. */
static void put_client(FILE *out, const struct execution_plan *plan, const char *dir)
{
	char ops[PATH_MAX], output[PATH_MAX], *text = NULL;
	const struct substitution values = {.ops = ops, .out = output};
	struct err ignored;
	bool operates = plan->how->operations.list;

	if (path_make(ops, sizeof(ops), &ignored, "%s/" EXECUTION_OPERATIONS, dir) < 0 ||
	    path_make(output, sizeof(output), &ignored, "%s/output", dir) < 0)
		return;
	text = plan->talk ? execution_sender(dir, &ignored)
			  : substitute_shell(plan->client, operates ? &values : NULL, NULL);
	if (!text)
		return;
	fprintf(out, " &\nserver=$!\n%s( %s\n)%s\nstatus=$?\nkill $server\nwait $server\nexit $status\n",
		plan->ready && !plan->talk ? "sleep 1 # until it is up\n" : "", text,
		operates ? " <\"$here\"/" EXECUTION_OPERATIONS : "");
	free(text);
}

static int script_write(const struct execution_plan *plan, const struct input *input, const char *dir, struct err *err)
{
	char path[PATH_MAX], cwd[PATH_MAX];
	FILE *out;

	if (path_make(path, sizeof(path), err, "%s/run", dir) < 0)
		return -1;
	if (!getcwd(cwd, sizeof(cwd)) || !(out = fopen(path, "we")))
		return err_sys(err, "cannot write %s", path);
	fputs("#!/bin/sh\n# Run the program on this input.\nhere=$(cd \"$(dirname \"$0\")\" && pwd) || exit 1\ncd ",
	      out);
	shell_quote(cwd, out);
	fputs(" || exit 1\n", out);
	put_files(out, plan->sources);
	put_command(out, plan, input, dir);
	if (plan->client)
		put_client(out, plan, dir);
	else
		fputc('\n', out);
	bool failed = fflush(out) || ferror(out) || fchmod(fileno(out), 0755) < 0;
	failed |= fclose(out) != 0;
	return failed ? err_sys(err, "cannot write %s", path) : 0;
}

/* The program performs the user's operations, if they are no input themselves. */
static int operations_keep(const struct execution_plan *plan, const char *dir, struct err *err)
{
	char path[PATH_MAX];

	if (!plan->how->operations.list)
		return 0;
	return path_make(path, sizeof(path), err, "%s/" EXECUTION_OPERATIONS, dir) < 0
		       ? -1
		       : operations_write_to(path, plan->how->operations.list, err);
}

int kept_input_write(const struct execution_plan *plan, const struct input *input, uint64_t number, struct err *err)
{
	char dir[PATH_MAX];

	if (path_make(dir, sizeof(dir), err, "%s/" KEPT_INPUTS, plan->dir) < 0)
		return -1;
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot make %s", dir);
	if (path_make(dir, sizeof(dir), err, "%s/" KEPT_INPUTS "/%" PRIu64, plan->dir, number) < 0)
		return -1;
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot make %s", dir);
	if (operations_keep(plan, dir, err) < 0 || input_write(input, plan->sources, dir, err) < 0 ||
	    (plan->talk && conversation_write(plan->talk, dir, err) < 0))
		return -1;
	return script_write(plan, input, dir, err);
}

/* ---- lines for reports ---- */

static bool row_has_marks(const struct input_bytes *matters, size_t from, size_t to)
{
	for (size_t i = from; matters->at && i < to && i < matters->size; i++)
		if (matters->at[i])
			return true;
	return false;
}

static void row_add(struct words *lines, const struct input_bytes *bytes, size_t from, size_t to)
{
	char hex[3 * ROW_BYTES + 1] = "", text[ROW_BYTES + 1];

	for (size_t i = from; i < to; i++) {
		snprintf(hex + 3 * (i - from), 4, "%02x ", bytes->at[i]);
		text[i - from] = isprint(bytes->at[i]) ? (char)bytes->at[i] : '.';
	}
	text[to - from] = 0;
	words_add(lines, "%04zx  %-*s %s", from, 3 * ROW_BYTES, hex, text);
}

static void marks_add(struct words *lines, const struct input_bytes *matters, size_t from, size_t to)
{
	char hex[3 * ROW_BYTES + 1], text[ROW_BYTES + 1];

	for (size_t i = from; i < to; i++) {
		bool marked = i < matters->size && matters->at[i];
		char mark = marked ? '^' : ' ', *cell = hex + 3 * (i - from);

		cell[0] = cell[1] = text[i - from] = mark;
		cell[2] = ' ';
	}
	hex[3 * (to - from)] = text[to - from] = 0;
	words_add(lines, "      %-*s %s", 3 * ROW_BYTES, hex, text);
}

void kept_input_lines(struct words *lines, const struct input_sources *sources, const struct input *input,
		      const struct input *matters)
{
	for (size_t i = 0; i < sources->count; i++) {
		const struct input_bytes *bytes = &input->of[i];

		if (sources->at[i].kind == BO_SOURCE_SOCKET && !bytes->size)
			continue;
		words_add(lines, "%s, %zu byte%s%s%s", sources->at[i].name, bytes->size, bytes->size == 1 ? "" : "s",
			  row_has_marks(&matters->of[i], 0, bytes->size) ? "; the marked ones lead there" : "",
			  bytes->size > ROW_BYTES * ROWS_SHOWN ? "; the first are:" : "");
		for (size_t row = 0; row < ROWS_SHOWN && row * ROW_BYTES < bytes->size; row++) {
			size_t from = row * ROW_BYTES,
			       to = from + ROW_BYTES < bytes->size ? from + ROW_BYTES : bytes->size;

			row_add(lines, bytes, from, to);
			if (row_has_marks(&matters->of[i], from, to))
				marks_add(lines, &matters->of[i], from, to);
		}
	}
}
