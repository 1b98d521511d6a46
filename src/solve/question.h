/* SPDX-License-Identifier: GPL-2.0-or-later */
/* question.h - a question as the solver receives it: expressions that it keeps, conditions, and variables.
 *
 *     struct question *question = question_new();
 *     switch (question_take(question, &record)) {
 *     case QUESTION_MORE: ...                          // the next record
 *     case QUESTION_ASKED: ... answer it; question_next(question);
 *     case QUESTION_DAMAGED: ...                       // whoever sent this is not blackout
 *     }
 *     question_free(question);
 *
 * Everything is checked here: what is asked has only expressions that fit each other. */
#ifndef BLACKOUT_SOLVE_QUESTION_H
#define BLACKOUT_SOLVE_QUESTION_H

#include "expression/expressions.h"
#include "solve/message.h"

struct question {
	struct expressions *x;
	uint32_t tables;
	uint32_t round; /* grows when the expressions are forgotten */
	VEC_OF(struct message_condition) conditions;
	VEC_OF(uint32_t) variables;
	struct message_ask ask;
};

enum question_state { QUESTION_MORE, QUESTION_ASKED, QUESTION_DAMAGED };

struct question *question_new(void);
void question_free(struct question *question);

enum question_state question_take(struct question *question, struct message_record *record);

/* Begin the next question: no conditions and no variables. */
void question_next(struct question *question);

#endif
