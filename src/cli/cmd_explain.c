/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_explain.c - `blackout explain [KIND]`: what a kind of finding means (doc/findings), or the list of kinds. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/nearest.h"
#include "cli/oracle_options.h"
#include "report/assets.h"
#include "report/markdown.h"
#include "report/text_out.h"

enum { WIDTH = 80, LINE_COLUMN = 27 };

static struct oracle_words oracles;

static const struct option options[] = {ORACLE_OPTIONS(&oracles, "explain the kinds of this plug-in, too"), {0}};

const struct usage usage_explain = {
	.command = "explain",
	.operands = "[KIND]",
	.about = "Say what a kind of finding means, show a small program that has it, and say how\n"
		 "to fix it, when it is a false alarm, and how to silence it. Without KIND, list\n"
		 "all kinds.",
	.options = options,
	.operand = OPERAND_KIND,
	.operands_max = 1,
};

static void kinds_list(void)
{
	struct text text = {.out = stdout, .width = WIDTH};

	for (unsigned i = 0; i < kind_count(); i++) {
		const struct kind *kind = kind_get((enum finding_kind)i);

		text_print(&text, kind->name);
		text_pad(&text, LINE_COLUMN);
		text_wrap(&text, kind->line, LINE_COLUMN);
		text_newline(&text);
	}
}

static int kind_unknown(const char *name)
{
	struct nearest nearest = {.word = name};
	struct err err;

	for (unsigned i = 0; i < kind_count(); i++)
		nearest_offer(&nearest, kind_get((enum finding_kind)i)->name);
	err_set(&err, "there is no kind of finding '%s'", name);
	err_status(&err, ERR_USAGE);
	if (nearest.best)
		err_hint(&err, "did you mean %s?", nearest.best);
	else
		err_hint(&err, "blackout explain lists the kinds");
	return command_fail(&err);
}

static int kind_explain(const char *name)
{
	enum finding_kind kind = kind_find(name, strlen(name));

	if (kind == KIND_NONE)
		return kind_unknown(name);
	markdown_write(asset_help(kind), WIDTH, stdout);
	return command_finish(STATUS_DONE);
}

int cmd_explain(int argc, char **argv)
{
	int status, first = option_parse(&usage_explain, argc, argv, &status);
	struct plugins *plugins;
	struct err err;

	if (!first)
		return status;
	if (oracle_options_open(&plugins, &oracles, &err) < 0) {
		status = command_fail(&err);
	} else if (first == argc) {
		kinds_list();
		status = command_finish(STATUS_DONE);
	} else {
		status = kind_explain(argv[first]);
	}
	plugins_close(plugins);
	return status;
}
