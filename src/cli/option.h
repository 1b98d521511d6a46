/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.h - options as a table.  The parser, `--help` and the completions of the shells all come from it.
 *
 *     static const char *out;
 *     static bool stats;
 *     static const struct option options[] = {
 *             OPTION_GROUP("Output"),
 *             OPTION_OUT(&out),
 *             {"stats", NULL, NULL, "print counts instead of events", OPTION_FLAG, &stats},
 *             {0},
 *     };
 *     const struct usage usage_dump = {.command = "dump", .operands = "[DIR]", .options = options, ...};
 *
 *     int cmd_dump(int argc, char **argv)
 *     {
 *             int status, first = option_parse(&usage_dump, argc, argv, &status);
 *             if (!first)
 *                     return status;            // --help was printed, or the command line is wrong and it was said
 *             ... argv[first] .. argv[argc - 1] are the operands
 *
 * `--name value` and `--name=value` both work; `--` ends the options.  Operands may stand between options, except where
 * they are another program's command line (OPERAND_PROGRAM): there the first operand ends the options. */
#ifndef BLACKOUT_CLI_OPTION_H
#define BLACKOUT_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum option_kind {
	OPTION_FLAG,   /* bool: true when given */
	OPTION_UNSET,  /* bool: false when given, true otherwise (the --no-... options) */
	OPTION_TEXT,   /* const char *: the argument, or the default */
	OPTION_LIST,   /* struct option_list: may be repeated */
	OPTION_NUMBER, /* uint64_t: a decimal number */
	OPTION_TITLE,  /* no option: a heading of the help, for the rows below it */
};

/* To be added to the kind of an option that says how crash states are tested: when they are tested further it is what
 * it was (testing.h), unless it is given anew. */
enum option_use {
	OPTION_KIND_MASK = 0xf,
	OPTION_KEPT = 0x10,
	OPTION_RULES = 0x30, /* and the outcomes of recovery depend on it */
};

/* Arguments of a repeatable option, in order.  The array is the list's, the strings are argv's. */
struct option_list {
	const char **items;
	size_t count;
};

struct option {
	const char *name; /* without the dashes; NULL ends a table */
	/* What the help calls its argument; NULL if it takes none.  "a|b|c" names all values that the option accepts, and
	 * the parser refuses others.  "a|b|c,..." is a comma list of these, which the command checks itself. */
	const char *argument;
	const char *fallback; /* the default, parsed like an argument and shown in the help; NULL: none */
	const char *help;
	unsigned kind; /* enum option_kind, and option_use */
	void *value;   /* where it goes */
};

/* What the operands are, for the completions. */
enum operand {
	OPERAND_NONE,
	OPERAND_PROGRAM,   /* a command line to run */
	OPERAND_RECORDING, /* the directory of a recording */
	OPERAND_FINDING,   /* such a directory, then a finding in it */
	OPERAND_COMMAND,   /* a command of Blackout */
	OPERAND_KIND,      /* a kind of finding */
	OPERAND_SHELL,     /* bash or zsh */
};

struct usage {
	const char *command;
	const char *operands; /* as the help shows them */
	const char *about;    /* one or two sentences */
	const struct option *options;
	enum operand operand;
	size_t operands_min, operands_max; /* a program may have any number of arguments, whatever the maximum says */
};

/* Options that several commands share, written once. */
/* clang-format off */
#define OPTION_GROUP(title) {"", NULL, NULL, title, OPTION_TITLE, NULL}
#define OPTION_OUT(where) {"out", "DIR", "blackout.out", "output directory", OPTION_TEXT, where}
#define OPTION_PROGRESS(where) {"no-progress", NULL, NULL, "do not show progress", OPTION_UNSET, where}
#define OPTION_QUIET(where) {"quiet", NULL, NULL, "print errors only", OPTION_FLAG, where}
/* clang-format on */

/* Set every value to its default, then read argv.  Returns the index of the first operand (argc if there is none; the
 * operands are moved to the end of argv), or 0 when the command is over: *status is then its exit status. */
int option_parse(const struct usage *usage, int argc, char **argv, int *status);

static inline enum option_kind option_kind(const struct option *option)
{
	return (enum option_kind)(option->kind & OPTION_KIND_MASK);
}

static inline bool option_is_kept(const struct option *option)
{
	return option->kind & OPTION_KEPT;
}

static inline bool option_rules(const struct option *option)
{
	return (option->kind & OPTION_RULES) == OPTION_RULES;
}

/* Print the help of a command on standard output. */
void usage_print(const struct usage *usage);

/* A value that the option's argument names: the one after `value`, or the first if that is NULL.  NULL: there is none.
 * Its length goes to *length. */
const char *option_value_next(const struct option *option, const char *value, size_t *length);

/* After option_parse: was it on the command line? */
bool option_given(const struct option *option);

/* Give it a value, as if "--name=argument" had been on the command line; NULL where it takes none.  -1: that is not
 * a number, or not one of its values. */
int option_set(const struct option *option, const char *argument, struct err *err);

#endif
