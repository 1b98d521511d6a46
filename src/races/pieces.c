/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pieces.c - the pieces of a line, from the first that a crash can show to the latest. */
#include <string.h>

#include "races/history.h"

#define FEW_PIECES 16u /* on a line */
#define FEW_ADDED 4u

/* Forget what belongs to a piece.  It has no bytes then, and line_close removes it. */
static void piece_drop(struct race_history *history, struct piece *piece)
{
	struct proof *next;

	for (struct proof *proof = piece->proof.next; proof; proof = next) {
		next = proof->next;
		proof->next = history->free_proofs;
		history->free_proofs = proof;
	}
	source_drop(history, piece->source);
	clock_drop(piece->others);
	piece->bytes = 0;
}

/* Remove the pieces without bytes. */
static void line_close(struct line *line)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < line->count; i++) {
		if (!line->pieces[i].bytes)
			continue;
		if (kept != i)
			line->pieces[kept] = line->pieces[i];
		kept++;
	}
	line->count = kept;
}

/* Has an event that proves the piece happened before the current event of this thread? */
static bool piece_proved_before(const struct race_history *history, const struct piece *piece, uint32_t thread)
{
	for (const struct proof *proof = &piece->proof; proof && proof->number; proof = proof->next)
		if (proof->number <= happens_at(&history->happens, thread, proof->thread))
			return true;
	return false;
}

void piece_prove(struct race_history *history, struct piece *piece, uint32_t thread, uint64_t number, uint32_t context)
{
	struct proof *more = history->free_proofs;

	if (piece_proved_before(history, piece, thread))
		return;
	if (piece->proof.number) {
		if (more)
			history->free_proofs = more->next;
		else
			more = slab_push(&history->proof_slab);
		*more = piece->proof;
	} else {
		more = NULL;
	}
	piece->proof = (struct proof){.number = number, .thread = thread, .context = context, .next = more};
}

void line_prune(struct race_history *history, struct line *line)
{
	uint64_t covered = 0;
	bool dropped = false;

	for (uint32_t i = line->count; i-- > 0;) {
		struct piece *piece = &line->pieces[i];
		bool certain = piece_certain(history, piece);

		if (certain && !(piece->bytes & ~covered)) {
			piece_drop(history, piece);
			dropped = true;
		}
		covered |= certain ? piece->bytes : 0;
	}
	if (dropped)
		line_close(line);
}

/* A line that is never flushed has ever more pieces.  Of those that the program itself cannot read any more, keep only
 * the latest by the same code to the same bytes: it is the least protected. */
static void line_thin(struct race_history *history, struct line *line)
{
	struct map seen = {0};
	uint64_t covered = 0;

	for (uint32_t i = line->count; i-- > 0;) {
		struct piece *piece = &line->pieces[i];
		uint64_t *known = map_put(&seen, piece->bytes, piece->source->context);

		if (*known && piece->kind == UNIT_CACHED && !(piece->bytes & ~covered))
			piece_drop(history, piece);
		*known = 1;
		covered |= piece->bytes;
	}
	map_free(&seen);
	line_close(line);
}

static void line_make_room(struct race_history *history, struct line *line)
{
	if (line->count < line->room)
		return;
	line_prune(history, line);
	if (line->count >= FEW_PIECES)
		line_thin(history, line);
	if (line->count <= line->room / 2 && line->room)
		return;
	line->room += line->room < 2 * FEW_ADDED ? FEW_ADDED : line->room / 2;
	line->pieces = mem_resize(line->pieces, line->room, sizeof(*line->pieces));
}

/* ---- stores ---- */

/* Will the older piece become certain no later than what the event stores?  See definition 6 of doc/MODEL.md. */
static bool shares_fate(const struct race_history *history, const struct piece *old, const struct event *ev,
			enum unit_kind kind)
{
	if (piece_certain(history, old))
		return true;
	return old->kind == kind && (kind != UNIT_DIRECT || old->thread == ev->thread);
}

/* The event stores what these bytes of the line hold already: is it silent? */
static bool is_silent(const struct race_history *history, const struct line *line, const struct event *ev,
		      enum unit_kind kind, uint64_t bytes)
{
	for (uint32_t i = line->count; i-- > 0 && bytes;) {
		const struct piece *piece = &line->pieces[i];

		if (piece->bytes & bytes && !shares_fate(history, piece, ev, kind))
			return false;
		bytes &= ~piece->bytes;
	}
	return true;
}

/* The bytes of the units that are not silent, and the number of these units. */
static uint64_t store_changes(const struct race_history *history, const struct line *line, const struct event *ev,
			      uint64_t from, uint64_t to, enum unit_kind kind, unsigned *units)
{
	uint64_t start = from - from % LINE_BYTES, changes = 0, next;
	const uint8_t *data = ev->data + (from - ev->offset);
	uint8_t old[LINE_BYTES] = {0};

	content_read(history->content, ev->file, from, old, to - from);
	for (uint64_t at = from; at < to; at = next) {
		uint64_t bytes;

		next = at - at % WORD_BYTES + WORD_BYTES < to ? at - at % WORD_BYTES + WORD_BYTES : to;
		bytes = line_mask(start, at, next);
		if (!memcmp(old + (at - from), data + (at - from), next - at) &&
		    is_silent(history, line, ev, kind, bytes))
			continue;
		changes |= bytes;
		(*units)++;
	}
	return changes;
}

static void line_list(struct race_history *history, const struct event *ev, struct page *page, struct line *line,
		      enum unit_kind kind)
{
	if (!page->unproved) {
		page->unproved = true;
		vec_push(&history_file(history, ev->file)->unproved, page);
	}
	if (kind == UNIT_DIRECT && line->direct_thread != ev->thread) {
		line->direct_thread = ev->thread;
		vec_push(&history_writer(history, ev->thread)->direct, line);
	}
}

unsigned piece_add(struct race_history *history, const struct event *ev, struct source *source, uint64_t from,
		   uint64_t to, enum unit_kind kind)
{
	struct page *page = history_page(history, ev->file, from);
	struct line *line = &page->lines[from % PAGE_BYTES / LINE_BYTES];
	unsigned units = 0;
	uint64_t bytes = store_changes(history, line, ev, from, to, kind, &units);

	if (!bytes)
		return 0;
	line_make_room(history, line);
	line->pieces[line->count++] = (struct piece){
		.number = history->now,
		.bytes = bytes,
		.source = source,
		.others = happens_stamp(&history->happens, ev->thread, history->now).others,
		.thread = ev->thread,
		.kind = (uint8_t)kind,
		.several = units > 1,
	};
	source->users++;
	line_list(history, ev, page, line, kind);
	return units;
}

/* ---- changes without stores ---- */

static void line_forget(struct race_history *history, struct line *line, uint64_t bytes)
{
	for (uint32_t i = 0; i < line->count; i++) {
		struct piece *piece = &line->pieces[i];

		if (piece->bytes & ~bytes)
			piece->bytes &= ~bytes;
		else
			piece_drop(history, piece);
	}
	line_close(line);
}

void history_forget(struct race_history *history, uint32_t id, uint64_t from, uint64_t to)
{
	struct file *file = history_file(history, id);

	for (size_t i = 0; i < file->pages.count; i++) {
		struct page *page = file->pages.at[i];

		for (unsigned j = 0; j < PAGE_LINES; j++) {
			uint64_t line = page->offset + j * LINE_BYTES;

			if (page->lines[j].count && line < to && line + LINE_BYTES > from)
				line_forget(history, &page->lines[j], line_mask(line, from, to));
		}
	}
}
