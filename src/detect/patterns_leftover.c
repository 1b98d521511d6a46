/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns_leftover.c - judges leftovers, which can no longer become persistent: is it a bug, or volatile data?
 *
 * The answer depends on the code and on the line, not on the address:
 *
 *  1. Written back, or stored past the cache, but not fenced: the program wanted it persistent.  missing-fence.
 *  2. The same code (calling context) made its stores persistent at other times, or the line was written back at some
 *     time: missing-flush.
 *  3. Neither: the program did not want it persistent.  transient-data.
 *
 * In two doubtful cases no error is reported:
 *
 *  4. A line with atomic stores may hold a lock.  Locks in PM are volatile, even if they are flushed along with the
 *     data beside them.  On such a line, rule 2 needs code that is known to flush before its thread's next fence; code
 *     that releases a lock does not.  A lock may straddle two lines, so atomic stores to the previous line count too.
 *  5. A target that was killed might have flushed later.  What is left when its trace ends is not reported. */
#include "detect/patterns.h"

/* Rule 4. */
static bool near_atomic(struct patterns *p, const struct unit *unit)
{
	const struct line_note *line = notes_line(&p->notes, unit->file, unit->offset);

	if (line && line->atomic)
		return true;
	if (unit->offset < LINE_BYTES)
		return false;
	line = notes_line(&p->notes, unit->file, unit->offset - LINE_BYTES);
	return line && line->atomic;
}

/* Finds a fence by another thread after the flush.  A reader of the code may think that it completes the flush.
 * Returns its context, or 0. */
static uint32_t fence_elsewhere(struct patterns *p, uint32_t flusher)
{
	uint64_t flushed = patterns_thread(p, flusher)->flush_event;

	if (!patterns_thread(p, flusher)->flushes)
		return 0;
	for (uint32_t t = 1; t < p->threads.count; t++)
		if (t != flusher && p->threads.at[t].fence_event > flushed)
			return p->threads.at[t].fence_context;
	return 0;
}

static void fill_missing_fence(struct patterns *p, struct sighting *s, const struct unit *unit)
{
	uint32_t fence = fence_elsewhere(p, unit->thread);

	s->kind = KIND_MISSING_FENCE;
	if (unit->kind == UNIT_DIRECT) {
		s->form = FORM_MISSING_FENCE_DIRECT;
		return;
	}
	s->form = fence ? FORM_MISSING_FENCE_OTHER_THREAD : FORM_MISSING_FENCE_FLUSHED;
	sighting_relate(s, ROLE_FLUSH, unit->flush_context);
	if (fence)
		sighting_relate(s, ROLE_FENCE, fence);
}

static void fill_missing_flush(struct sighting *s, enum finding_form form, uint32_t flush)
{
	s->kind = KIND_MISSING_FLUSH;
	s->form = form;
	sighting_relate(s, ROLE_FLUSH, flush);
}

/* Rules 2 to 4 for a unit that nothing has written back. */
static void fill_bare(struct patterns *p, struct sighting *s, const struct unit *unit, bool unmapped)
{
	const struct sink_site *site = &notes_site(&p->notes, unit->context)->facts;
	const struct line_note *line = notes_line(&p->notes, unit->file, unit->offset);
	bool lock = near_atomic(p, unit) && !site->prompt;
	uint32_t half = notes_half_flushed(&p->notes, unit->file, unit->offset, unit->event);

	if (half)
		fill_missing_flush(s, FORM_MISSING_FLUSH_STRADDLE, half);
	else if (!lock && line && line->flush && line->early)
		fill_missing_flush(s, FORM_MISSING_FLUSH_EARLY, line->flush);
	else if (!lock && site->flush)
		fill_missing_flush(s, unmapped ? FORM_MISSING_FLUSH_SITE_UNMAPPED : FORM_MISSING_FLUSH_SITE,
				   site->flush);
	else if (!lock && line && line->flush)
		fill_missing_flush(s, unmapped ? FORM_MISSING_FLUSH_LINE_UNMAPPED : FORM_MISSING_FLUSH_LINE,
				   line->flush);
	else
		s->form = lock       ? FORM_TRANSIENT_DATA_LOCK
			  : unmapped ? FORM_TRANSIENT_DATA_UNMAPPED
				     : FORM_TRANSIENT_DATA_NEVER;
}

void patterns_leftover(void *arg, const struct event *by, const struct unit *unit)
{
	struct patterns *p = arg;
	struct sighting s = {
		.kind = KIND_TRANSIENT_DATA,
		.context = unit->context,
		.file = unit->file,
		.offset = unit->offset,
		.size = unit->size,
		.event = unit->event,
	};

	p->left |= unit->kind != UNIT_WRITTEN;
	if (unit->kind == UNIT_WRITTEN || (!by && !p->ended)) /* rule 5 */
		return;
	if (unit->kind == UNIT_DIRECT || unit->cover == UNIT_FLUSHED)
		fill_missing_fence(p, &s, unit);
	else
		fill_bare(p, &s, unit, by != NULL);
	if (s.kind != KIND_MISSING_FENCE)
		site_count(notes_site(&p->notes, unit->context), unit->event, SITE_LEFT);
	patterns_report_unit(p, &s);
}
