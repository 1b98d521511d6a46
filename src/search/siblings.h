/* SPDX-License-Identifier: GPL-2.0-or-later */
/* siblings.h - what the other processes of our parent do: for a client that has the same parent as its server. */
#ifndef BLACKOUT_SEARCH_SIBLINGS_H
#define BLACKOUT_SEARCH_SIBLINGS_H

#include <stdbool.h>

/* Are they, their descendants, and all their threads waiting for something?  A process that can run, but has to wait for
 * a processor, is not.  False also if there are none, or if the system does not tell. */
bool siblings_wait(void);

#endif
