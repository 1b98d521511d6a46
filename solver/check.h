/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - ask Z3.
 *
 *     struct checker *checker = checker_new();
 *     enum message_verdict verdict = checker_ask(checker, question, &values);
 *
 * The conditions of a question stay asserted.  The next question of the same path mostly begins with the same ones, which
 * are not asserted again. */
#ifndef BLACKOUT_SOLVER_CHECK_H
#define BLACKOUT_SOLVER_CHECK_H

#include "solve/question.h"

struct checker;

struct checker *checker_new(void);
void checker_free(struct checker *checker);

/* Add a MESSAGE_VALUE to the reply for each variable whose value matters. */
enum message_verdict checker_ask(struct checker *checker, const struct question *question, struct message_bytes *reply);

#endif
