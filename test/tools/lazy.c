/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.c - runs a recovery command on every possible content after a crash, both lazily and by brute force, without a
 * recording.
 *
 *     lazy [OPTION=VALUE ...] pm=PATH certain=FILE unit=EVENT:OFFSET:VALUE[:ORDER[:KIND]]... command=TEXT
 *
 * FILE is the certain content of the PM file PATH.  A unit is a store of 8 bytes at an aligned offset.  VALUE is a
 * number.  ORDER is the event of a CLFLUSH that came after it, 0 if there was none.  KIND is 0 for a cached store,
 * otherwise 1.  For each leaf it prints a line
 *
 *     OUTCOME | decided units, + taken or - left out | states | what was printed, | for new lines
 *
 * and at the end "leaves N refused N left out N".  With brute=yes it runs all legal sets one by one, and the lines have
 * only the outcome and what was printed.
 *
 *     order=least|most|contrast|sample seed= leaves= timeout= jobs= memory=
 *     enough=N     end the exploration after N leaves
 *     stop=EVENT   begin at a checkpoint before this event of a walk (run/checkpoint.h)
 *     repeat=N     print the number of leaves and traps per second
 *
 *     ops=FILE     operations that recovery performs
 *     bound=BYTES  summarize the outputs, and print the digest of the lines at the end of each line, with the number of
 *                  lines
 *
 * It puts its files into the directory $LAZY_STAGES, or /dev/shm if that is not set. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../unit/leaf_states.h"
#include "base/mem.h"
#include "base/path.h"
#include "image/origin.h"
#include "image/tree.h"
#include "ops/output.h"
#include "run/checkpoint.h"
#include "run/lazy.h"

enum { UNITS_MAX = 4096, BYTES_MAX = 1 << 24 };

static char root[PATH_MAX - 64], staged[PATH_MAX];
static uint8_t *certain;
static size_t certain_bytes;
static struct choices *choices;
static uint64_t leaf_count, enough, trap_count;
static bool quiet, further; /* further: runs begin at a checkpoint */

static void die(const char *what)
{
	fprintf(stderr, "lazy: %s\n", what);
	exit(3);
}

static const char *value(int argc, char **argv, const char *key)
{
	const char *found = NULL;

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], key, strlen(key)) && argv[i][strlen(key)] == '=')
			found = argv[i] + strlen(key) + 1;
	return found;
}

static uint64_t number(int argc, char **argv, const char *key, uint64_t otherwise)
{
	const char *text = value(argc, argv, key);
	return text ? strtoull(text, NULL, 0) : otherwise;
}

/* The undecided units */

static int unit_compare(const void *left, const void *right)
{
	const struct choices_unit *a = left, *b = right;
	uint64_t x = a->offset / LINE_BYTES, y = b->offset / LINE_BYTES;

	if (x != y)
		return x < y ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

static struct choices_unit unit_parse(const char *text)
{
	unsigned long long event, offset, number_, order = 0, kind = 0;
	struct choices_unit unit = {.file = 1, .size = 8, .shows = 0xff};

	if (sscanf(text, "%lli:%lli:%lli:%lli:%lli", (long long *)&event, (long long *)&offset, (long long *)&number_,
		   (long long *)&order, (long long *)&kind) < 3)
		die("a unit is EVENT:OFFSET:VALUE[:ORDER[:KIND]]");
	unit.event = event;
	unit.offset = offset;
	unit.order = order ? order : CHOICES_NEVER;
	unit.kind = (uint8_t)kind;
	memcpy(unit.value, &number_, 8);
	return unit;
}

static void choices_make(int argc, char **argv)
{
	struct choices_unit *units = mem_resize(NULL, UNITS_MAX, sizeof(*units));
	struct choices_line *lines = mem_resize(NULL, UNITS_MAX, sizeof(*lines));
	uint32_t count = 0, line_count = 0, most = 0, orders = 0;

	for (int i = 1; i < argc && count < UNITS_MAX; i++)
		if (!strncmp(argv[i], "unit=", 5))
			units[count++] = unit_parse(argv[i] + 5);
	qsort(units, count, sizeof(*units), unit_compare);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t offset = units[i].offset & -(uint64_t)LINE_BYTES;

		units[i].pending = i;
		orders += units[i].order != CHOICES_NEVER;
		if (!line_count || lines[line_count - 1].offset != offset)
			lines[line_count++] = (struct choices_line){.offset = offset, .file = 1, .first = i};
		if (++lines[line_count - 1].count > most)
			most = lines[line_count - 1].count;
	}
	size_t bytes = sizeof(*choices) + line_count * sizeof(*lines) + count * sizeof(*units);
	choices = mem_alloc(bytes);
	*choices = (struct choices){bytes, 1000000, line_count, count, most, orders};
	memcpy(choices + 1, lines, line_count * sizeof(*lines));
	memcpy((struct choices_line *)(choices + 1) + line_count, units, count * sizeof(*units));
	if (!choices_check(choices, bytes))
		die("these units are not well formed");
	free(units);
	free(lines);
}

