/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_image.c - images and crash states.
 *
 * On many small random programs, both platforms, after each event:
 *
 *  1. every file of every crash state that the model enumerates has the bytes, size and name that a slow recomputation
 *     gives
 *  2. the digest of the state, updated incrementally, is that of the same content from scratch
 *  3. states with the same content have the same digest, and others a different one
 *
 * Then separate tests for things that random programs seldom do.
 *
 *     test_image [SEED [NUMBER]]      one series of programs; one program of it */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "image/state.h"
#include "model_sets.h"
#include "programs.h"
#include "replay.h"
#include "scratch.h"

#define PROGRAMS 3000
#define STATES_LOOKED_AT 24 /* per moment, checked in full */

static uint64_t seed = 1, only;

/* Both files of a random program have one name: give them two, and a third for renaming. */
static void give_names(struct program *p)
{
	static const char *const names[] = {"", "/pm/a", "/pm/b"};

	for (size_t i = 0; i < p->count; i++) {
		if (p->events[i].type == EVENT_FILE)
			p->events[i].path = names[p->events[i].file];
		if (p->events[i].type == EVENT_FILE_RENAME)
			p->events[i].path = p->events[i].context == 1 ? "/pm/a" : "/pm/c";
	}
}

struct check {
	const struct program *program;
	const struct reference *reference;
	struct image *image;
	size_t point, states;
	uint64_t number;
	struct replay *others; /* contents of this moment, with their digests */
	struct digest digests[STATES_LOOKED_AT];
	size_t other_count;
};

static void complain(const struct check *c, const char *what)
{
	fprintf(stderr, "program %llu of series %llu, after event %zu: %s\n", (unsigned long long)c->number,
		(unsigned long long)seed, c->point, what);
	program_print(c->program, stderr);
	fprintf(stderr, "run it again: test_image %llu %llu\n", (unsigned long long)seed,
		(unsigned long long)c->number);
	fail_msg("%s", what);
}

/* Translate flags of the model's pending units into a set of reference units. */
static uint32_t reference_set(const struct check *c, const bool *persisted)
{
	const struct reference *r = c->reference;
	uint32_t set = r->points[c->point].certain;
	size_t count;
	const struct unit *const *pending = model_pending(image_model(c->image), &count);

	for (size_t i = 0; i < count; i++) {
		for (unsigned u = 0; u < r->unit_count; u++) {
			if (persisted[i] && r->units[u].event == pending[i]->event &&
			    r->units[u].file == pending[i]->file && r->units[u].word == pending[i]->offset / 8)
				set |= UINT32_C(1) << u;
		}
	}
	return set;
}

/* The bytes beyond these are zero and are not compared. */
static size_t known_bytes(const struct replay_file *f)
{
	return f->size < REFERENCE_BYTES ? f->size : REFERENCE_BYTES;
}

static void check_file(const struct check *c, const struct state *state, const struct replay_file *f, uint32_t file)
{
	size_t size = known_bytes(f);
	uint8_t bytes[REFERENCE_BYTES];

	if (image_size(c->image, file) != f->size)
		complain(c, "another size");
	if (!image_path(c->image, file) != !f->path || (f->path && strcmp(image_path(c->image, file), f->path) != 0))
		complain(c, "another name");
	if (image_read(c->image, state, file, 0, bytes, sizeof(bytes)) != size)
		complain(c, "another number of bytes");
	if (memcmp(bytes, f->bytes, size) != 0)
		complain(c, "other bytes");
	if (size > 5 && (image_read(c->image, state, file, 3, bytes, size - 5) != size - 5 ||
			 memcmp(bytes, f->bytes + 3, size - 5) != 0))
		complain(c, "other bytes in the middle");
}

/* The digest as digest.h defines it, computed line by line. */
static struct digest digest_replay(const struct replay *replay)
{
	struct digest sum = {0, 0};

	for (uint32_t file = 1; file < REFERENCE_FILES; file++) {
		const struct replay_file *f = &replay->files[file];
		uint8_t bytes[REFERENCE_BYTES] = {0};
		uint64_t path = digest_path(f->path);
		XXH128_hash_t existence;

		if (!f->path)
			continue;
		memcpy(bytes, f->bytes, known_bytes(f));
		for (uint64_t line = 0; line < REFERENCE_BYTES / LINE_BYTES; line++)
			sum = digest_add(sum, digest_line(path, line, bytes + line * LINE_BYTES));
		existence = XXH3_128bits_withSeed(&f->size, sizeof(f->size), path);
		sum = digest_add(sum, (struct digest){existence.low64, existence.high64});
	}
	return sum;
}

