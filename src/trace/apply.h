/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply.h - handles the rare records: definitions, processes and threads, files and their mappings. */
#ifndef BLACKOUT_TRACE_APPLY_H
#define BLACKOUT_TRACE_APPLY_H

#include "trace/stream.h"

enum apply_result { APPLY_DAMAGE = -1, APPLY_CONSUMED = 0, APPLY_EVENT = 1, APPLY_CLOCK = 2 };

/* Apply a record that is not a memory access to `s`, and make an event of it.  On entry, process, thread and context of
 * *ev are filled in.  On damage, s->decoder.problem holds the reason. */
enum apply_result apply_record(struct stream *s, const struct record *r, struct event *ev);

/* Refuse a record: `what` it is, or which `id` it names that is unknown. */
enum apply_result apply_damage(struct stream *s, const char *what);
enum apply_result apply_damage_id(struct stream *s, const char *what, uint64_t id);

/* Return the id that a thread of this file has in the whole recording, or 0 if unknown. */
uint32_t apply_thread(const struct stream *s, uint64_t thread);

/* Set the file and offset that are mapped at an address, if any. */
void apply_locate(struct stream *s, struct event *ev, uint64_t addr);

/* Register the thread that runs when the file begins. */
void apply_first_thread(struct stream *s, uint64_t thread);

#endif
