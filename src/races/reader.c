/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader.c - see races.h: the loads of one run of recovery.
 *
 * For each load, all pieces on its bytes are looked at, from the latest to the first that is sure to hide the earlier
 * ones.  A piece is sure if it is certain, or if what recovery has read demands it: by the rules of doc/MODEL.md,
 * pieces before one that was read are on media (rule 1), and so are those that a CLFLUSH before it covered (rule
 * 3).  A piece is absent if recovery has read something older in its place, or if it came after such a piece. */
#include <stdlib.h>

#include "races/history.h"

/* What is known about one piece that is not certain: bytes of its line. */
struct mark {
	const struct piece *piece;
	uint64_t lost;    /* the crash state does not have them; recovery may not know */
	uint64_t present; /* recovery has read them, or others of the same unit */
	uint64_t absent;  /* recovery has read something older */
};

/* What is known about a line. */
struct view {
	uint64_t stored;         /* bytes that recovery stored itself */
	uint64_t lost_after;     /* the crash state has no cached piece after this event */
	uint64_t present_before; /* all cached pieces before this event are on media */
	uint64_t absent_after;   /* no cached piece after this event is */
	struct times whole;      /* stores before these were whole when the line was written back */
	VEC_OF(struct mark) marks;
};

struct race_reader {
	const struct race_history *history;
	race_report *report;
	void *arg;
	struct times prefix; /* what happened before the stores that recovery has read, and these */
	uint64_t latest;     /* event of the latest piece that recovery has read and that was not certain */
	uint64_t barrier;    /* nothing stored after this event is on media */
	struct map views;    /* (file, line) -> 1 + index in view_slab */
	struct slab view_slab;
	struct map reported; /* (store site and units, load site) */
};

struct race_reader *race_reader_new(const struct race_history *history, race_report *report, void *arg)
{
	struct race_reader *reader = mem_alloc(sizeof(*reader));

	reader->history = history;
	reader->report = report;
	reader->arg = arg;
	reader->barrier = UINT64_MAX;
	reader->view_slab = SLAB_OF(struct view);
	return reader;
}

void race_reader_free(struct race_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->view_slab.count; i++) {
		struct view *view = slab_at(&reader->view_slab, i);

		times_free(&view->whole);
		vec_free(&view->marks);
	}
	slab_free(&reader->view_slab);
	map_free(&reader->views);
	map_free(&reader->reported);
	times_free(&reader->prefix);
	free(reader);
}

/* ---- what is known ---- */

static struct view *view_find(const struct race_reader *reader, uint32_t file, uint64_t offset)
{
	const uint64_t *at = map_get(&reader->views, file, offset / LINE_BYTES);

	return at ? slab_at(&reader->view_slab, *at - 1) : NULL;
}

static struct view *view_make(struct race_reader *reader, uint32_t file, uint64_t offset)
{
	uint64_t *at = map_put(&reader->views, file, offset / LINE_BYTES);
	struct view *view;

	if (*at)
		return slab_at(&reader->view_slab, *at - 1);
	view = slab_push(&reader->view_slab);
	view->lost_after = view->absent_after = UINT64_MAX;
	*at = reader->view_slab.count;
	return view;
}

static const struct mark *mark_find(const struct view *view, const struct piece *piece)
{
	static const struct mark none;

	for (size_t i = 0; i < view->marks.count; i++)
		if (view->marks.at[i].piece == piece)
			return &view->marks.at[i];
	return &none;
}

static struct mark *mark_make(struct view *view, const struct piece *piece)
{
	for (size_t i = 0; i < view->marks.count; i++)
		if (view->marks.at[i].piece == piece)
			return &view->marks.at[i];
	vec_push(&view->marks, ((struct mark){.piece = piece}));
	return &view->marks.at[view->marks.count - 1];
}

/* The bytes of the units that have one of these bytes. */
static uint64_t whole_units(const struct piece *piece, uint64_t bytes)
{
	uint64_t units = 0;

	for (unsigned word = 0; word < LINE_BYTES; word += WORD_BYTES)
		if (bytes >> word & 0xff)
			units |= UINT64_C(0xff) << word;
	return units & piece->bytes;
}

