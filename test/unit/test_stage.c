/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stage.c - real files that hold crash states.
 *
 * On random programs three stages are loaded with random states at random moments, and now and then damaged in between: each time what is in
 * the stage must be the state, and nothing else.  Then each kind of damage by name, and what a load costs.
 *
 *     test_stage [SEED [NUMBER]]      one series of programs; one program of it
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/stage.h"
#include "programs.h"
#include "scratch.h"

#define PROGRAMS 1500
#define STAGES 3

static uint64_t seed = 1, only, dice, running;

static uint64_t roll(uint64_t sides)
{
	return scratch_random(&dice) % sides;
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

/* What is in a stage */

static unsigned count_entries(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	unsigned count = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		count += e->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void expect_file(const struct stage *stage, const struct image *image, const struct state *state, uint32_t file)
{
	uint64_t size = image_size(image, file);
	uint8_t *is = malloc(size + 1), *should = malloc(size + 1);
	char path[512];
	struct stat st;
	int fd;

	assert_true(stage_path(stage, image_path(image, file), path, sizeof(path)));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(st.st_size, size);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, is, size + 1), size);
	close(fd);
	assert_int_equal(image_read(image, state, file, 0, should, size), size);
	assert_memory_equal(is, should, size);
	free(is);
	free(should);
}

static void expect_state(const struct stage *stage, const struct origin *origin, const struct image *image,
			 const struct state *state)
{
	unsigned files = 0, entries = 0;

	for (uint32_t file = 1; file <= image_file_count(image); file++) {
		if (!image_exists(image, file))
			continue;
		expect_file(stage, image, state, file);
		files++;
	}
	for (size_t k = 0; k < origin_dir_count(origin); k++)
		entries += count_entries(stage_dir(stage, k));
	assert_int_equal(entries, files);
	assert_int_equal(count_entries(stage_root(stage)), origin_dir_count(origin));
}

/* Random programs */

struct run {
	struct origin *origin;
	struct image *image;
	struct staging *staging;
	struct stage *stages[STAGES];
	struct err err;
};

struct choice {
	size_t left; /* states to pass by */
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

/* Something that a recovery might do to one of its files. */
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
		return; /* it has been here before, and the file is gone */
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
		expect_state(stage, run->origin, run->image, state);
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
		print_error("run it again: test_stage %llu %llu\n", (unsigned long long)seed,
			    (unsigned long long)running);
	return 0;
}

/* One file with a few bytes in it, in a stage. */

struct fixture {
	struct origin *origin;
	struct image *image;
	struct staging *staging;
	struct stage *stage;
	char root[256], pool[300]; /* the stage, and the file in it */
};

#define POOL_SIZE ((uint64_t)1 << 30)

static void put(struct image *image, enum event_type type, uint64_t offset, const char *text)
{
	struct event ev = {.type = type, .file = 1, .thread = 1, .offset = offset, .size = strlen(text)};

	ev.data = (const uint8_t *)text;
	image_apply(image, &ev);
}

static void load(struct fixture *f, struct state *state)
{
	struct err err;

	if (stage_load(f->stage, state, &err) < 0)
		fail_msg("%s", err.sentence);
	state_free(state);
}

static int fixture_make(void **state)
{
	struct event file = {.type = EVENT_FILE, .file = 1, .size = POOL_SIZE, .path = "/pm/pool"};
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err;

	f->origin = origin_new();
	origin_apply(f->origin, &file);
	f->image = image_new(platform_find("adr"), NULL);
	image_apply(f->image, &file);
	put(f->image, EVENT_CONTENT, 4096, "header");
	put(f->image, EVENT_CONTENT, POOL_SIZE / 2, "middle");
	if (staging_open(&f->staging, f->origin, NULL, 1, &err) < 0)
		return -1;
	f->stage = stage_new(f->staging, f->image, &err);
	if (!f->stage)
		return -1;
	snprintf(f->root, sizeof(f->root), "%s", stage_root(f->stage));
	snprintf(f->pool, sizeof(f->pool), "%s/0/pool", f->root);
	*state = f;
	return 0;
}

static int fixture_remove(void **state)
{
	struct fixture *f = *state;
	char place[256];
	struct stat st;

	snprintf(place, sizeof(place), "%s", staging_path(f->staging));
	staging_close(f->staging);
	image_free(f->image);
	origin_free(f->origin);
	free(f);
	return stat(place, &st) < 0 ? 0 : -1;
}

#define fixture_test(function) cmocka_unit_test_setup_teardown(function, fixture_make, fixture_remove)

