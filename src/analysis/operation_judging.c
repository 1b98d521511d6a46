/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operation_judging.c - see operation_judging.h. */
#include "analysis/operation_judging.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/performed.h"
#include "image/place.h"
#include "image/tree.h"
#include "ops/excerpt.h"
#include "run/kept_operations.h"

static int marks_check(const struct analysis_operations *o, const struct scan *scan, struct err *err)
{
	const char *recorded = trace_meta(scan_trace(scan), "op_marks");
	struct operations_summary summary;

	if (!recorded) {
		err_set(err, "the program was recorded without --ops, so nothing shows when it performed an operation");
		err_hint(err, "record it again with --ops");
		return err_status(err, ERR_USAGE);
	}
	if (o->marks && strcmp(o->marks, recorded) != 0) {
		err_set(err, "the program was recorded with --op-marks %s, not %s", recorded, o->marks);
		err_hint(err, "record it again to recognize operations in another way");
		return err_status(err, ERR_USAGE);
	}
	summary = scan_operations(scan);
	return performed_check(&summary, recorded, oplist_count(o->list), err);
}

/* What the program printed; NULL: it is not known. */
static struct output *printed_read(const char *path, const struct output_rules *rules)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[1 << 16];
	struct output *output;
	bool more = true;
	ssize_t n;

	if (fd < 0)
		return NULL;
	output = output_new(rules);
	while (more && ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR)))
		more = n < 0 || output_feed(output, bytes, (size_t)n);
	close(fd);
	output_end(output);
	return output;
}

/* In memory if possible: recovery may have to be shown many such files. */
static int folder_make(struct operation_judging *j, struct err *err)
{
	const char *tmp = getenv("TMPDIR");

	j->lock = place_make(PLACE_MEMORY, &j->folder, err);
	if (j->lock >= 0)
		return 0;
	free(j->folder);
	j->folder = NULL;
	j->lock = place_make(tmp && *tmp ? tmp : "/tmp", &j->folder, err);
	return j->lock < 0 ? -1 : 0;
}

int operation_judging_open(struct operation_judging *j, const struct analysis_operations *o,
			   struct campaign_options *how, const struct scan *scan, struct err *err)
{
	struct kept_operations kept;

	j->lock = -1;
	if (!o->list)
		return 0;
	if (marks_check(o, scan, err) < 0 || kept_operations_at(&kept, how->dir, err) < 0 || folder_make(j, err) < 0)
		return -1;
	j->list = o->list;
	j->listed = oplist_count(o->list);
	j->rules = o->rules;
	/* What a program printed that stopped early says nothing about the operations that it left out. */
	if (scan_operations(scan).begun >= j->listed && kept_operations_exist(&kept))
		j->printed = printed_read(kept.output, o->rules);
	const struct equivalence_options options = {
		.dir = how->dir,
		.list = o->list,
		.probe = o->probe,
		.after = o->after,
		.lag = o->lag,
		.rules = o->rules,
		.recover = how->recover,
		.client = how->client,
		.folder = j->folder,
		.printed = j->printed,
	};
	if (equivalence_open(&j->equivalence, &options, err) < 0)
		return -1;
	j->oracles[0] = &oracle_exit_status;
	j->oracles[1] = equivalence_oracle(j->equivalence);
	how->oracles = j->oracles;
	how->ignore_output = output_rules_ignored(o->rules, &how->ignore_output_count);
	how->oracle_count = 2;
	return 0;
}

/* "around operation 3, `del k1`": inside of it; "after ...": between it and the next. */
static void place_text(const struct operation_judging *j, const struct place *place, char *text, size_t size)
{
	char operation[EXCERPT_ROOM];

	if (place->index < 0 || (uint64_t)place->index >= j->listed) {
		snprintf(text, size, "before the first operation");
		return;
	}
	oplist_excerpt(j->list, (size_t)place->index, operation, sizeof(operation));
	snprintf(text, size, "%s operation %" PRId64 ", `%s`", place->inside ? "around" : "after", place->index,
		 operation);
}

static void failing_report(const struct operation_judging *j, const struct equivalence_figures *figures,
			   struct findings *f)
{
	char place[EXCERPT_ROOM + 64], how[128];

	place_text(j, &figures->failing_first, place, sizeof(place));
	ending_text(figures->failing_ending, how, sizeof(how));
	findings_note(f,
		      "recovery fails without a crash in %" PRIu64 " of %" PRIu64
		      " places, first %s: %s; its output was not compared in these places",
		      figures->failing, figures->places, place, how);
}

void operation_judging_report(const struct operation_judging *j, const struct scan *scan, struct findings *f)
{
	struct equivalence_figures figures;
	struct operations_summary summary = scan_operations(scan);

	if (!j->equivalence) {
		if (trace_meta(scan_trace(scan), "op_marks"))
			findings_note(f, "what recovery prints was not compared; give --ops to compare it");
		return;
	}
	figures = equivalence_figures(j->equivalence);
	f->stats.operations.total = figure_known(j->listed);
	f->stats.operations.crashed_in = figure_known(figures.crashed_in);
	f->stats.operations.nondeterministic = figure_known(figures.nondeterministic);
	if (summary.begun < j->listed)
		findings_note(f, "the program performed only %" PRIu64 " of the %" PRIu64 " operations", summary.begun,
			      j->listed);
	if (figures.failing)
		failing_report(j, &figures, f);
	if (figures.overlapping)
		findings_note(
			f,
			"operations overlap in %" PRIu64 " of %" PRIu64
			" places in ways of which the recording shows no content, so the output was not compared there",
			figures.overlapping, figures.places);
	if (figures.unlike_run)
		findings_note(
			f,
			"recovery does not print what the program printed, even if it performs all operations on the initial "
			"content; so effects that are kept in volatile memory only were not looked for");
	if (figures.endless)
		findings_note(f,
			      "recovery prints more than %" PRIu64
			      " MiB, or without end; only what comes before was compared",
			      output_rules_bound(j->rules) >> 20);
}

void operation_judging_close(struct operation_judging *j)
{
	equivalence_close(j->equivalence);
	output_free(j->printed);
	if (j->folder) {
		tree_remove(j->folder);
		free(j->folder);
	}
	if (j->folder && j->lock >= 0)
		close(j->lock);
}
