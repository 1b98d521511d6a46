/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strategies.c - see strategies.h. */
#include "campaign/strategies.h"

#include "explore/explore.h"
#include "expose/expose.h"
#include "inject/inject.h"
#include "violate/violate.h"

static const struct strategy *const strategies[] = {
#define X(name, use) &strategy_##name,
	STRATEGIES(X)
#undef X
		NULL,
};

const struct strategy *const *strategies_all(void)
{
	return strategies;
}
