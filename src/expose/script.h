/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script.h - what one recovery loaded from PM and stored to it, in sequence, without its recording.
 *
 *     struct script *script = script_new();
 *     struct script_writer w = {.script = script, .files = files, .stacks = stacks, .checksums = checksums};
 *     ... recovery_trace_start(..., &(struct recovery_consumer){SCRIPT_CONSUMER(&w)}, ...) ...
 *     script_writer_free(&w);
 *     script->ended = true;
 *     script_play(script, reader);
 *     script_drop(script);                                 // freed when all users have dropped it
 *
 * A load that the same code repeats on the same bytes says nothing new, and is left out; so is a store to bytes that
 * recovery has stored before.  Accesses to files that the
 * program did not have at the crash are left out, too. */
#ifndef BLACKOUT_EXPOSE_SCRIPT_H
#define BLACKOUT_EXPOSE_SCRIPT_H

#include "base/map.h"
#include "base/vec.h"
#include "crash/recovery_trace.h"
#include "expose/checksums.h"
#include "races/races.h"

struct script_step {
	uint64_t offset, size;
	uint32_t file;   /* of the program's recording */
	uint32_t stack;  /* of the code, in code_stacks */
	uint32_t thread; /* in the recording of recovery */
	uint8_t atomicity;
	bool stores;
	bool silent; /* in a checksum function */
};

struct script {
	VEC_OF(struct script_step) steps;
	bool ended; /* nothing more comes */
	bool cut;   /* there were more steps than fit */
	unsigned users;
};

/* The caller is its first user. */
struct script *script_new(void);
struct script *script_use(struct script *script);
void script_drop(struct script *script);

/* Tell the reader all of it.  The context of a load is its stack. */
void script_play(const struct script *script, struct race_reader *reader);

/* The number of loads in it. */
uint64_t script_loads(const struct script *script);

/* The files of the program at the crash: hash of the path -> file of its recording.  In place, recovery sees links to the
 * stage's files, and its recording has their paths; there the name alone tells, if it is unique (0: it is not). */
struct script_files {
	struct map by_path, by_name;
};

void script_files_add(struct script_files *files, const char *path, uint32_t file);

/* Writes the script of one recording.  Fill in the first four members and zero the rest. */
struct script_writer {
	struct script *script;
	struct script_files files;
	struct code_stacks *stacks;
	struct checksums *checksums;
	struct map steps;       /* hash of a step -> 1 + its index in script->steps */
	VEC_OF(uint8_t) labels; /* by label: what was computed from it outside of checksum functions is noted */
	VEC_OF(uint8_t) used;   /* by read: a PM access outside of checksum functions is computed from it */
	bool unknown;           /* the recorder did not keep all reads that something is computed from */
};

#define SCRIPT_CONSUMER(writer) .begin = script_begin, .event = script_event, .end = script_end, .arg = (writer)
void script_begin(void *writer, const struct trace *trace);
void script_event(void *writer, const struct trace *trace, const struct event *ev);
void script_end(void *writer, const struct trace *trace);
void script_writer_free(struct script_writer *writer);

#endif
