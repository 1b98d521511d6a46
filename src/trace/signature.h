/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signature.h - what debug info says of a function as a whole: which one it is, and what its caller can hand it.
 *
 * The part of debuginfo.h that reads declarations; nobody else includes this. */
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

/* Of the function that a subprogram or inlined call is.  `typed`: its unit tells of types. */
struct signature signature_of_die(const Dwarf_Die *die, bool typed);

#endif
