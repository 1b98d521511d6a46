/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply.h - the records that are rare: definitions, processes and threads, files and their mappings. */
#ifndef BLACKOUT_TRACE_APPLY_H
#define BLACKOUT_TRACE_APPLY_H

#include "trace/stream.h"

enum apply_result { APPLY_DAMAGE = -1, APPLY_CONSUMED = 0, APPLY_EVENT = 1, APPLY_CLOCK = 2 };

/* Let a record that was not handled as a memory access take effect on `s`, and make an event of it.  *ev comes with
 * process, thread and context filled in.  On damage the reason is in s->decoder.problem. */
enum apply_result apply_record(struct stream *s, const struct record *r, struct event *ev);

/* The id that a thread of this file has in the whole recording: 0 if it is not known. */
uint32_t apply_thread(const struct stream *s, uint64_t thread);

/* Make the thread known that is running when the file begins. */
void apply_first_thread(struct stream *s, uint64_t thread);

#endif
