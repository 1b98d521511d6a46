/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.c - see profile.h.
 *
 * Each page that was accessed has two sets of bytes: those that recovery has stored, and those that it has read.  What
 * is in neither when it is read is an access whose value is kept. */
#include "run/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "protocol/walk_block.h"

enum {
	BYTES_MOST = 32 << 20, /* that are kept of what was read */
	PAGES_MOST = 1 << 15,
	VISITS_MOST = 1 << 20, /* that are kept; there are no stops before later ones */
	WORDS = PROFILE_PAGE / 64,
};

/* A set of bytes of a page. */
struct bytes {
	uint64_t words[WORDS];
};

struct page {
	struct bytes stored, read;
	bool touched;
};

struct access {
	struct profile_range range;
	size_t touches, visits; /* that came before it, or with it */
	size_t value;           /* of a read: where its bytes will be in `values` */
};

/* An access to another page than the one before. */
struct visit {
	uint64_t page;
	uint32_t file;
	bool unordered;
	size_t touches;             /* that came before it */
	struct profile_point point; /* what was done before it */
};

struct profile {
	struct profile_file *files;
	uint32_t file_count;
	struct map places; /* (file, page) -> 1 + its place in `pages` */
	VEC_OF(struct page) pages;
	VEC_OF(struct profile_touch) touches;
	VEC_OF(struct visit) visits;
	VEC_OF(struct access) reads;  /* in sequence */
	VEC_OF(struct access) stores; /* in sequence; each byte once */
	uint8_t *values;
	size_t value_bytes;
	bool closed, ended;
};

struct profile *profile_new(const struct profile_file *files, uint32_t count)
{
	struct profile *p = mem_alloc(sizeof(*p));

	p->files = mem_alloc((count + 1) * sizeof(*p->files));
	p->file_count = count;
	for (uint32_t i = 0; i < count; i++)
		p->files[i] = (struct profile_file){.size = files[i].size, .exists = files[i].exists};
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->files);
	map_free(&p->places);
	vec_free(&p->pages);
	vec_free(&p->touches);
	vec_free(&p->visits);
	vec_free(&p->reads);
	vec_free(&p->stores);
	free(p->values);
	free(p);
}

/* Sets of bytes */

static bool byte_is_in(const struct bytes *set, uint64_t at)
{
	return set->words[at / 64] >> at % 64 & 1;
}

/* How many bytes from `at` on, before `end`, are in the set, or are not, as the first one. */
static uint64_t bytes_alike(const struct bytes *set, uint64_t at, uint64_t end)
{
	bool first = byte_is_in(set, at);
	uint64_t next = at + 1;

	while (next < end && byte_is_in(set, next) == first)
		next++;
	return next - at;
}

static void bytes_add(struct bytes *set, uint64_t at, uint64_t size)
{
	for (; size; at++, size--)
		set->words[at / 64] |= (uint64_t)1 << at % 64;
}

/* Telling */

static struct page *page_of(struct profile *p, const struct profile_range *r)
{
	uint64_t *place = map_put(&p->places, r->file, r->offset / PROFILE_PAGE);
	const struct page blank = {0};

	if (!*place) {
		vec_push(&p->pages, blank);
		*place = p->pages.count;
	}
	return &p->pages.at[*place - 1];
}

static void visit_note(struct profile *p, const struct profile_range *r, bool unordered)
{
	const struct visit *last = p->visits.count ? &p->visits.at[p->visits.count - 1] : NULL;
	struct visit visit = {
		r->offset / PROFILE_PAGE, r->file, unordered, p->touches.count, {p->reads.count, p->stores.count}};
	bool same = last && last->page == visit.page && last->file == visit.file && last->unordered == unordered;

	if (!same && p->visits.count < VISITS_MOST)
		vec_push(&p->visits, visit);
}

static struct page *page_touch(struct profile *p, const struct profile_range *r, enum profile_order order)
{
	struct page *page = page_of(p, r);
	struct profile_touch touch = {r->offset / PROFILE_PAGE, r->file, order == PROFILE_UNORDERED};

	visit_note(p, r, touch.unordered);
	if (!page->touched)
		vec_push(&p->touches, touch);
	page->touched = true;
	return page;
}

/* Bytes that were neither stored nor read before. */
static void bytes_read(struct profile *p, const struct profile_range *r)
{
	struct access read = {*r, p->touches.count, p->visits.count, p->value_bytes};
	struct access *last = p->reads.count ? &p->reads.at[p->reads.count - 1] : NULL;

	p->value_bytes += r->size;
	if (last && last->visits == read.visits && last->range.file == r->file &&
	    last->range.offset + last->range.size == r->offset)
		last->range.size += r->size;
	else
		vec_push(&p->reads, read);
}

static void bytes_stored(struct profile *p, const struct profile_range *r)
{
	struct access store = {*r, p->touches.count, p->visits.count, 0};

	vec_push(&p->stores, store);
}

