/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "races_slow.h"

#include <string.h>
#include <sys/mman.h>

struct slow {
	const struct slow_input *in;
	bool hb[REFERENCE_EVENTS][REFERENCE_EVENTS]; /* happens before, by index */
	/* Recovery so far: */
	bool read[REFERENCE_EVENTS]; /* events with a unit that was read */
	/* and in which lines, of the file of the event, if it is a store through the cache */
	bool read_line[REFERENCE_EVENTS][REFERENCE_BYTES / 64];
	bool stored[REFERENCE_FILES][REFERENCE_BYTES];
	bool *excluded; /* sets of the last point that do not agree with what was read */
};

static const struct event *event_at(const struct slow *s, size_t i)
{
	return &s->in->events[i];
}

/* ---- happens before ---- */

static bool is_release(enum bo_order order)
{
	return order == BO_ORDER_RELEASE || order == BO_ORDER_ACQ_REL || order == BO_ORDER_SEQ_CST;
}

static bool is_acquire(enum bo_order order)
{
	return order == BO_ORDER_ACQUIRE || order == BO_ORDER_CONSUME || order == BO_ORDER_ACQ_REL ||
	       order == BO_ORDER_SEQ_CST;
}

static bool is_act(const struct event *ev, enum bo_sync_act act)
{
	return ev->type == EVENT_SYNC && ev->flags == (uint32_t)act;
}

/* Calls are like atomic accesses of the object: RELEASE is an update that releases, ACQUIRE a load that acquires. */
static bool is_write(const struct event *ev)
{
	return is_act(ev, BO_ACT_ATOMIC_STORE) || is_act(ev, BO_ACT_ATOMIC_UPDATE) || is_act(ev, BO_ACT_RELEASE);
}

static bool is_read(const struct event *ev)
{
	return is_act(ev, BO_ACT_ATOMIC_LOAD) || is_act(ev, BO_ACT_ATOMIC_UPDATE) || is_act(ev, BO_ACT_ACQUIRE);
}

static bool write_releases(const struct event *ev)
{
	return is_act(ev, BO_ACT_RELEASE) || is_release(ev->order);
}

static bool read_acquires(const struct event *ev)
{
	return is_act(ev, BO_ACT_ACQUIRE) || is_acquire(ev->order);
}

static bool same_object(const struct event *a, const struct event *b)
{
	return a->value == b->value && a->file == b->file && a->offset == b->offset;
}

/* The event that ends the action of a SYNC: the access, if it has an event. */
static size_t action_end(const struct slow *s, size_t i)
{
	const struct event *ev = event_at(s, i), *next = ev + 1;

	if (i + 1 == s->in->count || next->thread != ev->thread || !is_write(ev) || is_act(ev, BO_ACT_RELEASE))
		return i;
	if (next->type == EVENT_LOCKED)
		return i + 1;
	return next->type == EVENT_STORE && (next->atomicity == BO_ATOMICITY_ATOMIC || next->kind == BO_STORE_LOCKED)
		       ? i + 1
		       : i;
}

/* Is `later` in the release sequence that the atomic write `head` heads, or would head if it were a release?  Only
 * updates continue it. */
static bool in_sequence(const struct slow *s, size_t head, size_t later)
{
	if (head > later)
		return false;
	for (size_t i = head + 1; i <= later; i++) {
		if (same_object(event_at(s, i), event_at(s, head)) && is_act(event_at(s, i), BO_ACT_ATOMIC_STORE))
			return false;
	}
	return is_write(event_at(s, later)) && same_object(event_at(s, head), event_at(s, later));
}

/* The write that an atomic read reads: the latest before it. */
static bool reads_from(const struct slow *s, size_t reader, size_t *writer)
{
	for (size_t i = reader; i-- > 0;) {
		if (is_write(event_at(s, i)) && same_object(event_at(s, i), event_at(s, reader))) {
			*writer = i;
			return true;
		}
	}
	return false;
}

static bool is_fence_of(const struct event *ev, uint32_t thread)
{
	return is_act(ev, BO_ACT_FENCE) && ev->thread == thread;
}

