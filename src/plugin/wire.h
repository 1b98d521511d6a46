/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - what the process of a plug-in tells Blackout, in memory that both share.
 *
 *     struct wire *wire = wire_new();                        // before the fork
 *     wire_put(wire, WIRE_REPORT, &report, sizeof(report), texts, 2);                // in the plug-in's process
 *     struct wire_copy copy = wire_take(wire);               // when that has ended
 *     while (wire_next(&copy, &record)) ...
 *
 * The memory is a log of records.  It has no descriptor that the plug-in could close, nothing waits for it, and what was
 * written before a crash is there after it.
 *
 * The plug-in shares the address space of the process that writes, so Blackout trusts nothing of what it reads here.  It
 * copies the log before it looks at it, and everything below that reads is safe on any bytes. */
#ifndef BLACKOUT_PLUGIN_WIRE_H
#define BLACKOUT_PLUGIN_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "blackout/oracle.h"

enum { WIRE_BYTES = 8 << 20, WIRE_TEXT_MAX = 1000, WIRE_HELP_MAX = 64 << 10 };

/* The callbacks of a plug-in, as notes name them.  NONE: Blackout's own code is running. */
#define WIRE_CALLBACKS(X)                               \
	X(NONE, "")                                     \
	X(LOADING, "while it was loaded")               \
	X(ENTRY, "in blackout_oracle()")                \
	X(BEGIN, "in its callback `begin`")             \
	X(STORE, "in its callback `store`")             \
	X(LOAD, "in its callback `load`")               \
	X(FLUSH, "in its callback `flush`")             \
	X(FENCE, "in its callback `fence`")             \
	X(SYNC, "in its callback `sync`")               \
	X(CALL, "in its callback `call`")               \
	X(OPERATION, "in its callback `operation`")     \
	X(MAP, "in its callback `map`")                 \
	X(TRANSACTION, "in its callback `transaction`") \
	X(END, "in its callback `end`")

enum wire_callback {
#define X(name, text) WIRE_IN_##name,
	WIRE_CALLBACKS(X)
#undef X
		WIRE_CALLBACK_COUNT
};

/* In words; safe for any number. */
const char *wire_callback_text(uint32_t callback);

struct wire {
	/* What the plug-in is doing now.  If both stay the same for long, it hangs. */
	_Atomic uint32_t callback; /* enum wire_callback */
	_Atomic uint64_t event;    /* number of the event that it was called for; 0: none */

	_Atomic uint32_t done;      /* all events were delivered, and `end` has returned */
	_Atomic uint32_t no_memory; /* it ended because memory ran out */
	_Atomic uint64_t dropped;   /* reports for which there was no room */
	_Atomic uint64_t used;      /* bytes of the log */
	_Alignas(8) uint8_t log[WIRE_BYTES];
};

/* Say what the plug-in does from now on.  This is done for every event, so it orders nothing. */
static inline void wire_at(struct wire *wire, enum wire_callback callback)
{
	atomic_store_explicit(&wire->callback, callback, memory_order_relaxed);
}

/* Memory that this process shares with its later children.  NULL: there is none. */
struct wire *wire_new(void);
void wire_free(struct wire *wire);

enum wire_type {
	WIRE_DESCRIPTION, /* struct wire_description, name */
	WIRE_KIND,        /* struct wire_kind, name, title, group, help ("": none) */
	WIRE_CALL,        /* pattern */
	WIRE_REPORT,      /* struct wire_report, message, fix ("": none) */
	WIRE_REFUSED,     /* why the plug-in cannot be used: a sentence */
	WIRE_TYPE_COUNT
};

struct wire_description {
	uint32_t layers; /* BO_LAYER_* */
	uint32_t unused;
};

struct wire_kind {
	uint32_t severity;
	uint32_t unused;
};

/* All reports of one kind, place and related places. */
struct wire_report {
	uint64_t count;
	uint64_t event, offset, size; /* of the first one */
	uint32_t kind, place, file, related_count;
	struct {
		uint32_t role, place;
	} related[BLACKOUT_RELATED_MAX];
};

/* Append a record; return its fixed part, or NULL if there is no room.  Texts are cut to their maximum. */
void *wire_put(struct wire *wire, enum wire_type type, const void *fixed, size_t size, const char *const *texts,
	       size_t text_count);

/* A copy of a log that cannot change any more. */
struct wire_copy {
	const uint8_t *bytes;
	size_t size, at;
};

struct wire_copy wire_take(const struct wire *wire); /* free .bytes */

struct wire_record {
	enum wire_type type;
	const uint8_t *bytes;
	size_t size;
};

/* False: there is no more, or what follows is no record. */
bool wire_next(struct wire_copy *copy, struct wire_record *record);

/* Take the fixed part off the record, then one text after the other.  False: the record is too short.  A text is kept in
 * the arena, cut to WIRE_TEXT_MAX or WIRE_HELP_MAX bytes.  It is valid UTF-8 without control characters; only a `help`
 * may have several lines. */
bool wire_fixed(struct wire_record *record, void *fixed, size_t size);
bool wire_text(struct wire_record *record, struct arena *arena, const char **text);
bool wire_help(struct wire_record *record, struct arena *arena, const char **text);

#endif
