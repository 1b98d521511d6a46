/* SPDX-License-Identifier: GPL-2.0-or-later */
// link: build/libblackout.a -ldw -lelf -lxxhash -lzstd -lgmp -ljansson
/* states_speed LINES - measures how fast crash states are told apart.  LINES lines with two stores each are pending:
 * 3^LINES states.  Computes the digest of each state and looks it up among all earlier ones.  Prints
 *
 *     STATES states  SECONDS s  RATE states/s  CONTENTS different */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count/combine.h"
#include "image/contents.h"
#include "image/state.h"

static uint64_t states;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool visit(void *arg, struct digest digest)
{
	states++;
	contents_add(arg, digest);
	return true;
}

int main(int argc, char **argv)
{
	unsigned lines = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
	struct image *image = image_new(platform_find("adr"), NULL);
	struct event file = {.type = EVENT_FILE, .file = 1, .size = 1 << 20, .path = "/pm/file"};
	struct contents contents = {0};
	struct variants variants = {0};
	struct choices *choices;
	double start;

	if (!lines || lines > 20) {
		fprintf(stderr, "usage: states_speed LINES\n");
		return 2;
	}
	image_apply(image, &file);
	for (uint64_t i = 1; i <= 2 * lines; i++) {
		struct event ev = {
			.type = EVENT_STORE, .file = 1, .thread = 1, .offset = i / 2 * 64 + i % 2 * 8, .size = 8};

		ev.data = (const uint8_t *)&i;
		image_apply(image, &ev);
	}
	start = now();
	choices = image_choices(image);
	variants_find(&variants, image, choices, 1000);
	combine(&variants, state_digest_none(image), visit, &contents);
	start = now() - start;
	printf("%llu states  %.2f s  %.0f states/s  %zu different\n", (unsigned long long)states, start,
	       (double)states / start, contents.count);
	free(choices);
	variants_free(&variants);
	contents_free(&contents);
	image_free(image);
	return 0;
}
