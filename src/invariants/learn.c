/* SPDX-License-Identifier: GPL-2.0-or-later */
/* learn.c - from events to facts and lifted invariants.
 *
 * An access with a label of n reads shows n invariants, and a loop shows the same ones again and again.  What an access
 * shows depends on its rule, site, place and label, and on who stored what it and the label's reads read.  All of that
 * is hashed to the key of a lesson.  A lesson that is known only counts; a new one is worked out, read by read.  Most
 * pairs of stores in it are known, too. */
#include <stdlib.h>
#include <xxhash.h>

#include "invariants/invariants_in.h"

#define LESSONS 16384u    /* that are remembered at a time; a power of two */
#define LIFTINGS 65536u   /* the same */
#define OBJECT_BYTES 1024 /* stores farther apart than this are to different objects */

struct lesson {
	XXH128_hash_t key;
	uint64_t seen; /* since it was settled */
	uint32_t fact; /* 0: not kept */
	VEC_OF(struct lifted *) shown;
	VEC_OF(uint32_t) guards; /* places of guardians */
};

/* The invariant between two writes, so that it need not be looked up. */
struct lifting {
	enum invariant_rule rule;
	uint32_t first, second;
	struct lifted *lifted; /* NULL: there is none */
};

struct lessons {
	struct lesson lessons[LESSONS];
	struct lifting liftings[LIFTINGS];
	uint32_t serial;            /* of the lesson that is being worked out */
	bool taught;                /* since the last lessons_settle */
	VEC_OF(uint32_t) unsettled; /* lessons with counts that are nowhere else yet, and perhaps others */
};

/* Only those who record dependencies pay for it. */
static struct lessons *lessons_of(struct invariants *inv)
{
	if (!inv->lessons)
		inv->lessons = mem_alloc(sizeof(*inv->lessons));
	return inv->lessons;
}

void lessons_free(struct lessons *all)
{
	for (size_t i = 0; all && i < LESSONS; i++) {
		vec_free(&all->lessons[i].shown);
		vec_free(&all->lessons[i].guards);
	}
	if (all)
		vec_free(&all->unsettled);
	free(all);
}

static void lesson_settle(const struct invariants *inv, struct lesson *lesson)
{
	for (size_t i = 0; i < lesson->shown.count; i++)
		lesson->shown.at[i]->invariant.seen += lesson->seen;
	for (size_t i = 0; i < lesson->guards.count; i++)
		inv->places.at[lesson->guards.at[i]].guarded += lesson->seen;
	inv->facts.at[lesson->fact].seen += lesson->seen;
	lesson->seen = 0;
}

static void unsettled_settle(const struct invariants *inv)
{
	struct lessons *all = inv->lessons;

	for (size_t i = 0; i < all->unsettled.count; i++)
		lesson_settle(inv, &all->lessons[all->unsettled.at[i]]);
	all->unsettled.count = 0;
}

/* What was seen of general sites is the sum of what was seen of theirs. */
static void general_settle(const struct invariants *inv)
{
	for (size_t i = 0; i < inv->general.all.count; i++)
		((struct lifted *)slab_at(&inv->general.all, i))->invariant.seen = 0;
	for (size_t i = 0; i < inv->lifted.all.count; i++) {
		const struct lifted *lifted = slab_at(&inv->lifted.all, i);

		lifted->general->invariant.seen += lifted->invariant.seen;
	}
}

void lessons_settle(const struct invariants *inv)
{
	if (!inv->lessons || !inv->lessons->taught)
		return;
	inv->lessons->taught = false;
	unsettled_settle(inv);
	general_settle(inv);
}

/* ---- an access ---- */

/* An access with a label, on its way to a lesson. */
struct access {
	enum invariant_rule rule;
	uint32_t label, place, site;
	/* RO1, RO2: the store itself; RO3: those who stored what is loaded. */
	uint32_t writers[BYTES_WRITERS];
	size_t writer_count;
};

static uint64_t fold(uint64_t hash, uint32_t value)
{
	return (hash ^ value) * 0x9e3779b97f4a7c15u ^ hash >> 29;
}

