/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mapping arithmetic: separate cases, and random operations compared with a plain array of pages. */
#include <string.h>

#include "base/random.h"
#include "scratch.h"
#include "trace/mappings.h"

#define P ((uint64_t)MAPPINGS_PAGE)

static void map_pages(struct mappings *m, uint64_t page, uint64_t pages, uint32_t file, uint64_t file_page)
{
	mappings_map(m, &(struct mapping){.start = page * P,
					  .end = (page + pages) * P,
					  .offset = file_page * P,
					  .file = file,
					  .prot = 3});
}

/* Check that this page shows this page of this file; file 0: nothing. */
static void expect(struct mappings *m, uint64_t page, uint32_t file, uint64_t file_page)
{
	const struct mapping *at = mappings_find(m, page * P + 5);

	if (!file) {
		assert_null(at);
		return;
	}
	assert_non_null(at);
	assert_int_equal(at->file, file);
	assert_int_equal(at->offset + (page * P - at->start), file_page * P);
}

static void test_partial_unmap_splits(void **state)
{
	struct mappings m = {0};

	(void)state;
	map_pages(&m, 10, 10, 1, 100);
	mappings_unmap(&m, 13 * P, 2 * P);
	assert_int_equal(m.list.count, 2);
	expect(&m, 9, 0, 0);
	expect(&m, 10, 1, 100);
	expect(&m, 12, 1, 102);
	expect(&m, 13, 0, 0);
	expect(&m, 14, 0, 0);
	expect(&m, 15, 1, 105);
	expect(&m, 19, 1, 109);
	expect(&m, 20, 0, 0);
	mappings_unmap(&m, 0, 11 * P);
	expect(&m, 10, 0, 0);
	expect(&m, 11, 1, 101);
	mappings_unmap(&m, 19 * P, 100 * P);
	expect(&m, 18, 1, 108);
	expect(&m, 19, 0, 0);
	mappings_free(&m);
}

static void test_map_replaces(void **state)
{
	struct mappings m = {0};

	(void)state;
	map_pages(&m, 10, 10, 1, 0);
	map_pages(&m, 12, 3, 2, 50);
	assert_int_equal(m.list.count, 3);
	expect(&m, 11, 1, 1);
	expect(&m, 12, 2, 50);
	expect(&m, 14, 2, 52);
	expect(&m, 15, 1, 5);
	map_pages(&m, 5, 30, 3, 0);
	assert_int_equal(m.list.count, 1);
	expect(&m, 34, 3, 29);
	mappings_free(&m);
}

/* A mapping of 100 bytes takes a whole page, and so does unmapping it. */
static void test_whole_pages(void **state)
{
	struct mappings m = {0};

	(void)state;
	mappings_map(&m, &(struct mapping){.start = P, .end = P + 100, .file = 1});
	assert_non_null(mappings_find(&m, 2 * P - 1));
	assert_null(mappings_find(&m, 2 * P));
	mappings_unmap(&m, P, 1);
	assert_int_equal(m.list.count, 0);
	mappings_map(&m, &(struct mapping){.start = P, .end = P, .file = 1});
	assert_int_equal(m.list.count, 0);
	mappings_free(&m);
}

static void test_one_file_twice(void **state)
{
	struct mappings m = {0};

	(void)state;
	map_pages(&m, 10, 4, 1, 0);
	map_pages(&m, 14, 4, 1, 2);
	expect(&m, 12, 1, 2);
	expect(&m, 14, 1, 2);
	mappings_unmap(&m, 10 * P, 4 * P);
	expect(&m, 12, 0, 0);
	expect(&m, 14, 1, 2);
	mappings_free(&m);
}

static void test_remap(void **state)
{
	struct mappings m = {0};

	(void)state;
	map_pages(&m, 10, 4, 1, 7);
	mappings_remap(&m, 10 * P, 4 * P, 50 * P, 6 * P); /* move and grow */
	expect(&m, 10, 0, 0);
	expect(&m, 50, 1, 7);
	expect(&m, 55, 1, 12);
	expect(&m, 56, 0, 0);
	mappings_remap(&m, 50 * P, 6 * P, 50 * P, 2 * P); /* shrink */
	expect(&m, 51, 1, 8);
	expect(&m, 52, 0, 0);
	mappings_remap(&m, 50 * P, 2 * P, 50 * P, 3 * P); /* grow */
	expect(&m, 52, 1, 9);
	mappings_remap(&m, 51 * P, 1 * P, 60 * P, 1 * P); /* the middle page moves away */
	expect(&m, 50, 1, 7);
	expect(&m, 51, 0, 0);
	expect(&m, 52, 1, 9);
	expect(&m, 60, 1, 8);
	mappings_remap(&m, 60 * P, 0, 70 * P, 2 * P); /* old size 0: a second mapping */
	expect(&m, 60, 1, 8);
	expect(&m, 70, 1, 8);
	expect(&m, 71, 1, 9);
	map_pages(&m, 80, 4, 2, 0);
	mappings_remap(&m, 70 * P, 2 * P, 81 * P, 2 * P); /* over another mapping */
	expect(&m, 80, 2, 0);
	expect(&m, 81, 1, 8);
	expect(&m, 82, 1, 9);
	expect(&m, 83, 2, 3);
	mappings_remap(&m, 5 * P, 0, 6 * P, P); /* of an unmapped range */
	expect(&m, 6, 0, 0);
	mappings_free(&m);
}

