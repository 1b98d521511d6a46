/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_completion.c - `blackout completion bash|zsh`: print a script that lets the shell complete our command lines.
 *
 * The commands, options, values and kinds come from their tables; the rest is fixed (report/assets/completion.*). */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "report/assets.h"

static const struct option options[] = {{0}};

const struct usage usage_completion = {
	.command = "completion",
	.operands = "bash|zsh",
	.about = "Print a script that makes the shell complete the commands, options and values of\n"
		 "Blackout. `make install` puts it where bash and zsh look for it. Without that:\n\n"
		 "    bash: . <(blackout completion bash)\n"
		 "    zsh:  blackout completion zsh >DIR/_blackout, where DIR is in $fpath",
	.options = options,
	.operand = OPERAND_SHELL,
	.operands_min = 1,
	.operands_max = 1,
};

static bool is_option(const struct option *o)
{
	return option_kind(o) != OPTION_TITLE;
}

static bool is_list(const struct option *o)
{
	return strchr(o->argument, ',') != NULL;
}

static void values_print(const struct option *o)
{
	size_t length;

	for (const char *v = NULL; (v = option_value_next(o, v, &length));)
		printf(" %.*s", (int)length, v);
}

static void commands_print(void)
{
	for (const struct command *c = command_all(); c->name; c++)
		printf(" %s", c->name);
}

static void kinds_print(void)
{
	for (unsigned i = 0; i < kind_count(); i++)
		printf(" %s", kind_get((enum finding_kind)i)->name);
}

/* bash */

static const char *operand_word(enum operand operand)
{
	switch (operand) {
	case OPERAND_NONE: return "none";
	case OPERAND_PROGRAM: return "program";
	case OPERAND_RECORDING: return "recording";
	case OPERAND_FINDING: return "finding";
	case OPERAND_COMMAND: return "command";
	case OPERAND_KIND: return "kind";
	case OPERAND_SHELL: return "shell";
	case OPERAND_FILE: return "file";
	}
	return "none";
}

/* Options that take an argument end with "=". */
static void bash_options(void)
{
	printf("_blackout_options()\n{\n\tcase $1 in\n");
	for (const struct command *c = command_all(); c->name; c++) {
		printf("\t%s) echo '", c->name);
		for (const struct option *o = c->usage->options; o->name; o++)
			if (is_option(o))
				printf(" --%s%s", o->name, o->argument ? "=" : "");
		printf("' ;;\n");
	}
	printf("\tesac\n}\n\n");
}

static void bash_values(void)
{
	size_t length;

	printf("_blackout_values()\n{\n\tcase $1 in\n");
	for (const struct command *c = command_all(); c->name; c++)
		for (const struct option *o = c->usage->options; o->name; o++)
			if (is_option(o) && option_value_next(o, NULL, &length)) {
				printf("\t%s--%s) echo '%s", c->name, o->name, is_list(o) ? "," : "");
				values_print(o);
				printf("' ;;\n");
			}
	printf("\tesac\n}\n\n");
}

static void bash_print(void)
{
	printf("# bash completion of blackout, made by `blackout completion bash`.\n\n_blackout_commands='");
	commands_print();
	printf("'\n_blackout_kinds='");
	kinds_print();
	printf("'\n\n");
	bash_options();
	bash_values();
	printf("_blackout_operand()\n{\n\tcase $1 in\n");
	for (const struct command *c = command_all(); c->name; c++)
		printf("\t%s) echo %s ;;\n", c->name, operand_word(c->usage->operand));
	printf("\tesac\n}\n");
	fputs(asset_bash, stdout);
}

/* zsh */

/* Print text within single quotes, with a backslash before the characters in `special`. */
static void zsh_quote(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout);
		else if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

/* Print the zsh action for the argument of an option: "(text json)", "_files -/". */
static void zsh_argument(const struct option *o)
{
	size_t length;

	if (!option_value_next(o, NULL, &length)) {
		printf("%s", !strcmp(o->argument, "DIR")                                    ? "_files -/"
			     : !strcmp(o->argument, "FILE") || !strcmp(o->argument, "PATH") ? "_files"
			     : !strcmp(o->argument, "CMD")                                  ? "_cmdstring"
											    : "");
		return;
	}
	printf(is_list(o) ? "_values -s , %s" : "(", o->name);
	values_print(o);
	printf(is_list(o) ? "" : ")");
}

static void zsh_option(const struct option *o)
{
	size_t length;

	printf(" \\\n\t\t'%s--%s%s[", option_kind(o) == OPTION_LIST ? "*" : "", o->name, o->argument ? "=" : "");
	zsh_quote(o->help, "[]\\");
	putchar(']');
	if (o->argument) {
		printf(":%s:", option_value_next(o, NULL, &length) ? o->name : o->argument);
		zsh_argument(o);
	}
	putchar('\'');
}

static void zsh_operands(enum operand operand)
{
	switch (operand) {
	case OPERAND_NONE: return;
	case OPERAND_PROGRAM: printf(" \\\n\t\t'(-)1:program: _command_names -e' '*::arguments: _normal'"); return;
	case OPERAND_RECORDING: printf(" \\\n\t\t'1:recording:_files -/'"); return;
	case OPERAND_FINDING: printf(" \\\n\t\t'1:recording:_files -/' '2:finding:_blackout_findings'"); return;
	case OPERAND_COMMAND: printf(" \\\n\t\t'1:command:_blackout_command'"); return;
	case OPERAND_KIND:
		printf(" \\\n\t\t'1:kind:(");
		kinds_print();
		printf(")'");
		return;
	case OPERAND_SHELL: printf(" \\\n\t\t'1:shell:(bash zsh)'"); return;
	case OPERAND_FILE: printf(" \\\n\t\t'1:file:_files'"); return;
	}
}

static void zsh_print(void)
{
	printf("#compdef blackout\n# zsh completion of blackout, made by `blackout completion zsh`.\n\n"
	       "typeset -ga _blackout_commands _blackout_described\n_blackout_commands=(");
	commands_print();
	printf(")\n_blackout_described=(\n");
	for (const struct command *c = command_all(); c->name; c++) {
		printf("\t'%s:", c->name);
		zsh_quote(c->help, ":\\");
		printf("'\n");
	}
	printf(")\n\n");
	for (const struct command *c = command_all(); c->name; c++) {
		printf("_blackout_options_%s() {\n\t_arguments -S", c->name);
		for (const struct option *o = c->usage->options; o->name; o++)
			if (is_option(o))
				zsh_option(o);
		printf(" \\\n\t\t'--help[print the options]'");
		zsh_operands(c->usage->operand);
		printf("\n}\n\n");
	}
	fputs(asset_zsh, stdout);
}

int cmd_completion(int argc, char **argv)
{
	int status, first = option_parse(&usage_completion, argc, argv, &status);
	struct err err;

	if (!first)
		return status;
	if (!strcmp(argv[first], "bash")) {
		bash_print();
	} else if (!strcmp(argv[first], "zsh")) {
		zsh_print();
	} else {
		err_set(&err, "there is no completion for '%s', only for bash and zsh", argv[first]);
		err_status(&err, ERR_USAGE);
		return command_fail(&err);
	}
	return command_finish(STATUS_DONE);
}