/* Changes if what the label reads has other writers. */
static uint64_t label_signature(struct invariants *inv, struct label *label)
{
	uint64_t hash = 1;

	if (label->signed_at == inv->bytes.changes + 1)
		return label->signature;
	for (size_t i = 0; i < label->count; i++) {
		const struct read *read = &inv->reads.at[inv->label_reads.at[label->start + i]];

		for (unsigned part = 0; part < 2; part++)
			for (size_t w = 0; w < read->word_count[part]; w++)
				hash = fold(hash, read->words[part][w]);
	}
	label->signed_at = inv->bytes.changes + 1;
	return label->signature = hash;
}

static XXH128_hash_t access_key(struct invariants *inv, const struct access *access)
{
	uint64_t key[4] = {(uint64_t)access->rule << 32 | access->label, (uint64_t)access->place << 32 | access->site,
			   label_signature(inv, &inv->labels.at[access->label])};

	for (size_t i = 0; i < access->writer_count; i++)
		key[3] = fold(key[3] + 1, access->writers[i]);
	return XXH3_128bits(key, sizeof(key));
}

static uint32_t fact_of(struct invariants *inv, const struct access *access)
{
	uint64_t *fact = map_put(&inv->fact_numbers, (uint64_t)access->rule << 32 | access->place, access->label);
	struct place *place = &inv->places.at[access->place];

	if (*fact || place->fact_counts[access->rule] == FACTS_MOST)
		return (uint32_t)*fact;
	*fact = inv->facts.count;
	vec_push(&inv->facts, ((struct fact){.place = access->place,
					     .label = access->label,
					     .site = access->site,
					     .next = place->facts[access->rule]}));
	place->facts[access->rule] = (uint32_t)*fact;
	place->fact_counts[access->rule]++;
	tables_link(inv, access->place);
	return (uint32_t)*fact;
}

/* ---- lifting ---- */

static void reason_add(struct invariants *inv, struct invariant *lifted, enum invariant_role role, uint32_t site)
{
	const struct invariant_code *code = sites_code(&inv->sites, site);

	if (!site || lifted->because_count == INVARIANT_REASONS)
		return;
	for (size_t i = 0; i < lifted->because_count; i++)
		if (lifted->because[i].role == role && lifted->because[i].code.context == code->context &&
		    lifted->because[i].code.recording == code->recording)
			return;
	lifted->because[lifted->because_count++] = (struct invariant_reason){role, *code};
}

static void reasons_add(struct invariants *inv, struct invariant *lifted, const struct access *access,
			const struct read *read)
{
	if (lifted->because_count == INVARIANT_REASONS)
		return;
	reason_add(inv, lifted, INVARIANT_LOAD, read->load_site);
	if (lifted->rule != INVARIANT_RO1)
		reason_add(inv, lifted, INVARIANT_BRANCH, read->branch_site);
	if (lifted->rule == INVARIANT_RO3)
		reason_add(inv, lifted, INVARIANT_GUARDED, access->site);
	else if (lifted->rule != INVARIANT_RA1)
		reason_add(inv, lifted, INVARIANT_STORE, access->site);
}

static struct lifted *lifted_between(struct invariants *inv, struct liftings *in, enum invariant_rule rule,
				     uint32_t first, uint32_t second)
{
	uint64_t *number = map_put(&in->numbers, rule, (uint64_t)first << 32 | second);
	struct lifted *lifted;

	if (*number)
		return slab_at(&in->all, *number - 1);
	lifted = slab_push(&in->all);
	*number = in->all.count;
	lifted->invariant = (struct invariant){
		.rule = rule,
		.number = (uint32_t)(*number - 1),
		.first_site = first,
		.second_site = second,
		.first = *sites_code(&inv->sites, first),
		.second = *sites_code(&inv->sites, second),
	};
	return lifted;
}

static void site_observe(struct invariants *inv, uint32_t site)
{
	while (inv->observed.count <= site)
		vec_push(&inv->observed, 0);
	inv->observed.at[site] = 1;
}

