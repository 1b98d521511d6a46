/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own.h - decides whose code a frame is.  Users want to see their own line, not the line of a library that flushed for
 * them.
 *
 * These frames are folded: the C and C++ runtime and PM libraries (trace/library.c has the list, with the reason for
 * each), code that is in no file, headers of compilers and of the system, and everything that Blackout itself loads
 * into the target.  A pattern of --own that matches a frame's module (base name or path) or source path makes the frame
 * the user's own.  A pattern of --fold that matches these, or the function, folds it.  User functions that flush for
 * their callers are folded too, based on the recording: helpers.h. */
#ifndef BLACKOUT_FINDING_OWN_H
#define BLACKOUT_FINDING_OWN_H

#include "finding/finding.h"
#include "trace/symbols.h"

/* True if the frame is the user's.  `module_path` may be NULL if only the base name is known. */
bool own_frame(const struct finding_frame *frame, const char *module_path, const struct findings_options *options);
/* The same, of a frame that is not part of a finding. */
bool own_code(const struct symbols_frame *frame, const char *module_path, const struct findings_options *options);

/* True if the pattern of --fold or --no-fold matches the function.  Template arguments and enclosing scopes may be
 * left out: `persist` matches `pm::persist<Node>`.  NULL matches nothing. */
bool own_matches_function(const char *pattern, const char *function);

/* True if the pattern of --fold matches the function, module or source of the frame. */
bool own_matches_frame(const char *pattern, const struct finding_frame *frame, const char *module_path);

/* Index of the frame that is the location: the innermost of the user's own, or the outermost if there is none.
 * `own` must be set. */
size_t own_location(const struct finding_stack *stack);

/* If a library acted for its own purposes at the innermost frame, the index of that library's innermost frame.
 * Otherwise the count: the user's code acted, or a library on the user's behalf, or no user code is on the stack. */
size_t own_library(const struct finding_stack *stack);

/* True if the user asked for what happened at the innermost frame.  False if a library did it for its own purposes,
 * as an allocator or a transaction does: then there is no call that the user could change. */
bool own_request(const struct finding_stack *stack);

/* True for a library function that creates a pool.  False for NULL. */
bool own_creates(const char *function);

#endif
