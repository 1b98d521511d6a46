/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reading.h - read a recording with an image that follows it; events can be looked at ahead.
 *
 *     struct reading *r;
 *     reading_open(&r, dir, platform, origin, &err);
 *     while ((n = reading_look(r, &ev, &err)) > 0) {           // the image stands just before *ev
 *             ...
 *             reading_go(r);                                   // now it stands after *ev
 *     }
 *     reading_ahead(r, 5, &ev, &err)                           // the fifth event from here, without moving
 *     reading_close(r);
 *
 * Events looked at ahead are copied and kept until the image has moved past them. */
#ifndef BLACKOUT_CRASH_READING_H
#define BLACKOUT_CRASH_READING_H

#include "image/image.h"
#include "trace/trace.h"

struct reading;

int reading_open(struct reading **reading, const char *dir, const struct platform *platform,
		 const struct origin *origin, struct err *err);
void reading_close(struct reading *reading);

struct image *reading_image(struct reading *reading);
struct trace *reading_trace(struct reading *reading);

/* The number of events that the image has seen. */
uint64_t reading_number(const struct reading *reading);

/* The next event: 1, 0 at the end, -1 on damage.  *ev is valid until reading_go or reading_ahead. */
int reading_look(struct reading *reading, const struct event **ev, struct err *err);

/* Apply the next event to the image. */
void reading_go(struct reading *reading);

/* Move the image on until it has seen `number` events, or all.  -1 on damage. */
int reading_to(struct reading *reading, uint64_t number, struct err *err);

/* The event `distance` from here; 1 is the next.  *ev is valid until the next reading_ahead or reading_go. */
int reading_ahead(struct reading *reading, size_t distance, const struct event **ev, struct err *err);

/* Memory in use for events looked at ahead, in bytes. */
size_t reading_kept(const struct reading *reading);

#endif
