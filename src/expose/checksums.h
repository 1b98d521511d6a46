/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checksums.h - is recovery inside one of the functions of --checksum?
 *
 * Names are matched as for --fold: scopes and template arguments may be left out.  Inlined functions count, and so do the
 * functions that a checksum function calls.
 *
 * Some loads are outside of these functions, but their values are only compared there.  Recordings with dependencies show
 * it if something in PM is decided by the comparison; that depends on the crash state.  So it is collected here, over all
 * recordings: a load is compared if one of them shows it, and none shows that its value has another use. */
#ifndef BLACKOUT_EXPOSE_CHECKSUMS_H
#define BLACKOUT_EXPOSE_CHECKSUMS_H

#include "trace/code_stack.h"

struct checksums;

/* `names` must outlive it. */
struct checksums *checksums_new(const char *const *names, size_t count, const struct code_stacks *stacks);
void checksums_free(struct checksums *checksums);

/* Is one of the functions on this stack? */
bool checksums_cover(struct checksums *checksums, uint32_t stack);

/* What a recording shows of loads by this code. */
void checksums_compared(struct checksums *checksums, uint32_t stack);
void checksums_used(struct checksums *checksums, uint32_t stack);

/* Are the values that this code loads only compared in one of the functions? */
bool checksums_only_compared(const struct checksums *checksums, uint32_t stack);

/* The index-th name that was on no stack so far; NULL after the last. */
const char *checksums_unmet(const struct checksums *checksums, size_t index);

#endif