/* Everything before which the write `head` publishes: itself if it is a release, and release fences before it. */
static void publish(struct slow *s, size_t head, size_t receiver)
{
	const struct event *ev = event_at(s, head);

	if (write_releases(ev))
		s->hb[action_end(s, head)][receiver] = true;
	for (size_t fence = 0; fence < head; fence++) {
		if (is_fence_of(event_at(s, fence), ev->thread) && is_release(event_at(s, fence)->order))
			s->hb[fence][receiver] = true;
	}
}

/* Whoever learns from the atomic read: itself if it acquires, and acquire fences after it. */
static void synchronize(struct slow *s, size_t reader)
{
	const struct event *ev = event_at(s, reader);
	size_t writer;

	if (!reads_from(s, reader, &writer))
		return;
	for (size_t head = 0; head <= writer; head++) {
		if (!is_write(event_at(s, head)) || !in_sequence(s, head, writer))
			continue;
		if (read_acquires(ev))
			publish(s, head, reader);
		for (size_t fence = reader + 1; fence < s->in->count; fence++) {
			if (is_fence_of(event_at(s, fence), ev->thread) && is_acquire(event_at(s, fence)->order))
				publish(s, head, fence);
		}
	}
}

static void order_pair(struct slow *s, size_t a, size_t b)
{
	const struct event *first = event_at(s, a), *second = event_at(s, b);

	if (first->thread == second->thread)
		s->hb[a][b] = true;
	if (second->type == EVENT_THREAD_START && second->value == first->thread)
		s->hb[a][b] = true;
	if (is_act(second, BO_ACT_JOIN) && second->value == first->thread)
		s->hb[a][b] = true;
}

static void order_all(struct slow *s)
{
	size_t n = s->in->count;

	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			order_pair(s, a, b);
	for (size_t i = 0; i < n; i++)
		if (is_read(event_at(s, i)))
			synchronize(s, i);
	for (size_t k = 0; k < n; k++)
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; s->hb[a][k] && b < n; b++)
				s->hb[a][b] |= s->hb[k][b];
}

/* E+: the stores that were read, and all that happened before them. */
static bool in_prefix(const struct slow *s, size_t i)
{
	for (size_t r = 0; r < s->in->count; r++)
		if (s->read[r] && (i == r || s->hb[i][r]))
			return true;
	return false;
}

/* ---- stores ---- */

static bool is_flush(const struct event *ev)
{
	return ev->type == EVENT_CLWB || ev->type == EVENT_CLFLUSHOPT || ev->type == EVENT_CLFLUSH;
}

static bool is_fence(const struct event *ev)
{
	return ev->type == EVENT_SFENCE || ev->type == EVENT_MFENCE || ev->type == EVENT_LOCKED ||
	       (ev->type == EVENT_STORE && ev->kind == BO_STORE_LOCKED);
}

/* The range of a store of the source: all that its events store, and what the compiler announced. */
static void source_range(const struct slow *s, size_t source, uint64_t *from, uint64_t *to)
{
	*from = UINT64_MAX, *to = 0;
	for (size_t i = 0; i < s->in->count; i++) {
		const struct event *ev = event_at(s, i);
		uint64_t begin = ev->offset, end = ev->offset + ev->size;

		if (s->in->source[i] != source)
			continue;
		if (ev->access) {
			begin -= ev->addr - ev->access_addr;
			end = end > begin + ev->access_size ? end : begin + ev->access_size;
		}
		*from = begin < *from ? begin : *from;
		*to = end > *to ? end : *to;
	}
}

/* Did the binary store it in several units?  Silent ones, which are no units of the reference, do not count. */
static bool in_several_units(const struct slow *s, size_t source)
{
	unsigned units = 0;

	for (unsigned u = 0; u < s->in->reference->unit_count; u++)
		units += s->in->source[s->in->reference->units[u].event - 1] == source;
	return units > 1;
}

static bool is_kernel(const struct event *ev)
{
	return ev->type == EVENT_FILE_WRITE || ev->kind == BO_STORE_KERNEL;
}

static bool is_atomic(const struct event *ev)
{
	return ev->atomicity == BO_ATOMICITY_ATOMIC ||
	       (ev->atomicity == BO_ATOMICITY_UNKNOWN && ev->kind == BO_STORE_LOCKED);
}

