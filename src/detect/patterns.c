/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patterns.c - finds misuse of flush and fence that the sequence of events alone proves: one pass, no crash needed.
 *
 * The model knows what the hardware does.  It reports which pending stores each store, flush and fence affects, and
 * what is left at the end.  This file judges those reports:
 *
 *   from the model                               reported
 *   --------------------------------------------------------------------------------------------------
 *   leftover, never written back                 missing-flush or transient-data   (patterns_leftover.c)
 *   leftover, written back or direct             missing-fence                     (patterns_leftover.c)
 *   another value over a pending unit            dirty-overwrite
 *   flush that is the first to cover nothing     redundant-flush, shared-line-flush, flush-volatile
 *   fence after no flush and no direct store     redundant-fence
 *   fence that completes flushes of many places  unordered-flushes
 *
 * In doubtful cases it makes the milder report, or none:
 *
 *  1. A locked instruction is never a redundant fence, because it was not written for PM.  A fence after a locked
 *     instruction that already completed everything is only a warning: the number of threads may decide whether the
 *     lock is taken at all.
 *  2. A fence after needless flushes is not reported in addition to them: it goes away when they do.
 *  3. A fence after stores to PM, or while other threads exist, may be meant to order stores for those threads: a
 *     warning.
 *  4. A flush is not redundant if another thread flushed the line but has not fenced: the flush covers the line for its
 *     own thread.
 *  5. Data on a line with atomic stores may be a lock, which need not be persistent.  Overwriting it is not a dirty
 *     overwrite, unless the overwritten store is from code that is known to persist its stores.
 *  6. Data that CLFLUSH covered reaches media before anything later does, so overwriting it is correct. */
#include "detect/patterns.h"

#include "base/mem.h"
#include "detect/detector.h"

/* Sightings */

void patterns_release_held(struct patterns *p)
{
	sink_report(p->sink, &p->held);
	p->held.event = 0;
}

static bool same_sighting(const struct sighting *a, const struct sighting *b)
{
	if (a->event != b->event || a->form != b->form || a->context != b->context || a->file != b->file ||
	    a->related_count != b->related_count)
		return false;
	for (unsigned i = 0; i < a->related_count; i++)
		if (a->related[i].context != b->related[i].context)
			return false;
	return true;
}

void patterns_report_unit(struct patterns *p, const struct sighting *sighting)
{
	struct sighting *held = &p->held;

	if (!held->event || !same_sighting(held, sighting)) {
		patterns_flush_held(p);
		*held = *sighting;
		return;
	}
	if (sighting->offset < held->offset)
		held->offset = sighting->offset;
	held->size += sighting->size;
}

static struct sighting sighting_at(const struct patterns *p, const struct event *ev, enum finding_kind kind,
				   enum finding_form form)
{
	return (struct sighting){
		.kind = kind,
		.form = form,
		.context = ev->context,
		.file = ev->file,
		.offset = ev->offset,
		.size = (uint32_t)ev->size,
		.event = p->number,
	};
}

void sighting_relate(struct sighting *sighting, enum related_role role, uint32_t context)
{
	sighting->related[sighting->related_count].role = role;
	sighting->related[sighting->related_count++].context = context;
}

struct thread_note *patterns_thread_new(struct patterns *p, uint32_t thread)
{
	while (p->threads.count <= thread)
		vec_push(&p->threads, (struct thread_note){0});
	return &p->threads.at[thread];
}

/* Stores */

/* Rule 5. */
static bool may_be_lock(struct patterns *p, const struct unit *old)
{
	const struct line_note *line = notes_line(&p->notes, old->file, old->offset);

	return line && line->atomic && !notes_site(&p->notes, old->context)->facts.prompt;
}

static bool overwrites_all(const struct event *ev, const struct unit *old)
{
	return ev->offset <= old->offset && old->offset + old->size <= ev->offset + ev->size;
}

/* CLFLUSH needs no fence, so stores that it covers count as persisted. */
static void note_ordered(struct patterns *p, const struct unit *unit)
{
	struct site_note *site = notes_site(&p->notes, unit->context);

	site->facts.flush = unit->flush_context;
	site->facts.flushed = site->facts.meant = true;
	site_count(site, unit->event, SITE_PERSISTED);
}

