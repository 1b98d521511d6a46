/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flight.h - an exploration of a root that recovery itself decides (try_lazily.c), and how shards share and keep it
 * (flight.c).
 *
 * A flight belongs to the shard of its root, which keeps a log of its leaves (flights.h).  A merge, and a shard that is
 * resumed, finds the log and does as if the flight took place.
 *
 * If recovery may tell many states of a root apart, all shards share its tree.  Each of them walks its first levels
 * (lazy_options.split).  What follows is branches, which the shards take in turn.  If the first path ends before there is
 * a branch, the tree is likely to be small: only the shard of the root goes on, and it takes all.  A tree that might have
 * more leaves than are wanted is not split, because only the whole tree shows which of them are the first. */
#ifndef BLACKOUT_EXPLORE_FLIGHT_H
#define BLACKOUT_EXPLORE_FLIGHT_H

#include "explore/explore_in.h"
#include "explore/flights.h"

enum {
	TIMEOUTS_MAX = 3, /* time-outs of a root: recovery that hangs usually hangs again */
	REFUSALS_MAX = 8,
};

/* An exploration that runs on a worker. */
struct flight {
	struct explore *explore;
	size_t root;
	struct moment *moment;
	uint8_t *decided; /* by line, for one leaf */
	uint64_t leaves, refusals, timeouts;
	enum flight_aim {
		FLIGHT_TREE,
		FLIGHT_SAMPLE, /* of a root already explored as a tree: `left_out` does not change */
		FLIGHT_NEST,   /* the same, and states are kept for a second crash */
		FLIGHT_GLANCE,
	} aim;
	/* For other shards, and for --resume: */
	struct digest key;
	struct flight_log log; /* of the tree, or of the present branch */
	struct digest log_key;
	bool cut; /* it ended early, so the log is not kept */
	/* If shards share the tree: */
	unsigned split;                                     /* see struct lazy_options; 0: they do not */
	enum { SIZE_UNKNOWN, SIZE_SMALL, SIZE_LARGE } size; /* of the tree */
};

static inline struct root *flight_root(const struct flight *flight)
{
	return &flight->explore->explored->roots.at[flight->root];
}

/* Note a leaf whose verdict is known, or which has none. */
void leaf_note(struct flight *flight, const struct flight_leaf *leaf, struct verdict verdict);
void leaf_refuse(struct flight *flight, const char *why);

/* Add a leaf to the log, if there is to be one. */
void leaf_log(struct flight *flight, struct flight_leaf leaf, bool has_sets);
void flight_log_end(const struct flight *flight, const struct flight_end *end);

/* After how many decisions is the tree split?  0: it is not. */
unsigned flight_split(const struct flight *flight, const struct lazy_options *options);
/* A leaf or a branch has come.  False: this shard does not want any. */
bool flight_goes_on(struct flight *flight, bool is_branch);
/* For struct lazy_options. */
bool flight_branch(void *arg, void *ticket, uint64_t number);
void flight_begins(void *arg, void *ticket, uint64_t number);
/* The state of the root, in a shard that has explored its share. */
enum root_state flight_split_state(const struct flight *flight, const struct flight_end *end);

/* Do as if the flight took place, if it is known.  1: done.  0: it is not known.  TESTER_STOPPED, -1. */
int flight_recall(struct flight *flight, const struct lazy_options *options, struct flight_end *end, struct err *err);

/* If the flight is not known: is that because a part is missing? */
bool flight_is_missing(const struct flight *flight);

#endif
