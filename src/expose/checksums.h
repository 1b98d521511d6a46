/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checksums.h - is recovery inside one of the functions of --checksum?
 *
 * Names are matched as for --fold: scopes and template arguments may be left out.  Inlined functions count, and so do the
 * functions that a checksum function calls. */
#ifndef BLACKOUT_EXPOSE_CHECKSUMS_H
#define BLACKOUT_EXPOSE_CHECKSUMS_H

#include "trace/code_stack.h"

struct checksums;

/* `names` must outlive it. */
struct checksums *checksums_new(const char *const *names, size_t count, const struct code_stacks *stacks);
void checksums_free(struct checksums *checksums);

/* Is one of the functions on this stack? */
bool checksums_cover(struct checksums *checksums, uint32_t stack);

/* The index-th name that was on no stack so far; NULL after the last. */
const char *checksums_unmet(const struct checksums *checksums, size_t index);

#endif
