/* SPDX-License-Identifier: GPL-2.0-or-later */
/* equivalence_tell.c - what a report says about an output that is not legal: which operation, what was expected, what
 * came. */
#include <string.h>

#include "equivalence/equivalence_in.h"
#include "ops/excerpt.h"

enum { TEXT_ROOM = EXCERPT_ROOM };

static const char *line_text(struct equivalence *e, const struct output_body *body, size_t line)
{
	char text[TEXT_ROOM];

	if (!output_excerpt(body, line, OUTPUT_ENDS, text, sizeof(text)))
		return "(a line that was not kept)";
	return arena_copy(&e->texts, text, strlen(text));
}

static const char *operation_text(struct equivalence *e, const struct oplist *list, size_t index)
{
	char text[TEXT_ROOM];

	if (index >= oplist_count(list))
		return NULL;
	oplist_excerpt(list, index, text, sizeof(text));
	return arena_copy(&e->texts, text, strlen(text));
}

/* The operation that printed a line, if each that recovery performs prints one. */
static const char *query_text(struct equivalence *e, size_t left, size_t lines, size_t line)
{
	const struct oplist *list = e->options.probe ? e->options.probe : e->options.list;
	size_t first = e->options.probe ? 0 : left, count = oplist_count(list);

	count = first < count ? count - first : 0;
	if (!e->options.probe && count > e->options.after)
		count = e->options.after;
	return lines == count ? operation_text(e, list, first + line) : NULL;
}

/* The line where the output leaves the history that it agrees with longest, and what the histories print there.  One
 * that differs earlier may print the same there, and is left out. */
static void mismatch_tell(struct equivalence *e, const struct place *place, const struct prepared *prepared,
			  const struct output *output, const struct output *banner, struct finding_mismatch *mismatch)
{
	struct finding_expected *told = mem_alloc(prepared->legal.all.count * sizeof(*told));
	struct judging j = {0};
	struct comparison c;

	vec_push(&e->told, told);
	judging_begin(&j, &prepared->legal, e->banner, output, banner);
	c = compare_any(j.expected.at, (unsigned)j.expected.count, &j.got);
	*mismatch = (struct finding_mismatch){
		.expected = told,
		.got = line_text(e, &j.got, c.difference.got),
		.line = j.got.first + c.difference.got + 1,
		.endless = output_is_endless(output),
		.query = query_text(e, place->left, j.expected.at[c.nearest].body.count, c.difference.expected),
	};
	for (unsigned i = 0; i < j.expected.count; i++) {
		size_t line = i == c.nearest ? c.difference.expected : c.difference.got;
		const char *text = line_text(e, &j.expected.at[i].body, line);

		if (i == c.nearest || strcmp(text, mismatch->got) != 0)
			told[mismatch->expected_count++] =
				(struct finding_expected){.line = text, .history = prepared->legal.all.at[i].history};
	}
	judging_end(&j);
}

/* Rule 6. */
static void forgotten_tell(struct equivalence *e, const struct place *place, const struct output *output,
			   struct finding_mismatch *mismatch)
{
	const struct output_body got = output_body(output, e->banner);
	const struct expected expected = {.body = printed_end(e, got.count)};
	const struct difference difference = compare_one(&expected, &got);
	struct finding_expected *told = mem_alloc(sizeof(*told));

	vec_push(&e->told, told);
	told->line = line_text(e, &expected.body, difference.expected);
	*mismatch = (struct finding_mismatch){
		.expected = told,
		.expected_count = 1,
		.got = line_text(e, &got, difference.got),
		.line = got.first + difference.got + 1,
		.endless = output_is_endless(output),
		.query = query_text(e, place->left, got.count, difference.got),
		.recorded = true,
	};
}

void equivalence_tell(void *state, const struct crash_context *crash, const struct outcome *outcome,
		      const struct outcome *idle, struct crash_sighting *s)
{
	struct equivalence *e = state;
	const struct place place = place_of(e, crash);
	const struct prepared *prepared = prepared_find(e, place.number);

	if (s->ending.kind == ENDING_OUTPUT) /* the class of rule 8, which says nothing about the cause */
		s->ending.value = 0;
	s->operation.known = true;
	s->operation.inside = place.inside;
	s->operation.index = place.index;
	s->operation.text = place.index < 0 ? NULL : operation_text(e, e->options.list, (size_t)place.index);
	if (!outcome || !outcome->output || !prepared || prepared->uncertain)
		return;
	if (output_is_forgetful(e, prepared, outcome->output))
		forgotten_tell(e, &place, outcome->output, &s->mismatch);
	else
		mismatch_tell(e, &place, prepared, outcome->output, idle && idle->output ? idle->output : e->banner,
			      &s->mismatch);
}
