/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pieces.c - the pieces of a line, from the first that a crash can show to the latest. */
#include "races/history.h"

#define FEW_PIECES 16u

static void piece_drop(struct race_history *history, struct line *line, struct piece **at)
{
	struct piece *piece = *at;
	struct proof *next;

	*at = piece->older;
	for (struct proof *proof = piece->proofs; proof; proof = next) {
		next = proof->next;
		proof->next = history->free_proofs;
		history->free_proofs = proof;
	}
	source_drop(history, piece->source);
	clock_drop(piece->others);
	piece->older = history->free_pieces;
	history->free_pieces = piece;
	line->count--;
}

/* Has an event that proves the piece happened before event `number` of this thread? */
static bool piece_proved_before(const struct race_history *history, const struct piece *piece, uint32_t thread)
{
	for (const struct proof *proof = piece->proofs; proof; proof = proof->next)
		if (proof->number <= happens_at(&history->happens, thread, proof->thread))
			return true;
	return false;
}

void piece_prove(struct race_history *history, struct piece *piece, uint32_t thread, uint64_t number, uint32_t context)
{
	struct proof *proof = history->free_proofs;

	if (piece_proved_before(history, piece, thread))
		return;
	if (proof)
		history->free_proofs = proof->next;
	else
		proof = slab_push(&history->proof_slab);
	*proof = (struct proof){.number = number, .thread = thread, .context = context, .next = piece->proofs};
	piece->proofs = proof;
}

void line_prune(struct race_history *history, struct line *line)
{
	struct piece **at = &line->newest;
	uint64_t covered = 0;

	while (*at) {
		struct piece *piece = *at;
		bool certain = piece_certain(history, piece);

		if (certain && !(piece->bytes & ~covered)) {
			piece_drop(history, line, at);
			continue;
		}
		covered |= certain ? piece->bytes : 0;
		at = &piece->older;
	}
}

/* A line that is never flushed has ever more pieces.  Of those that the program itself cannot read any more, keep only
 * the latest by the same code to the same bytes: it is the least protected. */
static void line_thin(struct race_history *history, struct line *line)
{
	struct map seen = {0};
	uint64_t covered = 0;

	for (struct piece **at = &line->newest; *at;) {
		struct piece *piece = *at;
		uint64_t *known = map_put(&seen, piece->bytes, piece->source->context);

		if (*known && piece->kind == UNIT_CACHED && !(piece->bytes & ~covered)) {
			piece_drop(history, line, at);
			continue;
		}
		*known = 1;
		covered |= piece->bytes;
		at = &piece->older;
	}
	map_free(&seen);
}

static void line_make_room(struct race_history *history, struct line *line)
{
	if (line->count < line->limit)
		return;
	line_prune(history, line);
	if (line->count >= FEW_PIECES)
		line_thin(history, line);
	line->limit = line->count < FEW_PIECES / 2 ? FEW_PIECES : 2 * line->count;
}

void piece_add(struct race_history *history, const struct event *ev, struct source *source, uint64_t from, uint64_t to,
	       enum unit_kind kind)
{
	struct page *page = history_page(history, ev->file, from);
	struct line *line = &page->lines[from % PAGE_BYTES / LINE_BYTES];
	struct piece *piece;

	line_make_room(history, line);
	piece = history->free_pieces;
	if (piece)
		history->free_pieces = piece->older;
	else
		piece = slab_push(&history->piece_slab);
	*piece = (struct piece){
		.older = line->newest,
		.number = history->now,
		.bytes = line_mask(from - from % LINE_BYTES, from, to),
		.source = source,
		.others = happens_stamp(&history->happens, ev->thread, history->now).others,
		.kind = (uint8_t)kind,
		.several = ev->offset / WORD_BYTES != (ev->offset + ev->size - 1) / WORD_BYTES,
	};
	source->users++;
	line->newest = piece;
	line->count++;
	if (!page->unproved) {
		page->unproved = true;
		vec_push(&history_file(history, ev->file)->unproved, page);
	}
	if (kind == UNIT_DIRECT && line->direct_thread != ev->thread) {
		line->direct_thread = ev->thread;
		vec_push(&history_writer(history, ev->thread)->direct, line);
	}
}

static void line_forget(struct race_history *history, struct line *line, uint64_t bytes)
{
	for (struct piece **at = &line->newest; *at;) {
		(*at)->bytes &= ~bytes;
		if ((*at)->bytes)
			at = &(*at)->older;
		else
			piece_drop(history, line, at);
	}
}

void history_forget(struct race_history *history, uint32_t id, uint64_t from, uint64_t to)
{
	struct file *file = history_file(history, id);

	for (size_t i = 0; i < file->pages.count; i++) {
		struct page *page = file->pages.at[i];

		for (unsigned j = 0; j < PAGE_LINES; j++) {
			uint64_t line = page->offset + j * LINE_BYTES;

			if (page->lines[j].newest && line < to && line + LINE_BYTES > from)
				line_forget(history, &page->lines[j], line_mask(line, from, to));
		}
	}
}