typedef void bytes_new(struct profile *p, const struct profile_range *r);

/* Call a function for each run of bytes, all of one page, that is not in the set. */
static void bytes_outside(struct profile *p, const struct bytes *set, const struct profile_range *r, bytes_new *tell)
{
	uint64_t base = r->offset - r->offset % PROFILE_PAGE, end = r->offset - base + r->size, run;

	for (uint64_t at = r->offset - base; at < end; at += run) {
		run = bytes_alike(set, at, end);
		if (!byte_is_in(set, at))
			tell(p, &(struct profile_range){base + at, run, r->file});
	}
}

static struct bytes bytes_either(const struct bytes *a, const struct bytes *b)
{
	struct bytes either;

	for (size_t i = 0; i < WORDS; i++)
		either.words[i] = a->words[i] | b->words[i];
	return either;
}

static void page_look(struct profile *p, struct page *page, const struct profile_range *r)
{
	struct bytes known = bytes_either(&page->stored, &page->read);

	bytes_outside(p, &known, r, bytes_read);
	bytes_add(&page->read, r->offset % PROFILE_PAGE, r->size);
}

static void page_read(struct profile *p, const struct profile_range *r, enum profile_order order)
{
	(void)order;
	page_look(p, page_of(p, r), r);
}

static void page_load(struct profile *p, const struct profile_range *r, enum profile_order order)
{
	page_look(p, page_touch(p, r, order), r);
}

static void page_store(struct profile *p, const struct profile_range *r, enum profile_order order)
{
	struct page *page = page_touch(p, r, order);

	bytes_outside(p, &page->stored, r, bytes_stored);
	bytes_add(&page->stored, r->offset % PROFILE_PAGE, r->size);
}

static bool is_full(const struct profile *p)
{
	return p->value_bytes > BYTES_MOST || p->pages.count > PAGES_MOST;
}

static uint64_t size_of(const struct profile *p, uint32_t file)
{
	return file < p->file_count && p->files[file].exists ? p->files[file].size : 0;
}

typedef void page_access(struct profile *p, const struct profile_range *r, enum profile_order order);

/* Split an access at the borders of pages. */
static void pages_access(struct profile *p, const struct profile_range *whole, enum profile_order order,
			 page_access *access)
{
	uint64_t size = size_of(p, whole->file), next;
	uint64_t end = whole->offset + whole->size < size ? whole->offset + whole->size : size;

	for (uint64_t at = whole->offset; at < end && !p->closed; at = next) {
		next = (at / PROFILE_PAGE + 1) * PROFILE_PAGE;
		next = next < end ? next : end;
		access(p, &(struct profile_range){at, next - at, whole->file}, order);
		p->closed = is_full(p);
	}
}

void profile_load(struct profile *p, uint32_t file, uint64_t offset, uint64_t size, enum profile_order order)
{
	pages_access(p, &(struct profile_range){offset, size, file}, order, page_load);
}

void profile_store(struct profile *p, uint32_t file, uint64_t offset, uint64_t size, enum profile_order order)
{
	pages_access(p, &(struct profile_range){offset, size, file}, order, page_store);
}

void profile_read(struct profile *p, uint32_t file, uint64_t offset, uint64_t size)
{
	pages_access(p, &(struct profile_range){offset, size, file}, PROFILE_ORDERED, page_read);
}

void profile_close(struct profile *p)
{
	p->closed = true;
}

void profile_end(struct profile *p, const struct profile_file *files)
{
	p->ended = !p->closed;
	p->values = mem_alloc(p->value_bytes + 1);
	for (size_t i = 0; i < p->reads.count; i++) {
		const struct profile_range *r = &p->reads.at[i].range;

		memcpy(p->values + p->reads.at[i].value, files[r->file].bytes + r->offset, r->size);
	}
}

/* Asking */

size_t profile_read_count(const struct profile *p)
{
	return p->reads.count;
}

