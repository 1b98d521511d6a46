/* SPDX-License-Identifier: GPL-2.0-or-later */
/* namespace.h - enter a mount namespace in which the scene's directories replace the directories of the PM files, for
 * this process and its children.
 *
 * An ordinary user gets a user namespace as well, with unchanged user and group IDs.  Each STAGE.scene/K is mounted
 * over its original directory.  Then the original's entries are mounted over the scene's empty entries, so that
 * programs and configuration files beside a pool are found.  Entries that are created in the original directory later
 * are not visible. */
#ifndef BLACKOUT_RUN_NAMESPACE_H
#define BLACKOUT_RUN_NAMESPACE_H

#include <stdbool.h>

#include "run/scene.h"

struct namespace_options {
	bool read_only; /* the PM files cannot be written, created or removed there */
	bool network;   /* give it its own loopback device, so that several servers can use the same port */
};

/* Can this process have a namespace?  Otherwise -1, with the reason. */
int namespace_try(bool network, struct err *err);

/* Enter a namespace.  The process must have no threads. -1: it failed, and the process must exit. */
int namespace_enter(const struct scene *scene, const struct namespace_options *options, struct err *err);

#endif
