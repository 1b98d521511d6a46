/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flushes.c - what makes stores certain, and what proves to recovery that they are.
 *
 * A store is certain by the rules of doc/MODEL.md, which speak of the sequence of the trace.  A flush is a proof only
 * if the store happened before it: without that, the compiler may have moved or torn the store during the flush. */
#include <sys/mman.h>

#include "races/history.h"

#define FEW_PAGES 64u

static void piece_settle(struct race_history *history, struct piece *piece)
{
	piece->certain = true;
	if (piece->number > history->newest_certain)
		history->newest_certain = piece->number;
}

static struct flush *flush_find(const struct line *line, uint32_t thread)
{
	struct flush *flush = line->flushes;

	while (flush && flush->stamp.thread != thread)
		flush = flush->in_line;
	return flush;
}

/* A later flush of the line by the same thread covers all that the earlier one did. */
static void flush_open(struct race_history *history, struct line *line, const struct event *ev, uint64_t number)
{
	struct writer *writer = history_writer(history, ev->thread);
	struct flush *flush = flush_find(line, ev->thread);

	if (flush) {
		clock_drop(flush->stamp.others);
	} else {
		flush = history->free_flushes;
		if (flush)
			history->free_flushes = flush->in_thread;
		else
			flush = slab_push(&history->flush_slab);
		*flush = (struct flush){.line = line, .in_line = line->flushes, .in_thread = writer->flushes};
		line->flushes = writer->flushes = flush;
	}
	flush->stamp = happens_stamp(&history->happens, ev->thread, number);
	flush->context = ev->context;
}

static void flush_close_all(struct race_history *history, struct writer *writer)
{
	struct flush *flush, *next, **at;

	for (flush = writer->flushes; flush; flush = next) {
		next = flush->in_thread;
		for (at = &flush->line->flushes; *at != flush;)
			at = &(*at)->in_line;
		*at = flush->in_line;
		clock_drop(flush->stamp.others);
		flush->in_thread = history->free_flushes;
		history->free_flushes = flush;
	}
	writer->flushes = NULL;
}

/* A flush after which a fence is still missing, or which has no order with the store. */
static void piece_note(struct piece *piece, const struct event *ev, bool after)
{
	if (!piece->flush_context)
		piece->flush_context = ev->context;
	piece->flushed |= after;
	piece->unordered |= !after;
}

void history_flush(struct race_history *history, const struct event *ev, uint64_t number)
{
	struct line *line = history_line(history, ev->file, ev->offset);

	if (history->cached_is_safe || !line || !line->count)
		return;
	flush_open(history, line, ev, number);
	for (uint32_t i = 0; i < line->count; i++) {
		struct piece *piece = &line->pieces[i];
		bool after = piece->number <= happens_at(&history->happens, ev->thread, piece->thread);

		if (piece->kind != UNIT_CACHED)
			continue;
		if (ev->type == EVENT_CLFLUSH && !piece->ordered)
			piece->ordered = number;
		if (ev->type == EVENT_CLFLUSH && after)
			piece_prove(history, piece, ev->thread, number, ev->context);
		else if (!piece->proof.number)
			piece_note(piece, ev, after);
	}
}

/* The thread that flushed the line fences. */
static void flush_complete(struct race_history *history, const struct flush *flush, uint64_t number)
{
	for (uint32_t i = 0; i < flush->line->count; i++) {
		struct piece *piece = &flush->line->pieces[i];
		if (piece->kind != UNIT_CACHED || piece->number > flush->stamp.number)
			continue;
		piece_settle(history, piece);
		if (piece->number <= stamp_at(&flush->stamp, piece->thread))
			piece_prove(history, piece, flush->stamp.thread, number, flush->context);
	}
	line_prune(history, flush->line);
}

static void direct_complete(struct race_history *history, struct line *line, const struct event *ev, uint64_t number)
{
	for (uint32_t i = 0; i < line->count; i++) {
		struct piece *piece = &line->pieces[i];
		if (piece->kind != UNIT_DIRECT || piece->thread != ev->thread)
			continue;
		piece_settle(history, piece);
		piece_prove(history, piece, ev->thread, number, ev->context);
	}
	if (line->direct_thread == ev->thread)
		line->direct_thread = 0;
	line_prune(history, line);
}

void history_fence(struct race_history *history, const struct event *ev, uint64_t number)
{
	struct writer *writer = history_writer(history, ev->thread);

	for (const struct flush *flush = writer->flushes; flush; flush = flush->in_thread)
		flush_complete(history, flush, number);
	flush_close_all(history, writer);
	for (size_t i = 0; i < writer->direct.count; i++)
		direct_complete(history, writer->direct.at[i], ev, number);
	writer->direct.count = 0;
}

void history_thread_exit(struct race_history *history, const struct event *ev)
{
	flush_close_all(history, history_writer(history, ev->thread));
}

/* ---- synchronization by system calls ---- */

/* Return whether no other call can prove more. */
static bool line_sync(struct race_history *history, struct line *line, const struct event *ev, uint64_t number)
{
	bool proved = true;

	for (uint32_t i = 0; i < line->count; i++) {
		struct piece *piece = &line->pieces[i];
		bool after = piece->number <= happens_at(&history->happens, ev->thread, piece->thread);

		piece_settle(history, piece);
		if (after)
			piece_prove(history, piece, ev->thread, number, ev->context);
		else
			piece_note(piece, ev, false);
		proved &= after;
	}
	line_prune(history, line);
	return proved;
}

static bool page_sync(struct race_history *history, struct page *page, const struct event *ev, uint64_t number)
{
	bool proved = true;

	for (unsigned i = 0; i < PAGE_LINES; i++)
		if (page->lines[i].count)
			proved &= line_sync(history, &page->lines[i], ev, number);
	return proved;
}

/* The pages of a file that begin before `to` and end after `from`. */
static void file_sync(struct race_history *history, struct file *file, const struct event *ev, uint64_t number,
		      uint64_t from, uint64_t to)
{
	size_t kept = 0;

	for (size_t i = 0; i < file->unproved.count; i++) {
		struct page *page = file->unproved.at[i];
		bool inside = page->offset < to && page->offset + PAGE_BYTES > from;

		page->unproved = !inside || !page_sync(history, page, ev, number);
		if (page->unproved)
			file->unproved.at[kept++] = page;
	}
	file->unproved.count = kept;
}

/* The kernel works on whole pages.  Most calls are about few of them. */
static void range_sync(struct race_history *history, const struct event *ev, uint64_t number)
{
	uint64_t page = ev->offset - ev->offset % PAGE_BYTES, end = ev->offset + ev->size;

	if (end < ev->offset || end - page > FEW_PAGES * PAGE_BYTES) {
		file_sync(history, history_file(history, ev->file), ev, number, ev->offset,
			  end < ev->offset ? UINT64_MAX : end);
		return;
	}
	for (; page < end; page += PAGE_BYTES) {
		struct page *found = history_page_find(history, ev->file, page);

		if (found)
			page_sync(history, found, ev, number);
	}
}

void history_sync(struct race_history *history, const struct event *ev, uint64_t number)
{
	if (ev->type == EVENT_MSYNC) {
		if (ev->file && ev->flags & MS_SYNC)
			range_sync(history, ev, number);
		return;
	}
	if (ev->flags == BO_SYNC_SYNC_FILE_RANGE)
		return;
	for (uint32_t id = 0; id < history->files.count; id++)
		if (!ev->file || ev->file == id)
			file_sync(history, &history->files.at[id], ev, number, 0, UINT64_MAX);
}
