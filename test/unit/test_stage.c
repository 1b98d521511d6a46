/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stage.c - real files that hold crash states: the cost of a load, names, and places. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/stage_in.h"
#include "staged.h"

/* A gigabyte with little data costs little, in space and in writing. */
static void test_cost(void **state)
{
	struct staged *f = *state;
	struct stage_cost cost;
	struct stat st;

	staged_load(f, state_none(f->image));
	assert_int_equal(f->stage->cost.pages_written, 2);
	assert_int_equal(stat(f->pool, &st), 0);
	assert_int_equal(st.st_size, POOL_SIZE);
	assert_true(st.st_blocks * 512 <= 64 * 1024);

	staged_put(f->image, EVENT_STORE, 4096, "HEAD");
	staged_load(f, state_none(f->image)); /* the same content */
	assert_int_equal(f->stage->cost.pages_written, 2);
	staged_load(f, state_all(f->image));
	staged_expect_text(f, 4096, "HEADer");
	assert_int_equal(f->stage->cost.pages_written, 3);
	staged_load(f, state_none(f->image));
	staged_expect_text(f, 4096, "header");
	assert_int_equal(f->stage->cost.pages_written, 4);

	stage_distrust(f->stage);
	staged_load(f, state_none(f->image));
	cost = f->stage->cost;
	assert_int_equal(cost.pages_written, 4);
	assert_in_range(cost.pages_compared, 2, 16);
	assert_int_equal(cost.loads, 5);
}

/* Content that became certain in between is caught up with. */
static void test_catch_up(void **state)
{
	struct staged *f = *state;

	staged_load(f, state_none(f->image));
	staged_put(f->image, EVENT_STORE, 4096, "one");
	staged_put(f->image, EVENT_STORE, 8192, "two");
	staged_load(f, state_all(f->image));
	image_apply(f->image, &(struct event){.type = EVENT_CLWB, .file = 1, .thread = 1, .offset = 4096});
	image_apply(f->image, &(struct event){.type = EVENT_SFENCE, .thread = 1});
	staged_load(f, state_none(f->image));
	staged_expect_text(f, 4096, "oneder");
	staged_expect_bytes(f, 8192, "\0\0\0", 3);
	image_apply(f->image, &(struct event){.type = EVENT_FILE_TRUNCATE, .file = 1, .size = 4098});
	image_apply(f->image, &(struct event){.type = EVENT_FILE_TRUNCATE, .file = 1, .size = POOL_SIZE});
	staged_load(f, state_none(f->image));
	staged_expect_bytes(f, 4096, "on\0\0\0\0", 6);
	staged_expect_bytes(f, POOL_SIZE / 2, "\0", 1);
}

/* A file that loses its name and gets one again has all its bytes. */
static void test_name_again(void **state)
{
	struct staged *f = *state;

	staged_load(f, state_none(f->image));
	image_apply(f->image, &(struct event){.type = EVENT_FILE_UNLINK, .file = 1});
	staged_load(f, state_none(f->image));
	assert_int_equal(staged_entries(f->stage->dirs.at[0]), 0);
	image_apply(f->image, &(struct event){.type = EVENT_FILE_RENAME, .file = 1, .path = "/pm/pool"});
	staged_load(f, state_none(f->image));
	staged_expect_text(f, 4096, "header");
	staged_expect_text(f, POOL_SIZE / 2, "middle");
}

/* Hand-made states have no digest, so equal (unknown) digests mean nothing. */
static void test_by_hand(void **state)
{
	struct staged *f = *state;
	struct patch patch = {.file = 1, .offset = 4096, .size = 3, .value = "ONE"};
	struct state by_hand = {.event = image_events(f->image), .count = 1, .at = &patch};
	struct err err;

	assert_int_equal(stage_load(f->stage, &by_hand, &err), 0);
	staged_expect_text(f, 4096, "ONEder");
	memcpy(patch.value, "TWO", 3);
	assert_int_equal(stage_load(f->stage, &by_hand, &err), 0);
	staged_expect_text(f, 4096, "TWOder");
}

/* Two files exchange their names. */
static void test_exchange(void **state)
{
	struct event second = {.type = EVENT_FILE, .file = 2, .size = 100, .path = "/pm/other"};
	struct staged *f = *state;
	char other[512];
	struct stat st;

	origin_add_path(f->origin, "/pm/other");
	image_apply(f->image, &second);
	staged_load(f, state_none(f->image));
	image_apply(f->image, &(struct event){.type = EVENT_FILE_RENAME, .file = 1, .path = "/pm/other"});
	image_apply(f->image, &(struct event){.type = EVENT_FILE_RENAME, .file = 2, .path = "/pm/pool"});
	staged_load(f, state_none(f->image));
	staged_beside(f, "0/other", other);
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_size, POOL_SIZE);
	assert_int_equal(stat(f->pool, &st), 0);
	assert_int_equal(st.st_size, 100);
	assert_int_equal(f->stage->cost.pages_written, 2); /* moved, not rewritten */
}

static void test_places(void **state)
{
	const char *dir = *state;
	struct origin *origin = origin_new();
	struct staging *staging;
	char dead[64], live[64], deeper[80], mark[80], named[80], work[96];
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
	snprintf(mark, sizeof(mark), "%s/.blackout", dead);
	assert_int_equal(mknod(mark, S_IFREG | 0600, 0), 0);
	assert_int_equal(mkdir(live, 0700), 0);
	/* Another user's work, under a name like ours. */
	snprintf(named, sizeof(named), "/dev/shm/blackout-%d-report", pid);
	snprintf(work, sizeof(work), "%s/work", named);
	assert_int_equal(mkdir(named, 0700), 0);
	assert_int_equal(mkdir(work, 0700), 0);
	assert_int_equal(staging_open(&staging, origin, dir, 1, &err), 0);
	assert_int_equal(access(dead, F_OK), -1);
	assert_int_equal(access(live, F_OK), 0);
	assert_int_equal(rmdir(work) | rmdir(named), 0);
	assert_int_equal(strncmp(staging_path(staging), "/dev/shm/blackout-", 18), 0);
	staging_close(staging);
	assert_int_equal(rmdir(live), 0);

	/* Not enough room for that many. */
	assert_int_equal(staging_open(&staging, origin, dir, UINT32_MAX, &err), 0);
	assert_int_equal(strncmp(staging_path(staging), dir, strlen(dir)), 0);
	assert_int_equal(access(staging_path(staging), F_OK), 0);
	staging_close(staging);
	assert_int_equal(staged_entries(dir), 0);

	/* A forked child removes nothing. */
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

/* More files than can be open at once, and more stages than possible. */
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
	staged_expect(stage, origin, image, none);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	while (stage_new(staging, image, &err))
		stages++;
	assert_int_equal(stages, STAGES_MAX);
	stage_free(stage);
	assert_non_null(stage_new(staging, image, &err)); /* now there is room for one more */
	state_free(none);
	staging_close(staging);
	image_free(image);
	origin_free(origin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		staged_test(test_cost),      staged_test(test_catch_up), staged_test(test_name_again),
		staged_test(test_by_hand),   staged_test(test_exchange), scratch_test(test_places),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
