/* SPDX-License-Identifier: GPL-2.0-or-later */
/* staged.h - shared code of the stage tests: a stage with one file that has a few bytes in it, and checks of its
 * content.
 *
 *     static void test(void **state) { struct staged *f = *state; staged_load(f, state_none(f->image)); ... }
 *     ... staged_test(test) */
#ifndef BLACKOUT_TEST_STAGED_H
#define BLACKOUT_TEST_STAGED_H

#include "image/stage.h"
#include "scratch.h"

struct staged {
	struct origin *origin;
	struct image *image;
	struct staging *staging;
	struct stage *stage;
	char root[256], pool[300]; /* the stage, and the file in it */
};

#define POOL_SIZE ((uint64_t)1 << 30)

int staged_make(void **state);
int staged_remove(void **state);

#define staged_test(function) cmocka_unit_test_setup_teardown(function, staged_make, staged_remove)

/* Apply an event with these bytes. */
void staged_put(struct image *image, enum event_type type, uint64_t offset, const char *text);

/* Load a state, which must succeed, and free it. */
void staged_load(struct staged *staged, struct state *state);

/* The path of another file in the stage. */
void staged_beside(const struct staged *staged, const char *name, char path[512]);

/* Check that the file has these bytes. */
void staged_expect_bytes(const struct staged *staged, uint64_t offset, const void *should, size_t size);
void staged_expect_text(const struct staged *staged, uint64_t offset, const char *text);

/* Check that the stage holds exactly the state. */
void staged_expect(const struct stage *stage, const struct origin *origin, const struct image *image,
		   const struct state *state);

/* The number of entries of a directory that are not hidden. */
unsigned staged_entries(const char *path);

#endif
