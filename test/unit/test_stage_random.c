/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stage_random.c - real files that hold crash states of random programs.
 *
 * Three stages are loaded with random states at random moments, and sometimes damaged in between.  Each time the stage
 * must hold exactly the state.
 *
 *     test_stage_random [SEED [NUMBER]]      one series of programs; one program of it */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "model_sets.h"
#include "programs.h"
#include "staged.h"

#define PROGRAMS 1500
#define STAGES 3

static uint64_t seed = 1, only, dice, running;

static uint64_t roll(uint64_t sides)
{
	return random_next(&dice) % sides;
}

static void give_names(struct program *p)
{
	static const char *const names[] = {"", "/pm/a", "/pm/sub/b"}, *const others[] = {"/pm/a", "/pm/c", "/other/b"};

	for (size_t i = 0; i < p->count; i++) {
		if (p->events[i].type == EVENT_FILE)
			p->events[i].path = names[p->events[i].file];
		if (p->events[i].type == EVENT_FILE_RENAME)
			p->events[i].path = others[p->events[i].context - 1];
	}
}

struct run {
	struct origin *origin;
	struct image *image;
	struct staging *staging;
	struct stage *stages[STAGES];
	struct err err;
};

struct choice {
	size_t left; /* states to skip */
	bool *persisted;
};

static bool choose(void *arg, const bool *persisted, size_t count)
{
	struct choice *c = arg;

	memcpy(c->persisted, persisted, count);
	return c->left-- > 0;
}

static struct state *random_state(struct image *image)
{
	size_t count = model_pending_count(image_model(image));
	struct choice c = {.left = roll(12), .persisted = calloc(count + 1, 1)};
	struct state *state;

	model_enumerate(image_model(image), choose, &c);
	state = state_new(image, c.persisted);
	free(c.persisted);
	return state;
}

/* Do something that a recovery might do to one of its files. */
static void damage(const struct stage *stage, const struct image *image)
{
	char path[512], other[600];
	uint32_t file = 1 + (uint32_t)roll(2);
	int fd;

	if (!image_path(image, file) || !stage_path(stage, image_path(image, file), path, sizeof(path)))
		return;
	snprintf(other, sizeof(other), "%s.new", path);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return; /* damaged before, and the file is gone */
	switch (roll(6)) {
	case 0: assert_int_equal(pwrite(fd, "damage", 6, (off_t)roll(5000)), 6); break;
	case 1: assert_int_equal(ftruncate(fd, (off_t)roll(9000)), 0); break;
	case 2: assert_int_equal(unlink(path), 0); break;
	case 3: assert_int_equal(rename(path, other), 0); break;
	case 4: assert_int_equal(link(path, other), 0); break;
	default: assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
	}
	close(fd);
}

static void random_loads(struct run *run)
{
	for (uint64_t loads = roll(4); loads; loads--) {
		struct stage *stage = run->stages[roll(STAGES)];
		struct state *state = random_state(run->image);

		if (roll(4) == 0) {
			damage(stage, run->image);
			stage_distrust(stage);
		}
		if (stage_load(stage, state, &run->err) < 0)
			fail_msg("%s", run->err.sentence);
		staged_expect(stage, run->origin, run->image, state);
		state_free(state);
	}
}

static void run_program(uint64_t number)
{
	struct program program;
	struct run run = {.origin = origin_new()};

	dice = seed * 7919 + number;
	program_make(&program, seed, number);
	give_names(&program);
	for (size_t i = 0; i < program.count; i++)
		origin_apply(run.origin, &program.events[i]);
	run.image = image_new(platform_find(roll(4) ? "adr" : "eadr"), roll(2) ? run.origin : NULL);
	assert_int_equal(staging_open(&run.staging, run.origin, NULL, STAGES, &run.err), 0);
	for (unsigned i = 0; i < STAGES; i++)
		run.stages[i] = stage_new(run.staging, run.image, &run.err);
	for (size_t i = 0; i < program.count; i++) {
		random_loads(&run);
		image_apply(run.image, &program.events[i]);
	}
	random_loads(&run);
	staging_close(run.staging);
	image_free(run.image);
	origin_free(run.origin);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t i = only ? only : 1; i <= (only ? only : PROGRAMS); i++) {
		running = i;
		run_program(i);
	}
	running = 0;
}

static int say_which(void **state)
{
	(void)state;
	if (running)
		print_error("run it again: test_stage_random %llu %llu\n", (unsigned long long)seed,
			    (unsigned long long)running);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_random, say_which)};

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
	only = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
