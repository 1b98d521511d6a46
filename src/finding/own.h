/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.h - whose code is it?  The user wants to be told his own line, not that of the library that flushed for him.
 *
 * Folded are frames of the C and C++ runtime and of PM libraries (own.c has the list, with the reason for each), of
 * code that is in no file, of compilers' and system headers, and of what Blackout itself loads into the target.  A
 * pattern of --own that matches a frame's module (its base name or path) or source path makes it the user's own; one of
 * --fold that matches these, or its function, folds it.  Functions of the user's that flush for their callers are folded
 * besides, by what the recording shows of them: helpers.h. */
#ifndef BLACKOUT_FINDING_OWN_H
#define BLACKOUT_FINDING_OWN_H

#include "finding/finding.h"

/* Is the frame the user's?  `module_path` may be NULL where only the base name is known. */
bool own_frame(const struct finding_frame *frame, const char *module_path, const struct findings_options *options);

/* Does the pattern of --fold or --no-fold match the function?  The arguments of templates, and the scopes that it
 * stands in, need not be written: `persist` matches `pm::persist<Node>`.  NULL matches nothing. */
bool own_matches_function(const char *pattern, const char *function);

/* Does the pattern of --fold match the frame: its function, module or source? */
bool own_matches_frame(const char *pattern, const struct finding_frame *frame, const char *module_path);

/* Index of the frame that is the location: the innermost of the user's own, else the outermost; `own` must be set. */
size_t own_location(const struct finding_stack *stack);

/* Index of the innermost frame of a library that did what happened at the innermost frame, for purposes of its own; the
 * count if it was the user's code, a library on his behalf, or if none of his code called it. */
size_t own_library(const struct finding_stack *stack);

/* Did the user ask for what happened at the innermost frame?  Not if a library did it for its own purposes, as an
 * allocator or a transaction does: then there is no call of his to change. */
bool own_wish(const struct finding_stack *stack);

/* Is it the function of a library that creates a pool?  NULL is not. */
bool own_creates(const char *function);

#endif