/* Condition 1. */
static bool may_tear(const struct slow *s, size_t source)
{
	const struct event *ev = event_at(s, source);
	uint64_t from, to;

	source_range(s, source, &from, &to);
	if (is_kernel(ev) || is_atomic(ev))
		return false;
	switch (ev->atomicity) {
	case BO_ATOMICITY_PLAIN: return true;
	case BO_ATOMICITY_VOLATILE:
		if ((to - from == 1 || to - from == 2 || to - from == 4 || to - from == 8) && from % (to - from) == 0)
			return in_several_units(s, source);
		return true;
	default: return in_several_units(s, source);
	}
}

/* A store that is ordered after all stores that happened before it, whatever the compiler does. */
static bool is_release_store(const struct slow *s, size_t i)
{
	const struct event *ev = event_at(s, i);

	if (is_kernel(ev))
		return true;
	if (is_atomic(ev))
		return ev->atomicity == BO_ATOMICITY_UNKNOWN || is_release(ev->order);
	return ev->atomicity == BO_ATOMICITY_UNKNOWN && !in_several_units(s, s->in->source[i]);
}

/* ---- the conditions of Theorem 1 for the unit of event i ---- */

/* Condition 2: an atomic release store to the line, which recovery has read. */
static bool line_was_read(const struct slow *s, size_t i, const struct reference_unit *unit)
{
	for (size_t r = 0; r < s->in->count; r++) {
		if (s->hb[i][r] && s->read_line[r][unit->word / 8] && event_at(s, r)->file == unit->file &&
		    is_release_store(s, r))
			return true;
	}
	return false;
}

static bool flushes(const struct event *ev, const struct reference_unit *unit)
{
	return is_flush(ev) && ev->file == unit->file && ev->offset / 64 == unit->word / 8;
}

static bool syncs(const struct event *ev, const struct reference_unit *unit)
{
	uint64_t page = unit->word * 8 / 4096;

	if (ev->type == EVENT_FILE_SYNC && ev->flags != BO_SYNC_SYNC_FILE_RANGE)
		return !ev->file || ev->file == unit->file;
	return ev->type == EVENT_MSYNC && ev->flags & MS_SYNC && ev->size && ev->file == unit->file &&
	       page >= ev->offset / 4096 && page <= (ev->offset + ev->size - 1) / 4096;
}

/* Is there an event that makes the unit whole, among the events of the prefix or among all? */
static bool made_whole(const struct slow *s, size_t i, const struct reference_unit *unit, bool prefix)
{
	const struct event *ev = event_at(s, i);
	bool adr = s->in->platform == REFERENCE_ADR;

	for (size_t f = 0; f < s->in->count; f++) {
		const struct event *flush = event_at(s, f);
		bool counts = !prefix || in_prefix(s, f);

		if (!s->hb[i][f])
			continue;
		if (counts && syncs(flush, unit))
			return true;
		if (counts && unit->kind == REFERENCE_DIRECT && is_fence(flush) && flush->thread == ev->thread)
			return true;
		if (!adr || unit->kind != REFERENCE_CACHED || !flushes(flush, unit))
			continue;
		if (counts && flush->type == EVENT_CLFLUSH) /* condition 3 */
			return true;
		for (size_t g = f + 1; g < s->in->count; g++) { /* condition 4 */
			if (is_fence(event_at(s, g)) && event_at(s, g)->thread == flush->thread &&
			    (!prefix || in_prefix(s, g)))
				return true;
		}
	}
	return false;
}

/* eADR: something that happened after the whole store has been read. */
static bool something_later(const struct slow *s, size_t i)
{
	size_t last = i;

	for (size_t k = 0; k < s->in->count; k++)
		if (s->in->source[k] == s->in->source[i])
			last = k;
	for (size_t k = 0; k < s->in->count; k++)
		if (s->hb[last][k] && in_prefix(s, k))
			return true;
	return false;
}

static bool is_protected(const struct slow *s, size_t i, const struct reference_unit *unit)
{
	if (unit->kind == REFERENCE_CACHED) {
		if (s->in->platform == REFERENCE_EADR)
			return something_later(s, i);
		if (line_was_read(s, i, unit))
			return true;
	}
	return made_whole(s, i, unit, true);
}

static enum race_reason reason_of(const struct slow *s, size_t i, const struct reference_unit *unit)
{
	bool flushed = false, unordered = false;

