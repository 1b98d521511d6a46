/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.h - run recovery on ALL that a crash may leave at one moment, deciding only what recovery looks at.
 *
 *     struct choices *c = image_choices(image);               // what is undecided at this moment
 *     stage_load(stage, state_none(image), &err);             // the stage holds what is certain
 *     struct lazy_options o = {.choices = c, .files = files, .leaf = on_leaf, .ended = on_end, .arg = ...};
 *     recovery_start_lazy(r, w, ticket, &o, &err);            // on an idle worker; `c` may be freed now
 *     ... recovery_idle, recovery_drain as ever: on_leaf is called for every leaf, then on_end once
 *
 * One child of the fork server starts with all lines undecided.  When it first looks at an undecided line, it is
 * forked, once for each content that the line can have (choices.h), and so on: a tree, whose leaves are the ends of
 * recovery.  A leaf stands for all crash states that agree with its decisions: recovery never looked at the rest.  So
 * the outcomes of the leaves are those of all legal states, and each content has one leaf.  How it is done, and why it
 * misses nothing: src/preload/lazy.h.
 *
 * Leaves come depth first, in an order that depends on the options, the choices and what recovery does, and on nothing
 * else.
 *
 * A leaf may be REFUSED: recovery did something there that only another mode, or another way of showing the state, can
 * do.  What it stands for has no outcome then; the caller runs its states one by one.  If the fork server is not
 * possible at all, recovery_start_lazy says so. */
#ifndef BLACKOUT_RUN_LAZY_H
#define BLACKOUT_RUN_LAZY_H

#include "model/choices.h"
#include "run/lazy_block.h"
#include "run/recovery.h"

struct lazy_leaf {
	const struct choices *choices;
	/* Lines about which something was decided, in this order.  `taken` has a flag for each unit, by its number, so
	 * that recovery sees what it saw; of what is undecided as little is taken as these decisions allow, so it is a
	 * legal set. */
	const uint32_t *lines;
	size_t count;
	const uint8_t *taken;
	struct choices_bounds bounds; /* within which the other lines are still free */
	bool is_all, is_none;         /* does it stand for the state with all units, and for that with none? */

	const char *refused;           /* why there is no outcome; NULL: there is one */
	const struct outcome *outcome; /* its `seconds` are those of the whole way from the root */
};

struct lazy_end {
	uint64_t leaves; /* that were told, refused ones too */
	uint64_t refused;
	uint64_t traps; /* looks at an undecided line, or beside one */
	/* Legal sets without a leaf, because of leaves_max, or because a process of the tree was lost; 0: complete. */
	double left_out;
	const char *broken; /* a sentence: the whole could not be begun, or went wrong; NULL if not */
};

struct lazy_options {
	const struct choices *choices;
	/* For each path of the origin: the file of the choices that has this path now, or CHOICES_NONE. */
	const uint32_t *files;
	enum lazy_order order;
	uint64_t seed; /* of LAZY_SAMPLE */
	/* Then stop; 0: no limit.  LAZY_SAMPLE: this many; LAZY_LEAST and LAZY_MOST: there is one. */
	uint64_t leaves_max;

	/* A store decides the bytes that it covers.  Recovery never sees what they were, but a second crash may show it:
	 * the store can be lost. */
	bool stores;

	/* Only what agrees with these decisions: lines, and flags by number of the unit.  They must be legal together,
	 * and completable. */
	const uint32_t *given;
	size_t given_count;
	const uint8_t *given_taken;

	/* From within recovery_idle and recovery_drain.  What the pointers lead to is good until they return.  false:
	 * enough, no more leaves. */
	bool (*leaf)(void *arg, void *ticket, const struct lazy_leaf *leaf);
	void (*ended)(void *arg, void *ticket, const struct lazy_end *end);
	void *arg;
};

/* How many legal sets have what `taken` says of the decided lines; about right if there are many.  Recovery cannot tell
 * them from each other, nor perhaps from others. */
double lazy_leaf_states(const struct lazy_leaf *leaf);

/* Begin on this idle worker.  -1, ERR_TARGET: recovery is not run by a fork server; then the caller enumerates. */
int recovery_start_lazy(struct recovery *recovery, unsigned worker, void *ticket, const struct lazy_options *options,
			struct err *err);

#endif