static bool same_content(const struct replay *a, const struct replay *b)
{
	for (uint32_t file = 1; file < REFERENCE_FILES; file++) {
		const struct replay_file *x = &a->files[file], *y = &b->files[file];

		/* Names and sizes are the same for all states of a moment. */
		if (x->path && memcmp(x->bytes, y->bytes, known_bytes(x)) != 0)
			return false;
	}
	return true;
}

static void check_digest(struct check *c, const struct state *state, const struct replay *replay)
{
	if (!digest_equal(state->digest, digest_replay(replay)))
		complain(c, "another digest than from scratch");
	for (size_t i = 0; i < c->other_count; i++) {
		if (digest_equal(c->digests[i], state->digest) != same_content(&c->others[i], replay))
			complain(c, "equal digests for different states, or different ones for equal states");
	}
	c->digests[c->other_count] = state->digest;
	c->others[c->other_count++] = *replay;
}

static bool check_state(void *arg, const bool *persisted, size_t count)
{
	static struct replay replay;
	struct check *c = arg;
	struct digest digest = state_digest(c->image, persisted);
	struct state *state = state_new(c->image, persisted);

	(void)count;
	if (!digest_equal(digest, state->digest))
		complain(c, "a digest without a state is another");
	if (c->states++ < STATES_LOOKED_AT) {
		replay_run(&replay, c->program->events, c->point, c->reference, reference_set(c, persisted));
		for (uint32_t file = 1; file < REFERENCE_FILES; file++)
			check_file(c, state, &replay.files[file], file);
		check_digest(c, state, &replay);
	}
	state_free(state);
	return true;
}

static void check_ends(struct check *c)
{
	size_t count = model_pending_count(image_model(c->image));
	struct state *all = state_all(c->image), *none = state_none(c->image);
	bool *flags = calloc(count + 1, sizeof(*flags));

	if (!digest_equal(none->digest, state_digest(c->image, flags)) || none->count || none->units)
		complain(c, "nothing persisted is something else");
	memset(flags, true, count);
	if (!digest_equal(all->digest, state_digest(c->image, flags)) || all->units != count)
		complain(c, "everything persisted is something else");
	state_free(all);
	state_free(none);
	free(flags);
}

static void check_program(uint64_t number, const char *platform)
{
	static struct replay others[STATES_LOOKED_AT];
	struct program program;
	struct reference *r;
	struct check c = {.program = &program, .number = number, .others = others};

	program_make(&program, seed, number);
	give_names(&program);
	r = reference_run(program.events, program.count, strcmp(platform, "adr") ? REFERENCE_EADR : REFERENCE_ADR);
	c.reference = r;
	c.image = image_new(platform_find(platform), NULL);
	for (c.point = 0; !r->overflow && c.point <= program.count; c.point++) {
		c.states = c.other_count = 0;
		model_enumerate(image_model(c.image), check_state, &c);
		check_ends(&c);
		if (c.point < program.count)
			image_apply(c.image, &program.events[c.point]);
	}
	image_free(c.image);
	reference_free(r);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t i = only ? only : 1; i <= (only ? only : PROGRAMS); i++) {
		check_program(i, "adr");
		check_program(i, "eadr");
	}
}

/* Separate tests */

static void event(struct image *image, enum event_type type, uint64_t offset, const void *data, size_t size)
{
	struct event ev = {.type = type, .file = 1, .thread = 1, .offset = offset, .data = data, .size = size};

	image_apply(image, &ev);
}

static void file_event(struct image *image, uint32_t file, uint64_t size, const char *path)
{
	struct event ev = {.type = EVENT_FILE, .file = file, .size = size, .path = path};

	image_apply(image, &ev);
}

static void direct(struct image *image, uint32_t thread, uint64_t offset, const char *text)
{
	struct event ev = {.type = EVENT_STORE, .kind = BO_STORE_NONTEMPORAL, .file = 1, .thread = thread};

	ev.offset = offset;
	ev.data = (const uint8_t *)text;
	ev.size = strlen(text);
	image_apply(image, &ev);
}

static void fence(struct image *image, uint32_t thread)
{
	image_apply(image, &(struct event){.type = EVENT_SFENCE, .thread = thread});
}

static void flush(struct image *image, uint64_t offset)
{
	image_apply(image, &(struct event){.type = EVENT_CLWB, .thread = 1, .file = 1, .offset = offset});
}

static void expect(struct image *image, struct state *state, uint64_t offset, const char *text)
{
	char bytes[64] = {0};

	assert_int_equal(image_read(image, state, 1, offset, bytes, strlen(text)), strlen(text));
	assert_string_equal(bytes, text);
	state_free(state);
}

