/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journals of a search, of any content: read or refused with a sentence.  What is read can be used, and can be written and
 * read again: it comes out the same. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "search/journal.h"
#include "solve/solver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OPTIONS 0x1234 /* the corpus has them */

static char dir[] = "fuzz-XXXXXX", folder[64], path[64];

struct steps {
	struct search_step *at;
	size_t count, room;
};

static void dir_remove(void)
{
	unlink(path);
	rmdir(folder);
	rmdir(dir);
}

static void dir_make(void)
{
	if (*path)
		return;
	if (!mkdtemp(dir))
		abort();
	snprintf(folder, sizeof(folder), "%s/search", dir);
	snprintf(path, sizeof(path), "%s/journal", folder);
	if (mkdir(folder, 0700) < 0)
		abort();
	atexit(dir_remove);
}

static void journal_write(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "we");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		abort();
}

static bool ending_is_sound(struct ending ending)
{
	switch (ending.kind) {
	case ENDING_EXIT: return ending.value >= 0 && ending.value <= UINT8_MAX;
	case ENDING_SIGNAL: return ending.value > 0 && ending.value <= SIGRTMAX;
	default: return ending.kind == ENDING_TIMEOUT && ending.value == 0;
	}
}

/* Numbers that are indices are checked by who uses them. */
static int step_take(void *arg, const struct search_step *step, struct err *err)
{
	struct steps *steps = arg;

	(void)err;
	if (!step->execution || !ending_is_sound(step->native) || !ending_is_sound(step->recorded) ||
	    step->verdict > SOLVER_UNKNOWN || step->tries > SEARCH_TRIES_MOST || step->branch > SEARCH_BRANCH_MOST)
		abort();
	vec_push(steps, *step);
	return 0;
}

static bool is_same(const struct search_step *a, const struct search_step *b)
{
	return a->kind == b->kind && a->execution == b->execution && a->parent == b->parent && a->bound == b->bound &&
	       a->origin == b->origin && a->was_native == b->was_native && a->judged == b->judged &&
	       ending_same(a->native, b->native) && ending_same(a->recorded, b->recorded) && a->branch == b->branch &&
	       a->tries == b->tries && a->verdict == b->verdict;
}

static void read_same(const struct steps *steps)
{
	struct steps again = {0};
	struct err err;

	if (search_journal_read(dir, OPTIONS, step_take, &again, &err) < 0 || again.count != steps->count)
		abort();
	for (size_t i = 0; i < again.count; i++)
		if (!is_same(&again.at[i], &steps->at[i]))
			abort();
	vec_free(&again);
}

static void write_again(const struct steps *steps)
{
	struct search_journal journal = {0};
	struct err err;

	if (search_journal_open(&journal, dir, OPTIONS, false, &err) < 0)
		abort();
	for (size_t i = 0; i < steps->count; i++)
		if (search_journal_add(&journal, &steps->at[i], &err) < 0)
			abort();
	search_journal_close(&journal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {.sentence = ""};
	struct steps steps = {0};

	dir_make();
	journal_write(data, size);
	if (search_journal_read(dir, OPTIONS, step_take, &steps, &err) == 0) {
		read_same(&steps); /* a line that was cut off is gone now */
		write_again(&steps);
		read_same(&steps);
	} else if (!*err.sentence) {
		abort();
	}
	vec_free(&steps);
	return 0;
}
