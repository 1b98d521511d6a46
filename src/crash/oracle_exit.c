/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle_exit.c - the oracle that believes recovery: exit status 0 means that all is well. */
#include "crash/oracle.h"

static bool exit_accepts(void *state, const struct outcome *outcome, const struct crash_context *crash,
			 struct ending *how)
{
	(void)state;
	(void)crash;
	(void)how;
	return ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0});
}

static enum finding_kind exit_finding(struct ending how)
{
	switch (how.kind) {
	case ENDING_SIGNAL: return KIND_RECOVERY_CRASH;
	case ENDING_TIMEOUT: return KIND_RECOVERY_HANG;
	default: return KIND_RECOVERY_ERROR;
	}
}

const struct oracle oracle_exit_status = {
	.name = "exit-status",
	.accepts = exit_accepts,
	.finding = exit_finding,
};
