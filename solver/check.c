/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - see check.h. */
#include "check.h"

#include <unistd.h>

#include "base/mem.h"
#include "translate.h"

struct checker {
	struct translation translation;
	Z3_solver solver;
	VEC_OF(struct message_condition) asserted; /* one scope for each */
	uint32_t round;                            /* the question's, whose expressions these are */
	uint32_t ms;                               /* the limit that the solver has now */
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
	checker->solver = Z3_mk_solver_for_logic(c, Z3_mk_string_symbol(c, "QF_BV"));
	Z3_solver_inc_ref(c, checker->solver);
	checker->ms = 0;
}

static void context_close(struct checker *checker)
{
	Z3_solver_dec_ref(checker->translation.context, checker->solver);
	Z3_del_context(checker->translation.context);
	translation_free(&checker->translation);
	vec_free(&checker->asserted);
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

static void limit_set(struct checker *checker, uint32_t ms)
{
	Z3_context c = checker->translation.context;

	if (ms == checker->ms)
		return;
	Z3_params params = Z3_mk_params(c);
	Z3_params_inc_ref(c, params);
	Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "timeout"), ms);
	Z3_solver_set_params(c, checker->solver, params);
	Z3_params_dec_ref(c, params);
	checker->ms = ms;
}

static void assert_in_scope(struct checker *checker, struct message_condition condition)
{
	Z3_context c = checker->translation.context;

	Z3_solver_push(c, checker->solver);
	Z3_solver_assert(c, checker->solver,
			 translation_condition(&checker->translation, condition.expression, condition.value));
}

/* How many conditions are asserted already, of those before the last. */
static size_t common(const struct checker *checker, const struct question *question)
{
	size_t count = 0;

	while (count < checker->asserted.count && count + 1 < question->conditions.count &&
	       checker->asserted.at[count].expression == question->conditions.at[count].expression &&
	       checker->asserted.at[count].value == question->conditions.at[count].value)
		count++;
	return count;
}

static void assert_prefix(struct checker *checker, const struct question *question)
{
	size_t kept = common(checker, question);

	if (checker->asserted.count > kept)
		Z3_solver_pop(checker->translation.context, checker->solver,
			      (unsigned)(checker->asserted.count - kept));
	checker->asserted.count = kept;
	for (size_t i = kept; i + 1 < question->conditions.count; i++) {
		assert_in_scope(checker, question->conditions.at[i]);
		vec_push(&checker->asserted, question->conditions.at[i]);
	}
}

static void values_tell(struct checker *checker, const struct question *question, struct message_bytes *reply)
{
	Z3_context c = checker->translation.context;
	Z3_model model = Z3_solver_get_model(c, checker->solver);

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
	if (!question->conditions.count)
		return MESSAGE_SAT;
	checker->translation.x = question->x;
	limit_set(checker, question->ask.ms);
	assert_prefix(checker, question);
	assert_in_scope(checker, question->conditions.at[question->conditions.count - 1]);
	switch (Z3_solver_check(checker->translation.context, checker->solver)) {
	case Z3_L_TRUE:
		values_tell(checker, question, reply);
		verdict = MESSAGE_SAT;
		break;
	case Z3_L_FALSE: verdict = MESSAGE_UNSAT; break;
	case Z3_L_UNDEF: break;
	}
	Z3_solver_pop(checker->translation.context, checker->solver, 1);
	return verdict;
}