/* Bytes of the piece that the crash state does not have. */
static uint64_t piece_lost(const struct view *view, const struct piece *piece)
{
	if (!view)
		return 0;
	if (piece->kind == UNIT_CACHED && piece->number > view->lost_after)
		return piece->bytes;
	return mark_find(view, piece)->lost;
}

static uint64_t piece_sure(const struct race_reader *reader, const struct view *view, const struct piece *piece)
{
	if (piece_certain(reader->history, piece) || (piece->ordered && piece->ordered < reader->latest))
		return piece->bytes;
	if (!view)
		return 0;
	if (piece->kind == UNIT_CACHED && piece->number < view->present_before)
		return piece->bytes;
	return mark_find(view, piece)->present;
}

static uint64_t piece_absent(const struct race_reader *reader, const struct view *view, const struct piece *piece)
{
	if (piece->number > reader->barrier)
		return piece->bytes;
	if (!view)
		return 0;
	if (piece->kind == UNIT_CACHED && piece->number > view->absent_after)
		return piece->bytes;
	return mark_find(view, piece)->absent;
}

/* ---- judging ---- */

static bool piece_proved(const struct race_reader *reader, const struct view *view, const struct piece *piece)
{
	const struct source *source = piece->source;

	if (piece->kind == UNIT_CACHED) {
		/* Stores reach media in their sequence. */
		if (reader->history->cached_is_safe)
			return times_at(&reader->prefix, source->thread) > source->last;
		if (view && times_at(&view->whole, piece->thread) >= piece->number)
			return true;
	}
	for (const struct proof *proof = &piece->proof; proof && proof->number; proof = proof->next)
		if (times_at(&reader->prefix, proof->thread) >= proof->number)
			return true;
	return false;
}

static enum race_reason piece_reason(const struct race_reader *reader, const struct piece *piece)
{
	if (piece->proof.number || (reader->history->cached_is_safe && piece->kind == UNIT_CACHED))
		return RACE_UNPROVED;
	if (piece->flushed || piece->kind == UNIT_DIRECT)
		return RACE_UNFENCED;
	return piece->unordered ? RACE_UNORDERED : RACE_UNFLUSHED;
}

/* Is this the first report of the pair of sites? */
static bool is_new(struct race_reader *reader, const struct source *source, const struct race_load *load)
{
	uint64_t site = (uint64_t)source->context << 1 | source_in_units(source);
	uint64_t *seen = map_put(&reader->reported, site, load->context);

	return !(*seen)++;
}

/* The load could read these bytes of the line at `line` from the piece. */
static void piece_report(struct race_reader *reader, const struct race_load *load, const struct piece *piece,
			 uint64_t line, uint64_t bytes, bool read)
{
	const struct source *source = piece->source;
	enum race_reason reason = piece_reason(reader, piece);
	const struct race race = {
		.event = source->first,
		.context = source->context,
		.thread = source->thread,
		.file = source->file,
		.offset = source->offset,
		.size = source->end - source->offset,
		.atomicity = source->atomicity,
		.units = source->changed,
		.reason = reason,
		.flush_context = piece->proof.number ? piece->proof.context : piece->flush_context,
		.load = load,
		.from = line + (unsigned)__builtin_ctzll(bytes),
		.to = line + LINE_BYTES - (unsigned)__builtin_clzll(bytes),
		.read = read,
	};

	if (is_new(reader, source, load))
		reader->report(reader->arg, &race);
}

static void line_judge(struct race_reader *reader, const struct race_load *load, uint64_t line,
		       const struct line *stored, const struct view *view, uint64_t bytes)
{
	uint64_t open = bytes, unread = bytes;

	for (uint32_t i = stored->count; i-- > 0 && open;) {
		const struct piece *piece = &stored->pieces[i];
		uint64_t could = piece->bytes & open & ~piece_absent(reader, view, piece);
		uint64_t does = piece->bytes & unread & ~piece_lost(view, piece);

		unread &= ~does;
		if (could && source_may_tear(piece->source) && !piece_proved(reader, view, piece))
			piece_report(reader, load, piece, line, could, does != 0);
		open &= ~piece_sure(reader, view, piece);
	}
}

/* ---- learning ---- */

