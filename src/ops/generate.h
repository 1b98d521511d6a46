/* SPDX-License-Identifier: GPL-2.0-or-later */
/* generate.h - make operations from a grammar, one after the other.
 *
 *     struct generator *generator = generator_new(grammar, &(struct generator_options){.seed = 1, .keys = 100});
 *     puts(generator_next(generator));                      // "put 17 1337"
 *
 * The same grammar and options give the same operations on every machine, and a shorter list is the beginning of a
 * longer one.  Keys are numbers (keys.h).  Values are numbers, too, and all different, so that an old value is never
 * mistaken for a new one.
 *
 * While there is no old key, kinds with {oldkey} are not chosen; if there are no others, {oldkey} is a new key. */
#ifndef BLACKOUT_OPS_GENERATE_H
#define BLACKOUT_OPS_GENERATE_H

#include "ops/grammar.h"
#include "ops/keys.h"

struct generator_options {
	uint64_t seed;
	uint64_t keys; /* 1 to KEYS_MAX */
	enum keys_distribution distribution;
};

struct generator;

/* The grammar must stay until the generator is freed. */
struct generator *generator_new(const struct grammar *grammar, const struct generator_options *options);
void generator_free(struct generator *generator);

/* The next operation, without a newline; valid until the next call. */
const char *generator_next(struct generator *generator);

#endif
