/* SPDX-License-Identifier: GPL-2.0-or-later */
/* namespace.h - a place where the directories of PM files are the scene's, for this process and those that it starts.
 *
 * A mount namespace; as an ordinary user in a user namespace, in which everybody keeps his number.  Each ROOT.scene/K
 * is mounted over its original, and then the entries of the original for which the scene has an empty one, so that
 * programs and configuration beside a pool are found.  What is created in the original directory later is not seen. */
#ifndef BLACKOUT_RUN_NAMESPACE_H
#define BLACKOUT_RUN_NAMESPACE_H

#include <stdbool.h>

#include "run/scene.h"

struct namespace_options {
	bool read_only; /* the PM files cannot be written, created or removed there */
	bool network;   /* with an own loopback device, so that several servers can have the same port */
};

/* May we have one?  Otherwise -1, and why not. */
int namespace_try(bool network, struct err *err);

/* Enter it.  The process has no threads.  -1: it cannot be, and the process is of no use any more. */
int namespace_enter(const struct scene *scene, const struct namespace_options *options, struct err *err);

#endif
