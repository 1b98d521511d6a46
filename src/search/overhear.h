/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overhear.h - run a server once with the user's client, and learn what the client sends (conversation.h).
 *
 *     struct conversation talk = {0};
 *     if (overhear_client(&talk, &plan, &input, &err) == 0) ...
 *
 * The run is recorded, but not judged: the first seed says the same to the server, and is judged. */
#ifndef BLACKOUT_SEARCH_OVERHEAR_H
#define BLACKOUT_SEARCH_OVERHEAR_H

#include "search/execution.h"

enum { OVERHEAR_STOPPED = -2 };

/* `input` is that of the other sources.  The conversation is kept in DIR/search, too.  OVERHEAR_STOPPED; -1, ERR_TARGET: the
 * client sends nothing, or the server does not survive it. */
int overhear_client(struct conversation *talk, const struct execution_plan *plan, const struct input *input,
		    struct err *err);

/* The conversation of a search that is resumed. */
int overhear_again(struct conversation *talk, const struct execution_plan *plan, struct err *err);

#endif
