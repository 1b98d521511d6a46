/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_ops.c - `blackout ops SPEC`: print a list of operations made from a grammar. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/out.h"
#include "ops/generate.h"

static uint64_t count, seed, keys;
static const char *distribution;

static const struct option options[] = {
	{"count", "N", "1000", "number of operations", OPTION_NUMBER, &count},
	{"seed", "N", "1", "seed of the random choices; the same seed gives the same list", OPTION_NUMBER, &seed},
	{"keys", "N", "100", "choose the keys from 1 to N; {newkey} goes on after N when all were used", OPTION_NUMBER,
	 &keys},
	{"distribution", "uniform|zipf", "uniform",
	 "how often keys are chosen: all equally often, or the n-th most popular one 1/n as often as the first",
	 OPTION_TEXT, &distribution},
	{0},
};

const struct usage usage_ops = {
	.command = "ops",
	.operands = "SPEC",
	.about = "Print a list of operations, one a line, made from the grammar in the file SPEC\n"
		 "(- is standard input). Each line of the grammar is a kind of operation:\n\n"
		 "    4 put {key} {value}         # a weight, then a template\n"
		 "    2 get {oldkey}\n"
		 "    1 scan {key} {int:1-20}\n\n"
		 "{key} is a key, two times in three one used before; {newkey} was not used\n"
		 "before, {oldkey} was; {value} is a number that occurs once; {int:A-B} is a\n"
		 "number in this range. \\{ \\} \\# \\\\ stand for these characters themselves.",
	.options = options,
	.operand = OPERAND_FILE,
	.operands_min = 1,
	.operands_max = 1,
};

static int keys_check(struct err *err)
{
	if (keys && keys <= KEYS_MAX)
		return 0;
	err_set(err, "--keys must be from 1 to %" PRIu64, KEYS_MAX);
	return err_status(err, ERR_USAGE);
}

/* Operations are written as they are made, so that any number of them needs little memory. */
static int operations_print(const struct grammar *grammar, struct err *err)
{
	struct generator_options chosen = {.seed = seed,
					   .keys = keys,
					   .distribution = strcmp(distribution, "zipf") ? KEYS_UNIFORM : KEYS_ZIPF};
	struct generator *generator = generator_new(grammar, &chosen);
	struct out *out = out_open(STDOUT_FILENO);

	for (uint64_t i = 0; i < count && !out_failed(out); i++) {
		out_text(out, generator_next(generator));
		out_char(out, '\n');
	}
	generator_free(generator);
	return out_close(out, err);
}

int cmd_ops(int argc, char **argv)
{
	int status, first = option_parse(&usage_ops, argc, argv, &status);
	struct grammar *grammar;
	struct err err;

	if (!first)
		return status;
	if (keys_check(&err) < 0 || grammar_read(&grammar, argv[first], &err) < 0)
		return command_fail(&err);
	int result = operations_print(grammar, &err);
	grammar_free(grammar);
	return result < 0 ? command_fail(&err) : STATUS_DONE;
}
