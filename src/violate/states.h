/* SPDX-License-Identifier: GPL-2.0-or-later */
/* states.h - the pending stores of a moment, and the two smallest states that violate "`first` persists before
 * `second`".
 *
 *     struct held *held = held_new(moment);
 *     const struct held_store *first = held_find(held, 17), *second = held_find(held, 19);
 *     uint8_t *taken = state_without(held, first);         // or state_only(held, second); a flag for each unit
 *     if (state_lacks(held, taken, first) && state_shows(held, taken, second)) ...
 *     held_free(held);
 *
 * The caller frees the flags. */
#ifndef BLACKOUT_VIOLATE_STATES_H
#define BLACKOUT_VIOLATE_STATES_H

#include "crash/moment.h"

struct held_unit {
	uint64_t event;
	uint32_t unit, line; /* numbers in the choices */
};

struct held_store {
	uint64_t event;
	const struct held_unit *units;
	uint32_t count;
};

struct held {
	const struct moment *moment;
	struct held_unit *units;
	struct held_store *stores; /* by event */
	uint32_t count;
};

struct held *held_new(const struct moment *moment);
void held_free(struct held *held);

/* The store of this event; NULL: it is not pending. */
const struct held_store *held_find(const struct held *held, uint64_t event);

/* Everything is on media but this store and what cannot be without it. */
uint8_t *state_without(const struct held *held, const struct held_store *store);

/* Nothing is on media but this store and what must be with it.  NULL: nothing is. */
uint8_t *state_only(const struct held *held, const struct held_store *store);

/* Does some byte of the store have an older content, which differs? */
bool state_lacks(const struct held *held, const uint8_t *taken, const struct held_store *store);

/* Does some byte of the store show it, and differ from the certain content? */
bool state_shows(const struct held *held, const uint8_t *taken, const struct held_store *store);

#endif