static void on_overwrite(void *arg, const struct event *ev, const struct unit *old)
{
	struct patterns *p = arg;
	struct sighting s = sighting_at(p, ev, KIND_DIRTY_OVERWRITE, FORM_DIRTY_OVERWRITE_DIRTY);

	if (old->cover == UNIT_ORDERED) { /* rule 6 */
		note_ordered(p, old);
		return;
	}
	if (old->kind == UNIT_CACHED && old->cover == UNIT_BARE && overwrites_all(ev, old))
		site_count(notes_site(&p->notes, old->context), old->event, SITE_OVERWRITTEN);
	sighting_relate(&s, ROLE_STORE, old->context);
	if (may_be_lock(p, old)) { /* rule 5 */
		s.form = FORM_DIRTY_OVERWRITE_LOCK;
	} else if (old->kind == UNIT_DIRECT) {
		s.form = FORM_DIRTY_OVERWRITE_DIRECT;
	} else if (old->cover == UNIT_FLUSHED) {
		s.form = FORM_DIRTY_OVERWRITE_UNFENCED;
		sighting_relate(&s, ROLE_FLUSH, old->flush_context);
	}
	s.offset = old->offset;
	s.size = old->size;
	patterns_report_unit(p, &s);
}

static void note_store(struct patterns *p, const struct event *ev)
{
	struct thread_note *thread = patterns_thread(p, ev->thread);
	struct line_state state;
	struct line_note *line;

	if (ev->kind == BO_STORE_LOCKED)
		notes_line_make(&p->notes, ev->file, ev->offset)->atomic = 1;
	if (ev->size <= LINE_BYTES && ev->offset % LINE_BYTES + ev->size > LINE_BYTES)
		notes_straddle(&p->notes, ev->file, ev->offset, p->number);
	p->stepwise |= p->synced || ev->kind == BO_STORE_NONTEMPORAL;
	if (ev->kind == BO_STORE_NONTEMPORAL)
		thread->direct++;
	if (!thread->flushes || !(line = notes_line(&p->notes, ev->file, ev->offset)))
		return;
	model_line(p->model, ev->file, ev->offset, &state);
	line->early = state.flushed || state.ordered;
}

/* Flushes */

static void flush_redundant(struct patterns *p, const struct event *ev, const struct flush_effect *effect)
{
	struct sighting s = sighting_at(p, ev, KIND_REDUNDANT_FLUSH, FORM_REDUNDANT_FLUSH_CLEAN);

	s.size = LINE_BYTES;
	if (effect->pointless) {
		s.form = FORM_REDUNDANT_FLUSH_POINTLESS;
	} else if (effect->line_was_flushed) {
		s.form = FORM_REDUNDANT_FLUSH_AGAIN;
		sighting_relate(&s, ROLE_FLUSH, effect->earlier_flush_context);
		/* A flush that names another address of the line is meant for another object. */
		if (effect->earlier_flush_addr_offset != ev->offset && effect->last_store_context) {
			s.kind = KIND_SHARED_LINE_FLUSH;
			s.form = FORM_SHARED_LINE_FLUSH_NEIGHBOR;
			sighting_relate(&s, ROLE_STORE, effect->last_store_context);
		}
	} else if (effect->last_store_context) {
		s.form = FORM_REDUNDANT_FLUSH_NEEDLESS;
		sighting_relate(&s, ROLE_STORE, effect->last_store_context);
	}
	sink_report(p->sink, &s);
}

static void on_flush(void *arg, const struct event *ev, const struct flush_effect *effect)
{
	struct patterns *p = arg;
	struct thread_note *thread = patterns_thread(p, ev->thread);
	struct sighting s;

	thread->flushes++;
	thread->flush_event = p->number;
	if (effect->volatile_address) {
		s = sighting_at(p, ev, KIND_FLUSH_VOLATILE, FORM_FLUSH_VOLATILE_OUTSIDE);
		sink_report(p->sink, &s);
		return;
	}
	p->stepwise = true;
	if (effect->pointless || (!effect->newly_covered && !effect->covered_for_thread)) /* rule 4 */
		flush_redundant(p, ev, effect);
	else
		notes_site(&p->notes, ev->context)->facts.needed++;
	notes_flush(&p->notes, ev->file, ev->offset, ev->context);
}

/* Fences */