static void test_protect_splits(void **state)
{
	struct mappings m = {0};

	(void)state;
	map_pages(&m, 10, 4, 1, 0);
	mappings_protect(&m, 11 * P, 2 * P, 1);
	assert_int_equal(m.list.count, 3);
	assert_int_equal(mappings_find(&m, 10 * P)->prot, 3);
	assert_int_equal(mappings_find(&m, 11 * P)->prot, 1);
	assert_int_equal(mappings_find(&m, 12 * P)->prot, 1);
	assert_int_equal(mappings_find(&m, 13 * P)->prot, 3);
	expect(&m, 12, 1, 2);
	expect(&m, 13, 1, 3);
	mappings_free(&m);
}

static void test_ranges(void **state)
{
	(void)state;
	assert_true(mappings_range_valid(0, 0));
	assert_true(mappings_range_valid(0x7ffffffff000, P));
	assert_false(mappings_range_valid(UINT64_MAX, 1));
	assert_false(mappings_range_valid(1, UINT64_MAX));
	assert_false(mappings_range_valid((uint64_t)1 << 63, 0));
	assert_false(mappings_range_valid(P, INT64_MAX - P));
}

/* The reference: what each page shows. */
#define PAGES 64

struct page {
	uint32_t file;
	uint64_t file_page;
	uint32_t prot;
};

static void model_remap(struct page *model, uint64_t old, uint64_t old_pages, uint64_t new, uint64_t new_pages)
{
	struct page moved[PAGES] = {0};
	uint64_t common = old_pages < new_pages ? old_pages : new_pages;

	memcpy(moved, model + old, common * sizeof(*model));
	for (uint64_t i = common; i < new_pages; i++) { /* the last page is extended */
		moved[i] = moved[i - 1];
		moved[i].file_page += moved[i].file != 0;
	}
	memset(model + old, 0, old_pages * sizeof(*model));
	memcpy(model + new, moved, new_pages * sizeof(*model));
}

static void random_step(struct mappings *m, struct page *model, uint64_t *seed)
{
	uint64_t page = random_next(seed) % (PAGES / 2), pages = 1 + random_next(seed) % (PAGES / 4);
	uint64_t new = random_next(seed) % (PAGES / 2), new_pages = 1 + random_next(seed) % (PAGES / 4);
	uint32_t prot = 1 + random_next(seed) % 3;

	switch (random_next(seed) % 4) {
	case 0:
		map_pages(m, page, pages, 1 + (uint32_t)(new % 3), new);
		for (uint64_t i = 0; i < pages; i++)
			model[page + i] = (struct page){1 + (uint32_t)(new % 3), new + i, 3};
		break;
	case 1:
		mappings_unmap(m, page * P, pages * P);
		memset(model + page, 0, pages * sizeof(*model));
		break;
	case 2:
		mappings_remap(m, page * P, pages * P, new *P, new_pages * P);
		model_remap(model, page, pages, new, new_pages);
		break;
	default:
		mappings_protect(m, page * P, pages * P, prot);
		for (uint64_t i = page; i < page + pages; i++)
			model[i].prot = model[i].file ? prot : 0;
		break;
	}
}

static void test_random(void **state)
{
	struct page model[PAGES] = {0};
	struct mappings m = {0};
	uint64_t seed = 42;

	(void)state;
	for (int step = 0; step < 20000; step++) {
		random_step(&m, model, &seed);
		for (uint64_t i = 0; i < PAGES; i++) {
			expect(&m, i, model[i].file, model[i].file_page);
			if (model[i].file)
				assert_int_equal(mappings_find(&m, i * P)->prot, model[i].prot);
		}
		for (size_t i = 1; i < m.list.count; i++)
			assert_true(m.list.at[i - 1].end <= m.list.at[i].start);
	}
	mappings_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partial_unmap_splits),
		cmocka_unit_test(test_map_replaces),
		cmocka_unit_test(test_whole_pages),
		cmocka_unit_test(test_one_file_twice),
		cmocka_unit_test(test_remap),
		cmocka_unit_test(test_protect_splits),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("mappings", tests, NULL, NULL);
}
