/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - see command.h. */
#include "run/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "ops/substitute.h"
#include "run/shell.h"

static void argv_make(struct command *command)
{
	char *text = shell_command(command->text);

	words_add(&command->argv, "/bin/sh");
	words_add(&command->argv, "-c");
	words_add(&command->argv, "%s", text);
	free(text);
}

void command_make(struct command *command, const struct command_template *template,
		  const struct recovery_setting *setting, const struct command_files *files)
{
	const struct substitution values = {.ops = files->ops,
					    .out = files->out,
					    .first = setting ? setting->first : 0};
	const struct substitution *used = setting ? &values : NULL;
	unsigned words, client_words = 0;

	*command = (struct command){.id = setting ? setting->id : 0};
	command->text = substitute_shell(template->recover, used, &words);
	if (template->client)
		command->client = substitute_shell(template->client, used, &client_words);
	argv_make(command);
	if (!setting)
		return;
	command->reads = !((template->client ? client_words : words) & SUBSTITUTE_OPS);
	command->hides = (words | client_words) & (SUBSTITUTE_OPS | SUBSTITUTE_OUT);
	command->writes_file = (words | client_words) & SUBSTITUTE_OUT;
}

static bool texts_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool command_same(const struct command *a, const struct command *b)
{
	return !a->id == !b->id && texts_same(a->text, b->text) && texts_same(a->client, b->client);
}

void command_free(struct command *command)
{
	free(command->text);
	free(command->client);
	words_free(&command->argv);
	*command = (struct command){0};
}

int command_link(const struct recovery_setting *setting, const char *link, struct err *err)
{
	char path[PATH_MAX];

	if (access(setting->ops, R_OK) < 0)
		return err_sys(err, "cannot read the operations in %s", setting->ops);
	/* A run that has just been started must not find nothing. */
	if (path_make(path, sizeof(path), err, "%s.new", link) < 0)
		return -1;
	unlink(path);
	if (symlink(setting->ops, path) < 0 || rename(path, link) < 0)
		return err_sys(err, "cannot create %s", link);
	return 0;
}