static bool files_match(const struct profile *p, const struct profile_file *files, uint32_t count)
{
	if (count != p->file_count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (files[i].exists != p->files[i].exists || (files[i].exists && files[i].size != p->files[i].size))
			return false;
	return true;
}

static bool read_matches(const struct profile *p, const struct access *read, const struct profile_file *files)
{
	const struct profile_range *r = &read->range;

	return !memcmp(files[r->file].bytes + r->offset, p->values + read->value, r->size);
}

size_t profile_reach(const struct profile *p, const struct profile_file *files, uint32_t count, size_t most)
{
	if (!files_match(p, files, count))
		return 0;
	for (size_t i = 0; i < p->reads.count && i < most; i++)
		if (!read_matches(p, &p->reads.at[i], files))
			return i;
	return most < p->reads.count ? most : p->ended ? PROFILE_END : p->reads.count;
}

/* How many accesses came before the touch: `accesses` is sorted by touches. */
static size_t accesses_before(const struct access *accesses, size_t count, size_t touch)
{
	size_t from = 0;

	while (from < count) {
		size_t middle = from + (count - from) / 2;

		if (accesses[middle].touches <= touch)
			from = middle + 1;
		else
			count = middle;
	}
	return from;
}

struct profile_point profile_touch_point(const struct profile *p, size_t touch)
{
	return (struct profile_point){accesses_before(p->reads.at, p->reads.count, touch),
				      accesses_before(p->stores.at, p->stores.count, touch)};
}

struct profile_point profile_until(const struct profile *p, profile_filter *filter, void *arg)
{
	struct profile_point point = {0};

	while (point.reads < p->reads.count && !filter(arg, &p->reads.at[point.reads].range))
		point.reads++;
	while (point.stores < p->stores.count && !filter(arg, &p->stores.at[point.stores].range))
		point.stores++;
	return point;
}

/* The number of the first visit that came after so many touches; `before`: one that did, or the next one. */
static size_t visits_after(const struct profile *p, size_t touches, size_t before)
{
	while (before > 0 && p->visits.at[before - 1].touches >= touches)
		before--;
	return before;
}

bool profile_stop_before(const struct profile *p, size_t number, struct profile_stop *stop)
{
	const struct access *read = &p->reads.at[number];
	const struct profile_touch *touch = read->touches ? &p->touches.at[read->touches - 1] : NULL;

	if (!touch || touch->unordered)
		return false;
	*stop = (struct profile_stop){.touch = read->touches - 1, .point = profile_touch_point(p, read->touches - 1)};
	struct walk_visits visits = walk_visits_begin(walk_page(touch->file, touch->page * PROFILE_PAGE));
	for (size_t i = visits_after(p, read->touches, read->visits); i < read->visits; i++) {
		const struct visit *visit = &p->visits.at[i];
		uint64_t page = walk_page(visit->file, visit->page * PROFILE_PAGE);

		if (visit->unordered)
			break;
		if (walk_visits_open(&visits, page))
			continue;
		walk_visits_add(&visits, page);
		stop->visits = visits.count;
		stop->hash = visits.hash;
		stop->point = visit->point;
	}
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct profile_range *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Unite ranges that touch each other; returns their number. */
static size_t ranges_unite(struct profile_range *ranges, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct profile_range *last = kept ? &ranges[kept - 1] : NULL;

		if (last && last->file == ranges[i].file && last->offset + last->size == ranges[i].offset)
			last->size += ranges[i].size;
		else
			ranges[kept++] = ranges[i];
	}
	return kept;
}

size_t profile_stored(const struct profile *p, struct profile_point at, struct profile_range **ranges)
{
	*ranges = mem_alloc((at.stores + 1) * sizeof(**ranges));
	for (size_t i = 0; i < at.stores; i++)
		(*ranges)[i] = p->stores.at[i].range;
	qsort(*ranges, at.stores, sizeof(**ranges), by_place);
	return ranges_unite(*ranges, at.stores);
}

/* Two runs */

/* Two sequences of touches, each of them up to some place. */
struct meeting {
	const struct profile *profile;
	size_t mine;     /* touches of the profile so far */
	struct map seen; /* (file, page) -> 1: by one of them; 2: by both */
	size_t lonely;   /* pages that only one of them has touched */
};

/* One of the two has touched a page for the first time. */
static void meeting_note(struct meeting *m, const struct profile_touch *touch)
{
	uint64_t *seen = map_put(&m->seen, touch->file, touch->page);

	m->lonely += *seen ? (size_t)-1 : 1;
	++*seen;
}

/* The touch of the profile that the other run has come to, too. */
static size_t meeting_place(const struct meeting *m, const struct profile_touch *touch)
{
	const struct profile *p = m->profile;

	if (m->lonely || m->mine >= p->touches.count)
		return PROFILE_END;
	const struct profile_touch *own = &p->touches.at[m->mine];
	bool same = own->file == touch->file && own->page == touch->page;
	return same && !own->unordered ? m->mine : PROFILE_END;
}

bool profile_agree(const struct profile *p, const struct profile_touch *touches, size_t count, size_t *agreed)
{
	struct meeting m = {.profile = p};
	struct map theirs = {0};
	bool same;

	for (size_t i = 0; i < count; i++) {
		uint64_t *again = map_put(&theirs, touches[i].file, touches[i].page);

		agreed[i] = *again ? PROFILE_END : meeting_place(&m, &touches[i]);
		if (*again)
			continue;
		*again = 1;
		meeting_note(&m, &touches[i]);
		if (m.mine < p->touches.count)
			meeting_note(&m, &p->touches.at[m.mine++]);
	}
	same = !m.lonely && m.mine == p->touches.count;
	map_free(&theirs);
	map_free(&m.seen);
	return same;
}
