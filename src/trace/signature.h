/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signature.h - debug info about a function as a whole: its identity, and what its caller can pass to it.
 *
 * This is the part of debuginfo.h that reads declarations; no other module includes it. */
#ifndef BLACKOUT_TRACE_SIGNATURE_H
#define BLACKOUT_TRACE_SIGNATURE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/symbols.h"

struct signature {
	uint64_t identity;
	enum symbols_given given;
	bool returns;
};

/* The signature of the function for a subprogram or inlined call.  `typed`: the debug info of its unit includes
 * types. */
struct signature signature_of_die(const Dwarf_Die *die, bool typed);

#endif
