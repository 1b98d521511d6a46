/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_demo.c - `blackout demo`: run the shipped example, a small key-value store with deliberate bugs, and show what
 * was found.
 *
 * It prints each command before running it, so that the demo is also a first lesson. */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "cli/command.h"
#include "cli/option.h"
#include "report/reader.h"
#include "report/report.h"
#include "run/recorder.h"
#include "run/words.h"

static const char *out;

static const struct option options[] = {
	OPTION_OUT(&out),
	{0},
};

const struct usage usage_demo = {
	.command = "demo",
	.operands = "",
	.about = "Run the example that is shipped with Blackout: a small key-value store in\n"
		 "persistent memory, with deliberate bugs.",
	.options = options,
};

/* Add `text` as one word, quoted for a shell. */
static void quoted_add(struct words *words, const char *text)
{
	char quoted[4 * PATH_MAX + 3];
	size_t n = 0;

	BUG_ON(strlen(text) > PATH_MAX);
	quoted[n++] = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			n += (size_t)sprintf(quoted + n, "'\\'");
		quoted[n++] = *text;
	}
	quoted[n++] = '\'';
	quoted[n] = 0;
	words_add(words, "%s", quoted);
}

static void command_show(const struct words *words)
{
	fputs("$ blackout", stderr);
	for (size_t i = 0; i < words->count; i++)
		fprintf(stderr, strpbrk(words->items[i], " '") ? " \"%s\"" : " %s", words->items[i]);
	fputc('\n', stderr);
}

static int demo_run(const char *kv)
{
	struct words words = {0}, names = {0};
	char pool[PATH_MAX];
	struct err err;

	if (path_make(pool, sizeof(pool), &err, "%s/kv.pool", out) < 0)
		return command_fail(&err);
	quoted_add(&names, pool);
	quoted_add(&names, kv);
	words_add(&words, "run");
	words_add(&words, "--out");
	words_add(&words, "%s", out);
	words_add(&words, "--setup");
	words_add(&words, "rm -f %s; %s create %s", names.items[0], names.items[1], names.items[0]);
	words_add(&words, "--recover");
	words_add(&words, "%s check %s", names.items[1], names.items[0]);
	words_add(&words, "--");
	words_add(&words, "%s", kv);
	words_add(&words, "fill");
	words_add(&words, "%s", pool);
	words_add(&words, "100");
	command_show(&words);
	int status = cmd_run((int)words.count, words.items);
	words_free(&words);
	words_free(&names);
	return status;
}

/* The first finding that can be replayed, or "". */
static void crash_find(char *id, size_t size)
{
	char path[PATH_MAX];
	struct findings *findings;
	struct err err;

	*id = 0;
	if (!path_format(path, sizeof(path), "%s/%s", out, report_file(REPORT_JSON)) ||
	    findings_read(&findings, path, &err) < 0)
		return;
	for (size_t i = 0; i < findings->count && !*id; i++)
		if (findings->at[i].crash && findings->at[i].crash->folder)
			snprintf(id, size, "%s", findings->at[i].crash->folder);
	findings_free(findings);
}

static void files_show(const char *self, const char *kv)
{
	const char *quote = strpbrk(self, " '") ? "\"" : "";
	char id[32];

	crash_find(id, sizeof(id));
	fprintf(stderr,
		"\nprogram  %s, whose source (examples/kv.c) marks each bug\n"
		"html     %s/report.html\n"
		"json     %s/findings.json\n"
		"next     %s%s%s dump %s | less\n",
		kv, out, out, quote, self, quote, out);
	if (*id)
		fprintf(stderr, "replay   %s%s%s replay %s %s, and with --gdb in a debugger\n", quote, self, quote, out,
			id);
}

int cmd_demo(int argc, char **argv)
{
	char kv[PATH_MAX], self[PATH_MAX];
	struct err err;
	int status;

	if (!option_parse(&usage_demo, argc, argv, &status))
		return status;
	if (recorder_find_shipped(kv, "examples/kv", &err) < 0 || recorder_find_self(self, &err) < 0)
		return command_fail(&err);
	status = demo_run(kv);
	if (status != STATUS_FOUND) /* without findings, the example did not work as intended */
		return status == STATUS_DONE ? ERR_CANNOT : status;
	fflush(stdout);
	files_show(self, kv);
	return STATUS_DONE;
}