static void expect_bytes(const struct fixture *f, uint64_t offset, const void *should, size_t size)
{
	char bytes[64] = {0};
	int fd = open(f->pool, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, size, (off_t)offset), size);
	assert_memory_equal(bytes, should, size);
	close(fd);
}

static void expect_text(const struct fixture *f, uint64_t offset, const char *text)
{
	expect_bytes(f, offset, text, strlen(text));
}

/* A gigabyte with little in it costs that little, in space and in writing. */
static void test_cost(void **state)
{
	struct fixture *f = *state;
	struct stage_cost cost;
	struct stat st;

	load(f, state_none(f->image));
	assert_int_equal(stage_cost(f->stage).pages_written, 2);
	assert_int_equal(stat(f->pool, &st), 0);
	assert_int_equal(st.st_size, POOL_SIZE);
	assert_true(st.st_blocks * 512 <= 64 * 1024);

	put(f->image, EVENT_STORE, 4096, "HEAD");
	load(f, state_none(f->image)); /* the same content */
	assert_int_equal(stage_cost(f->stage).pages_written, 2);
	load(f, state_all(f->image));
	expect_text(f, 4096, "HEADer");
	assert_int_equal(stage_cost(f->stage).pages_written, 3);
	load(f, state_none(f->image));
	expect_text(f, 4096, "header");
	assert_int_equal(stage_cost(f->stage).pages_written, 4);

	stage_distrust(f->stage);
	load(f, state_none(f->image));
	cost = stage_cost(f->stage);
	assert_int_equal(cost.pages_written, 4);
	assert_in_range(cost.pages_compared, 2, 16);
	assert_int_equal(cost.loads, 5);
}

/* What was certain in between is caught up with. */
static void test_catch_up(void **state)
{
	struct fixture *f = *state;

	load(f, state_none(f->image));
	put(f->image, EVENT_STORE, 4096, "one");
	put(f->image, EVENT_STORE, 8192, "two");
	load(f, state_all(f->image));
	image_apply(f->image, &(struct event){.type = EVENT_CLWB, .file = 1, .thread = 1, .offset = 4096});
	image_apply(f->image, &(struct event){.type = EVENT_SFENCE, .thread = 1});
	load(f, state_none(f->image));
	expect_text(f, 4096, "oneder");
	expect_bytes(f, 8192, "\0\0\0", 3);
	image_apply(f->image, &(struct event){.type = EVENT_FILE_TRUNCATE, .file = 1, .size = 4098});
	image_apply(f->image, &(struct event){.type = EVENT_FILE_TRUNCATE, .file = 1, .size = POOL_SIZE});
	load(f, state_none(f->image));
	expect_bytes(f, 4096, "on\0\0\0\0", 6);
	expect_bytes(f, POOL_SIZE / 2, "\0", 1);
}

static void beside(const struct fixture *f, const char *name, char path[512])
{
	snprintf(path, 512, "%s/%s", f->root, name);
}

/* A file that loses its name and gets one again has all of its bytes. */
static void test_name_again(void **state)
{
	struct fixture *f = *state;

	load(f, state_none(f->image));
	image_apply(f->image, &(struct event){.type = EVENT_FILE_UNLINK, .file = 1});
	load(f, state_none(f->image));
	assert_int_equal(count_entries(stage_dir(f->stage, 0)), 0);
	image_apply(f->image, &(struct event){.type = EVENT_FILE_RENAME, .file = 1, .path = "/pm/pool"});
	load(f, state_none(f->image));
	expect_text(f, 4096, "header");
	expect_text(f, POOL_SIZE / 2, "middle");
}

/* States put together by hand have no digest: that two of them have the same one says nothing. */
static void test_by_hand(void **state)
{
	struct fixture *f = *state;
	struct patch patch = {.file = 1, .offset = 4096, .size = 3, .value = "ONE"};
	struct state by_hand = {.event = image_events(f->image), .count = 1, .at = &patch};
	struct err err;

	assert_int_equal(stage_load(f->stage, &by_hand, &err), 0);
	expect_text(f, 4096, "ONEder");
	memcpy(patch.value, "TWO", 3);
	assert_int_equal(stage_load(f->stage, &by_hand, &err), 0);
	expect_text(f, 4096, "TWOder");
}

