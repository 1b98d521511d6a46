/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.h - run recovery on ALL states that a crash may leave at one moment, deciding only the lines that recovery
 * reads.
 *
 *     struct choices *c = image_choices(image);               // the lines that are undecided at this moment
 *     stage_load(stage, state_none(image), &err);             // the stage holds what is certain
 *     struct lazy_options o = {.choices = c, .files = files, .leaf = on_leaf, .ended = on_end, .arg = ...};
 *     recovery_start_lazy(r, w, ticket, &o, &err);            // on an idle worker; `c` may be freed now
 *     ... recovery_idle, recovery_drain as usual: on_leaf is called for every leaf, then on_end once
 *
 * One child of the fork server starts with all lines undecided.  When it first accesses an undecided line, it is forked
 * once for each content that the line can have (choices.h).  This repeats in the children, and makes a tree whose
 * leaves are the ends of recovery.  A leaf stands for all crash states that agree with its decisions, because recovery
 * never looked at the other lines.  So the outcomes of the leaves are the outcomes of all legal states, and each legal
 * content belongs to exactly one leaf. src/preload/lazy.h explains how this works, and why it misses nothing.
 *
 * Leaves come depth first.  Their sequence depends only on the options, the choices and what recovery does.
 *
 * A leaf may be REFUSED: recovery did something there that only another mode, or a state in real files, can support.
 * The states of such a leaf have no outcome yet; the caller runs them one by one.  If there is no fork server at all,
 * recovery_start_lazy says so. */
#ifndef BLACKOUT_RUN_LAZY_H
#define BLACKOUT_RUN_LAZY_H

#include "model/choices.h"
#include "protocol/lazy_block.h"
#include "run/recovery.h"

struct lazy_leaf {
	const struct choices *choices;
	/* The lines about which something was decided, in the sequence of the decisions.  `taken` has a flag for each
	 * unit, indexed by the unit's number.  In the decided lines the flags give what recovery saw.  In the undecided
	 * lines as few units are taken as the decisions allow, so the whole is a legal set. */
	const uint32_t *lines;
	size_t count;
	const uint8_t *taken;
	struct choices_bounds bounds; /* limits within which the other lines are still free */
	bool is_all, is_none;         /* does the leaf include the state with all units, and the one with none? */

	const char *refused;           /* why there is no outcome; NULL: there is one */
	const struct outcome *outcome; /* its `seconds` cover the whole path from the root of the tree */
};

struct lazy_end {
	uint64_t leaves; /* leaves that were reported, including refused ones */
	uint64_t refused;
	uint64_t traps; /* accesses to an undecided line, or to the page around one */
	/* Legal sets without a leaf, because of leaves_max or because a process of the tree was lost. 0: complete. */
	double left_out;
	bool deep;          /* some branches came after all others, because the tree is deep */
	const char *broken; /* a sentence if the run could not be started or went wrong; otherwise NULL */
};

struct lazy_options {
	const struct choices *choices;
	/* For each path of the origin: the file in `choices` that has this path now, or CHOICES_NONE. */
	const uint32_t *files;
	enum lazy_sequence sequence;
	uint64_t seed; /* for LAZY_SAMPLE */
	/* Stop after this many leaves; 0: no limit.  For LAZY_SAMPLE it is the number of samples; LAZY_LEAST and
	 * LAZY_MOST have one leaf. */
	uint64_t leaves_max;

	/* A store, too, decides the bytes that it covers.  Recovery never sees their old contents, but they show again
	 * if a second crash loses the store. */
	bool stores;

	/* Explore only the states that agree with these decisions: lines, and flags by unit number.  They must be legal
	 * together, and there must be a legal state that has them. */
	const uint32_t *given;
	size_t given_count;
	const uint8_t *given_taken;

	/* Split the tree into branches: after this many decisions with several contents, what follows is a branch.  0:
	 * do not.  Branches are numbered from 0, in the sequence of the tree.  `branch` is called where the leaves of a
	 * branch would come; it returns true if they are wanted.  They come after all other leaves: `begins` is called,
	 * and then `leaf` for each of them. */
	unsigned split;
	bool (*branch)(void *arg, void *ticket, uint64_t number);
	void (*begins)(void *arg, void *ticket, uint64_t number);

	/* Both are called from within recovery_idle and recovery_drain.  Their pointers are valid until they return.
	 * leaf returns false to end the run: no more leaves. */
	bool (*leaf)(void *arg, void *ticket, const struct lazy_leaf *leaf);
	void (*ended)(void *arg, void *ticket, const struct lazy_end *end);
	void *arg;
};

/* Start a run on this idle worker. -1, ERR_TARGET: there is no fork server; the caller must enumerate the states. */
int recovery_start_lazy(struct recovery *recovery, unsigned worker, void *ticket, const struct lazy_options *options,
			struct err *err);

#endif
