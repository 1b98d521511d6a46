/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.c - see journal.h. */
#include "search/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/path.h"
#include "search/execution.h"
#include "solve/answers.h"

#define NAME EXECUTIONS_DIR "/journal"
#define HEAD "blackout search 1 %016" PRIx64 "\n"

static int journal_path(char path[PATH_MAX], const char *dir, struct err *err)
{
	return path_make(path, PATH_MAX, err, "%s/" NAME, dir);
}

int search_journal_open(struct search_journal *j, const char *dir, uint64_t options, bool append, struct err *err)
{
	if (journal_path(j->path, dir, err) < 0)
		return -1;
	j->file = fopen(j->path, append ? "ae" : "we");
	if (!j->file)
		return err_sys(err, "cannot write %s", j->path);
	if (!append && (fprintf(j->file, HEAD, options) < 0 || fflush(j->file)))
		return err_sys(err, "cannot write %s", j->path);
	return 0;
}

void search_journal_close(struct search_journal *j)
{
	if (j->file)
		fclose(j->file);
	j->file = NULL;
}

static const char *ending_word(char word[16], bool known, struct ending ending)
{
	if (known)
		snprintf(word, 16, "%c%d", ending_letter(ending.kind), ending.value);
	return known ? word : "x";
}

int search_journal_add(struct search_journal *j, const struct search_step *s, struct err *err)
{
	char native[16], recorded[16];
	int r = -1;

	switch (s->kind) {
	case SEARCH_STEP_INPUT:
		r = fprintf(j->file, "input %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", s->execution, s->parent,
			    s->bound, s->origin);
		break;
	case SEARCH_STEP_EXECUTED:
		r = fprintf(j->file, "executed %" PRIu64 " %s %s %d\n", s->execution,
			    ending_word(native, s->was_native, s->native), ending_word(recorded, true, s->recorded),
			    s->judged);
		break;
	case SEARCH_STEP_TURNED:
		r = fprintf(j->file, "turned %" PRIu64 " %" PRIu64 " %u %u\n", s->execution, s->branch, s->tries,
			    s->verdict);
		break;
	}
	return r < 0 || fflush(j->file) ? err_sys(err, "cannot write %s", j->path) : 0;
}

/* ---- reading ---- */

static bool number_parse(const char *word, uint64_t most, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end && !errno && *number <= most;
}

static bool small_parse(const char *word, unsigned most, unsigned *number)
{
	uint64_t value;

	if (!number_parse(word, most, &value))
		return false;
	*number = (unsigned)value;
	return true;
}

/* What a process can end with. */
static bool ending_parse(const char *word, struct ending *ending)
{
	static const unsigned most[ENDING_KINDS] = {[ENDING_EXIT] = UINT8_MAX, [ENDING_SIGNAL] = NSIG - 1};
	unsigned value;

	if (!ending_find_letter(*word, &ending->kind) || ending->kind == ENDING_OUTPUT ||
	    !small_parse(word + 1, most[ending->kind], &value))
		return false;
	ending->value = (int)value;
	return value || ending->kind != ENDING_SIGNAL;
}

/* A step has its kind and four more words. */
enum { STEP_WORDS = 5, STEP_BYTES = 128 };

static bool step_split(char *line, char *words[STEP_WORDS])
{
	char *end = strchr(line, '\n');

	if (!end || end[1])
		return false;
	*end = 0;
	for (size_t i = 0; i < STEP_WORDS; i++)
		words[i] = strsep(&line, " ");
	return words[STEP_WORDS - 1] && !line;
}

static bool input_parse(char *const *words, struct search_step *s)
{
	s->kind = SEARCH_STEP_INPUT;
	return number_parse(words[2], UINT64_MAX, &s->parent) && number_parse(words[3], UINT64_MAX, &s->bound) &&
	       small_parse(words[4], UINT32_MAX, &s->origin);
}

static bool turned_parse(char *const *words, struct search_step *s)
{
	s->kind = SEARCH_STEP_TURNED;
	return number_parse(words[2], SEARCH_BRANCH_MOST, &s->branch) &&
	       small_parse(words[3], SEARCH_TRIES_MOST, &s->tries) &&
	       small_parse(words[4], SOLVER_UNKNOWN, &s->verdict);
}

static bool executed_parse(char *const *words, struct search_step *s)
{
	unsigned judged;

	s->kind = SEARCH_STEP_EXECUTED;
	s->was_native = strcmp(words[2], "x") != 0;
	if ((s->was_native && !ending_parse(words[2], &s->native)) || !ending_parse(words[3], &s->recorded) ||
	    !small_parse(words[4], 1, &judged))
		return false;
	s->judged = judged;
	return true;
}

static bool step_parse(const char *line, struct search_step *s)
{
	char copy[STEP_BYTES], *words[STEP_WORDS];

	*s = (struct search_step){0};
	if (strlen(line) >= sizeof(copy))
		return false;
	if (!step_split(strcpy(copy, line), words) || !number_parse(words[1], UINT64_MAX, &s->execution) ||
	    !s->execution)
		return false;
	if (!strcmp(words[0], "input"))
		return input_parse(words, s);
	if (!strcmp(words[0], "turned"))
		return turned_parse(words, s);
	return !strcmp(words[0], "executed") && executed_parse(words, s);
}

static int head_check(FILE *file, const char *path, uint64_t options, struct err *err)
{
	char line[64], wanted[64];

	snprintf(wanted, sizeof(wanted), HEAD, options);
	if (!fgets(line, sizeof(line), file) || strncmp(line, wanted, strcspn(wanted, "1") + 1) != 0)
		return err_set(err, "%s is not the journal of a search, or is damaged at its start", path);
	if (!strcmp(line, wanted))
		return 0;
	err_set(err, "the search in %s had another command or other options", path);
	err_hint(err, "give the same ones, or search anew without --resume");
	return err_status(err, ERR_USAGE);
}

int search_journal_read(const char *dir, uint64_t options,
			int (*take)(void *arg, const struct search_step *step, struct err *err), void *arg,
			struct err *err)
{
	char path[PATH_MAX], line[256];
	struct search_step step;
	unsigned number = 1;
	off_t good;
	FILE *file;
	int r;

	if (journal_path(path, dir, err) < 0)
		return -1;
	file = fopen(path, "r+e");
	if (!file && errno == ENOENT) {
		err_set(err, "there is no search to resume in %s", dir);
		return err_status(err, ERR_USAGE);
	}
	if (!file)
		return err_sys(err, "cannot read %s", path);
	r = head_check(file, path, options, err);
	while (r == 0 && (good = ftello(file), fgets(line, sizeof(line), file))) {
		number++;
		if (!strchr(line, '\n') && feof(file)) { /* the search was killed while it wrote this */
			r = ftruncate(fileno(file), good) < 0 ? err_sys(err, "cannot write %s", path) : 0;
			break;
		}
		r = step_parse(line, &step) ? take(arg, &step, err)
					    : err_set(err, "%s is damaged at line %u", path, number);
	}
	fclose(file);
	return r;
}
