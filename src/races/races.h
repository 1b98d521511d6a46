/* SPDX-License-Identifier: GPL-2.0-or-later */
/* races.h - which stores of a program may recovery see torn?
 *
 *     struct race_history *h = race_history_new(platform_find("adr"), NULL, NULL);
 *     while (trace_next(t, &ev, &err) > 0) {
 *             race_history_event(h, &ev, ++number);            // every event of the program, as `dump` counts them
 *             if (...)                                         // the power may fail here
 *                     look(h);
 *     }
 *
 *     // Recovery of a crash state of this moment: what it loads and stores, in sequence.
 *     struct race_reader *r = race_reader_new(h, report, arg);
 *     race_reader_lose(r, event, file, offset, size);          // for each unit that the state does not have
 *     race_reader_load(r, &(struct race_load){.file = 1, .offset = 64, .size = 8, .context = 7});
 *     race_reader_store(r, 1, 64, 8);
 *     race_reader_free(r);                                     // then the history may go on
 *
 * A plain store is at the mercy of the compiler, which may store it in parts or store something else there first.  If
 * recovery loads it, something must prove that the line was written back after the store was complete.  What is no
 * proof, although it happened before the crash: a flush without which the crash would have left the same bytes to
 * recovery.  So a flush counts only if it happened before a store that recovery has loaded already.  doc/RACES.md has
 * the rules.
 *
 * Every store is judged that a load could have read at this moment, in any legal crash state that agrees with what
 * recovery loaded before.  The store that it did read, in the state that recovery runs on, belongs to the proofs from
 * then on.
 *
 * Files are those of the program's trace.  The caller translates those of recovery's trace.  Several readers may use a
 * history at the same time; an event ends them all. */
#ifndef BLACKOUT_RACES_RACES_H
#define BLACKOUT_RACES_RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "trace/trace.h"

struct race_history;
struct race_reader;

/* If the code of `context` is a function that copies or fills memory on behalf of its caller (memcpy and similar), the
 * context of the call; otherwise 0.  Stores of one such call are one store of the source. */
typedef uint32_t race_caller(void *arg, uint32_t context);

/* Follow a program from its start.  `caller` may be NULL. */
struct race_history *race_history_new(const struct platform *platform, race_caller *caller, void *arg);
void race_history_free(struct race_history *history);

/* Apply the next event of the trace.  `number` rises from event to event. */
void race_history_event(struct race_history *history, const struct event *ev, uint64_t number);

/* A load of recovery. */
struct race_load {
	uint64_t offset, size;
	uint32_t file;
	uint32_t thread, context; /* in the recording of recovery; passed through */
	uint8_t atomicity;        /* enum bo_atomicity; passed through: an atomic load of a plain store races too */
	bool silent;              /* in a checksum function: does not race, and proves nothing */
};

/* Why nothing protects the store.  The first that applies. */
enum race_reason {
	RACE_UNPROVED,  /* written back in time, but nothing that recovery loaded before proves it */
	RACE_UNFENCED,  /* flushed, or stored non-temporally, but not fenced by that thread */
	RACE_UNORDERED, /* flushed by another thread, but nothing puts the store before that flush */
	RACE_UNFLUSHED, /* never flushed */
};

/* A store of the source that recovery may see torn. */
struct race {
	uint64_t event;   /* number of its first event */
	uint32_t context; /* of this event */
	uint32_t thread;
	uint32_t file;
	uint64_t offset, size; /* what the source stores, as far as it is known */
	uint8_t atomicity;     /* enum bo_atomicity: PLAIN, VOLATILE or UNKNOWN */
	/* In how many units the binary stored it, without those that changed nothing; 1: only another compiler would
	 * tear it. */
	uint64_t units;
	enum race_reason reason;
	uint32_t flush_context;       /* UNPROVED, UNFENCED, UNORDERED: of the flush; 0: there is none */
	const struct race_load *load; /* valid during the call */
	uint64_t from, to;            /* bytes of the file that the load could read from it */
	bool read;                    /* the load did read it, in the state that recovery runs on */
};

typedef void race_report(void *arg, const struct race *race);

/* The power has failed now, and recovery starts.  `report` is called once for each pair of a store site and a load
 * site that race, and again if only a later store of that site was stored in several units. */
struct race_reader *race_reader_new(const struct race_history *history, race_report *report, void *arg);
void race_reader_free(struct race_reader *reader);

/* The crash state that recovery runs on lacks this unit of the program's event.  To be called before the first load.
 * What the platform makes of it (later stores to the line are lost, too) is known. */
void race_reader_lose(struct race_reader *reader, uint64_t event, uint32_t file, uint64_t offset, uint64_t size);

/* Recovery loads, or stores.  Loads of what it stored itself do not race. */
void race_reader_load(struct race_reader *reader, const struct race_load *load);
void race_reader_store(struct race_reader *reader, uint32_t file, uint64_t offset, uint64_t size);

#endif
