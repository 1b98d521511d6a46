/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_like.c - states as contents of their own, and states with the bytes of any content; see state.h. */
#include <string.h>

#include "image/image_in.h"

struct content *state_content(const struct image *image, const struct state *state)
{
	struct content *content = content_copy(image->certain);

	for (size_t i = 0; i < state->count; i++)
		content_put(content, state->at[i].file, state->at[i].offset, state->at[i].value, state->at[i].size);
	return content;
}

/* The file of the content that has this path; 0: none. */
static uint32_t file_find(const struct content *content, const char *path)
{
	for (uint32_t file = 1; file <= content_file_count(content); file++) {
		const char *other = content_path(content, file);

		if (other && !strcmp(other, path))
			return file;
	}
	return 0;
}

static size_t named_count(const struct content *content)
{
	size_t count = 0;

	for (uint32_t file = 1; file <= content_file_count(content); file++)
		count += content_path(content, file) != NULL;
	return count;
}

struct patches {
	VEC_OF(struct patch) all;
};

/* Patch the words of a page that differ.  NULL: the page is all zeros. */
static void page_patch(struct patches *patches, uint32_t file, uint64_t start, uint64_t size, const uint8_t *here,
		       const uint8_t *wanted)
{
	static const uint8_t zeros[IMAGE_PAGE];
	uint64_t end = size - start < IMAGE_PAGE ? size - start : IMAGE_PAGE;

	here = here ? here : zeros;
	wanted = wanted ? wanted : zeros;
	if (here == wanted || !memcmp(here, wanted, end))
		return;
	for (uint64_t at = 0; at < end; at += 8) {
		uint8_t bytes = (uint8_t)(end - at < 8 ? end - at : 8);
		struct patch patch = {.offset = start + at, .file = file, .size = bytes};

		if (!memcmp(here + at, wanted + at, bytes))
			continue;
		memcpy(patch.value, wanted + at, bytes);
		vec_push(&patches->all, patch);
	}
}

/* Patch the pages that one or the other has. */
static void file_patch(struct patches *patches, const struct content *certain, uint32_t file,
		       const struct content *content, uint32_t other)
{
	uint64_t size = content_size(certain, file);
	size_t count, other_count, i = 0, k = 0;
	uint64_t *numbers = content_page_numbers(certain, file, &count),
		 *others = content_page_numbers(content, other, &other_count);

	while (i < count || k < other_count) {
		uint64_t number = k == other_count || (i < count && numbers[i] < others[k]) ? numbers[i] : others[k];

		if (number * IMAGE_PAGE < size)
			page_patch(patches, file, number * IMAGE_PAGE, size, content_page(certain, file, number),
				   content_page(content, other, number));
		i += i < count && numbers[i] == number;
		k += k < other_count && others[k] == number;
	}
	free(numbers);
	free(others);
}

struct state *state_like(struct image *image, const struct content *content)
{
	struct patches patches = {0};
	struct state *state;
	size_t named = 0;

	for (uint32_t file = 1; file <= image_file_count(image); file++) {
		uint32_t other = image_exists(image, file) ? file_find(content, image_path(image, file)) : 0;

		named += other != 0;
		if (image_exists(image, file) && (!other || image_size(image, file) != content_size(content, other))) {
			vec_free(&patches.all);
			return NULL;
		}
		if (other)
			file_patch(&patches, image->certain, file, content, other);
	}
	if (named != named_count(content)) {
		vec_free(&patches.all);
		return NULL;
	}
	state = state_none(image);
	state->digest = (struct digest){0};
	state->units = state->count = patches.all.count;
	state->at = patches.all.at;
	return state;
}
