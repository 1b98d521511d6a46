/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - from an instruction in a recording to the function, file and line it was compiled from.
 *
 *     struct symbols *symbols = symbols_open(NULL);
 *     const struct symbols_frame *const *frames;
 *     size_t count = symbols_stack(symbols, trace, ev.context, &frames);
 *     for (size_t i = 0; i < count; i++) ...                      // innermost first, inlined functions included
 *     symbols_close(symbols);
 *
 * Nothing is recorded but (module, offset in its file); all else is looked up here, after the run.  Sources, in this
 * order:
 *   1. the module's DWARF, in the module itself or in a separate file found by build id or debug link (and its dwz
 *      supplement);
 *   2. its ELF symbol tables (.symtab, .dynsym, .gnu_debugdata): the function without a source line;
 *   3. nothing: module and offset.
 * The network is never asked (debuginfod stays off, whatever the environment says).  A module whose file is not the one
 * that was recorded gets answer 3, because anything more would be wrong; symbols_module_state tells why.
 *
 * Every answer is kept, so asking again is cheap.  Not for use by several threads at once. */
#ifndef BLACKOUT_TRACE_SYMBOLS_H
#define BLACKOUT_TRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* What the caller of a function can name by its parameters. */
enum symbols_given {
	GIVEN_UNKNOWN, /* there is no debug info, or it has no types */
	GIVEN_NOTHING, /* none can hold an address */
	GIVEN_MAYBE,   /* an object, a text, a number that may be an address */
	GIVEN_ADDRESS, /* an address and nothing else: void *, a pointer to a number, whatever a template is given */
};

/* One function of a stack.  All strings live until symbols_close. */
struct symbols_frame {
	const char *function; /* C++ and Rust with their scopes, without parameters; NULL if unknown */
	const char *file;     /* base name of path; NULL if unknown */
	const char *path;     /* as the compiler saw it, absolute where the debug info allows; NULL if unknown */
	const char *module;   /* base name of the program or library; "[no file]" for generated code */
	uint64_t offset;      /* in the module's file, of the instruction; for a caller, of what follows the call */
	uint64_t into;     /* bytes from the start of the function, or of its cold part, to there; 0 for inlined ones */
	uint64_t identity; /* equal in all copies of one function: inlined, in several units, instances of a template.
			    * 0 without debug info */
	enum symbols_given given;
	uint32_t line; /* 0 if unknown */
	bool inlined;  /* into the next frame of the array */
	bool returns;  /* it has a result */
};

enum symbols_state {
	SYMBOLS_LINES,   /* debug info: functions and lines */
	SYMBOLS_NAMES,   /* only an ELF symbol table */
	SYMBOLS_NOTHING, /* neither, or not an ELF file, or code that is in no file */
	SYMBOLS_CHANGED, /* size or time of the file differ from the recorded ones */
	SYMBOLS_MISSING, /* the file cannot be read */
};

struct symbols;

/* `debug_path` is where separate debug info is looked for, in libdwfl's syntax; NULL: beside the module, in .debug
 * there, and under /usr/lib/debug.  Never fails: what cannot be found only makes answers poorer. */
struct symbols *symbols_open(const char *debug_path);
void symbols_close(struct symbols *symbols);

/* The frames at `offset` in the module's file, innermost first; at least one.  `caller`: the offset is a return
 * address, so the instruction before it counts.  *frames lives until symbols_close. */
size_t symbols_lookup(struct symbols *symbols, const struct trace_module *module, uint64_t offset, bool caller,
		      const struct symbols_frame **frames);

/* The whole stack of a context, innermost first; 0 frames for context 0.  The array (not what it points to) is valid
 * until the next call. */
size_t symbols_stack(struct symbols *symbols, const struct trace *trace, uint32_t context,
		     const struct symbols_frame *const **frames);

/* The innermost frame of a context, or NULL for context 0. */
const struct symbols_frame *symbols_innermost(struct symbols *symbols, const struct trace *trace, uint32_t context);

/* How much is known of a module, and a sentence for the user where something went wrong (NULL for LINES, NAMES and
 * NOTHING). */
enum symbols_state symbols_module_state(struct symbols *symbols, const struct trace_module *module);
const char *symbols_state_text(enum symbols_state state);

/* Files among those asked for so far that changed or cannot be read: set *at to 0, then call until it returns NULL; it
 * returns a path. */
const char *symbols_problem(const struct symbols *symbols, size_t *at, enum symbols_state *state);

/* The name of a function without the arguments of templates, `pm::persist` for `pm::persist<Node>`; truncated to
 * `size`. */
void symbols_stem(char *text, size_t size, const char *function);

/* "function file.c:12", "function+0x1f module" or "module+0x1234": what reports and dumps print.  Truncated to
 * `size`. */
void symbols_frame_text(const struct symbols_frame *frame, char *text, size_t size);

#endif
