/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tx_judge.c - the verdicts of `transactions`; see transactions.c. */
#include "detect/transactions.h"

static void relate(struct sighting *sighting, enum related_role role, uint32_t context)
{
	if (!context)
		return;
	sighting->related[sighting->related_count].role = role;
	sighting->related[sighting->related_count++].context = context;
}

static struct sighting sighting_of(const struct doubt *doubt, enum finding_kind kind, enum finding_form form)
{
	return (struct sighting){
		.kind = kind,
		.form = form,
		.context = doubt->context,
		.file = doubt->file,
		.offset = doubt->offset,
		.size = doubt->size,
		.event = doubt->first,
	};
}

static void report(struct transactions *d, const struct sighting *sighting, uint64_t count)
{
	if (count)
		sink_report_times(d->sink, sighting, count);
}

/* ---- stores outside of transactions ---- */

/* Data that CLFLUSH has written back reaches media before anything that is stored later. */
static bool is_ordered(const struct transactions *d, const struct doubt *doubt)
{
	struct line_state line;

	model_line(d->model, doubt->file, doubt->offset, &line);
	return line.ordered && !line.bare && !line.flushed && !line.direct;
}

static void report_outside(struct transactions *d, const struct doubt *doubt, uint32_t changer, uint32_t begin)
{
	struct sighting s =
		sighting_of(doubt, KIND_STORE_OUTSIDE_TRANSACTION,
			    begin ? FORM_STORE_OUTSIDE_TRANSACTION_NEXT : FORM_STORE_OUTSIDE_TRANSACTION_END);

	relate(&s, ROLE_STORE, changer);
	relate(&s, ROLE_BEGIN, begin);
	report(d, &s, doubt->count);
}

/* The store was not persisted in time.  True if the doubt is settled by that. */
static bool outside_settled(struct transactions *d, struct doubt *doubt, uint32_t begin)
{
	const struct tx_word *word = tx_word_find(&d->words, doubt->file, doubt->offset);

	if (word->atomic || is_ordered(d, doubt))
		return true;
	if (word->changed & tx_word_mask(doubt->offset, doubt->size)) {
		report_outside(d, doubt, word->changer, begin);
		return true;
	}
	doubt->kind = DOUBT_SUSPECT;
	doubt->place = begin;
	return false;
}

void judge_outside(struct transactions *d, struct tx *tx, uint32_t begin)
{
	for (size_t i = 0; i < tx->outside.count; i++) {
		uint32_t number = tx->outside.at[i];
		struct doubt *doubt = &d->words.doubts.at[number];

		if (doubt->kind == DOUBT_OUTSIDE && doubt->thread == tx->thread && outside_settled(d, doubt, begin))
			doubt_settle(&d->words, number);
	}
	tx->outside.count = 0;
}

void judge_suspect(struct transactions *d, const struct tx_word *word, uint8_t mask, uint32_t changer)
{
	uint32_t number = word->doubt;
	const struct doubt *doubt = &d->words.doubts.at[number];

	if (!number || doubt->kind != DOUBT_SUSPECT || !(tx_word_mask(doubt->offset, doubt->size) & mask))
		return;
	report_outside(d, doubt, changer, doubt->place);
	doubt_settle(&d->words, number);
}

/* ---- stores that the transaction does not cover ---- */

static bool is_dropped(struct transactions *d, const struct tx *tx, const struct doubt *doubt)
{
	const struct tx_word *word = tx_word_find(&d->words, doubt->file, doubt->offset);

	return word->atomic || intervals_covered(&tx->freed, doubt->address, doubt->address + doubt->size);
}

static enum finding_form unlogged_form(const struct doubt *doubt)
{
	if (doubt->persisted)
		return FORM_UNLOGGED_STORE_PERSISTED;
	if (doubt->partly)
		return FORM_UNLOGGED_STORE_PARTLY;
	return doubt->place ? FORM_UNLOGGED_STORE_LATE : FORM_UNLOGGED_STORE_MISSING;
}

static struct sighting unlogged_sighting(const struct tx *tx, const struct doubt *doubt)
{
	struct sighting s = sighting_of(doubt, KIND_UNLOGGED_STORE, unlogged_form(doubt));

