/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operation_options.c - see operation_options.h. */
#include "cli/operation_options.h"

#include <string.h>

#include "cli/nearest.h"

#define CALL "call:"

static int marks_refuse(const char *marks, const char *const *names, size_t count, struct err *err)
{
	struct nearest nearest = {.word = marks};

	err_set(err, "--op-marks cannot be '%s', only reads, prints, call:FUNCTION, annotated or requests", marks);
	err_status(err, ERR_USAGE);
	if (!strncmp(marks, CALL, strlen(CALL)))
		return err_hint(err, "name the function that performs an operation: --op-marks call:FUNCTION");
	for (size_t i = 0; i < count; i++)
		nearest_offer(&nearest, names[i]);
	return nearest.best ? err_hint(err, "did you mean %s?", nearest.best) : -1;
}

static int marks_check(const char *marks, bool has_requests, struct err *err)
{
	static const char *const names[] = {"reads", "prints", "annotated", "requests"};
	const size_t count = sizeof(names) / sizeof(*names);
	bool known = !strncmp(marks, CALL, strlen(CALL)) && marks[strlen(CALL)];

	for (size_t i = 0; i < count && !known; i++)
		known = !strcmp(marks, names[i]);
	if (!known)
		return marks_refuse(marks, names, count, err);
	if (strcmp(marks, "requests") != 0 || has_requests)
		return 0;
	err_set(err, "--op-marks requests needs --client: the requests of a client are the operations of a server");
	return err_status(err, ERR_USAGE);
}

static int rules_parse(struct operation_options *o, const struct option_list *ignore, struct err *err)
{
	o->rules = output_rules_new(OUTPUT_BYTES_MAX);
	for (size_t i = 0; i < ignore->count; i++)
		if (output_rules_ignore(o->rules, ignore->items[i], err) < 0)
			return -1;
	return 0;
}

int operation_options_parse(struct operation_options *o, const struct operation_words *words, bool has_client,
			    struct err *err)
{
	*o = (struct operation_options){0};
	o->marks = words->op_marks ? words->op_marks : !words->ops ? NULL : has_client ? "requests" : "reads";
	/* Without a list, the program may be its own client. */
	if ((o->marks && marks_check(o->marks, has_client || !words->ops, err) < 0) ||
	    rules_parse(o, &words->ignore_output, err) < 0 ||
	    (words->ops && oplist_read(&o->list, words->ops, err) < 0))
		return -1;
	return words->probe ? oplist_read(&o->probe, words->probe, err) : 0;
}

void operation_options_free(struct operation_options *o)
{
	if (o->list)
		oplist_free(o->list);
	if (o->probe)
		oplist_free(o->probe);
	if (o->rules)
		output_rules_free(o->rules);
}

const char *operation_words_needy(const struct operation_words *words)
{
	if (words->probe)
		return "probe";
	if (words->ops_after)
		return "ops-after";
	if (words->lag)
		return "lag";
	return words->ignore_output.count ? "ignore-output" : NULL;
}