/* Two files change names. */
static void test_exchange(void **state)
{
	struct event second = {.type = EVENT_FILE, .file = 2, .size = 100, .path = "/pm/other"};
	struct fixture *f = *state;
	char other[512];
	struct stat st;

	origin_add_path(f->origin, "/pm/other");
	image_apply(f->image, &second);
	load(f, state_none(f->image));
	image_apply(f->image, &(struct event){.type = EVENT_FILE_RENAME, .file = 1, .path = "/pm/other"});
	image_apply(f->image, &(struct event){.type = EVENT_FILE_RENAME, .file = 2, .path = "/pm/pool"});
	load(f, state_none(f->image));
	beside(f, "0/other", other);
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_size, POOL_SIZE);
	assert_int_equal(stat(f->pool, &st), 0);
	assert_int_equal(st.st_size, 100);
	assert_int_equal(stage_cost(f->stage).pages_written, 2); /* moved, not written */
}

/* Damage */

static void write_text(const char *path, int flags, uint64_t offset, const char *text)
{
	int fd = open(path, O_RDWR | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), (off_t)offset), strlen(text));
	close(fd);
}

static void damage_bytes(const struct fixture *f)
{
	write_text(f->pool, 0, 4096, "HACK");
	write_text(f->pool, 0, 12345678, "HACK");
}

static void damage_size(const struct fixture *f)
{
	assert_int_equal(truncate(f->pool, 5000), 0);
	assert_int_equal(truncate(f->pool, 1 << 20), 0);
}

static void damage_unlink(const struct fixture *f)
{
	assert_int_equal(unlink(f->pool), 0);
}

static void damage_replace(const struct fixture *f)
{
	char other[512];

	beside(f, "0/pool.tmp", other);
	write_text(other, O_CREAT, 0, "another");
	assert_int_equal(rename(other, f->pool), 0);
}

static void damage_directory(const struct fixture *f)
{
	char other[512];

	assert_int_equal(unlink(f->pool), 0);
	assert_int_equal(mkdir(f->pool, 0700), 0);
	beside(f, "0/pool/deeper", other);
	assert_int_equal(mkdir(other, 0700), 0);
	beside(f, "0/pool/deeper/file", other);
	write_text(other, O_CREAT, 0, "x");
	beside(f, "0/pool/deeper", other);
	assert_int_equal(chmod(other, 0), 0);
}

/* The link must not be followed. */
static void damage_symlink(const struct fixture *f)
{
	char other[512];

	beside(f, "target", other);
	write_text(other, O_CREAT, 0, "mine");
	assert_int_equal(unlink(f->pool), 0);
	assert_int_equal(symlink(other, f->pool), 0);
}

static void damage_link(const struct fixture *f)
{
	char other[512];

	beside(f, "0/link", other);
	assert_int_equal(link(f->pool, other), 0);
}

static void damage_mode(const struct fixture *f)
{
	char other[512];

	assert_int_equal(chmod(f->pool, 0), 0);
	beside(f, "0", other);
	assert_int_equal(chmod(other, 0500), 0);
}

static void damage_foreign(const struct fixture *f)
{
	char other[512];

	beside(f, "0/pool.lock", other);
	write_text(other, O_CREAT, 0, "1");
	beside(f, "0/.hidden", other);
	assert_int_equal(mkfifo(other, 0600), 0);
	beside(f, "log", other);
	write_text(other, O_CREAT, 0, "1");
}

static void damage_all(const struct fixture *f)
{
	char other[512];

	assert_int_equal(unlink(f->pool), 0);
	beside(f, "0", other);
	assert_int_equal(rmdir(other), 0);
	assert_int_equal(rmdir(f->root), 0);
	write_text(f->root, O_CREAT, 0, "no directory");
}

static void test_damage(void **state)
{
	static void (*const damages[])(const struct fixture *f) = {
		damage_bytes,   damage_size, damage_unlink, damage_replace, damage_directory,
		damage_symlink, damage_link, damage_mode,   damage_foreign, damage_all,
	};
	struct fixture *f = *state;
	struct state *all;

	put(f->image, EVENT_STORE, 8190, "pending");
	all = state_all(f->image);
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		struct err err;
		struct stat st;

		assert_int_equal(stage_load(f->stage, all, &err), 0);
		damages[i](f);
		stage_distrust(f->stage);
		if (stage_load(f->stage, all, &err) < 0)
			fail_msg("damage %zu: %s", i, err.sentence);
		expect_text(f, 4096, "header");
		expect_text(f, 8190, "pending");
		expect_text(f, POOL_SIZE / 2, "middle");
		expect_bytes(f, 12345678, "\0\0\0\0", 4);
		assert_int_equal(lstat(f->pool, &st), 0);
		assert_int_equal(st.st_size, POOL_SIZE);
		assert_int_equal(st.st_nlink, 1);
		assert_int_equal(st.st_mode & 0777, 0644);
		assert_true(st.st_blocks * 512 <= 64 * 1024);
		assert_int_equal(count_entries(f->root), 1);
		assert_int_equal(count_entries(stage_dir(f->stage, 0)), 1);
	}
	state_free(all);
}

