/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sender.h - be the client of a server: send the messages of an input, as the conversation says.
 *
 *     if (sender_run("blackout.out/inputs/3", 30, &err) < 0) ...
 *
 * The server may still be starting.  A message is sent when the server, which has the same parent as we, waits for something
 * (siblings.h); if it never does, when the message before was answered, or after a while.  How long that is depends on how
 * fast the server started: a recorder makes it slow.  Answers are dropped.
 * When the server has closed a connection, the rest of its messages are left out. */
#ifndef BLACKOUT_SEARCH_SENDER_H
#define BLACKOUT_SEARCH_SENDER_H

#include "base/err.h"

/* -1: there is no conversation in the directory, or nothing listens at its address. */
int sender_run(const char *dir, double seconds_to_listen, struct err *err);

#endif
