/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h - what a command line asks a compiler driver for, as far as blackout-cc must know it.
 *
 * Only the driver knows its options exactly, so little is asked here, and nothing is changed: files that begin with @
 * are read, but passed on as they are. */
#ifndef BLACKOUT_WRAPPER_COMMAND_H
#define BLACKOUT_WRAPPER_COMMAND_H

#include <stdbool.h>

/* What the next word is, if the last one was an option that takes it. */
enum command_next { NEXT_ANY, NEXT_VALUE, NEXT_LANGUAGE, NEXT_LINKER };

struct command {
	bool stops;        /* before linking: -c, -E, -M ... */
	bool stops_early;  /* before assembling: -S, -E, -M ... */
	bool has_input;    /* files, libraries, or words for the linker; without them the driver only answers */
	bool has_linkable; /* not only headers, which are precompiled */
	bool has_assembly; /* files of assembly, which are assembled as they are */
	bool relocatable;  /* the result is linked again */
	bool fully_static; /* -static */
	bool link_time;    /* optimization at link time */
	bool foreign;      /* for a processor or a mode that the recorder does not know: -m32 */
	bool own_steps;    /* of intermediate code or the assembler: -save-temps, -emit-llvm, -fintegrated-as */
	bool has_header;   /* a header, which is precompiled */
	bool only_files;   /* all words that follow are files: after -- */
	char refused[32];  /* a sanitizer that cannot be combined with the hooks, or "" */
	/* While reading; after that, `next` is not NEXT_ANY if the last option lacks its value. */
	enum command_next next;
	bool headers; /* the language of the files that follow is a header's: -x c-header */
};

void command_read(struct command *command, int count, char *const *words);

static inline bool command_links(const struct command *command)
{
	return command->has_linkable && !command->stops && !command->relocatable;
}

#endif
