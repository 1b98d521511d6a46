/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.h - our side of the stub's control directory (stub.h). */
#ifndef BLACKOUT_RUN_CONTROL_H
#define BLACKOUT_RUN_CONTROL_H

#include "protocol/stub.h"
#include "run/scene.h"

struct control {
	char dir[PATH_MAX];
	struct stub_page *page; /* NULL: closed */
	/* FIFOs of a fork server; both are open for reading and writing, so that neither side ever sees end-of-file */
	int request, reply;
};

/* Create it, in the directory of the scene. */
int control_open(struct control *control, const struct scene *scene, bool serve, bool covered, struct err *err);
void control_close(struct control *control);

#endif
