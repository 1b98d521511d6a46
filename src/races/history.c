/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - see races.h and history.h: events, files and pages. */
#include "races/history.h"

#include <linux/falloc.h>
#include <stdlib.h>

#ifndef FALLOC_FL_WRITE_ZEROES
#define FALLOC_FL_WRITE_ZEROES 0x80
#endif

struct race_history *race_history_new(const struct platform *platform, race_caller *caller, void *arg)
{
	struct race_history *history = mem_alloc(sizeof(*history));

	history->cached_is_safe = platform_keeps_caches(platform);
	history->caller = caller;
	history->arg = arg;
	history->source_slab = SLAB_OF(struct source);
	history->flush_slab = SLAB_OF(struct flush);
	history->proof_slab = SLAB_OF(struct proof);
	history->content = content_new();
	happens_init(&history->happens);
	return history;
}

/* Clocks are the only things of pieces and flushes that are not in a slab. */
static void lines_free(struct race_history *history)
{
	for (size_t i = 0; i < history->page_list.count; i++) {
		struct page *page = history->page_list.at[i];

		for (unsigned j = 0; j < PAGE_LINES; j++) {
			struct line *line = &page->lines[j];

			for (uint32_t k = 0; k < line->count; k++)
				clock_drop(line->pieces[k].others);
			for (const struct flush *flush = line->flushes; flush; flush = flush->in_line)
				clock_drop(flush->stamp.others);
			free(line->pieces);
		}
		free(page);
	}
	vec_free(&history->page_list);
}

void race_history_free(struct race_history *history)
{
	if (!history)
		return;
	lines_free(history);
	for (size_t i = 0; i < history->writers.count; i++)
		vec_free(&history->writers.at[i].direct);
	for (size_t i = 0; i < history->files.count; i++) {
		vec_free(&history->files.at[i].pages);
		vec_free(&history->files.at[i].unproved);
	}
	vec_free(&history->writers);
	vec_free(&history->files);
	vec_free(&history->free_sources);
	map_free(&history->pages);
	slab_free(&history->source_slab);
	slab_free(&history->flush_slab);
	slab_free(&history->proof_slab);
	content_free(history->content);
	happens_free(&history->happens);
	free(history);
}

struct writer *history_writer(struct race_history *history, uint32_t thread)
{
	while (history->writers.count <= thread)
		vec_push(&history->writers, (struct writer){0});
	return &history->writers.at[thread];
}

struct file *history_file(struct race_history *history, uint32_t file)
{
	while (history->files.count <= file)
		vec_push(&history->files, (struct file){0});
	return &history->files.at[file];
}

struct page *history_page_find(const struct race_history *history, uint32_t file, uint64_t offset)
{
	const uint64_t *at;

	if (history->last_page && history->last_file == file && offset - history->last_page->offset < PAGE_BYTES)
		return history->last_page;
	at = map_get(&history->pages, file, offset / PAGE_BYTES);
	return at ? history->page_list.at[*at - 1] : NULL;
}

struct page *history_page(struct race_history *history, uint32_t file, uint64_t offset)
{
	struct page *page = history_page_find(history, file, offset);

	if (!page) {
		page = mem_alloc(sizeof(*page));
		page->offset = offset - offset % PAGE_BYTES;
		vec_push(&history->page_list, page);
		*map_put(&history->pages, file, offset / PAGE_BYTES) = history->page_list.count;
		vec_push(&history_file(history, file)->pages, page);
	}
	history->last_page = page;
	history->last_file = file;
	return page;
}

/* ---- files ---- */

/* What the kernel moves, it writes back first. */
static void file_allocate(struct race_history *history, const struct event *ev)
{
	uint64_t end = ev->offset + ev->size;

	if (ev->flags & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE))
		history_forget(history, ev->file, ev->offset, UINT64_MAX);
	else if (ev->flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE | FALLOC_FL_WRITE_ZEROES) && end > ev->offset)
		history_forget(history, ev->file, ev->offset, end);
}

/* ---- stores ---- */

/* The event stores several units, in several lines: each piece must know. */
static void pieces_several(struct race_history *history, const struct event *ev, uint64_t end)
{
	for (uint64_t at = ev->offset - ev->offset % LINE_BYTES; at < end; at += LINE_BYTES) {
		const struct line *line = history_line(history, ev->file, at);

		if (line && line->count && line->pieces[line->count - 1].number == history->now)
			line->pieces[line->count - 1].several = true;
	}
}

static void range_store(struct race_history *history, const struct event *ev, uint64_t number, enum unit_kind kind,
			uint64_t end)
{
	struct source *source;
	unsigned units = 0;

	if (!ev->file || ev->offset >= end || end > INT64_MAX)
		return;
	source = source_of(history, ev, number);
	for (uint64_t from = ev->offset, to; from < end; from = to) {
		to = from - from % LINE_BYTES + LINE_BYTES;
		if (to > end)
			to = end;
		units += piece_add(history, ev, source, from, to, kind);
	}
	if (units > 1)
		pieces_several(history, ev, end);
	source->changed += units;
	source_drop(history, source);
}

/* Stores beyond the end of a file, in its last page, reach no file. */
static void event_store(struct race_history *history, const struct event *ev, uint64_t number)
{
	uint64_t end = ev->offset + ev->size, size = content_size(history->content, ev->file);

	if (ev->kind == BO_STORE_LOCKED)
		history_fence(history, ev, number);
	if (content_knows(history->content, ev->file) && end > size)
		end = size;
	range_store(history, ev, number, ev->kind == BO_STORE_NONTEMPORAL ? UNIT_DIRECT : UNIT_CACHED, end);
}

/* The rare events. */
static void event_other(struct race_history *history, const struct event *ev, uint64_t number)
{
	switch (ev->type) {
	case EVENT_FILE:
	case EVENT_FILE_TRUNCATE: history_forget(history, ev->file, ev->size, UINT64_MAX); break;
	case EVENT_FILE_WRITE: range_store(history, ev, number, UNIT_WRITTEN, ev->offset + ev->size); break;
	case EVENT_FILE_ALLOCATE: file_allocate(history, ev); break;
	case EVENT_FILE_UNLINK:
		if (!ev->flags) /* the number of links left */
			history_forget(history, ev->file, 0, UINT64_MAX);
		break;
	case EVENT_FILE_SYNC:
	case EVENT_MSYNC: history_sync(history, ev, number); break;
	case EVENT_THREAD_EXIT: history_thread_exit(history, ev); break;
	default: break;
	}
}

static void event_apply(struct race_history *history, const struct event *ev, uint64_t number)
{
	switch (ev->type) {
	case EVENT_STORE: event_store(history, ev, number); return;
	case EVENT_LOAD: return;
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB:
		if (ev->file)
			history_flush(history, ev, number);
		break;
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_LOCKED: history_fence(history, ev, number); break;
	default: event_other(history, ev, number); break;
	}
	source_end_copy(history, ev->thread);
}

void race_history_event(struct race_history *history, const struct event *ev, uint64_t number)
{
	history->now = number;
	happens_event(&history->happens, ev, number);
	event_apply(history, ev, number);
	content_apply(history->content, ev);
}
