/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_input_source.h - what the files about sources of input share. */
#ifndef BO_INPUT_SOURCE_H
#define BO_INPUT_SOURCE_H

#include "bo_input.h"

/* One call that reads. */
struct bo_reading {
	ThreadId tid;
	const struct vki_iovec *vector; /* where the bytes are */
	UWord count;                    /* its elements */
	ULong asked, got;               /* bytes */
	Bool peeks;                     /* they will be read again */
};

/* A source that has no descriptor of its own.  Its number in the trace. */
UInt bo_source_add(enum bo_source kind, const HChar *name);

/* Some of the bytes of a call, from `skip` on, are those of the source from `offset` on. */
void bo_source_label(const struct bo_reading *reading, ULong skip, ULong size, UInt source, ULong offset);

/* The call got as many bytes as it asked for, or all those of the source, which has `length`, from the offset on. */
void bo_source_label_count(const struct bo_reading *reading, UInt source, ULong length, ULong offset);

/* ---- bo_input_messages.c ---- */
Bool bo_messages_choose(const HChar *sizes); /* of the messages of the next connection; False: they are no numbers */
Bool bo_messages_are_known(void);            /* were any chosen? */
void bo_messages_accept(Int fd);             /* the next connection was made */
Bool bo_messages_read(Int fd, const struct bo_reading *reading); /* False: it is no such connection */

#endif
