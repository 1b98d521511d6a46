/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suppress_parse.h - suppressions in memory; private to suppress.c and suppress_parse.c.  The syntax is in
 * suppress.h. */
#ifndef BLACKOUT_FINDING_SUPPRESS_PARSE_H
#define BLACKOUT_FINDING_SUPPRESS_PARSE_H

#include "finding/suppress.h"

/* Patterns; NULL matches anything. */
struct suppress_frame {
	bool any; /* `...` */
	const char *fun, *file, *module;
};

struct suppress_entry {
	const char *kind;        /* pattern */
	const char *reason;      /* never NULL once parsed */
	const char *fingerprint; /* NULL: any */
	VEC_OF(struct suppress_frame) frames;
	unsigned line; /* where it starts */
	bool used;
};

struct suppress {
	const char *name; /* of the file */
	VEC_OF(struct suppress_entry) entries;
	struct arena texts;
};

#endif
