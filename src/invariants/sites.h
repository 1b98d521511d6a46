/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sites.h - the code that stores, loads or branches, numbered across recordings.
 *
 * A site is an instruction with its callers, up to the first frame that is not in a library (trace/library.h), and that
 * frame's caller.  Frames of libraries that act for their caller are left out: which instruction of memcpy stores
 * depends on the length.  So the stores of memcpy or of an allocator belong to different sites if different lines of
 * the program call it, and so do the stores of a small function of the program, such as `set(word, value)`.
 *
 * Without the last caller, it is the general site: the same for all calls of a function. */
#ifndef BLACKOUT_INVARIANTS_SITES_H
#define BLACKOUT_INVARIANTS_SITES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/vec.h"
#include "invariants/invariants.h"

struct sites {
	struct map numbers;           /* hash of the frames -> site */
	struct slab codes;            /* struct invariant_code, by site - 1 */
	VEC_OF(uint32_t) generals;    /* by site - 1: its general site */
	struct map module_numbers;    /* identity of a module -> 1 + index in modules */
	struct slab modules;          /* struct trace_module: copies that outlive their recording */
	struct arena paths;           /* of these */
	const struct trace *trace;    /* the current recording, */
	unsigned recording;           /* its number, */
	VEC_OF(uint32_t) by_context;  /* its contexts -> sites; 0: not looked up yet */
	VEC_OF(uint8_t) module_kinds; /* its modules -> 1 + enum library_kind; 0: not looked up yet */
};

void sites_init(struct sites *sites);
void sites_free(struct sites *sites);

void sites_begin(struct sites *sites, const struct trace *trace, unsigned recording);

/* The site of a context of the current recording; 0 for context 0. */
uint32_t sites_of(struct sites *sites, uint32_t context);

/* The general site of a site; 0 for 0. */
uint32_t sites_general(const struct sites *sites, uint32_t site);

const struct invariant_code *sites_code(const struct sites *sites, uint32_t site);

#endif
