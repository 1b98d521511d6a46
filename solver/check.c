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

static void limit_set(Z3_context c, Z3_solver solver, uint32_t ms)
{
	Z3_params params = Z3_mk_params(c);

	Z3_params_inc_ref(c, params);
	Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "timeout"), ms);
	Z3_solver_set_params(c, solver, params);
	Z3_params_dec_ref(c, params);
}

static Z3_solver solver_make(struct checker *checker, const struct question *question)
{
	Z3_context c = checker->translation.context;
	/* For this logic Z3 has a solver that turns bit vectors into single bits at once. */
	Z3_solver solver = Z3_mk_solver_for_logic(c, Z3_mk_string_symbol(c, "QF_BV"));

	Z3_solver_inc_ref(c, solver);
	limit_set(c, solver, question->ask.ms);
	for (size_t i = 0; i < question->conditions.count; i++) {
		struct message_condition condition = question->conditions.at[i];

		Z3_solver_assert(c, solver,
				 translation_condition(&checker->translation, condition.expression, condition.value));
	}
	return solver;
}

static void values_tell(struct checker *checker, Z3_solver solver, const struct question *question,
			struct message_bytes *reply)
{
	Z3_context c = checker->translation.context;
	Z3_model model = Z3_solver_get_model(c, solver);

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

enum message_verdict checker_ask(struct checker *checker, const struct question *question, struct message_bytes *reply)
{
	enum message_verdict verdict = MESSAGE_UNKNOWN;

	if (checker->round != question->round) {
		context_close(checker);
		context_open(checker);
		checker->round = question->round;
	}
	checker->translation.x = question->x;
	Z3_solver solver = solver_make(checker, question);
	switch (Z3_solver_check(checker->translation.context, solver)) {
	case Z3_L_TRUE:
		values_tell(checker, solver, question, reply);
		verdict = MESSAGE_SAT;
		break;
	case Z3_L_FALSE: verdict = MESSAGE_UNSAT; break;
	case Z3_L_UNDEF: break;
	}
	Z3_solver_dec_ref(checker->translation.context, solver);
	return verdict;
}