static void piece_seen(struct race_reader *reader, uint32_t file, uint64_t line, const struct piece *piece,
		       uint64_t bytes)
{
	struct stamp stamp = piece_stamp(piece);
	struct view *view;

	times_join(&reader->prefix, &stamp);
	if (piece->kind == UNIT_CACHED && source_releases(piece->source))
		times_join(&view_make(reader, file, line)->whole, &stamp);
	if (piece_certain(reader->history, piece))
		return;
	view = view_make(reader, file, line);
	mark_make(view, piece)->present |= whole_units(piece, bytes);
	if (piece->number > reader->latest)
		reader->latest = piece->number;
	if (piece->kind == UNIT_CACHED && piece->number > view->present_before)
		view->present_before = piece->number;
}

static void piece_missed(struct race_reader *reader, struct view *view, const struct piece *piece, uint64_t bytes)
{
	mark_make(view, piece)->absent |= whole_units(piece, bytes);
	if (piece->kind == UNIT_CACHED && piece->number < view->absent_after)
		view->absent_after = piece->number;
	if (piece->ordered && piece->ordered < reader->barrier)
		reader->barrier = piece->ordered;
}

static void line_learn(struct race_reader *reader, uint32_t file, uint64_t line, const struct line *stored,
		       uint64_t bytes)
{
	struct view *view = view_find(reader, file, line);

	for (uint32_t i = stored->count; i-- > 0 && bytes;) {
		const struct piece *piece = &stored->pieces[i];
		uint64_t lost = piece_lost(view, piece) & piece->bytes & bytes, seen = piece->bytes & bytes & ~lost;

		if (lost)
			piece_missed(reader, view, piece, lost);
		if (seen)
			piece_seen(reader, file, line, piece, seen);
		bytes &= ~seen;
		if (!view)
			view = view_find(reader, file, line);
	}
}

/* ---- loads and stores of recovery ---- */

/* The part of a range in one line. */
struct part {
	uint64_t line; /* offset in the file */
	uint64_t bytes;
	const struct line *stored;
	struct view *view;
};

/* The next part of a range from `*from` on that something was stored to and that recovery did not overwrite. */
static bool part_next(const struct race_reader *reader, uint32_t file, uint64_t *from, uint64_t end, struct part *part)
{
	while (*from < end) {
		part->stored = history_line(reader->history, file, *from);
		part->line = *from - *from % LINE_BYTES;
		part->bytes = line_mask(part->line, *from, end);
		*from = part->line + LINE_BYTES;
		if (!part->stored || !part->stored->count)
			continue;
		part->view = view_find(reader, file, part->line);
		if (part->view)
			part->bytes &= ~part->view->stored;
		if (part->bytes)
			return true;
	}
	return false;
}

void race_reader_load(struct race_reader *reader, const struct race_load *load)
{
	uint64_t end = load->offset + load->size, at;
	struct part part;

	if (load->silent || end < load->offset)
		return;
	for (at = load->offset; part_next(reader, load->file, &at, end, &part);)
		line_judge(reader, load, part.line, part.stored, part.view, part.bytes);
	for (at = load->offset; part_next(reader, load->file, &at, end, &part);)
		line_learn(reader, load->file, part.line, part.stored, part.bytes);
}

void race_reader_store(struct race_reader *reader, uint32_t file, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size, line;

	for (uint64_t from = offset; from < end; from = line + LINE_BYTES) {
		line = from - from % LINE_BYTES;
		if (history_line(reader->history, file, from))
			view_make(reader, file, line)->stored |= line_mask(line, from, end);
	}
}

static const struct piece *line_piece(const struct line *line, uint64_t event)
{
	for (uint32_t i = line->count; i-- > 0;)
		if (line->pieces[i].number == event)
			return &line->pieces[i];
	return NULL;
}

void race_reader_lose(struct race_reader *reader, uint64_t event, uint32_t file, uint64_t offset, uint64_t size)
{
	const struct line *line = history_line(reader->history, file, offset);
	struct view *view = view_make(reader, file, offset);
	const struct piece *piece = line ? line_piece(line, event) : NULL;
	uint64_t start = offset - offset % LINE_BYTES;

	if (piece)
		mark_make(view, piece)->lost |= line_mask(start, offset, offset + size) & piece->bytes;
	/* Only cached pieces are forgotten before they are certain. */
	if ((!piece || piece->kind == UNIT_CACHED) && event < view->lost_after)
		view->lost_after = event;
}