/* A load that fails is made good by the next one that does not. */
static void test_no_space(void **state)
{
	struct rlimit old, little = {8192, RLIM_INFINITY};
	struct fixture *f = *state;
	struct state *none = state_none(f->image);
	struct err err;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	little.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	assert_int_equal(stage_load(f->stage, none, &err), -1);
	assert_non_null(strstr(err.sentence, "File too large"));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(stage_load(f->stage, none, &err), 0);
	expect_text(f, POOL_SIZE / 2, "middle");
	state_free(none);
}

/* Places */

static void test_places(void **state)
{
	const char *dir = *state;
	struct origin *origin = origin_new();
	struct staging *staging;
	char dead[64], live[64], deeper[80];
	struct err err;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	snprintf(dead, sizeof(dead), "/dev/shm/blackout-%d-abcdef", pid);
	snprintf(live, sizeof(live), "/dev/shm/blackout-%d-abcdef", getpid());
	snprintf(deeper, sizeof(deeper), "%s/deeper", dead);
	assert_int_equal(mkdir(dead, 0700), 0);
	assert_int_equal(mkdir(deeper, 0700), 0);
	assert_int_equal(mkdir(live, 0700), 0);
	assert_int_equal(staging_open(&staging, origin, dir, 1, &err), 0);
	assert_int_equal(access(dead, F_OK), -1);
	assert_int_equal(access(live, F_OK), 0);
	assert_int_equal(strncmp(staging_path(staging), "/dev/shm/blackout-", 18), 0);
	staging_close(staging);
	assert_int_equal(rmdir(live), 0);

	/* No room for so many. */
	assert_int_equal(staging_open(&staging, origin, dir, UINT32_MAX, &err), 0);
	assert_int_equal(strncmp(staging_path(staging), dir, strlen(dir)), 0);
	assert_int_equal(access(staging_path(staging), F_OK), 0);
	staging_close(staging);
	assert_int_equal(count_entries(dir), 0);

	/* A copy of us in a child removes nothing. */
	assert_int_equal(staging_open(&staging, origin, dir, 1, &err), 0);
	pid = fork();
	if (pid == 0) {
		staging_remove(staging);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_int_equal(access(staging_path(staging), F_OK), 0);
	staging_close(staging);
	origin_free(origin);
}

/* More files than may be open at once, and more stages than can be. */
static void test_many(void **state)
{
	struct origin *origin = origin_new();
	struct image *image = image_new(platform_find("adr"), NULL);
	struct rlimit old, few = {48, 0};
	struct staging *staging;
	struct stage *stage;
	struct state *none;
	struct err err;
	unsigned stages = 1;

	(void)state;
	for (uint32_t file = 1; file <= 200; file++) {
		char path[64];
		struct event ev = {.type = EVENT_FILE, .file = file, .size = 8192, .path = path};

		snprintf(path, sizeof(path), "/pm/%u/pool%u", file % 3, file);
		origin_apply(origin, &ev);
		image_apply(image, &ev);
		ev = (struct event){.type = EVENT_CONTENT, .file = file, .size = 4, .data = (const uint8_t *)path};
		image_apply(image, &ev);
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(staging_open(&staging, origin, NULL, 1, &err), 0);
	stage = stage_new(staging, image, &err);
	none = state_none(image);
	assert_int_equal(stage_load(stage, none, &err), 0);
	stage_distrust(stage);
	assert_int_equal(stage_load(stage, none, &err), 0);
	expect_state(stage, origin, image, none);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	while (stage_new(staging, image, &err))
		stages++;
	assert_int_equal(stages, STAGES_MAX);
	stage_free(stage);
	assert_non_null(stage_new(staging, image, &err)); /* there is room for another */
	state_free(none);
	staging_close(staging);
	image_free(image);
	origin_free(origin);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		fixture_test(test_cost),       fixture_test(test_catch_up),
		fixture_test(test_name_again), fixture_test(test_exchange),
		fixture_test(test_by_hand),    fixture_test(test_damage),
		fixture_test(test_no_space),   scratch_test(test_places),
		cmocka_unit_test(test_many),   cmocka_unit_test_teardown(test_random, say_which),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
	only = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
