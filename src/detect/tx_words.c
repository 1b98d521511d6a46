/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx_words.c - see tx_words.h. */
#include "detect/tx_words.h"

#include <stdlib.h>

#include "base/mem.h"

enum { PAGE_BYTES = 4096, PAGE_WORDS = PAGE_BYTES / TX_WORD };

static struct tx_word *page_recent(const struct tx_words *words, uint32_t file, uint64_t number)
{
	return words->recent.number == number && words->recent.file == file ? words->recent.words : NULL;
}

static struct tx_word *page_find(struct tx_words *words, uint32_t file, uint64_t number)
{
	struct tx_word *page = page_recent(words, file, number);
	const uint64_t *found = page ? NULL : map_get(&words->pages, file, number);

	if (!found)
		return page;
	words->recent.number = number;
	words->recent.file = file;
	words->recent.words = (struct tx_word *)(uintptr_t)*found;
	return words->recent.words;
}

struct tx_word *tx_word_find(struct tx_words *words, uint32_t file, uint64_t offset)
{
	struct tx_word *page = page_find(words, file, offset / PAGE_BYTES);

	return page ? &page[offset % PAGE_BYTES / TX_WORD] : NULL;
}

struct tx_word *tx_word_make(struct tx_words *words, uint32_t file, uint64_t offset)
{
	struct tx_word *word = tx_word_find(words, file, offset);

	if (word)
		return word;
	*map_put(&words->pages, file, offset / PAGE_BYTES) =
		(uint64_t)(uintptr_t)mem_alloc(PAGE_WORDS * sizeof(struct tx_word));
	return tx_word_find(words, file, offset);
}

uint8_t tx_word_mask(uint64_t offset, uint64_t size)
{
	unsigned from = offset % TX_WORD, to = size < TX_WORD - from ? from + (unsigned)size : TX_WORD;

	return (uint8_t)(((1u << to) - 1) & ~((1u << from) - 1));
}

uint32_t doubt_raise(struct tx_words *words, const struct doubt *doubt)
{
	struct tx_word *word = tx_word_make(words, doubt->file, doubt->offset);
	const struct doubt *old = word->doubt ? &words->doubts.at[word->doubt] : NULL;
	uint32_t number;

	/* A transaction still has to judge what it did not cover. */
	if (old && old->kind != DOUBT_UNLOGGED)
		doubt_settle(words, word->doubt);
	if (!words->doubts.count)
		vec_push(&words->doubts, (struct doubt){0});
	if (words->unused.count) {
		number = words->unused.at[--words->unused.count];
		words->doubts.at[number] = *doubt;
	} else {
		number = (uint32_t)words->doubts.count;
		vec_push(&words->doubts, *doubt);
	}
	word->doubt = number;
	return number;
}

void doubt_settle(struct tx_words *words, uint32_t number)
{
	struct doubt *doubt = &words->doubts.at[number];
	struct tx_word *word = tx_word_find(words, doubt->file, doubt->offset);

	if (word && word->doubt == number)
		word->doubt = 0;
	doubt->kind = DOUBT_NONE;
	vec_push(&words->unused, number);
}

static void word_forget(struct tx_words *words, struct tx_word *word)
{
	if (word->doubt && words->doubts.at[word->doubt].kind != DOUBT_UNLOGGED)
		doubt_settle(words, word->doubt);
	*word = (struct tx_word){.doubt = word->doubt};
}

void tx_words_forget(struct tx_words *words, uint32_t file, uint64_t offset, uint64_t size)
{
	for (uint64_t at = offset, end = offset + size; at < end;) {
		uint64_t page_end = (at / PAGE_BYTES + 1) * PAGE_BYTES, until = end < page_end ? end : page_end;
		bool known = tx_word_find(words, file, at);

		for (; known && at < until; at += TX_WORD)
			word_forget(words, tx_word_find(words, file, at));
		at = until;
	}
}

void tx_words_free(struct tx_words *words)
{
	for (size_t i = 0; i < words->pages.room; i++)
		if (words->pages.entries[i].used)
			free((void *)(uintptr_t)words->pages.entries[i].value);
	map_free(&words->pages);
	vec_free(&words->doubts);
	vec_free(&words->unused);
}