	relate(&s, ROLE_BEGIN, transaction_innermost(&tx->state)->begin);
	relate(&s, ROLE_ADD, doubt->place);
	return s;
}

/* Words of one store with the same verdict are one sighting. */
static bool is_same_store(const struct sighting *a, const struct sighting *b)
{
	return a->event == b->event && a->form == b->form && a->context == b->context && a->file == b->file;
}

void judge_unlogged(struct transactions *d, struct tx *tx)
{
	struct sighting held = {0};
	uint64_t count = 0;

	for (size_t i = 0; i < tx->unlogged.count; i++) {
		uint32_t number = tx->unlogged.at[i];
		const struct doubt *doubt = &d->words.doubts.at[number];
		struct sighting s = unlogged_sighting(tx, doubt);

		if (is_dropped(d, tx, doubt)) {
		} else if (count && is_same_store(&held, &s)) {
			held.size += s.size;
			count = count < doubt->count ? doubt->count : count;
		} else {
			report(d, &held, count);
			held = s;
			count = doubt->count;
		}
		doubt_settle(&d->words, number);
	}
	report(d, &held, count);
	tx->unlogged.count = 0;
}

/* ---- adds ---- */

static void note_late(struct doubt *doubt, const struct interval *range)
{
	if (!doubt->place && doubt->address < range->end && range->start < doubt->address + doubt->size)
		doubt->place = range->context;
}

/* The first range of those that the transaction covers already and that make a part of `range` redundant; NULL: none.
 * If a covered range has a flag that the new one has not, the add may be meant to undo it. */
static const struct interval *find_redundant(const struct tx *tx, const struct interval *range)
{
	const struct interval *first = intervals_next(&tx->covered, range->start);

	for (const struct interval *r = first; r && r->start < range->end; r = intervals_next(&tx->covered, r->end))
		if (r->flags & ~range->flags & (RANGE_NO_FLUSH | RANGE_NO_SNAPSHOT))
			return NULL;
	return first && first->start < range->end ? first : NULL;
}

/* True if an earlier transaction in the same outermost one covered the range: without those, the add is needed. */
static bool is_outer(const struct tx *tx, const struct interval *first)
{
	return first->flags >> RANGE_SERIAL < transaction_innermost(&tx->state)->serial;
}

static enum finding_form redundant_form(bool allocated, bool partly, bool outer)
{
	if (partly)
		return allocated ? FORM_REDUNDANT_LOG_PARTLY_ALLOCATED : FORM_REDUNDANT_LOG_PARTLY_AGAIN;
	if (outer)
		return allocated ? FORM_REDUNDANT_LOG_ALLOCATED_OUTER : FORM_REDUNDANT_LOG_AGAIN_OUTER;
	return allocated ? FORM_REDUNDANT_LOG_ALLOCATED : FORM_REDUNDANT_LOG_AGAIN;
}

static void report_redundant(struct transactions *d, const struct tx *tx, const struct interval *range,
			     const struct interval *first, bool partly)
{
	bool allocated = first->flags & RANGE_ALLOCATED;
	struct tx_place place = tx_locate(d, tx->process, range->start);
	struct sighting s = {
		.kind = KIND_REDUNDANT_LOG,
		.form = redundant_form(allocated, partly, is_outer(tx, first)),
		.context = range->context,
		.file = place.file,
		.offset = place.offset,
		.size = (uint32_t)(range->end - range->start),
		.event = d->number,
	};

	relate(&s, ROLE_BEGIN, transaction_innermost(&tx->state)->begin);
	relate(&s, allocated ? ROLE_ALLOCATION : ROLE_ADD, first->context);
	sink_report(d->sink, &s);
}

void judge_add(struct transactions *d, struct tx *tx, const struct interval *range)
{
	const struct interval *first = find_redundant(tx, range);
	uint64_t covered = intervals_covered(&tx->covered, range->start, range->end);

	for (size_t i = 0; i < tx->unlogged.count; i++)
		note_late(&d->words.doubts.at[tx->unlogged.at[i]], range);
	if (first)
		report_redundant(d, tx, range, first, covered < range->end - range->start);
	if (!first || covered < range->end - range->start)
		tx_site(d, range->context)->needed++;
}