static void certain_read(const char *path)
{
	FILE *f = path ? fopen(path, "re") : NULL;

	if (!f)
		die("no certain content");
	certain = mem_alloc(BYTES_MAX);
	certain_bytes = fread(certain, 1, BYTES_MAX, f);
	fclose(f);
}

/* Writes the stage: the certain content and the taken units. */
static void stage_write(const uint8_t *taken)
{
	uint8_t *bytes = mem_alloc(certain_bytes + 1);

	memcpy(bytes, certain, certain_bytes);
	for (uint32_t i = 0; i < choices->line_count && taken; i++) {
		const struct choices_line *line = &choices_lines(choices)[i];
		choices_apply(choices, i, taken + line->first, bytes + line->offset);
	}
	int fd = open(staged, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || pwrite(fd, bytes, certain_bytes, 0) != (ssize_t)certain_bytes)
		die("cannot write the stage");
	close(fd);
	free(bytes);
}

/* Output */

static void text_print(const struct tail *tail)
{
	for (size_t i = 0; i < tail->size; i++)
		putchar(tail->text[i] == '\n' ? '|' : tail->text[i] ? tail->text[i] : '.');
	if (tail->cut)
		printf(" (cut)");
}

static void outcome_print(const struct outcome *outcome)
{
	char text[64];

	ending_text(outcome->ending, text, sizeof(text));
	printf("%s ", text);
}

static void decisions_print(const struct lazy_leaf *leaf)
{
	putchar('|');
	for (size_t i = 0; i < leaf->count; i++) {
		const struct choices_line *line = &choices_lines(leaf->choices)[leaf->lines[i]];

		for (uint32_t u = line->first; u < line->first + line->count; u++)
			printf(" %c%llu", leaf->taken[u] ? '+' : '-',
			       (unsigned long long)choices_units(leaf->choices)[u].event);
	}
	printf(" | %.0f | ", leaf_states(leaf));
}

static void output_print(const struct output *output)
{
	if (!output)
		return;
	struct output_body body = output_body(output, NULL);
	struct output_digest digest = output_digest(output);
	printf(" | %zu lines %016lx%s", body.count, digest.low ^ digest.high,
	       output_is_endless(output) ? " endless" : "");
}

static const struct recovery_setting *setting_get(void *arg, uint64_t id)
{
	static struct recovery_setting setting = {.first = 10};

	setting.id = id;
	setting.ops = arg;
	return &setting;
}

static bool on_leaf(void *arg, void *ticket, const struct lazy_leaf *leaf)
{
	(void)arg;
	(void)ticket;
	leaf_count++;
	if (further && leaf->outcome && !leaf->outcome->from)
		die("a leaf does not begin at the checkpoint");
	if (quiet)
		return true;
	if (leaf->refused)
		printf("refused: %s ", leaf->refused);
	else
		outcome_print(leaf->outcome);
	decisions_print(leaf);
	if (leaf->outcome) {
		text_print(&leaf->outcome->out);
		printf(" | ");
		text_print(&leaf->outcome->err);
		output_print(leaf->outcome->output);
	}
	putchar('\n');
	return !enough || leaf_count < enough;
}

static void on_end(void *arg, void *ticket, const struct lazy_end *end)
{
	(void)arg;
	(void)ticket;
	trap_count += end->traps;
	if (quiet)
		return;
	printf("leaves %llu refused %llu left out %.0f\n", (unsigned long long)end->leaves,
	       (unsigned long long)end->refused, end->left_out);
	if (end->broken)
		printf("broken: %s\n", end->broken);
}

static void on_done(void *arg, void *ticket, const struct outcome *outcome)
{
	(void)arg;
	(void)ticket;
	outcome_print(outcome);
	printf("| ");
	text_print(&outcome->out);
	printf(" | ");
	text_print(&outcome->err);
	output_print(outcome->output);
	putchar('\n');
}

static int brute(struct recovery *r, uint32_t line, struct choices_bounds bounds, uint8_t *taken, struct err *err)
{
	if (line == choices->line_count) {
		stage_write(taken);
		return recovery_start(r, 0, NULL, err) < 0 ? -1 : recovery_drain(r, err);
	}
	uint8_t *flags = taken + choices_lines(choices)[line].first;
	for (bool more = choices_first(choices, line, bounds, CHOICES_SETS, flags); more;
	     more = choices_next(choices, line, bounds, CHOICES_SETS, flags))
		if (brute(r, line + 1, choices_decide(choices, line, flags, bounds), taken, err) < 0)
			return -1;
	return 0;
}

static enum lazy_sequence sequence_parse(const char *text)
{
	static const char *const names[] = {
		[LAZY_CONTRAST] = "contrast", [LAZY_SAMPLE] = "sample", [LAZY_LEAST] = "least", [LAZY_MOST] = "most"};

