/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flights.h - what the explorations of roots found (try_lazily.c), kept in a file, for the merge of shards
 * (crash/shard.h) and for a shard that is resumed.
 *
 *     flights_open(&flights, "PART/crash.flights", &options, &err);
 *     record = flights_find(flights, key);                         // NULL: this flight is not known
 *     ...
 *     flight_log_leaf(&log, &leaf, units, lines);                  // for each leaf, in sequence
 *     flights_put(flights, key, &log, &end);
 *     flights_close(flights);
 *
 * The verdicts are in the journal (outcomes.h).  Here is what they belong to: the names of the leaves, in sequence, and
 * the sets of those that fail.  The file is binary, in the byte order of the machine:
 *
 *     blackout-flights 1 0123456789abcdef\n     a hash of the options that matter, as in the journal
 *     struct flights_head                       for each flight, followed by `bytes` bytes: the leaves
 *
 * The leaves of a branch of a tree that is split are a flight of its own, with a key of its own (flight_branch_key).  Where
 * they would come is a byte, FLIGHT_BRANCH.
 *
 * A leaf is a byte (enum flight_leaf_flag); the name; then, if FLIGHT_HAS_SETS, the flags of all units and of all lines as
 * bits.  A refused leaf is that byte and a text with a zero at its end.  A record that was cut off, or is damaged, ends
 * the file. */
#ifndef BLACKOUT_EXPLORE_FLIGHTS_H
#define BLACKOUT_EXPLORE_FLIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "crash/shard.h"
#include "image/digest.h"

#define FLIGHTS_FILE "crash.flights" /* in the directory of a campaign's results */

enum flight_leaf_flag {
	FLIGHT_REFUSED = 1,
	FLIGHT_IS_ALL = 2, /* see struct lazy_leaf */
	FLIGHT_IS_NONE = 4,
	FLIGHT_HAS_SETS = 8,
	FLIGHT_BRANCH = 16, /* no leaf */
};

struct flight_leaf {
	struct digest name;
	const uint8_t *taken, *decided; /* by unit, and by line; NULL: not kept */
	const char *refused;            /* why it has no verdict; NULL: it has one */
	bool is_all, is_none;
	bool is_branch; /* the leaves of a branch come here */
};

struct flight_log {
	VEC_OF(uint8_t) bytes;
	uint64_t leaves;
};

void flight_log_leaf(struct flight_log *log, const struct flight_leaf *leaf, size_t units, size_t lines);
void flight_log_free(struct flight_log *log);

/* How a flight ended; see struct lazy_end. */
struct flight_end {
	uint64_t traps;
	double left_out;
	bool broken;
};

struct flights_head {
	struct digest key;
	uint64_t check; /* a hash of all that follows */
	uint64_t bytes, leaves;
	struct flight_end end;
};

/* A flight that is known.  It belongs to the flights. */
struct flight_record {
	const struct flights_head *head;
	const uint8_t *bytes;
};

/* The next leaf from *at on, which starts at 0.  `taken` and `decided` have room for the flags of all units and lines.
 * False: there are no more, or the record does not fit the numbers of units and lines. */
bool flight_record_next(const struct flight_record *record, size_t *at, size_t units, size_t lines, uint8_t *taken,
			uint8_t *decided, struct flight_leaf *leaf);

struct flights;

struct flights_options {
	uint64_t depends;                /* a hash of all options that matter */
	bool resume;                     /* keep the flights in the file if its options are the same */
	const struct shard_parts *parts; /* read those of the parts instead; NULL: of this shard alone */
};

/* `dir` is the directory of the campaign's results; nothing is written for parts.  A file of other options is not
 * read. */
int flights_open(struct flights **flights, const char *dir, const struct flights_options *options, struct err *err);
void flights_close(struct flights *flights);

bool flights_find(const struct flights *flights, struct digest key, struct flight_record *record);

/* Add a flight.  If it cannot be written, it is lost, and is done again later. */
void flights_put(struct flights *flights, struct digest key, const struct flight_log *log,
		 const struct flight_end *end);

/* Read the bytes of a file; returns how many are sound.  For tests. */
size_t flights_read(struct flights *flights, const uint8_t *bytes, size_t size, uint64_t depends);
struct flights *flights_new(void);

#endif
