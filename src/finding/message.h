/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - fills the sentences of a form with the places of a finding.  kind.h lists the words in braces. */
#ifndef BLACKOUT_FINDING_MESSAGE_H
#define BLACKOUT_FINDING_MESSAGE_H

#include "finding/finding.h"

/* Fills `template` from the finding's stacks, first example, pool and platforms; truncated to `size`. */
void message_fill(const struct finding *finding, const char *template, char *text, size_t size);

/* False: the template has words in braces that nothing replaces, or a brace without its partner.  It must not be filled. */
bool message_knows(const char *template);

/* True if the places that the template names differ from each other.  "Remove the flush at kv.c:66, or the one at
 * kv.c:66" is useless.  It happens if a library flushed twice in one call, or if everything is in one line. */
bool message_distinct(const struct finding *finding, const char *template);

#endif
