/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_in.h - the plug-ins of an analysis; for plugin.c and runs.c. */
#ifndef BLACKOUT_PLUGIN_PLUGIN_IN_H
#define BLACKOUT_PLUGIN_PLUGIN_IN_H

#include "base/vec.h"
#include "finding/kind.h"
#include "plugin/plugin.h"

struct plugin_kind {
	enum finding_kind kind;
	enum severity severity; /* its own, if another plug-in has registered the kind with another one */
};

struct plugin {
	const char *given; /* as the user wrote it */
	char *path;        /* absolute */
	const char *name;
	uint32_t layers;
	VEC_OF(struct plugin_kind) kinds;
	VEC_OF(const char *) calls;
	const char *clash; /* a kind that an earlier plug-in has with other texts; NULL: none */
};

struct plugins {
	struct child_limits limits;
	VEC_OF(struct plugin) list;
	struct arena texts;
};

#endif