/* An older unit that is still pending, or becomes certain late, does not cover a newer certain one. */
static void test_older_last(void **state)
{
	struct image *image = image_new(platform_find("adr"), NULL);

	(void)state;
	file_event(image, 1, 4096, "/pm/a");
	direct(image, 2, 64, "12345678");
	event(image, EVENT_STORE, 66, "ab", 2);
	flush(image, 64);
	fence(image, 1);
	assert_int_equal(model_pending_count(image_model(image)), 1);
	expect(image, state_none(image), 66, "ab");
	expect(image, state_all(image), 64, "12ab5678");
	fence(image, 2);
	assert_int_equal(model_pending_count(image_model(image)), 0);
	expect(image, state_none(image), 64, "12ab5678");
	event(image, EVENT_STORE, 64, "xyxyxyxy", 8); /* and later stores are newer again */
	expect(image, state_all(image), 64, "xyxyxyxy");
	expect(image, state_none(image), 64, "12ab5678");
	image_free(image);
}

/* A file that existed before is there before the trace announces it; one that is created later is not. */
static void test_origin(void **state)
{
	struct event old = {.type = EVENT_FILE, .file = 1, .size = 100, .path = "/pm/old"};
	struct event text = {
		.type = EVENT_CONTENT, .file = 1, .offset = 10, .size = 5, .data = (const uint8_t *)"hello"};
	struct event new = {.type = EVENT_FILE, .file = 2, .size = 50, .path = "/pm/sub/new", .flags = BO_FILE_CREATED};
	struct event cut = {.type = EVENT_FILE_TRUNCATE, .file = 1, .size = 0};
	struct origin *origin = origin_new();
	struct image *image;
	struct digest before;
	const char *name;

	(void)state;
	origin_apply(origin, &old);
	origin_apply(origin, &text);
	origin_apply(origin, &new);
	origin_apply(origin, &cut);
	origin_apply(origin,
		     &(struct event){.type = EVENT_CONTENT, .file = 1, .size = 1, .data = (const uint8_t *)"!"});
	origin_apply(origin, &(struct event){.type = EVENT_FILE_RENAME, .file = 2, .path = "/pm/newer"});
	assert_int_equal(origin_path_count(origin), 3);
	assert_int_equal(origin_dir_count(origin), 2);
	assert_string_equal(origin_dir(origin, 0), "/pm");
	assert_string_equal(origin_dir(origin, 1), "/pm/sub");
	assert_int_equal(origin_place(origin, "/pm/newer", &name), 0);
	assert_string_equal(name, "newer");
	assert_int_equal(origin_place(origin, "/pm/sub/new", &name), 1);
	assert_int_equal(origin_place(origin, "/pm/sub", &name), -1);
	assert_int_equal(origin_place(origin, "/pm/unknown", &name), -1);

	image = image_new(platform_find("adr"), origin);
	assert_true(image_exists(image, 1));
	assert_false(image_exists(image, 2));
	expect(image, state_none(image), 10, "hello");
	before = state_digest_none(image);
	image_apply(image, &old);
	expect(image, state_none(image), 10, "hello"); /* never empty in between */
	image_apply(image, &text);
	assert_true(digest_equal(before, state_digest_none(image)));
	image_apply(image, &new);
	assert_true(image_exists(image, 2));
	assert_false(digest_equal(before, state_digest_none(image)));
	image_apply(image, &cut);
	assert_int_equal(image_size(image, 1), 0);
	image_free(image);
	origin_free(origin);
}

/* Names count in the digest, and only one file can have a name. */
static void test_names(void **state)
{
	struct image *image = image_new(platform_find("adr"), NULL);
	struct digest named, other;

	(void)state;
	file_event(image, 1, 4096, "/pm/a");
	event(image, EVENT_CONTENT, 0, "text", 4);
	named = state_digest_none(image);
	image_apply(image, &(struct event){.type = EVENT_FILE_RENAME, .file = 1, .path = "/pm/b"});
	other = state_digest_none(image);
	assert_false(digest_equal(named, other));
	image_apply(image, &(struct event){.type = EVENT_FILE_RENAME, .file = 1, .path = "/pm/a"});
	assert_true(digest_equal(named, state_digest_none(image)));
	image_apply(image, &(struct event){.type = EVENT_FILE_UNLINK, .file = 1, .flags = 1});
	assert_true(image_exists(image, 1)); /* one link is left */
	file_event(image, 2, 4096, "/pm/a");
	assert_false(image_exists(image, 1));
	assert_true(image_exists(image, 2));
	image_apply(image, &(struct event){.type = EVENT_FILE_UNLINK, .file = 2});
	assert_false(image_exists(image, 2));
	assert_null(image_path(image, 2));
	assert_true(digest_equal(state_digest_none(image), (struct digest){0, 0}));
	image_free(image);
}

