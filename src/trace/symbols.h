/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols.h - maps an instruction in a recording to the function, file and line it was compiled from.
 *
 *     struct symbols *symbols = symbols_open(NULL);
 *     const struct symbols_frame *const *frames;
 *     size_t count = symbols_stack(symbols, trace, ev.context, &frames);
 *     for (size_t i = 0; i < count; i++) ...                      // innermost first, inlined functions included
 *     symbols_close(symbols);
 *
 * A recording contains only (module, offset in its file); everything else is looked up here, after the run.  Sources,
 * the first that has an answer wins:
 *   1. the module's DWARF, in the module itself or in a separate file found by build id or debug link (and its dwz
 *      supplement);
 *   2. its ELF symbol tables (.symtab, .dynsym, .gnu_debugdata): the function without a source line;
 *   3. nothing: module and offset.
 * The network is never used (debuginfod stays off, even if the environment enables it).  If a module's file is not the
 * one that was recorded, answer 3 is given, because anything more would be wrong; symbols_module_state tells why.
 *
 * Every answer is cached, so asking again is cheap.  Not for use by several threads at once. */
#ifndef BLACKOUT_TRACE_SYMBOLS_H
#define BLACKOUT_TRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* The kinds of data that a caller can pass through the parameters of a function. */
enum symbols_given {
	GIVEN_UNKNOWN, /* no debug info, or debug info without types */
	GIVEN_NOTHING, /* no parameter can hold an address */
	GIVEN_MAYBE,   /* an object, a string, or a number that may be an address */
	GIVEN_ADDRESS, /* certainly an address: void *, a pointer to a number, a template parameter */
};

/* One function of a stack.  All strings live until symbols_close. */
struct symbols_frame {
	const char *function; /* C++ and Rust with scopes, without parameters; NULL if unknown */
	const char *file;     /* base name of path; NULL if unknown */
	const char *path;     /* as the compiler saw it, absolute if the debug info allows; NULL if unknown */
	const char *module;   /* base name of the program or library; "[no file]" for generated code */
	uint64_t offset;      /* file offset of the instruction; for a caller, of the instruction after the call */
	uint64_t into; /* bytes from the start of the function, or of its cold part, to the offset; 0 if inlined */
	/* The same for all copies of one function: inlined, in several units, instances of a template. 0 without debug
	 * info. */
	uint64_t identity;
	enum symbols_given given;
	uint32_t line; /* 0 if unknown */
	bool inlined;  /* inlined into the next frame of the array */
	bool returns;  /* the function returns a value */
};

enum symbols_state {
	SYMBOLS_LINES,   /* debug info: functions and lines */
	SYMBOLS_NAMES,   /* only an ELF symbol table */
	SYMBOLS_NOTHING, /* neither, or not an ELF file, or code outside any file */
	SYMBOLS_CHANGED, /* size or mtime of the file differ from the recorded ones */
	SYMBOLS_MISSING, /* the file cannot be read */
};

struct symbols;
struct debuginfo;

/* `debug_path` is where to look for separate debug info, in libdwfl's syntax.  NULL: beside the module, in .debug
 * there, and under /usr/lib/debug.  Never fails: missing debug info only makes the answers less detailed. */
struct symbols *symbols_open(const char *debug_path);
void symbols_close(struct symbols *symbols);

/* Return the frames at `offset` in the module's file, innermost first; at least one.  `caller`: the offset is a return
 * address, so look up the instruction before it.  *frames is valid until symbols_close. */
size_t symbols_lookup(struct symbols *symbols, const struct trace_module *module, uint64_t offset, bool caller,
		      const struct symbols_frame **frames);

/* Return the whole stack of a context, innermost first; 0 frames for context 0.  The array (not the frames) is valid
 * until the next call. */
size_t symbols_stack(struct symbols *symbols, const struct trace *trace, uint32_t context,
		     const struct symbols_frame *const **frames);

/* Return the innermost frame of a context, or NULL for context 0. */
const struct symbols_frame *symbols_innermost(struct symbols *symbols, const struct trace *trace, uint32_t context);

/* How much is known about a module, and a message for the user if something went wrong (NULL for LINES, NAMES and
 * NOTHING). */
enum symbols_state symbols_module_state(struct symbols *symbols, const struct trace_module *module);
const char *symbols_state_text(enum symbols_state state);

/* Iterate over the files used so far that changed or cannot be read: set *at to 0, then call until it returns NULL.
 * Returns a path. */
const char *symbols_problem(const struct symbols *symbols, size_t *at, enum symbols_state *state);

/* The debug info of a module, for src/variable; NULL if the file has none, or is not the one that was recorded. */
struct debuginfo *symbols_debuginfo(struct symbols *symbols, const struct trace_module *module);

/* The name of a function without template arguments, `pm::persist` for `pm::persist<Node>`; truncated to `size`. */
void symbols_stem(char *text, size_t size, const char *function);

/* Format a frame for reports and dumps: "function file.c:12", "function+0x1f module" or "module+0x1234"; truncated to
 * `size`. */
void symbols_frame_text(const struct symbols_frame *frame, char *text, size_t size);

#endif
