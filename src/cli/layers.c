/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layers.c - see layers.h. */
#include "cli/layers.h"

#include "blackout/trace_format.h"

/* The option of `record` that is missing. */
static const char *layer_option(uint32_t layers)
{
	return layers & BO_LAYER_DEPENDENCIES ? "--dependencies"
	       : layers & BO_LAYER_SYNC       ? "--sync"
	       : layers & BO_LAYER_LOADS      ? "--loads"
					      : "--code-hash";
}

int layers_refuse(const char *dir, uint32_t lacks, const char *what, struct err *err)
{
	const char *option = layer_option(lacks);

	err_set(err, "%s was recorded without %s, which %s needs", dir, option, what);
	err_hint(err, "blackout record %s --out DIR -- PROGRAM", option);
	return err_status(err, ERR_USAGE);
}
