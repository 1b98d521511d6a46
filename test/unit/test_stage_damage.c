/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stage_damage.c - a stage that recovery has damaged, in each possible way, or whose load failed, still holds the
 * next state correctly. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/stage_in.h"
#include "staged.h"

static void write_text(const char *path, int flags, uint64_t offset, const char *text)
{
	int fd = open(path, O_RDWR | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, strlen(text), (off_t)offset), strlen(text));
	close(fd);
}

static void damage_bytes(const struct staged *f)
{
	write_text(f->pool, 0, 4096, "HACK");
	write_text(f->pool, 0, 12345678, "HACK");
}

static void damage_size(const struct staged *f)
{
	assert_int_equal(truncate(f->pool, 5000), 0);
	assert_int_equal(truncate(f->pool, 1 << 20), 0);
}

static void damage_unlink(const struct staged *f)
{
	assert_int_equal(unlink(f->pool), 0);
}

static void damage_replace(const struct staged *f)
{
	char other[512];

	staged_beside(f, "0/pool.tmp", other);
	write_text(other, O_CREAT, 0, "another");
	assert_int_equal(rename(other, f->pool), 0);
}

static void damage_directory(const struct staged *f)
{
	char other[512];

	assert_int_equal(unlink(f->pool), 0);
	assert_int_equal(mkdir(f->pool, 0700), 0);
	staged_beside(f, "0/pool/deeper", other);
	assert_int_equal(mkdir(other, 0700), 0);
	staged_beside(f, "0/pool/deeper/file", other);
	write_text(other, O_CREAT, 0, "x");
	staged_beside(f, "0/pool/deeper", other);
	assert_int_equal(chmod(other, 0), 0);
}

/* The link must not be followed. */
static void damage_symlink(const struct staged *f)
{
	char other[512];

	staged_beside(f, "target", other);
	write_text(other, O_CREAT, 0, "mine");
	assert_int_equal(unlink(f->pool), 0);
	assert_int_equal(symlink(other, f->pool), 0);
}

static void damage_link(const struct staged *f)
{
	char other[512];

	staged_beside(f, "0/link", other);
	assert_int_equal(link(f->pool, other), 0);
}

static void damage_mode(const struct staged *f)
{
	char other[512];

	assert_int_equal(chmod(f->pool, 0), 0);
	staged_beside(f, "0", other);
	assert_int_equal(chmod(other, 0500), 0);
}

static void damage_foreign(const struct staged *f)
{
	char other[512];

	staged_beside(f, "0/pool.lock", other);
	write_text(other, O_CREAT, 0, "1");
	staged_beside(f, "0/.hidden", other);
	assert_int_equal(mkfifo(other, 0600), 0);
	staged_beside(f, "log", other);
	write_text(other, O_CREAT, 0, "1");
}

static void damage_all(const struct staged *f)
{
	char other[512];

	assert_int_equal(unlink(f->pool), 0);
	staged_beside(f, "0", other);
	assert_int_equal(rmdir(other), 0);
	assert_int_equal(rmdir(f->root), 0);
	write_text(f->root, O_CREAT, 0, "no directory");
}

static void test_damage(void **state)
{
	static void (*const damages[])(const struct staged *f) = {
		damage_bytes,   damage_size, damage_unlink, damage_replace, damage_directory,
		damage_symlink, damage_link, damage_mode,   damage_foreign, damage_all,
	};
	struct staged *f = *state;
	struct state *all;

	staged_put(f->image, EVENT_STORE, 8190, "pending");
	all = state_all(f->image);
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		struct err err;
		struct stat st;

		assert_int_equal(stage_load(f->stage, all, &err), 0);
		damages[i](f);
		stage_distrust(f->stage);
		if (stage_load(f->stage, all, &err) < 0)
			fail_msg("damage %zu: %s", i, err.sentence);
		staged_expect_text(f, 4096, "header");
		staged_expect_text(f, 8190, "pending");
		staged_expect_text(f, POOL_SIZE / 2, "middle");
		staged_expect_bytes(f, 12345678, "\0\0\0\0", 4);
		assert_int_equal(lstat(f->pool, &st), 0);
		assert_int_equal(st.st_size, POOL_SIZE);
		assert_int_equal(st.st_nlink, 1);
		assert_int_equal(st.st_mode & 0777, 0644);
		assert_true(st.st_blocks * 512 <= 64 * 1024);
		assert_int_equal(staged_entries(f->root), 1);
		assert_int_equal(staged_entries(f->stage->dirs.at[0]), 1);
	}
	state_free(all);
}

/* After a failed load, the next successful one repairs the stage. */
static void test_no_space(void **state)
{
	struct rlimit old, little = {8192, RLIM_INFINITY};
	struct staged *f = *state;
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
	staged_expect_text(f, POOL_SIZE / 2, "middle");
	state_free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {staged_test(test_damage), staged_test(test_no_space)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
