/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keepers and their owner: which of them restores the user's files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/inplace.h"
#include "run/keeper.h"
#include "run/recovery.h"
#include "scratch.h"

static void file_make(const char *dir, const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
}

/* Put a crash state in place of pools/pool, a file of the user, and start a keeper. */
static pid_t state_put(struct scene *scene, struct origin *origin, const char *dir, int *fd)
{
	static char *const argv[] = {"true", NULL};
	const struct keeper_options keeper = {.argv = argv,
					      .main = {NULL, 1},
					      .client = {NULL, 1},
					      .err = 2,
					      .mode = RECOVERY_IN_PLACE,
					      .scene = scene};
	char stage[256], pool[256];
	struct event ev = {.type = EVENT_FILE, .file = 1, .path = pool};
	struct err err;
	pid_t pid;

	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("pools", 0700) | mkdir("stage", 0700) | mkdir("stage/0", 0700), 0);
	file_make(dir, "pools/pool");
	file_make(dir, "stage/0/pool");
	snprintf(stage, sizeof(stage), "%s/stage", dir);
	snprintf(pool, sizeof(pool), "%s/pools/pool", dir);
	origin_apply(origin, &ev);
	assert_int_equal(scene_open(scene, origin, stage, &err), 0);
	assert_int_equal(scene_refresh(scene, false, &err), 0);
	assert_int_equal(inplace_put(scene, &err), 0);
	pid = keeper_start(&keeper, fd, &err);
	assert_true(pid > 0);
	return pid;
}

static bool state_is_there(void)
{
	struct stat st;

	assert_int_equal(lstat("pools/pool", &st), 0);
	return S_ISLNK(st.st_mode);
}

/* Simulates a dying process: its sockets are closed while it is still the parent of its children. */
static void test_lost(void **state)
{
	struct origin *origin = origin_new();
	struct scene scene = {0};
	int fd;
	pid_t pid = state_put(&scene, origin, *state, &fd);

	assert_true(state_is_there());
	close(fd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(state_is_there());
	scene_close(&scene);
	origin_free(origin);
}

/* An owner that dismisses the keeper restores the files itself. */
static void test_left(void **state)
{
	const struct stub_request leave = {.op = STUB_LEAVE};
	struct origin *origin = origin_new();
	struct scene scene = {0};
	int fd;
	pid_t pid = state_put(&scene, origin, *state, &fd);

	assert_int_equal(send(fd, &leave, sizeof(leave), 0), sizeof(leave));
	close(fd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(state_is_there());
	inplace_restore(&scene);
	assert_false(state_is_there());
	scene_close(&scene);
	origin_free(origin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {scratch_test(test_lost), scratch_test(test_left)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
