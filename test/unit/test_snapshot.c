/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots: every state is read back as written, and all damage is detected. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/snapshot.h"
#include "image/snapshot_in.h"
#include "image/stage.h"
#include "programs.h"
#include "scratch.h"

#define PROGRAMS 300

static char path[256];

static void put(struct image *image, enum event_type type, uint32_t file, uint64_t offset, const char *text)
{
	struct event ev = {.type = type, .file = file, .thread = 1, .offset = offset, .size = strlen(text)};

	ev.data = (const uint8_t *)text;
	image_apply(image, &ev);
}

static struct snapshot *read_back(void)
{
	struct snapshot *s;
	struct err err;

	if (snapshot_read(&s, path, &err) < 0)
		fail_msg("%s", err.sentence);
	return s;
}

static void write_state(const struct image *image, const struct state *state)
{
	struct err err;

	if (snapshot_write(path, image, state, &err) < 0)
		fail_msg("%s", err.sentence);
}

static struct snapshot_header written_header(void)
{
	struct snapshot_header header;
	int fd = open(path, O_RDONLY);

	assert_int_equal(read(fd, &header, sizeof(header)), sizeof(header));
	close(fd);
	return header;
}

static void expect_text(struct image *image, uint32_t file, uint64_t offset, const char *text)
{
	char bytes[64] = {0};

	assert_int_equal(image_read(image, NULL, file, offset, bytes, strlen(text)), strlen(text));
	assert_string_equal(bytes, text);
}

/* Two files, one of them large and nearly empty, and names that no file has at this moment. */
static struct image *sample(const struct origin *origin)
{
	struct image *image = image_new(platform_find("adr"), origin);

	image_apply(image, &(struct event){.type = EVENT_FILE, .file = 1, .size = 1 << 30, .path = "/pm/a"});
	image_apply(image, &(struct event){.type = EVENT_FILE, .file = 2, .size = 5000, .path = "/pm/sub/b"});
	image_apply(image, &(struct event){.type = EVENT_FILE, .file = 3, .size = 9, .path = "/pm/gone"});
	put(image, EVENT_CONTENT, 1, 0, "start");
	put(image, EVENT_CONTENT, 1, (1 << 30) - 3, "end");
	put(image, EVENT_CONTENT, 2, 4998, "xy");
	put(image, EVENT_CONTENT, 3, 0, "x");
	image_apply(image, &(struct event){.type = EVENT_FILE_UNLINK, .file = 3});
	put(image, EVENT_STORE, 1, 5000, "pending");
	return image;
}

static struct origin *sample_origin(void)
{
	struct origin *origin = origin_new();

	origin_add_path(origin, "/pm/sub/gone");
	origin_add_path(origin, "/pm/a");
	origin_add_path(origin, "/pm/sub/b");
	origin_add_path(origin, "/pm/gone");
	return origin;
}

static int setup(void **state)
{
	int r = scratch_make(state);

	snprintf(path, sizeof(path), "%s/state.img", (const char *)*state);
	return r;
}

#define snapshot_test(function) cmocka_unit_test_setup_teardown(function, setup, scratch_remove)

static void test_round(void **state)
{
	struct origin *origin = sample_origin();
	struct image *image = sample(origin), *back;
	struct state *all = state_all(image), *same;
	struct snapshot *s;
	struct stat st;
	const char *name;

	(void)state;
	write_state(image, all);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 4096);
	s = read_back();
	back = snapshot_image(s);
	same = state_none(back);
	assert_true(digest_equal(all->digest, same->digest));
	assert_int_equal(written_header().event, image_events(image));
	assert_int_equal(image_file_count(back), 2);
	assert_string_equal(image_path(back, 2), "/pm/sub/b");
	assert_int_equal(image_size(back, 1), 1 << 30);
	expect_text(back, 1, 5000, "pending");
	expect_text(back, 1, (1 << 30) - 3, "end");
	expect_text(back, 2, 4998, "xy");
	/* Places are unchanged, including those of names that no file has. */
	assert_int_equal(origin_dir_count(snapshot_origin(s)), 2);
	assert_string_equal(origin_dir(snapshot_origin(s), 0), "/pm/sub");
	assert_int_equal(origin_path_count(snapshot_origin(s)), 4);
	assert_int_equal(origin_place(snapshot_origin(s), "/pm/sub/gone", &name), 0);
	assert_int_equal(origin_place(snapshot_origin(s), "/pm/gone", &name), 1);
	state_free(same);
	state_free(all);
	snapshot_free(s);
	image_free(image);
	origin_free(origin);
}

