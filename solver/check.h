/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.h - ask Z3.
 *
 *     struct checker *checker = checker_new();
 *     enum message_verdict verdict = checker_ask(checker, question, &values);
 *
 * Expressions stay translated, but each question gets a solver of Z3 of its own.  Solvers that keep conditions for the next
 * question were measured: scopes (push, pop) took three times as long; assumptions took from a third of the time to eight
 * times as long, and about the same on large paths. */
#ifndef BLACKOUT_SOLVER_CHECK_H
#define BLACKOUT_SOLVER_CHECK_H

#include "solve/question.h"

struct checker;

struct checker *checker_new(void);
void checker_free(struct checker *checker);

/* Add a MESSAGE_VALUE to the reply for each variable whose value matters. */
enum message_verdict checker_ask(struct checker *checker, const struct question *question, struct message_bytes *reply);

#endif
