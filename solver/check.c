/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - see check.h. */
#include "check.h"

#include <unistd.h>

#include "base/mem.h"
#include "translate.h"

struct checker {
	struct translation translation;
	uint32_t round; /* the question's, whose expressions these are */
};

/* Whatever goes wrong in Z3, most likely memory, its state is not to be trusted any more.  Blackout starts another
 * process. */
static void on_error(Z3_context context, Z3_error_code code)
{
	(void)context;
	(void)code;
	_exit(1);
}

static void context_open(struct checker *checker)
{
	Z3_config config = Z3_mk_config();
	Z3_context c = Z3_mk_context(config);

	Z3_del_config(config);
	Z3_set_error_handler(c, on_error);
	checker->translation.context = c;
}

static void context_close(struct checker *checker)
{
	Z3_del_context(checker->translation.context);
	translation_free(&checker->translation);
}

struct checker *checker_new(void)
{
	struct checker *checker = mem_alloc(sizeof(*checker));

	context_open(checker);
	return checker;
}

void checker_free(struct checker *checker)
{
	context_close(checker);
	free(checker);
}

/* Z3 counts what it does, so the same question gets the same verdict however busy the machine is.  The time is for what it
 * does not count. */
static Z3_params limits_make(Z3_context c, const struct message_ask *ask)
{
	Z3_params params = Z3_mk_params(c);

	Z3_params_inc_ref(c, params);
	Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "timeout"), ask->ms);
	Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "rlimit"), ask->effort);
	return params;
}

static void values_tell(struct checker *checker, Z3_model model, const struct question *question,
			struct message_bytes *reply)
{
	Z3_context c = checker->translation.context;

	Z3_model_inc_ref(c, model);
	for (size_t i = 0; i < question->variables.count; i++) {
		struct message_value value = {.variable = (uint32_t)i};
		Z3_ast result;

		/* Without completion: a variable that does not matter evaluates to itself. */
		if (Z3_model_eval(c, model, translation_of(&checker->translation, question->variables.at[i]), false,
				  &result) &&
		    Z3_is_numeral_ast(c, result) && Z3_get_numeral_uint64(c, result, &value.value))
			message_add(reply, MESSAGE_VALUE, &value, sizeof(value));
	}
	Z3_model_dec_ref(c, model);
}

static Z3_ast condition_at(struct checker *checker, const struct question *question, size_t index)
{
	struct message_condition condition = question->conditions.at[index];

	return translation_condition(&checker->translation, condition.expression, condition.value);
}

/* All conditions are demanded. */
static Z3_lbool solve(struct checker *checker, const struct question *question, Z3_params limits,
		      struct message_bytes *reply)
{
	Z3_context c = checker->translation.context;
	/* For this logic Z3 has a solver that turns bit vectors into single bits at once. */
	Z3_solver solver = Z3_mk_solver_for_logic(c, Z3_mk_string_symbol(c, "QF_BV"));

	Z3_solver_inc_ref(c, solver);
	Z3_solver_set_params(c, solver, limits);
	for (size_t i = 0; i < question->conditions.count; i++)
		Z3_solver_assert(c, solver, condition_at(checker, question, i));
	Z3_lbool result = Z3_solver_check(c, solver);
	if (result == Z3_L_TRUE)
		values_tell(checker, Z3_solver_get_model(c, solver), question, reply);
	Z3_solver_dec_ref(c, solver);
	return result;
}

/* As many wishes as possible are fulfilled.  A condition that excludes much is wished for several times, in different words,
 * and implies weaker ones: so a mild violation is preferred. */
static Z3_lbool optimize(struct checker *checker, const struct question *question, Z3_params limits,
			 struct message_bytes *reply)
{
	Z3_context c = checker->translation.context;
	Z3_optimize optimizer = Z3_mk_optimize(c);

	Z3_optimize_inc_ref(c, optimizer);
	Z3_optimize_set_params(c, optimizer, limits);
	for (size_t i = 0; i < question->conditions.count; i++) {
		Z3_ast condition = condition_at(checker, question, i);

		if (question->conditions.at[i].wished)
			Z3_optimize_assert_soft(c, optimizer, condition, "1", Z3_mk_string_symbol(c, "wishes"));
		else
			Z3_optimize_assert(c, optimizer, condition);
	}
	Z3_lbool result = Z3_optimize_check(c, optimizer, 0, NULL);
	if (result == Z3_L_TRUE)
		values_tell(checker, Z3_optimize_get_model(c, optimizer), question, reply);
	Z3_optimize_dec_ref(c, optimizer);
	return result;
}

static bool has_wishes(const struct question *question)
{
	for (size_t i = 0; i < question->conditions.count; i++) {
		if (question->conditions.at[i].wished)
			return true;
	}
	return false;
}

enum message_verdict checker_ask(struct checker *checker, const struct question *question, struct message_bytes *reply)
{
	if (checker->round != question->round) {
		context_close(checker);
		context_open(checker);
		checker->round = question->round;
	}
	checker->translation.x = question->x;
	Z3_params limits = limits_make(checker->translation.context, &question->ask);
	Z3_lbool result = (has_wishes(question) ? optimize : solve)(checker, question, limits, reply);
	Z3_params_dec_ref(checker->translation.context, limits);
	switch (result) {
	case Z3_L_TRUE: return MESSAGE_SAT;
	case Z3_L_FALSE: return MESSAGE_UNSAT;
	case Z3_L_UNDEF: break;
	}
	return MESSAGE_UNKNOWN;
}
