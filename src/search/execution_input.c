/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execution_input.c - what the program of an execution is given: its command line, its client and its input; see
 * execution.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "blackout/trace_format.h"
#include "ops/substitute.h"
#include "run/shell.h"
#include "search/execution_in.h"

/* ---- the command line ---- */

static const struct input_source *ops_source(const struct execution_plan *plan, size_t *index)
{
	for (*index = 0; *index < plan->sources->count; ++*index)
		if (plan->sources->at[*index].ops)
			return &plan->sources->at[*index];
	return NULL;
}

/* The bytes of argument `number`, if it is a source; NULL: it is as the user wrote it. */
static const struct input_bytes *argument_bytes(const struct execution_plan *plan, const struct input *input,
						size_t number)
{
	for (size_t i = 0; i < plan->sources->count; i++)
		if (plan->sources->at[i].kind == BO_SOURCE_ARG && plan->sources->at[i].number == number)
			return &input->of[i];
	return NULL;
}

/* The words of --ops in the target and the client. */
static unsigned substituted_words(const struct execution_plan *plan)
{
	return substitute_words_in_arguments(plan->target->items, plan->target->count) |
	       substitute_words_in_shell(plan->client);
}

void execution_command(struct words *argv, const struct execution_plan *plan, const struct input *input,
		       const char *ops, const char *out)
{
	const struct substitution values = {.ops = ops, .out = out};

	for (size_t i = 0; i < plan->target->count; i++) {
		const struct input_bytes *bytes = argument_bytes(plan, input, i);
		char *text = bytes ? NULL : substitute_argument(plan->target->items[i], ops ? &values : NULL, NULL);

		if (bytes)
			words_add(argv, "%.*s", (int)bytes->size, (const char *)bytes->at);
		else
			words_add(argv, "%s", text);
		free(text);
	}
}

/* What the operations print is kept, unless it is written to {out}.  No shell may come between the recorder and the
 * program, so it is replaced. */
void execution_output_keep(struct words *argv, const struct running *r)
{
	if (!*r->kept.output || r->writes_file || r->client)
		return;
	words_add(argv, "/bin/sh");
	words_add(argv, "-c");
	words_add(argv, "exec \"$@\" >\"$0\"");
	words_add(argv, "%s", r->kept.output);
}

char *execution_sender(const char *dir, struct err *err)
{
	char self[PATH_MAX], *text = NULL;
	size_t size;

	if (recorder_find_self(self, err) < 0)
		return NULL;
	FILE *out = open_memstream(&text, &size);
	BUG_ON(!out);
	fputs("exec ", out);
	shell_quote(self, out);
	fputs(" send ", out);
	shell_quote(dir, out);
	fclose(out);
	return text;
}

/* The client with its words replaced; its output is kept, too. */
static char *client_text(const struct running *r)
{
	const struct substitution values = {.ops = r->kept.list, .out = r->kept.output};
	char *text, *kept;

	text = substitute_shell(r->plan->client, *r->kept.list ? &values : NULL, NULL);
	if (!*r->kept.list || r->writes_file)
		return text;
	free(text);
	BUG_ON(asprintf(&kept, "{ %s\n} >{out}", r->plan->client) < 0);
	text = substitute_shell(kept, &values, NULL);
	free(kept);
	return text;
}

int execution_client_choose(struct running *r, struct err *err)
{
	if (r->plan->talk)
		r->client = execution_sender(r->dir, err);
	else if (r->plan->client)
		r->client = client_text(r);
	return r->plan->client && !r->client ? -1 : 0;
}

/* ---- input ---- */

int execution_operations_write(struct running *r, const char *recording, struct err *err)
{
	struct oplist *list = NULL;
	char path[PATH_MAX];
	int result;

	if (!r->plan->how->operations.list)
		return 0;
	if (kept_operations_at(&r->kept, recording, err) < 0)
		return -1;
	size_t index;
	const struct input_source *source = ops_source(r->plan, &index);
	if (!source)
		return kept_operations_write(&r->kept, r->plan->how->operations.list, err);
	if (path_make(path, sizeof(path), err, "%s/%s", r->dir, source->name) < 0 || oplist_read(&list, path, err) < 0)
		return -1;
	result = kept_operations_write(&r->kept, list, err);
	oplist_free(list);
	return result;
}

/* A source, the operations, or nothing. */
const char *execution_stdin(const struct execution_plan *plan)
{
	for (size_t i = 0; i < plan->sources->count; i++)
		if (plan->sources->at[i].kind == BO_SOURCE_STDIN && !plan->sources->at[i].ops)
			return plan->sources->at[i].name;
	return plan->how->operations.list && !(substituted_words(plan) & SUBSTITUTE_OPS) ? EXECUTION_OPERATIONS : NULL;
}

int execution_stdin_choose(struct running *r, struct err *err)
{
	const char *name = execution_stdin(r->plan);

	if (name && strcmp(name, EXECUTION_OPERATIONS) != 0)
		return path_make(r->stdin_path, sizeof(r->stdin_path), err, "%s/%s", r->dir, name);
	return path_make(r->stdin_path, sizeof(r->stdin_path), err, "%s", name ? r->kept.list : "/dev/null");
}

static void files_choose(struct running *r)
{
	for (size_t i = 0; i < r->plan->sources->count; i++)
		if (r->plan->sources->at[i].path)
			r->files[r->file_count++] = (struct place_file){
				.path = r->plan->sources->at[i].path,
				.bytes = r->input->of[i].at,
				.size = r->input->of[i].size,
			};
}

int execution_input_prepare(struct running *r, struct err *err)
{
	if (input_write(r->input, r->plan->sources, r->dir, err) < 0 ||
	    (r->plan->talk && conversation_write(r->plan->talk, r->dir, err) < 0))
		return -1;
	r->writes_file = substituted_words(r->plan) & SUBSTITUTE_OUT;
	files_choose(r);
	return 0;
}
