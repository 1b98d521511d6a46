/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes.c - see bytes.h. */
#include "invariants/bytes.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#define MIX 0x80000000u /* in the value of a word: the rest is an index of mixes */

struct bytes_mix {
	uint32_t writers[BYTES_WORD];
};

void bytes_init(struct bytes *bytes)
{
	*bytes = (struct bytes){.mixes = SLAB_OF(struct bytes_mix)};
}

void bytes_free(struct bytes *bytes)
{
	for (size_t i = 0; i < bytes->page_list.count; i++)
		free(bytes->page_list.at[i]);
	vec_free(&bytes->page_list);
	map_free(&bytes->pages);
	slab_free(&bytes->mixes);
	map_free(&bytes->mix_values);
	vec_free(&bytes->links);
}

static struct bytes_page *page_find(const struct bytes *bytes, uint32_t file, uint64_t page)
{
	const uint64_t *at = map_get(&bytes->pages, file, page);

	return at ? bytes->page_list.at[*at - 1] : NULL;
}

static struct bytes_page *page_make(struct bytes *bytes, uint32_t file, uint64_t page)
{
	if (bytes->last && bytes->last_file == file && bytes->last_page == page)
		return bytes->last;
	uint64_t *at = map_put(&bytes->pages, file, page);
	if (!*at) {
		vec_push(&bytes->page_list, mem_alloc(sizeof(struct bytes_page)));
		*at = bytes->page_list.count;
	}
	bytes->last_file = file;
	bytes->last_page = page;
	return bytes->last = bytes->page_list.at[*at - 1];
}

const uint32_t *bytes_words(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size, size_t *count)
{
	struct bytes_page *page = page_make(bytes, file, offset / BYTES_PAGE);
	uint64_t in_page = offset % BYTES_PAGE, end = in_page + size < BYTES_PAGE ? in_page + size : BYTES_PAGE;

	*count = (size_t)((end + BYTES_WORD - 1) / BYTES_WORD - in_page / BYTES_WORD);
	return page->words + in_page / BYTES_WORD;
}

/* ---- writers ---- */

static void word_expand(const struct bytes *bytes, uint32_t value, struct bytes_mix *mix)
{
	if (value & MIX)
		*mix = *(const struct bytes_mix *)slab_at(&bytes->mixes, value & ~MIX);
	else
		for (unsigned i = 0; i < BYTES_WORD; i++)
			mix->writers[i] = value;
}

/* Equal combinations have equal values. */
static uint32_t mix_value(struct bytes *bytes, const struct bytes_mix *mix)
{
	XXH128_hash_t hash = XXH3_128bits(mix, sizeof(*mix));
	uint64_t *value;
	bool uniform = true;

	for (unsigned i = 1; i < BYTES_WORD; i++)
		uniform &= mix->writers[i] == mix->writers[0];
	if (uniform)
		return mix->writers[0];
	value = map_put(&bytes->mix_values, hash.low64, hash.high64);
	if (!*value) {
		*(struct bytes_mix *)slab_push(&bytes->mixes) = *mix;
		*value = bytes->mixes.count;
	}
	return MIX | (uint32_t)(*value - 1);
}

/* Bytes `low` to `high` of a word get a writer. */
static void word_store(struct bytes *bytes, uint32_t *word, uint64_t low, uint64_t high, uint32_t writer)
{
	uint32_t value = writer;
	struct bytes_mix mix;

	if (*word == writer)
		return;
	if (high - low < BYTES_WORD) {
		word_expand(bytes, *word, &mix);
		for (uint64_t i = low; i < high; i++)
			mix.writers[i] = writer;
		value = mix_value(bytes, &mix);
	}
	bytes->changes += *word != value;
	*word = value;
}

/* A range, word by word. */
struct walk {
	uint64_t at, end;
};

/* The part of the range in the next word: its offset in *at, and the bytes of the word. */
static bool walk_next(struct walk *walk, uint64_t *at, uint64_t *low, uint64_t *high)
{
	if (walk->at >= walk->end)
		return false;
	*at = walk->at;
	*low = walk->at % BYTES_WORD;
	*high = walk->end - walk->at < BYTES_WORD - *low ? *low + (walk->end - walk->at) : BYTES_WORD;
	walk->at += *high - *low;
	return true;
}

void bytes_store(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size, uint32_t writer)
{
	struct walk walk = {offset, offset + size};
	uint64_t at, low, high;

	while (walk_next(&walk, &at, &low, &high)) {
		struct bytes_page *page = page_make(bytes, file, at / BYTES_PAGE);

		word_store(bytes, &page->words[at % BYTES_PAGE / BYTES_WORD], low, high, writer);
	}
}

static size_t writers_add(uint32_t *writers, size_t count, uint32_t writer)
{
	if (!writer || count == BYTES_WRITERS)
		return count;
	for (size_t i = 0; i < count; i++)
		if (writers[i] == writer)
			return count;
	writers[count] = writer;
	return count + 1;
}

size_t bytes_writers(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size,
		     uint32_t writers[BYTES_WRITERS])
{
	struct walk walk = {offset, offset + size};
	uint64_t at, low, high;
	struct bytes_mix mix;
	size_t count = 0;

	while (walk_next(&walk, &at, &low, &high) && count < BYTES_WRITERS) {
		uint32_t word = page_make(bytes, file, at / BYTES_PAGE)->words[at % BYTES_PAGE / BYTES_WORD];

		if (!(word & MIX)) {
			count = writers_add(writers, count, word);
			continue;
		}
		word_expand(bytes, word, &mix);
		for (uint64_t i = low; i < high; i++)
			count = writers_add(writers, count, mix.writers[i]);
	}
	return count;
}

/* ---- places ---- */

void bytes_link(struct bytes *bytes, uint32_t file, uint64_t offset, uint64_t size, uint32_t place)
{
	struct walk walk = {offset, offset + size};
	uint64_t at, low, high;

	while (walk_next(&walk, &at, &low, &high)) {
		uint32_t *first = &page_make(bytes, file, at / BYTES_PAGE)->links[at % BYTES_PAGE / BYTES_WORD];

		vec_push(&bytes->links, ((struct bytes_link){.place = place, .next = *first}));
		*first = (uint32_t)bytes->links.count;
	}
}

uint32_t bytes_first_link(const struct bytes *bytes, uint32_t file, uint64_t offset)
{
	const struct bytes_page *page = page_find(bytes, file, offset / BYTES_PAGE);

	return page ? page->links[offset % BYTES_PAGE / BYTES_WORD] : 0;
}
