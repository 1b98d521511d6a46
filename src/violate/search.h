/* SPDX-License-Identifier: GPL-2.0-or-later */
/* search.h - which invariants can a crash at this moment violate?
 *
 *     struct search *s = search_new(&rules);
 *     while (...) {
 *             if (it is a moment) {
 *                     search_moment(s);                               // every moment counts, looked at or not
 *                     search_find(s, moment, image, &ev, ...);        // if it is to be looked at
 *             }
 *             search_event(s, &ev, number);                           // each event, when the moment before it is done
 *     }
 *     search_free(s);
 *
 * `first` of a violation is pending.  If the power fails just before a store, that may be `first` as well: where stores
 * are certain at once, as on eADR, only the order of the program can be wrong.  `second` is pending too, or it became certain while `first` was pending or a few
 * moments ago: then every state violates the order that does not have `first`.  A store that was made certain earlier
 * belongs to the past, in which `first` had another value.  RO1 and RO2 say that Y is computed from X, so a `second`
 * that is certain must have been stored after `first`.
 *
 * If many stores are pending, pairs of old ones, which were pending at the moment before, are not looked at again.  If
 * very many are, only some of each store site are looked at: the last ones. */
#ifndef BLACKOUT_VIOLATE_SEARCH_H
#define BLACKOUT_VIOLATE_SEARCH_H

#include "base/vec.h"
#include "crash/moment.h"
#include "invariants/invariants.h"

/* The invariants: those of an inference (walk.c), or others in tests. */
struct rules {
	struct store_place (*place)(void *arg, const struct event *ev);
	size_t (*orders)(void *arg, const struct store_place *a, const struct store_place *b,
			 struct invariant_match matches[INVARIANT_ORDERINGS]);
	bool (*guardian)(void *arg, const struct store_place *place, struct invariant_match *match);
	void *arg;
};

/* A store of the program. */
struct made {
	uint64_t event;
	struct store_place place;
	uint32_t file, context;
	uint64_t moment;   /* the number of moments before it */
	uint8_t value[16]; /* its first bytes */
};

/* The states that violate the invariant. */
enum {
	WAY_WITHOUT_FIRST = 1, /* everything but `first` */
	WAY_ONLY_SECOND = 2,   /* nothing but `second` */
	WAY_BEFORE_FIRST = 4,  /* everything: `first` is the event that the crash prevents */
};

/* The invariant that applies to two stores, or, of RA1, those that make them guardians.  NULL: not lifted. */
struct lifted {
	const struct invariant *first, *second;
};

struct violation {
	enum invariant_rule rule;
	struct lifted lifted; /* of an order, only `first` is used */
	uint64_t seen;
	unsigned ways; /* WAY_ bits */
	struct made first, second;
};

struct violations {
	VEC_OF(struct violation) all;
};

struct search;

struct search *search_new(const struct rules *rules);
void search_free(struct search *search);

void search_moment(struct search *search);
void search_event(struct search *search, const struct event *ev, uint64_t number);

/* Append the violations of the image's moment, at most one for each rule and pair of stores.  The image stands where
 * the moment was made, just before `next` (NULL: the end), which will be event `number`. */
void search_find(struct search *search, const struct moment *moment, struct image *image, const struct event *next,
		 uint64_t number, struct violations *found);

#endif