/* A snapshot can be turned into another snapshot and into a stage. */
static void test_again(void **state)
{
	struct image *image = sample(NULL);
	struct state *none = state_none(image), *again;
	struct snapshot *first, *second;
	struct staging *staging;
	struct stage *stage;
	char file[512];
	struct stat st;
	struct err err;

	(void)state;
	write_state(image, none);
	first = read_back();
	again = state_none(snapshot_image(first));
	write_state(snapshot_image(first), again);
	second = read_back();
	assert_true(digest_equal(none->digest, state_digest_none(snapshot_image(second))));
	assert_int_equal(staging_open(&staging, snapshot_origin(first), NULL, 1, &err), 0);
	stage = stage_new(staging, snapshot_image(first), &err);
	assert_int_equal(stage_load(stage, again, &err), 0);
	assert_true(stage_path(stage, "/pm/sub/b", file, sizeof(file)));
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_size, 5000);
	staging_close(staging);
	state_free(again);
	state_free(none);
	snapshot_free(first);
	snapshot_free(second);
	image_free(image);
}

static void test_empty(void **state)
{
	struct image *image = image_new(platform_find("adr"), NULL);
	struct state *none = state_none(image);
	struct snapshot *s;

	(void)state;
	write_state(image, none);
	s = read_back();
	assert_int_equal(image_file_count(snapshot_image(s)), 0);
	snapshot_free(s);
	state_free(none);
	image_free(image);
}

static void test_random(void **state)
{
	static const char *const names[] = {"", "/pm/a", "/pm/b"};
	struct program program;

	(void)state;
	for (uint64_t number = 1; number <= PROGRAMS; number++) {
		struct image *image = image_new(platform_find("adr"), NULL);
		struct state *all;
		struct snapshot *s;

		program_make(&program, 1, number);
		for (size_t i = 0; i < program.count; i++) {
			if (program.events[i].type == EVENT_FILE)
				program.events[i].path = names[program.events[i].file];
			image_apply(image, &program.events[i]);
		}
		all = state_all(image);
		write_state(image, all);
		s = read_back();
		if (!digest_equal(all->digest, state_digest_none(snapshot_image(s))))
			fail_msg("program %llu has another state afterwards", (unsigned long long)number);
		snapshot_free(s);
		state_free(all);
		image_free(image);
	}
}

static size_t slurp(uint8_t *bytes, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, bytes, room);

	close(fd);
	assert_in_range(size, 1, room - 1);
	return (size_t)size;
}

/* Every flipped bit is detected or has no effect; except in the event number, which nothing else depends on. */
static void test_damage(void **state)
{
	uint8_t bytes[4096];
	struct image *image = sample(NULL);
	struct state *all = state_all(image);
	struct snapshot *s;
	struct err err;
	size_t size;

	(void)state;
	write_state(image, all);
	size = slurp(bytes, sizeof(bytes));
	for (size_t i = 0; i < size; i++) {
		if (i >= 8 && i < 16)
			continue;
		bytes[i] ^= (uint8_t)(1u << i % 8);
		if (snapshot_parse(&s, bytes, size, &err) == 0) {
			if (!digest_equal(all->digest, state_digest_none(snapshot_image(s))))
				fail_msg("byte %zu is wrong, and nobody says so", i);
			snapshot_free(s);
		} else {
			assert_true(err.sentence[0]);
		}
		bytes[i] ^= (uint8_t)(1u << i % 8);
	}
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *part = malloc(cut + 1); /* so that reading beyond the end is detected */

		memcpy(part, bytes, cut);
		assert_int_equal(snapshot_parse(&s, part, cut, &err), -1);
		free(part);
	}
	state_free(all);
	image_free(image);
}

static void test_bad_files(void **state)
{
	struct snapshot *s;
	struct err err;
	int fd;

	assert_int_equal(snapshot_read(&s, "/nonexistent", &err), -1);
	assert_non_null(strstr(err.sentence, "No such file"));
	assert_int_equal(snapshot_read(&s, *state, &err), -1); /* a directory */
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(snapshot_read(&s, path, &err), -1);
	assert_non_null(strstr(err.sentence, "this is not a crash state"));
	assert_int_equal(write(fd, "hello, world, how are you today?", 32), 32);
	assert_int_equal(snapshot_read(&s, path, &err), -1);
	close(fd);
}

static void test_unwritable(void **state)
{
	struct image *image = sample(NULL);
	struct state *none = state_none(image);
	struct err err;

	(void)state;
	assert_int_equal(snapshot_write("/nonexistent/file", image, none, &err), -1);
	assert_int_equal(snapshot_write("/dev/full", image, none, &err), -1);
	assert_non_null(strstr(err.sentence, "No space"));
	state_free(none);
	image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		snapshot_test(test_round),      snapshot_test(test_again),  snapshot_test(test_empty),
		snapshot_test(test_random),     snapshot_test(test_damage), snapshot_test(test_bad_files),
		snapshot_test(test_unwritable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
