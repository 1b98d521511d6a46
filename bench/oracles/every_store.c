// SPDX-License-Identifier: GPL-2.0-or-later
// every_store.c - a plug-in that gets every store and counts it; with EVERY_STORE_ASKS it also asks about each.

#include <blackout/oracle.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t count, certain;
static int asks;

static void on_begin(struct blackout *b)
{
	(void)b;
	asks = getenv("EVERY_STORE_ASKS") != NULL;
}

static void on_store(struct blackout *b, const struct blackout_event *ev)
{
	count++;
	if (asks)
		certain += (uint64_t)b->certain(b, ev->file, ev->offset & ~63ull, 64);
}

static void on_end(struct blackout *b)
{
	fprintf(stderr, "%s: %llu stores, %llu to lines that are certain\n", b->platform, (unsigned long long)count,
		(unsigned long long)certain);
}

static const struct blackout_kind kinds[] = {{"none", "never reported", "none", BLACKOUT_WARNING, NULL}};

static const struct blackout_oracle oracle = {.version = BLACKOUT_ORACLE_VERSION,
					      .name = "every_store",
					      .kinds = kinds,
					      .kind_count = 1,
					      .begin = on_begin,
					      .store = on_store,
					      .end = on_end};

const struct blackout_oracle *blackout_oracle(void)
{
	return &oracle;
}
