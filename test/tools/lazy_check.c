/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_check.c - checks, at the moments of a recording, that recovery on undecided lines gives the same outcomes as
 * recovery on all legal sets.
 *
 *     lazy_check dir=RECORDING command=TEXT [platform=adr] [sets=N] [sample=N] [leaves=N] [every=N] [timeout=MS]
 *
 * At every N-th moment (model/moments.h) it runs the leaves (run/lazy.h).  If there are at most `sets` legal sets,
 * it also runs all of them one by one; otherwise it runs `sample` random ones.  It prints a line with the numbers
 * for each moment.  The line has "DIFFER", and the exit status is 1, if the outcomes and what was printed are not
 * the same or, for random sets, are not among those of the leaves.  The last line has the sums. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "crash/reading.h"
#include "image/stage.h"
#include "image/variants.h"
#include "model/moments.h"
#include "run/lazy.h"

static struct origin *origin;
static struct recovery *recovery;
static struct image *image;
static struct stage *stage;
static struct map lazily, brutally; /* outcomes */
static uint64_t refused, leaves, traps, sets, moments_done, differ;
static double left_out;
static const char *broken;
static char broken_text[256], refused_text[256];
static char last[64], last_printed[128]; /* outcome of a leaf */

static void die(const char *what)
{
	fprintf(stderr, "lazy_check: %s\n", what);
	exit(3);
}

static const char *value(int argc, char **argv, const char *key)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], key, strlen(key)) && argv[i][strlen(key)] == '=')
			return argv[i] + strlen(key) + 1;
	return NULL;
}

static uint64_t number(int argc, char **argv, const char *key, uint64_t otherwise)
{
	const char *text = value(argc, argv, key);
	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void outcome_add(struct map *map, const struct outcome *o)
{
	uint64_t printed = XXH3_64bits(o->out.text ? o->out.text : "", o->out.size);

	*map_put(map, (uint64_t)o->ending.kind << 32 | (uint64_t)o->ending.value, printed) = 1;
}

static bool on_leaf(void *arg, void *ticket, const struct lazy_leaf *leaf)
{
	(void)arg;
	(void)ticket;
	leaves++;
	if (leaf->refused) {
		refused++;
		snprintf(refused_text, sizeof(refused_text), "%s", leaf->refused);
	} else {
		outcome_add(&lazily, leaf->outcome);
		ending_text(leaf->outcome->ending, last, sizeof(last));
		last_printed[0] = 0;
		if (leaf->outcome->err.text)
			snprintf(last_printed, sizeof(last_printed), "%.*s",
				 (int)strcspn(leaf->outcome->err.text, "\n"), leaf->outcome->err.text);
	}
	return true;
}

static void on_end(void *arg, void *ticket, const struct lazy_end *end)
{
	(void)arg;
	(void)ticket;
	traps += end->traps;
	left_out = end->left_out;
	broken = NULL;
	if (end->broken) {
		snprintf(broken_text, sizeof(broken_text), "%s", end->broken);
		broken = broken_text;
	}
}

static void on_done(void *arg, void *ticket, const struct outcome *outcome)
{
	(void)arg;
	(void)ticket;
	outcome_add(&brutally, outcome);
}

static uint32_t *files_find(void)
{
	uint32_t *files = mem_resize(NULL, origin_path_count(origin) + 1, sizeof(*files));

	for (size_t i = 0; i < origin_path_count(origin); i++) {
		files[i] = CHOICES_NONE;
		for (uint32_t f = 1; f <= image_file_count(image); f++)
			if (image_exists(image, f) && !strcmp(image_path(image, f), origin_path(origin, i)))
				files[i] = f;
	}
	return files;
}

static void state_load(const bool *persisted, size_t count)
{
	struct err err;
	struct state *state = count ? state_new(image, persisted) : state_none(image);

	if (stage_load(stage, state, &err) < 0)
		die(err.sentence);
	state_free(state);
}

static void brute(const struct choices *c, uint32_t line, struct choices_bounds bounds, uint8_t *taken, bool *persisted)
{
	struct err err;

	if (line == c->line_count) {
		for (uint32_t i = 0; i < c->unit_count; i++)
			persisted[choices_units(c)[i].pending] = taken[i];
		state_load(persisted, c->unit_count);
		if (recovery_start(recovery, 0, NULL, &err) < 0 || recovery_drain(recovery, &err) != 0)
			die(err.sentence);
		sets++;
		return;
	}
	uint8_t *flags = taken + choices_lines(c)[line].first;
	for (bool more = choices_first(c, line, bounds, CHOICES_SETS, flags); more;
	     more = choices_next(c, line, bounds, CHOICES_SETS, flags))
		brute(c, line + 1, choices_decide(c, line, flags, bounds), taken, persisted);
}

/* Runs a random legal set: for each line, one of the first alternatives. */
static void sample(const struct choices *c, uint8_t *taken, bool *persisted, unsigned seed)
{
	struct choices_bounds bounds = CHOICES_OPEN;
	struct err err;

	srandom(seed);
	for (uint32_t line = 0; line < c->line_count; line++) {
		uint8_t *flags = taken + choices_lines(c)[line].first;
		long steps = random() % 12;

		choices_first(c, line, bounds, CHOICES_SETS, flags);
		if (steps == 11)
			choices_most(c, line, bounds, flags);
		while (steps-- > 0 && choices_next(c, line, bounds, CHOICES_SETS, flags))
			;
		bounds = choices_decide(c, line, flags, bounds);
	}
	for (uint32_t i = 0; i < c->unit_count; i++)
		persisted[choices_units(c)[i].pending] = taken[i];
	state_load(persisted, c->unit_count);
	if (recovery_start(recovery, 0, NULL, &err) < 0 || recovery_drain(recovery, &err) != 0)
		die(err.sentence);
	sets++;
}

static bool map_covers(struct map *all, struct map *some)
{
	for (size_t i = 0; i < some->room; i++)
		if (some->entries[i].used && !map_get(all, some->entries[i].key[0], some->entries[i].key[1]))
			return false;
	return true;
}

static void moment_check(uint64_t event, uint64_t sets_max, uint64_t samples, uint64_t leaves_max)
{
	struct choices *c = image_choices(image);
	uint32_t *files = files_find();
	struct lazy_options o = {
		.choices = c, .files = files, .leaves_max = leaves_max, .leaf = on_leaf, .ended = on_end};
	uint64_t leaves_before = leaves, refused_before = refused;
	double count = choices_count(c, CHOICES_OPEN, NULL);
	struct err err = {.sentence = "interrupted"};

	state_load(NULL, 0);
	if (recovery_start_lazy(recovery, 0, NULL, &o, &err) < 0 || recovery_drain(recovery, &err) != 0)
		die(err.sentence);
	printf("#%llu: %u lines, %.3g sets, %llu leaves, %zu outcomes", (unsigned long long)event, c->line_count, count,
	       (unsigned long long)(leaves - leaves_before), lazily.count);
	printf(", the last: %s %s", last, last_printed);
	if (refused > refused_before)
		printf(", %llu refused: %s", (unsigned long long)(refused - refused_before), refused_text);
	if (left_out > 0)
		printf(", %.3g left out", left_out);
	if (broken)
		printf(", broken: %s", broken);
	bool whole = count <= (double)sets_max, part = refused > refused_before || left_out > 0;
	if (whole || samples) {
		uint8_t *taken = mem_alloc(c->unit_count + 1);
		bool *persisted = mem_alloc(c->unit_count + 1);

		if (whole)
			brute(c, 0, CHOICES_OPEN, taken, persisted);
		for (uint64_t i = 0; i < samples && !whole; i++)
			sample(c, taken, persisted, (unsigned)(event * 1000 + i));
		free(taken);
		free(persisted);
		bool same = (!whole || map_covers(&brutally, &lazily)) && (part || map_covers(&lazily, &brutally));
		printf(", %s: %zu%s", whole ? "brute force" : "by chance", brutally.count, same ? "" : " DIFFER");
		differ += !same || broken;
	}
	printf("\n");
	map_free(&lazily);
	map_free(&brutally);
	moments_done++;
	free(files);
	free(c);
}

static void origin_read(const char *dir)
{
	struct trace *trace;
	struct event ev;
	struct err err;

	origin = origin_new();
	if (trace_open(&trace, dir, &err) < 0)
		die(err.sentence);
	while (trace_next(trace, &ev, &err) > 0)
		origin_apply(origin, &ev);
	trace_close(trace);
}

static bool passed(void *arg, void *ticket, const struct outcome *outcome)
{
	(void)arg;
	(void)ticket;
	return ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0});
}

