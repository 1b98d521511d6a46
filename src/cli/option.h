/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.h - options as a table.  The parser, `--help` and the shell completions are all derived from it.
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
 *                     return status;            // --help was printed, or an error in the command line was reported
 *             ... argv[first] .. argv[argc - 1] are the operands
 *
 * `--name value` and `--name=value` both work; `--` ends the options.  Operands may appear between options, unless they
 * are the command line of another program (OPERAND_PROGRAM): then the first operand ends the options. */
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
	OPTION_TITLE,  /* not an option: a heading in the help, for the rows below it */
};

/* Flags to add to the kind of an option that controls how crash states are tested.  When testing is resumed, such an
 * option keeps its value (saved_options.h), unless the command line gives a new one. */
enum option_use {
	OPTION_KIND_MASK = 0xf,
	OPTION_KEPT = 0x10,
	OPTION_OUTCOME = 0x30, /* also, the outcomes of recovery depend on it */
	OPTION_CONTENT = 0x40, /* it names a file, whose content they depend on too */
};

/* Arguments of a repeatable option, in the sequence of the command line.  The list owns the array; the strings belong
 * to argv. */
struct option_list {
	const char **items;
	size_t count;
};

/* "|a|b|c" or ",a,b,c", made from a table of names (PLATFORMS(PLATFORM_BAR)), as the argument of an option: "a|b|c". */
#define OPTION_VALUES(bars) (&(bars)[1])

struct option {
	const char *name; /* without the dashes; NULL ends a table */
	/* The name of its argument in the help; NULL if it takes none.  "a|b|c" lists all accepted values, and the
	 * parser refuses others.  "a|b|c,..." is a comma-separated list of these, which the command checks itself. */
	const char *argument;
	const char *fallback; /* the default, parsed like an argument and shown in the help; NULL: none */
	const char *help;
	unsigned kind; /* enum option_kind, plus enum option_use */
	void *value;   /* where to store it */
};

/* The kind of operands, for the completions. */
enum operand {
	OPERAND_NONE,
	OPERAND_PROGRAM,   /* a command line to run */
	OPERAND_RECORDING, /* the directory of a recording */
	OPERAND_FINDING,   /* such a directory, then a finding in it */
	OPERAND_COMMAND,   /* a command of Blackout */
	OPERAND_KIND,      /* a kind of finding */
	OPERAND_SHELL,     /* bash or zsh */
	OPERAND_FILE,
};

struct usage {
	const char *command;
	const char *operands; /* as the help shows them */
	const char *about;    /* one or two sentences */
	const struct option *options;
	enum operand operand;
	size_t operands_min, operands_max; /* a program may have any number of arguments, regardless of the maximum */
};

/* Options that several commands share. */
/* clang-format off */
#define OPTION_GROUP(title) {"", NULL, NULL, title, OPTION_TITLE, NULL}
#define OPTION_OUT(where) {"out", "DIR", "blackout.out", "output directory", OPTION_TEXT, where}
#define OPTION_PROGRESS(where) {"no-progress", NULL, NULL, "do not show progress", OPTION_UNSET, where}
#define OPTION_QUIET(where) {"quiet", NULL, NULL, "print errors only", OPTION_FLAG, where}
/* clang-format on */

/* Set every value to its default. */
void options_reset(const struct option *table);

/* Set every value to its default, then parse argv.  Returns the index of the first operand (argc if there is none).
 * The operands are moved to the end of argv.  Returns 0 if the command is over; *status is then its exit status. */
int option_parse(const struct usage *usage, int argc, char **argv, int *status);

static inline enum option_kind option_kind(const struct option *option)
{
	return (enum option_kind)(option->kind & OPTION_KIND_MASK);
}

static inline bool option_is_kept(const struct option *option)
{
	return option->kind & OPTION_KEPT;
}

static inline bool option_decides_outcome(const struct option *option)
{
	return (option->kind & OPTION_OUTCOME) == OPTION_OUTCOME;
}

/* Print the help of a command on standard output. */
void usage_print(const struct usage *usage);

/* Iterate over the values that the option's argument lists.  Returns the one after `value`, or the first if that is
 * NULL; NULL: there are no more.  *length is its length. */
const char *option_value_next(const struct option *option, const char *value, size_t *length);

/* Was it on the command line?  Valid after option_parse. */
bool option_given(const struct option *option);

/* Set a value, as if "--name=argument" were on the command line; NULL if it takes none. -1: it is not a number, or not
 * one of the option's values. */
int option_set(const struct option *option, const char *argument, struct err *err);

#endif