static bool distance_is_known(const struct invariant *lifted, int64_t distance)
{
	for (size_t i = 0; i < lifted->distance_count; i++)
		if (lifted->distances[i] == distance)
			return true;
	return false;
}

/* Within an object, the distance tells the members apart.  Between objects it is chance. */
static void distance_add(struct invariant *lifted, const struct place *first, const struct place *second)
{
	int64_t distance = (int64_t)(second->offset - first->offset);
	bool apart = first->file != second->file || distance > OBJECT_BYTES || distance < -OBJECT_BYTES;

	if (apart || (!distance_is_known(lifted, distance) && lifted->distance_count == INVARIANT_DISTANCES))
		lifted->anywhere = true;
	else if (!distance_is_known(lifted, distance))
		lifted->distances[lifted->distance_count++] = distance;
}

bool lifted_holds(const struct invariant *lifted, bool same_file, int64_t distance, enum invariant_scope *scope)
{
	*scope = same_file && distance_is_known(lifted, distance) ? INVARIANT_DISTANCE : INVARIANT_SITES;
	return *scope == INVARIANT_DISTANCE || lifted->anywhere;
}

/* A lesson shows an invariant once, whatever the number of reads that show it. */
static void lesson_add(struct invariants *inv, struct lesson *lesson, struct lifted *lifted)
{
	if (!lifted || lifted->lesson == inv->lessons->serial)
		return;
	lifted->lesson = inv->lessons->serial;
	vec_push(&lesson->shown, lifted);
}

static void lifted_learn(struct invariants *inv, struct invariant *lifted, const struct access *access,
			 const struct read *read, const struct place *first, const struct place *second)
{
	if (lifted->rule == INVARIANT_RA1)
		lifted->anywhere = true;
	else
		distance_add(lifted, first, second);
	reasons_add(inv, lifted, access, read);
}

/* Work out the invariant between two writes; NULL: there is none. */
static struct lifted *writes_lift(struct invariants *inv, enum invariant_rule rule, const struct access *access,
				  const struct read *read, uint32_t first, uint32_t second)
{
	struct write a = inv->writes.at[first], b = inv->writes.at[second];
	const struct place *at = &inv->places.at[a.place], *other = &inv->places.at[b.place];
	struct lifted *lifted;

	if (!a.site || !b.site || (rule != INVARIANT_RA1 && places_overlap(at, other)))
		return NULL;
	site_observe(inv, a.site);
	site_observe(inv, b.site);
	lifted = lifted_between(inv, &inv->lifted, rule, a.site, b.site);
	lifted->general = lifted_between(inv, &inv->general, rule, sites_general(&inv->sites, a.site),
					 sites_general(&inv->sites, b.site));
	lifted_learn(inv, &lifted->invariant, access, read, at, other);
	lifted_learn(inv, &lifted->general->invariant, access, read, at, other);
	return lifted;
}

/* `first` should persist before `second`; RA1: what this write stores decides whether other places are loaded. */
static void lift(struct invariants *inv, struct lesson *lesson, enum invariant_rule rule, const struct access *access,
		 const struct read *read, uint32_t first, uint32_t second)
{
	uint64_t hash = ((uint64_t)first << 32 | second) * 0x9e3779b97f4a7c15u + rule;
	struct lifting *known = &inv->lessons->liftings[(hash ^ hash >> 40) & (LIFTINGS - 1)];

	if (known->first != first || known->second != second || known->rule != rule)
		*known = (struct lifting){rule, first, second, writes_lift(inv, rule, access, read, first, second)};
	lesson_add(inv, lesson, known->lifted);
}

/* The read decided whether another place is loaded. */
static void guard(struct invariants *inv, struct lesson *lesson, uint32_t read)
{
	uint32_t id = inv->reads.at[read].place;
	struct place *place = &inv->places.at[id];

	place->guards = read;
	if (place->lesson != inv->lessons->serial)
		vec_push(&lesson->guards, id);
	place->lesson = inv->lessons->serial;
}

