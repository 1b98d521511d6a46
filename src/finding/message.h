/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - the sentences of a variant, with the places of a finding put in; kind.h lists what may stand in braces. */
#ifndef BLACKOUT_FINDING_MESSAGE_H
#define BLACKOUT_FINDING_MESSAGE_H

#include "finding/finding.h"

/* Fill `template` from the finding's stacks, first example, pool and platforms; truncated to `size`. */
void message_fill(const struct finding *finding, const char *template, char *text, size_t size);

#endif
