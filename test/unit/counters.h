/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters.h - a campaign with operations on a small recording (engine.h), for the tests of the oracle that compares
 * outputs.
 *
 *     struct subject s;
 *     subject_start(&s, dir, "[0 a <a | ]0 [1 ]1 $", "s a\ng a\n");        // the program, and its operations
 *     subject_run(&s, ENGINE_INJECT);
 *     mismatches(&s)
 *     subject_free(&s);
 *
 * The program is a store of counters, one in each line.  Its operations are lines of text, and recovery performs those
 * that are left:
 *
 *     s a     a goes up by one, and is printed
 *     p ab    both go up, and are printed
 *     e ab    a goes up by one if b is even, and is printed
 *     g a     a is printed */
#ifndef BLACKOUT_TEST_COUNTERS_H
#define BLACKOUT_TEST_COUNTERS_H

#include "engine.h"
#include "equivalence/equivalence.h"

enum { LINES = 3, TEXT = 4096 };

/* A store in memory: the values of lines a, b and c. */
struct store {
	uint64_t at[LINES];
};

struct store pool_store(const uint8_t *pool);

/* Perform operations, and append what they print. */
void store_perform(struct store *store, const char *operations, char *text);

struct subject {
	struct engine engine;
	char folder[500], list_path[500], probe_path[500];
	struct oplist *list, *probe;
	struct output_rules *rules;
	struct equivalence_options options;
	struct equivalence *equivalence;
	const struct oracle *oracles[2];
	/* Judges in place of the oracle; NULL: it does.  Set it before subject_run. */
	bool (*accepts)(void *state, const struct outcome *outcome, const struct crash_context *crash,
			struct ending *how);
	struct oracle replaced;
	/* what is odd about this recovery */
	const char *banner;  /* printed first */
	bool prints_clock;   /* the first line is another one each time */
	uint64_t fails_at;   /* recovery fails if a has this value; 0: never */
	uint64_t endless_at; /* it performs operations without end if a has this value; 0: never */
	unsigned odd_run;    /* only in this run the first line is another one; 0: in none */
	unsigned runs;
	char text[TEXT];
};

/* In a directory of its own, in `dir`. */
void subject_start(struct subject *subject, const char *dir, const char *program, const char *operations);
void subject_probe(struct subject *subject, const char *probe);
void subject_run(struct subject *subject, enum engine_strategies which);
void subject_free(struct subject *subject);

/* How many results there are, all of them mismatches. */
size_t mismatches(const struct subject *subject);

/* This text as the output of a program. */
struct output *printed_by(const struct subject *subject, const char *text);

#endif