	for (unsigned i = 0; text && i < 4; i++)
		if (!strcmp(text, names[i]))
			return (enum lazy_sequence)i;
	return LAZY_CONTRAST;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The state with all that is certain may be walked on: recovery reads nothing else before the stop. */
static int walk(struct recovery *r, size_t event, struct err *err)
{
	struct checkpoint_plan plan = {.count = 1, .stops[0].event = event};
	struct outcome outcome;

	recovery_walk(r, 0, &plan, plan.count);
	if (recovery_run(r, 0, 1, &outcome, err) != 0)
		return -1;
	outcome_free(&outcome);
	if (recovery_checkpoints(r, 0) != 1)
		die("there is no checkpoint");
	return 0;
}

static int lazily(struct recovery *r, int argc, char **argv, struct err *err)
{
	uint32_t file = 1;
	uint64_t repeat = number(argc, argv, "repeat", 1);
	struct lazy_options o = {.choices = choices, .files = &file, .leaf = on_leaf, .ended = on_end};
	double start = seconds();

	o.sequence = sequence_parse(value(argc, argv, "order"));
	o.seed = number(argc, argv, "seed", 1);
	o.leaves_max = number(argc, argv, "leaves", 0);
	stage_write(NULL);
	quiet = repeat > 1;
	further = value(argc, argv, "stop");
	if (further && walk(r, number(argc, argv, "stop", 0), err) < 0)
		return -1;
	for (uint64_t i = 0; i < repeat; i++) {
		recovery_from(r, 0, further);
		if (recovery_start_lazy(r, 0, NULL, &o, err) < 0 || recovery_drain(r, err) != 0)
			return -1;
	}
	if (quiet)
		printf("%.0f leaves/s, %.0f traps/s\n", (double)leaf_count / (seconds() - start),
		       (double)trap_count / (seconds() - start));
	return 0;
}

static void stage_make(const struct origin *origin, struct recovery *r, char *dir)
{
	const char *name;

	BUG_ON(!path_format(dir, PATH_MAX, "%s/stage", root) || mkdir(dir, 0755) < 0);
	BUG_ON(!path_format(staged, sizeof(staged), "%s/0", dir) || mkdir(staged, 0755) < 0);
	origin_place(origin, origin_path(origin, 0), &name);
	BUG_ON(!path_format(staged, sizeof(staged), "%s/0/%s", dir, name));
	recovery_stage(r, 0, dir);
}

static bool passed(void *arg, void *ticket, const struct outcome *outcome)
{
	(void)arg;
	(void)ticket;
	return ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0});
}

int main(int argc, char **argv)
{
	static char dir[PATH_MAX], stub[PATH_MAX];
	struct origin *origin = origin_new();
	struct recovery_options o = {.command = value(argc, argv, "command"),
				     .done = on_done,
				     .passed = passed,
				     .pmem_force = true,
				     .origin = origin};
	struct outcome outcome = {.ending.kind = ENDING_EXIT};
	struct recovery *r = NULL;
	struct err err = {.sentence = "interrupted"};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!value(argc, argv, "pm") || !origin_add_path(origin, value(argc, argv, "pm")))
		die("no PM path");
	enough = number(argc, argv, "enough", 0);
	o.timeout = (double)number(argc, argv, "timeout", 10000) / 1000;
	o.memory = number(argc, argv, "memory", 0);
	o.jobs = 1;
	o.setting = setting_get;
	o.setting_arg = (void *)value(argc, argv, "ops");
	struct output_rules *rules =
		value(argc, argv, "bound") ? output_rules_new(number(argc, argv, "bound", 0)) : NULL;
	o.output = rules;
	choices_make(argc, argv);
	certain_read(value(argc, argv, "certain"));
	o.stub = stub;
	ssize_t n = readlink("/proc/self/exe", stub, sizeof(stub) - 1);
	stub[n > 0 ? n : 0] = 0;
	strcpy(strstr(stub, "/test/tools/"), "/libblackout-preload.so");
	snprintf(root, sizeof(root), "%s/lazy-XXXXXX", getenv("LAZY_STAGES") ? getenv("LAZY_STAGES") : "/dev/shm");
	if (!mkdtemp(root) || recovery_new(&r, &o, &err) < 0)
		die(err.sentence);
	stage_make(origin, r, dir);
	recovery_set(r, 0, o.setting_arg ? 1 : 0);
	stage_write(NULL);
	int result = recovery_run(r, 0, 1, &outcome, &err);
	if (result == 0 && value(argc, argv, "brute")) {
		uint8_t *taken = mem_alloc(choices->unit_count + 1);
		result = brute(r, 0, CHOICES_OPEN, taken, &err);
		free(taken);
	} else if (result == 0) {
		result = lazily(r, argc, argv, &err);
	}
	if (result != 0)
		fprintf(stderr, "lazy: %s\n", err.sentence);
	outcome_free(&outcome);
	recovery_free(r);
	if (rules)
		output_rules_free(rules);
	tree_remove(root);
	free(choices);
	free(certain);
	origin_free(origin);
	return result ? 3 : 0;
}