	if (made_whole(s, i, unit, false) || (s->in->platform == REFERENCE_EADR && unit->kind == REFERENCE_CACHED))
		return RACE_UNPROVED;
	for (size_t f = i + 1; f < s->in->count; f++) {
		const struct event *ev = event_at(s, f);
		bool adr = s->in->platform == REFERENCE_ADR && unit->kind == REFERENCE_CACHED;

		if ((adr && flushes(ev, unit)) || syncs(ev, unit)) {
			flushed |= s->hb[i][f];
			unordered |= !s->hb[i][f];
		}
	}
	if (flushed || unit->kind == REFERENCE_DIRECT)
		return RACE_UNFENCED;
	return unordered ? RACE_UNORDERED : RACE_UNFLUSHED;
}

/* ---- loads ---- */

/* The unit that a byte comes from in a crash state: the latest, or -1. */
static int byte_from(const struct slow *s, uint32_t set, uint32_t file, uint64_t offset)
{
	const struct reference *r = s->in->reference;

	for (int u = (int)r->unit_count - 1; u >= 0; u--) {
		if (set >> u & 1 && r->units[u].file == file && r->units[u].word == offset / 8 &&
		    r->units[u].has[offset % 8])
			return u;
	}
	return -1;
}

static bool is_own(const struct slow *s, const struct slow_step *step, uint64_t offset)
{
	return s->stored[step->file][offset];
}

static void race_add(struct slow_race *races, size_t *count, struct slow_race race)
{
	for (size_t i = 0; i < *count; i++) {
		if (races[i].source == race.source && races[i].step == race.step) {
			races[i].reasons |= race.reasons;
			return;
		}
	}
	races[(*count)++] = race;
}

/* The load could read this byte from any unit that it comes from in a set that is not excluded. */
static void byte_judge(const struct slow *s, size_t step, uint64_t offset, struct slow_race *races, size_t *count)
{
	const struct reference_point *point = &s->in->reference->points[s->in->count];

	for (size_t k = 0; k < point->set_count; k++) {
		int u = s->excluded[k] ? -1 : byte_from(s, point->sets[k], s->in->steps[step].file, offset);
		const struct reference_unit *unit = u < 0 ? NULL : &s->in->reference->units[u];
		size_t i = unit ? unit->event - 1 : 0;

		if (!unit || !may_tear(s, s->in->source[i]) || is_protected(s, i, unit))
			continue;
		race_add(races, count,
			 (struct slow_race){.source = s->in->source[i],
					    .step = step,
					    .reasons = 1u << reason_of(s, i, unit),
					    .several = in_several_units(s, s->in->source[i])});
	}
}

/* The load has read this byte: sets in which it comes from elsewhere are not the state. */
static void byte_learn(struct slow *s, const struct slow_step *step, uint64_t offset)
{
	const struct reference_point *point = &s->in->reference->points[s->in->count];
	int u = byte_from(s, s->in->state, step->file, offset);

	for (size_t k = 0; k < point->set_count; k++)
		s->excluded[k] |= byte_from(s, point->sets[k], step->file, offset) != u;
	if (u >= 0) {
		const struct reference_unit *unit = &s->in->reference->units[u];

		s->read[unit->event - 1] = true;
		s->read_line[unit->event - 1][offset / 64] |= unit->kind == REFERENCE_CACHED;
	}
}

static void step_do(struct slow *s, size_t index, struct slow_race *races, size_t *count)
{
	const struct slow_step *step = &s->in->steps[index];
	uint64_t end = step->offset + step->size;

	if (step->silent)
		return;
	if (step->stores) {
		memset(&s->stored[step->file][step->offset], 1, step->size);
		return;
	}
	for (uint64_t at = step->offset; at < end; at++)
		if (!is_own(s, step, at))
			byte_judge(s, index, at, races, count);
	for (uint64_t at = step->offset; at < end; at++)
		if (!is_own(s, step, at))
			byte_learn(s, step, at);
}

size_t races_slow(const struct slow_input *input, struct slow_race races[SLOW_RACES])
{
	struct slow *s = calloc(1, sizeof(*s));
	size_t count = 0;

	s->in = input;
	s->excluded = calloc(input->reference->points[input->count].set_count, sizeof(*s->excluded));
	order_all(s);
	for (size_t i = 0; i < input->step_count; i++)
		step_do(s, i, races, &count);
	free(s->excluded);
	free(s);
	return count;
}
