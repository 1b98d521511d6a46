/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo.h - look up instructions in one ELF file and its debug info.
 *
 * This is the back end of symbols.h, and of src/variable, which also reads the code (debuginfo_code.h). */
#ifndef BLACKOUT_TRACE_DEBUGINFO_H
#define BLACKOUT_TRACE_DEBUGINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/signature.h"

struct debuginfo_frame {
	const char *function, *path; /* or NULL; valid until debuginfo_close */
	uint64_t into;
	uint32_t line;
	uint32_t column; /* from 1; 0: unknown */
	bool inlined;
	struct signature signature; /* all 0 without debug info */
};

/* Most frames of one result.  Further frames are left out, outermost first.  No compiler inlines that deep, but damaged
 * debug info might claim so. */
#define DEBUGINFO_FRAMES_MAX 64

struct debuginfo;

/* NULL if `path` is not a readable ELF file.  For `debug_path` see symbols_open. */
struct debuginfo *debuginfo_open(const char *path, const char *debug_path);
void debuginfo_close(struct debuginfo *info);

/* Fill up to DEBUGINFO_FRAMES_MAX frames for the instruction that contains the byte at `offset` of the file.  Return 0
 * if nothing is known. */
size_t debuginfo_lookup(struct debuginfo *info, uint64_t offset, struct debuginfo_frame *frames);

bool debuginfo_has_lines(const struct debuginfo *info);
bool debuginfo_has_names(const struct debuginfo *info);

#endif
