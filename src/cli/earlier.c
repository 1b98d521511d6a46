/* SPDX-License-Identifier: GPL-2.0-or-later */
/* earlier.c - see earlier.h. */
#include "cli/earlier.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/layers.h"
#include "ops/substitute.h"
#include "run/kept_operations.h"

/* The recording has its own list, and no other can be judged by it. */
static int list_check(const char *ops, const char *kept, struct err *err)
{
	struct oplist *recorded, *given;
	struct oplist_bytes a, b;
	bool same = false;

	if (oplist_read(&given, ops, err) < 0)
		return -1;
	if (oplist_read(&recorded, kept, err) == 0) {
		a = oplist_bytes(recorded, 0, SIZE_MAX);
		b = oplist_bytes(given, 0, SIZE_MAX);
		same = a.size == b.size && !memcmp(a.at, b.at, a.size);
		oplist_free(recorded);
	}
	oplist_free(given);
	if (same)
		return 0;
	err_set(err, "the program was recorded with other operations than those in %s", ops);
	err_hint(err, "leave out --ops: the recording has its operations in %s", kept);
	return err_status(err, ERR_USAGE);
}

static bool is_given(const struct option *options, const void *value)
{
	for (const struct option *o = options; o->name; o++)
		if (o->value == value)
			return option_given(o);
	return false;
}

/* Operations are judged if an option or a word says so.  With --resume, the file of --ops may be gone. */
static int operations_check(struct earlier *earlier, struct err *err)
{
	static struct kept_operations kept;
	const struct analyze *analyze = &earlier->analyze;
	struct operation_words *operating = earlier->operating;
	const char *needy = operating->op_marks ? "op-marks" : operation_words_needy(operating);
	bool wanted = operating->ops || needy || substitute_words_in_shell(analyze->words->recover) ||
		      substitute_words_in_shell(analyze->words->client);

	if (kept_operations_at(&kept, analyze->dir, err) < 0)
		return -1;
	if (wanted && kept_operations_exist(&kept)) {
		if (is_given(analyze->options, &operating->ops) && list_check(operating->ops, kept.list, err) < 0)
			return -1;
		operating->ops = kept.list;
	}
	if (!needy || operating->ops)
		return 0;
	err_set(err, "--%s needs --ops, since %s was recorded without it", needy, analyze->dir);
	return err_status(err, ERR_USAGE);
}

/* A strategy or a plug-in may need more than was recorded.  That is known before the recording is read. */
static int layers_check(const struct analyze *analyze, struct err *err)
{
	struct trace *trace;
	struct event ev;
	char what[128];
	uint32_t lacks;

	if (trace_open(&trace, analyze->dir, err) < 0)
		return -1;
	const char *name = choice_lacks(&analyze->how.choice, trace_layers(trace), &lacks);
	/* The facts about the recording come before its first event. */
	int r = trace_next(trace, &ev, err) < 0
			? -1
			: oracle_options_check(analyze->plugins, trace, analyze->dir_shown, err);
	trace_close(trace);
	snprintf(what, sizeof(what), "--detect %s", name ? name : "");
	return name ? layers_refuse(analyze->dir_shown, lacks, what, err) : r;
}

/* From now on the directory is a part, and not complete.  A part keeps its options even if it tests nothing. */
static int part_begin(struct earlier *earlier, struct err *err)
{
	struct analyze *analyze = &earlier->analyze;

	analyze->how.testing.shard = (struct shard){.index = earlier->part->index, .total = earlier->part->total};
	if (saved_options_write(analyze->options, analyze->out, err) < 0)
		return -1;
	return part_write(earlier->part, analyze->out, err);
}

static int part_end(struct earlier *earlier, int status)
{
	struct err err;

	/* If recovery judges nothing, it does so in every part. */
	if ((status != STATUS_DONE && status != STATUS_FOUND && status != ERR_TARGET) || earlier->analyze.tests_left)
		return status;
	earlier->part->complete = true;
	return part_write(earlier->part, earlier->analyze.out, &err) < 0 ? command_fail(&err) : status;
}

int earlier_run(struct earlier *earlier, struct err *err)
{
	struct analyze *analyze = &earlier->analyze;
	int status;

	if (operations_check(earlier, err) < 0 || analyze_prepare(analyze, err) < 0 || layers_check(analyze, err) < 0)
		return command_fail(err);
	if (earlier->out && mkdir(earlier->out, 0777) < 0 && errno != EEXIST) {
		err_sys(err, "cannot create %s", earlier->out);
		return command_fail(err);
	}
	if (!earlier->part)
		part_forget(analyze->out);
	if (earlier->clustering)
		return cluster_check(analyze, earlier->clustering);
	if ((earlier->part && part_begin(earlier, err) < 0) || analyze_read(analyze, err) < 0)
		return command_fail(err);
	status = analyze_finish(analyze, NULL);
	return earlier->part ? part_end(earlier, status) : status;
}