static bool fence_is_plain(const struct event *ev)
{
	return ev->type == EVENT_SFENCE || ev->type == EVENT_MFENCE;
}

static bool event_synchronizes(const struct event *ev)
{
	return ev->type == EVENT_MSYNC || ev->type == EVENT_FILE_SYNC;
}

static void fence_redundant(struct patterns *p, const struct event *ev, const struct fence_effect *effect)
{
	const struct thread_note *thread = patterns_thread(p, ev->thread);
	struct sighting s = sighting_at(p, ev, KIND_REDUNDANT_FENCE, FORM_REDUNDANT_FENCE_NOTHING);

	if (effect->written_since || p->threads_alive > 1 || p->several_processes) {
		s.form = FORM_REDUNDANT_FENCE_THREADS; /* rule 3 */
	} else if (thread->locked_context) {
		s.form = FORM_REDUNDANT_FENCE_LOCKED; /* rule 1 */
		sighting_relate(&s, ROLE_FENCE, thread->locked_context);
	} else if (thread->fence_context) {
		s.form = FORM_REDUNDANT_FENCE_AGAIN;
		sighting_relate(&s, ROLE_FENCE, thread->fence_context);
	}
	sink_report(p->sink, &s);
}

static void fence_unordered(struct patterns *p, const struct event *ev, const struct fence_effect *effect)
{
	struct sighting s = sighting_at(p, ev, KIND_UNORDERED_FLUSHES, FORM_UNORDERED_FLUSHES_MANY);

	sighting_relate(&s, ROLE_FLUSH, effect->first_flush_context);
	sighting_relate(&s, ROLE_FLUSH, effect->last_flush_context);
	sink_report(p->sink, &s);
}

static void note_needed_fence(struct patterns *p, uint32_t context)
{
	struct sink_site *site = &notes_site(&p->notes, context)->facts;

	site->needed++;
	site->fence = true;
}

static void on_fence(void *arg, const struct event *ev, const struct fence_effect *effect)
{
	struct patterns *p = arg;
	struct thread_note *thread = patterns_thread(p, ev->thread);
	bool completes = effect->flushes_completed || effect->direct_completed || thread->direct;

	if (fence_is_plain(ev)) {
		if (!completes && !thread->flushes) /* rule 2 */
			fence_redundant(p, ev, effect);
		else
			note_needed_fence(p, ev->context);
		if (effect->distinct_flush_contexts > 1 && effect->first_flush_context != effect->last_flush_context)
			fence_unordered(p, ev, effect);
	}
	if (fence_is_plain(ev))
		thread->locked_context = 0;
	else if (!thread->locked_context && (completes || thread->flushes))
		thread->locked_context = ev->context;
}

/* Notes the fence, after the model has applied it. */
static void note_fence(struct patterns *p, const struct event *ev)
{
	struct thread_note *thread = patterns_thread(p, ev->thread);

	thread->flushes = thread->direct = 0;
	thread->any_fence_event = p->number;
	if (!fence_is_plain(ev))
		return;
	thread->fence_event = p->number;
	thread->fence_context = ev->context;
}

/* A locked instruction completes earlier flushes, even by accident.  That may be intended, but not if the only such
 * lock is one that the C library takes at exit.  finding/unreported.h knows whose lock it is and decides. */
static void completed_by_lock(struct patterns *p, const struct event *by, const struct unit *unit, uint64_t bytes)
{
	struct sighting s = {
		.kind = KIND_MISSING_FENCE,
		.form = FORM_MISSING_FENCE_EXIT_DIRECT,
		.context = unit->context,
		.file = unit->file,
		.offset = unit->offset + (uint64_t)__builtin_ctzll(bytes),
		.size = (uint32_t)__builtin_popcountll(bytes),
		.event = unit->event,
	};

	if (unit->kind == UNIT_CACHED && unit->cover != UNIT_FLUSHED)
		return;
	if (unit->kind == UNIT_CACHED) {
		s.form = FORM_MISSING_FENCE_EXIT;
		sighting_relate(&s, ROLE_FLUSH, unit->flush_context);
	}
	sighting_relate(&s, ROLE_FENCE, by->context);
	patterns_report_unit(p, &s);
}

/* Handles units that something other than a plain fence made persistent.  Returns the context of the flush or sync
 * that wrote the unit back, or 0. */