/* Swapped lines and moved bytes change the digest; written zeros do not. */
static void test_digest(void **state)
{
	struct image *a = image_new(platform_find("eadr"), NULL), *b = image_new(platform_find("eadr"), NULL);

	(void)state;
	file_event(a, 1, 1 << 20, "/pm/a");
	file_event(b, 1, 1 << 20, "/pm/a");
	event(a, EVENT_STORE, 0, "one", 3);
	event(a, EVENT_STORE, 64, "two", 3);
	event(b, EVENT_STORE, 64, "one", 3);
	event(b, EVENT_STORE, 0, "two", 3);
	assert_false(digest_equal(state_digest_none(a), state_digest_none(b)));
	event(b, EVENT_STORE, 0, "one", 3);
	event(b, EVENT_STORE, 64, "two", 3);
	assert_true(digest_equal(state_digest_none(a), state_digest_none(b)));
	event(a, EVENT_STORE, 8192, "three", 5);
	assert_false(digest_equal(state_digest_none(a), state_digest_none(b)));
	event(a, EVENT_STORE, 8192, "\0\0\0\0\0", 5); /* zeros are equal, whether they were written or not */
	assert_true(digest_equal(state_digest_none(a), state_digest_none(b)));
	event(a, EVENT_FILE_TRUNCATE, 0, NULL, 1 << 19);
	assert_false(digest_equal(state_digest_none(a), state_digest_none(b)));
	image_free(a);
	image_free(b);
}

/* A silent store does not make another state. */
static void test_silent(void **state)
{
	struct image *image = image_new(platform_find("adr"), NULL);

	(void)state;
	file_event(image, 1, 4096, "/pm/a");
	event(image, EVENT_STORE, 0, "same", 4);
	flush(image, 0);
	fence(image, 1);
	event(image, EVENT_STORE, 0, "same", 4);
	assert_true(digest_equal(state_digest_none(image), state_digest_all(image)));
	/* Changed and changed back: not silent, but the full set gives the old content. */
	event(image, EVENT_STORE, 0, "else", 4);
	event(image, EVENT_STORE, 0, "same", 4);
	assert_int_equal(model_pending_count(image_model(image)), 2);
	assert_true(digest_equal(state_digest_none(image), state_digest_all(image)));
	assert_false(digest_equal(state_digest_none(image), state_digest(image, (bool[]){true, false})));
	image_free(image);
}

/* A line with very many units, and many lines. */
static void test_many(void **state)
{
	struct image *image = image_new(platform_find("adr"), NULL);
	struct state *all;
	char last[8];

	(void)state;
	file_event(image, 1, 1 << 20, "/pm/a");
	for (unsigned i = 1; i <= 1000; i++) {
		snprintf(last, sizeof(last), "%07u", i);
		event(image, EVENT_STORE, 128, last, sizeof(last));
		event(image, EVENT_STORE, 64 * (uint64_t)(i % 100 + 10), last, sizeof(last));
	}
	assert_int_equal(model_pending_count(image_model(image)), 2000);
	all = state_all(image);
	assert_int_equal(all->units, 2000);
	for (size_t i = 1; i < all->count; i++)
		assert_true(all->at[i - 1].offset / 64 <= all->at[i].offset / 64);
	state_free(all);
	expect(image, state_all(image), 128, "0001000");
	expect(image, state_all(image), 64 * 99, "0000989");
	image_free(image);
}

/* Write a state as a plain file. */
static void test_write(void **state)
{
	const char *dir = *state;
	struct image *image = image_new(platform_find("adr"), NULL);
	struct state *all;
	char path[256], bytes[4];
	struct stat st;
	struct err err;
	int fd;

	file_event(image, 1, 1 << 30, "/pm/a");
	event(image, EVENT_CONTENT, 5000, "base", 4);
	event(image, EVENT_STORE, (1 << 29) + 1, "new", 3);
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	all = state_all(image);
	assert_int_equal(image_write(image, all, 1, fd, &err), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 1 << 30);
	assert_true(st.st_blocks * 512 <= 64 * 1024);
	assert_int_equal(pread(fd, bytes, 4, 5000), 4);
	assert_memory_equal(bytes, "base", 4);
	assert_int_equal(pread(fd, bytes, 4, 1 << 29), 4);
	assert_memory_equal(bytes, "\0new", 4);
	state_free(all);
	close(fd);
	image_free(image);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_older_last), cmocka_unit_test(test_origin), cmocka_unit_test(test_names),
		cmocka_unit_test(test_digest),     cmocka_unit_test(test_silent), cmocka_unit_test(test_many),
		scratch_test(test_write),          cmocka_unit_test(test_random),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : seed;
	only = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