int main(int argc, char **argv)
{
	static char stub[PATH_MAX];
	struct recovery_options o = {.command = value(argc, argv, "command"),
				     .done = on_done,
				     .passed = passed,
				     .pmem_force = true,
				     .jobs = 1};
	const char *dir = value(argc, argv, "dir"), *platform = value(argc, argv, "platform");
	uint64_t every = number(argc, argv, "every", 1), moment = 0;
	struct moments moments = {0};
	struct outcome outcome;
	struct staging *staging;
	struct reading *reading;
	const struct event *ev;
	struct err err = {.sentence = "interrupted"};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!dir || !o.command)
		die("dir= and command= are needed");
	origin_read(dir);
	o.origin = origin;
	o.timeout = (double)number(argc, argv, "timeout", 10000) / 1000;
	o.stub = stub;
	ssize_t n = readlink("/proc/self/exe", stub, sizeof(stub) - 1);
	stub[n > 0 ? n : 0] = 0;
	strcpy(strstr(stub, "/test/tools/"), "/libblackout-preload.so");
	if (reading_open(&reading, dir, platform_find(platform ? platform : "adr"), origin, &err) < 0 ||
	    staging_open(&staging, origin, NULL, 1, &err) < 0 || recovery_new(&recovery, &o, &err) < 0)
		die(err.sentence);
	image = reading_image(reading);
	stage = stage_new(staging, image, &err);
	recovery_stage(recovery, 0, stage_dir(stage));
	while (reading_look(reading, &ev, &err) > 0) {
		if (moments_before(&moments, image_model(image), ev) && moment++ % every == 0) {
			if (!moments_done) {
				state_load(NULL, 0);
				if (recovery_run(recovery, 0, 1, &outcome, &err) != 0)
					die(err.sentence);
				outcome_free(&outcome);
			}
			moment_check(reading_number(reading), number(argc, argv, "sets", 500),
				     number(argc, argv, "sample", 0), number(argc, argv, "leaves", 0));
		}
		reading_go(reading);
	}
	printf("%llu moments, %llu leaves, %llu refused, %llu traps, %llu sets, %llu differ\n",
	       (unsigned long long)moments_done, (unsigned long long)leaves, (unsigned long long)refused,
	       (unsigned long long)traps, (unsigned long long)sets, (unsigned long long)differ);
	recovery_free(recovery);
	staging_close(staging);
	reading_close(reading);
	origin_free(origin);
	return differ ? 1 : 0;
}