static void read_learn(struct invariants *inv, struct lesson *lesson, const struct access *access, uint32_t read)
{
	struct read *of = &inv->reads.at[read];
	const struct place *place = &inv->places.at[of->place];
	uint32_t writers[BYTES_WRITERS];
	size_t count;

	if (places_overlap(place, &inv->places.at[access->place]))
		return;
	/* The first branch on a read may be known only after the read itself. */
	if (!of->branch_site)
		of->branch_site = sites_of(&inv->sites, trace_read(inv->trace, of->number)->branch);
	count = bytes_writers(&inv->bytes, place->file, place->offset, place->size, writers);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < access->writer_count; k++)
			if (access->rule == INVARIANT_RO3)
				lift(inv, lesson, access->rule, access, of, access->writers[k], writers[i]);
			else
				lift(inv, lesson, access->rule, access, of, writers[i], access->writers[k]);
	if (access->rule != INVARIANT_RO3)
		return;
	guard(inv, lesson, read);
	for (size_t i = 0; i < count; i++)
		lift(inv, lesson, INVARIANT_RA1, access, of, writers[i], writers[i]);
}

static void access_learn(struct invariants *inv, const struct access *access)
{
	XXH128_hash_t key = access_key(inv, access);
	struct lesson *lesson = &lessons_of(inv)->lessons[key.low64 & (LESSONS - 1)];

	if (!XXH128_isEqual(lesson->key, key)) {
		const struct label *label = &inv->labels.at[access->label];

		lesson_settle(inv, lesson);
		lesson->key = key;
		lesson->fact = fact_of(inv, access);
		lesson->shown.count = lesson->guards.count = 0;
		inv->lessons->serial++;
		for (size_t i = 0; i < label->count; i++)
			read_learn(inv, lesson, access, inv->label_reads.at[label->start + i]);
	}
	inv->lessons->taught = true;
	if (!lesson->seen++)
		vec_push(&inv->lessons->unsettled, (uint32_t)(lesson - inv->lessons->lessons));
	if (inv->lessons->unsettled.count > LESSONS)
		unsettled_settle(inv);
}

/* ---- events ---- */

static void store_learn(struct invariants *inv, const struct event *ev)
{
	struct access access = {.site = sites_of(&inv->sites, ev->context), .writer_count = 1};
	uint32_t file = tables_file(inv, ev->file);

	access.place = tables_place(inv, file, ev->offset, ev->size);
	access.writers[0] = tables_write(inv, access.site, access.place);
	for (access.rule = INVARIANT_RO1; access.rule <= INVARIANT_RO2; access.rule++) {
		uint32_t label = access.rule == INVARIANT_RO1 ? ev->data_label : ev->control_label;

		access.label = label ? tables_label(inv, label) : 0;
		if (label)
			access_learn(inv, &access);
	}
	bytes_store(&inv->bytes, file, ev->offset, ev->size, access.writers[0]);
}

static void load_learn(struct invariants *inv, const struct event *ev)
{
	struct access access = {.rule = INVARIANT_RO3};
	uint32_t file = tables_file(inv, ev->file);
	uint64_t size = ev->size < PLACE_BYTES_MOST ? ev->size : PLACE_BYTES_MOST;

	if (!ev->control_label)
		return;
	access.label = tables_label(inv, ev->control_label);
	access.site = sites_of(&inv->sites, ev->context);
	access.place = tables_place(inv, file, ev->offset, size);
	access.writer_count = bytes_writers(&inv->bytes, file, ev->offset, size, access.writers);
	access_learn(inv, &access);
}

void invariants_event(struct invariants *inv, const struct event *ev)
{
	inv->recordings += !inv->fed;
	inv->fed = true;
	if (!ev->file)
		return;
	switch (ev->type) {
	case EVENT_STORE: store_learn(inv, ev); break;
	case EVENT_LOAD: load_learn(inv, ev); break;
	/* A system call wrote: no code of the program is the writer. */
	case EVENT_FILE_WRITE: bytes_store(&inv->bytes, tables_file(inv, ev->file), ev->offset, ev->size, 0); break;
	default: break;
	}
}
