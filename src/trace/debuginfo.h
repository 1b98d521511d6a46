/* SPDX-License-Identifier: GPL-2.0-or-later */
/* debuginfo.h - what one ELF file, with its debug info, says of an instruction in it.
 *
 * The working half of symbols.h, which see; nobody else includes this. */
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
	bool inlined;
	struct signature signature; /* all 0 without debug info */
};

/* Frames of one answer beyond this are left out, outermost first: no compiler inlines that deep, but damaged debug info
 * might. */
#define DEBUGINFO_FRAMES_MAX 64

struct debuginfo;

/* NULL if `path` is not a readable ELF file.  `debug_path` as for symbols_open. */
struct debuginfo *debuginfo_open(const char *path, const char *debug_path);
void debuginfo_close(struct debuginfo *info);

/* Fill up to DEBUGINFO_FRAMES_MAX frames for the instruction that holds the byte at `offset` of the file; 0 if nothing
 * is known. */
size_t debuginfo_lookup(struct debuginfo *info, uint64_t offset, struct debuginfo_frame *frames);

bool debuginfo_has_lines(const struct debuginfo *info);
bool debuginfo_has_names(const struct debuginfo *info);

#endif
