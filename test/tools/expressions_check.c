/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expressions_check.c - are the expressions of a recording right?
 *
 *     expressions_check DIR INPUT
 *
 * evaluates the expressions of all VALUEs and BRANCHes in DIR, the recording of a program that read INPUT from stdin, and
 * demands the values that the program had.
 *
 *     expressions_check DIR INPUT DIR2 INPUT2
 *
 * demands that they are right as functions, too: DIR2 is a recording of the same program on another input.  As long as it
 * takes the same path, the expressions of DIR, evaluated on INPUT2, have the values of DIR2.
 *
 * Prints what was compared.  The exit status is 1 if something differs.
 *
 *     expressions_check --operations DIR
 *     expressions_check --concrete DIR
 *
 * The former prints for each operation that the recorder knows how many results it found right, and how many wrong; the
 * latter prints what was not followed, and how often. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "expression/evaluation.h"
#include "trace/trace.h"

#define DIFFERENCES_SHOWN 20

struct run {
	const char *dir;
	struct trace *trace;
	struct assignment input;
	struct evaluation *evaluation;
};

static unsigned long long values, branches, differences;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "expressions_check: %s: %s\n", what, why);
	exit(2);
}

static void read_input(struct assignment *input, const char *path)
{
	FILE *file = fopen(path, "r");
	uint64_t offset = 0;
	int byte;

	if (!file)
		die(path, "cannot open it");
	for (; (byte = getc(file)) != EOF; offset++)
		assignment_set_byte(input, 1, offset, (uint8_t)byte);
	assignment_set_length(input, 1, offset);
	fclose(file);
}

/* The next event that has an expression; false at the end. */
static bool next_event(struct run *run, struct event *ev)
{
	struct err err;
	int r;

	while ((r = trace_next(run->trace, ev, &err)) > 0) {
		if (ev->type == EVENT_VALUE || ev->type == EVENT_BRANCH)
			return true;
	}
	if (r < 0)
		die(run->dir, err.sentence);
	return false;
}

static void open_run(struct run *run, const char *dir, const char *input)
{
	struct err err;

	run->dir = dir;
	if (trace_open(&run->trace, dir, &err) < 0)
		die(dir, err.sentence);
	read_input(&run->input, input);
	run->evaluation = evaluation_new(trace_expressions(run->trace));
}

static void close_run(struct run *run)
{
	evaluation_free(run->evaluation);
	assignment_free(&run->input);
	trace_close(run->trace);
}

/* Evaluate an expression of `run` on an input, for which the program had `value`. */
static void check(struct run *run, const struct event *ev, const struct assignment *input, uint64_t value)
{
	uint64_t got = evaluation_value(run->evaluation, ev->expression, input);
	char text[600];

	if (ev->type == EVENT_VALUE)
		values++;
	else
		branches++;
	if (got == value || differences++ >= DIFFERENCES_SHOWN)
		return;
	expression_print(trace_expressions(run->trace), ev->expression, text, sizeof(text));
	printf("%s: %#" PRIx64 " instead of %#" PRIx64 ": %s\n", run->dir, got, value, text);
}

static void check_alone(struct run *run)
{
	struct event ev;

	while (next_event(run, &ev))
		check(run, &ev, &run->input, ev.value);
}

/* Does the branch go another way for this input?  Only a jump is the same branch then. */
static bool leaves_path(struct run *run, const struct event *branch, const struct assignment *input)
{
	return evaluation_value(run->evaluation, branch->expression, input) != branch->value;
}

static void check_as_functions(struct run *run, struct run *other)
{
	struct event ev, there;
	bool more = next_event(run, &ev), more_there = next_event(other, &there);

	for (; more && more_there; more = next_event(run, &ev), more_there = next_event(other, &there)) {
		if (ev.type != there.type) {
			differences++;
			printf("%s and %s differ on the same path\n", run->dir, other->dir);
			return;
		}
		if (ev.type == EVENT_BRANCH && leaves_path(run, &ev, &other->input))
			return;
		check(run, &ev, &other->input, there.value);
	}
	if (more != more_there) {
		differences++;
		printf("%s and %s have not the same length\n", run->dir, other->dir);
	}
}

/* The number of a META `prefix``name`, or 0. */
static unsigned long long meta_number(const struct trace *trace, const char *prefix, const char *name)
{
	const char *value;
	char key[200];

	snprintf(key, sizeof(key), "%s%s", prefix, name);
	value = trace_meta(trace, key);
	return value ? strtoull(value, NULL, 10) : 0;
}

/* Print all META of this prefix: name and number. */
static void print_counts(const char *dir, const char *prefix)
{
	size_t skip = strlen(prefix);
	struct run run = {0};
	const char *key, *value;
	struct event ev;

	open_run(&run, dir, "/dev/null");
	while (next_event(&run, &ev))
		;
	for (size_t i = 0; (key = trace_meta_at(run.trace, i, &value)); i++) {
		if (strncmp(key, prefix, skip))
			continue;
		printf("%s %s", key + skip, value);
		if (!strcmp(prefix, BO_META_CHECKED))
			printf(" %llu", meta_number(run.trace, BO_META_WRONG, key + skip));
		printf("\n");
	}
	close_run(&run);
}

int main(int argc, char **argv)
{
	struct run run = {0}, other = {0};

	if (argc == 3 && (!strcmp(argv[1], "--operations") || !strcmp(argv[1], "--concrete"))) {
		print_counts(argv[2], !strcmp(argv[1], "--concrete") ? BO_META_CONCRETE : BO_META_CHECKED);
		return 0;
	}
	if (argc != 3 && argc != 5)
		die("usage", "DIR INPUT [DIR2 INPUT2]");
	open_run(&run, argv[1], argv[2]);
	if (argc == 5) {
		open_run(&other, argv[3], argv[4]);
		check_as_functions(&run, &other);
		close_run(&other);
	} else {
		check_alone(&run);
	}
	close_run(&run);
	printf("%llu values, %llu branches, %llu differences\n", values, branches, differences);
	return differences != 0;
}
