/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sites.h - the code that stores, loads or branches, numbered across recordings.
 *
 * A site is an instruction with its callers, up to the first frame that is not in a library (trace/library.h).  Frames
 * of libraries that act for their caller are left out: which instruction of memcpy stores depends on the length.  So
 * the stores of memcpy or of an allocator belong to different sites if different lines of the program call it, but a
 * function of the program is the same site for all its callers: that lets an invariant of one run of the code apply to
 * the next. */
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

const struct invariant_code *sites_code(const struct sites *sites, uint32_t site);

#endif