static __attribute__((noinline)) uint32_t persisted_otherwise(struct patterns *p, const struct event *by,
							      const struct unit *unit, uint64_t bytes)
{
	if (by->type == EVENT_LOCKED)
		completed_by_lock(p, by, unit, bytes);
	if (!event_synchronizes(by) || unit->flush_context)
		return unit->flush_context;
	p->synced = true;
	notes_flush(&p->notes, unit->file, unit->offset, by->context);
	return by->context;
}

/* True if the flush may have named these bytes of its line.  A flush address above all of them did not. */
static bool flush_may_name(const struct unit *unit, uint64_t bytes)
{
	return bytes >> unit->flush_from != 0;
}

/* Learns from each persisted unit what its code and its line are used for. */
static void on_persist(void *arg, const struct event *by, const struct unit *unit, uint64_t bytes)
{
	struct patterns *p = arg;
	uint32_t flush = unit->flush_context;
	struct site_note *site;
	bool synced, prompt;

	if (!by || unit->kind == UNIT_WRITTEN)
		return;
	if (!fence_is_plain(by))
		flush = persisted_otherwise(p, by, unit, bytes);
	if (!flush)
		return;
	synced = event_synchronizes(by);
	prompt =
		synced || (by->thread == unit->thread && unit->event > patterns_thread(p, by->thread)->any_fence_event);
	site = notes_site(&p->notes, unit->context);
	site->facts.flush = flush;
	site->facts.flushed |= unit->flush_context != 0;
	if (prompt)
		site->facts.prompt = flush;
	site->facts.meant |= prompt && (synced || flush_may_name(unit, bytes));
	site_count(site, unit->event, SITE_PERSISTED);
}

/* The detector */

static const struct model_observer observer = {
	.overwrite = on_overwrite,
	.flush = on_flush,
	.fence = on_fence,
	.persist_line = on_persist,
	.leftover = patterns_leftover,
};

static void *patterns_begin(const struct detector_scene *scene)
{
	struct patterns *p = mem_alloc(sizeof(*p));

	p->sink = scene->sink;
	p->threads_alive = 1;
	p->model = model_new(scene->platform, MODEL_VISIBLE, &observer, p);
	return p;
}

static void patterns_event(void *state, const struct event *ev, uint64_t number)
{
	struct patterns *p = state;

	p->number = number;
	switch (ev->type) {
	case EVENT_STORE:
		if (ev->file)
			note_store(p, ev);
		model_apply(p->model, ev);
		patterns_flush_held(p);
		if (ev->kind == BO_STORE_LOCKED)
			note_fence(p, ev);
		return;
	case EVENT_SFENCE:
	case EVENT_MFENCE:
	case EVENT_LOCKED:
		model_apply(p->model, ev);
		patterns_flush_held(p);
		note_fence(p, ev);
		return;
	case EVENT_THREAD_START: p->threads_alive++; break;
	case EVENT_THREAD_EXIT: p->threads_alive--; break;
	case EVENT_EXIT: p->ended |= ev->process == 0; break;
	default: break;
	}
	p->several_processes |= ev->process != 0;
	model_apply(p->model, ev);
	patterns_flush_held(p);
}

static void ordered_report(struct patterns *p)
{
	size_t count;
	const struct unit *const *units = model_pending(p->model, &count);

	for (size_t i = 0; i < count; i++)
		if (units[i]->cover == UNIT_ORDERED)
			note_ordered(p, units[i]);
}

static void site_report(struct patterns *p, uint32_t context)
{
	struct sink_site *site = &p->notes.sites.at[context].facts;

	site->context = context;
	if (site->persisted || site->overwritten || site->left || site->needed)
		sink_add_site(p->sink, site);
}

static void patterns_end(void *state)
{
	struct patterns *p = state;

	ordered_report(p);
	model_end(p->model);
	patterns_flush_held(p);
	for (uint32_t context = 1; context < p->notes.sites.room; context++)
		site_report(p, context);
	if (p->synced && !p->stepwise && !p->left)
		sink_at_end(p->sink);
	model_free(p->model);
	notes_free(&p->notes);
	vec_free(&p->threads);
	free(p);
}

const struct detector detector_patterns = {
	.name = "patterns",
	.begin = patterns_begin,
	.event = patterns_event,
	.end = patterns_end,
};
