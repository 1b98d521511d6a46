/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check.c - see check.h. */
#include "check.h"

#include <unistd.h>

#include "base/mem.h"
#include "translate.h"

enum { ROUNDS_MOST = 32 /* each may cost the effort of the question */ };

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
static void limits_set(Z3_context c, Z3_solver solver, const struct message_ask *ask)
{
	Z3_params params = Z3_mk_params(c);

	Z3_params_inc_ref(c, params);
	Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "timeout"), ask->ms);
	Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "rlimit"), ask->effort);
	Z3_params_set_bool(c, params, Z3_mk_string_symbol(c, "core.minimize"), true);
	Z3_solver_set_params(c, solver, params);
	Z3_params_dec_ref(c, params);
}

/* What is only wished for holds if its token does. */
struct wishes {
	VEC_OF(Z3_ast) tokens;
};

static void wish_add(struct wishes *wishes, Z3_context c, Z3_solver solver, Z3_ast condition)
{
	Z3_ast token = Z3_mk_fresh_const(c, "wish", Z3_mk_bool_sort(c));

	Z3_solver_assert(c, solver, Z3_mk_implies(c, token, condition));
	vec_push(&wishes->tokens, token);
}

static Z3_solver solver_make(struct checker *checker, const struct question *question, struct wishes *wishes)
{
	Z3_context c = checker->translation.context;
	/* For this logic Z3 has a solver that turns bit vectors into single bits at once. */
	Z3_solver solver = Z3_mk_solver_for_logic(c, Z3_mk_string_symbol(c, "QF_BV"));

	Z3_solver_inc_ref(c, solver);
	limits_set(c, solver, &question->ask);
	for (size_t i = 0; i < question->conditions.count; i++) {
		struct message_condition condition = question->conditions.at[i];
		Z3_ast ast = translation_condition(&checker->translation, condition.expression, condition.value);

		if (condition.wished)
			wish_add(wishes, c, solver, ast);
		else
			Z3_solver_assert(c, solver, ast);
	}
	return solver;
}

/* Z3 says which wishes contradict each other or the rest.  False: there are none. */
static bool wishes_drop(struct wishes *wishes, Z3_context c, Z3_solver solver)
{
	Z3_ast_vector core = Z3_solver_get_unsat_core(c, solver);
	size_t kept = 0, before = wishes->tokens.count;

	Z3_ast_vector_inc_ref(c, core);
	for (size_t i = 0; i < before; i++) {
		bool dropped = false;

		for (unsigned k = 0; k < Z3_ast_vector_size(c, core) && !dropped; k++)
			dropped = Z3_is_eq_ast(c, Z3_ast_vector_get(c, core, k), wishes->tokens.at[i]);
		if (!dropped)
			wishes->tokens.at[kept++] = wishes->tokens.at[i];
	}
	Z3_ast_vector_dec_ref(c, core);
	wishes->tokens.count = kept;
	return kept < before;
}

/* Drop wishes until none is in the way. */
static Z3_lbool solver_check(Z3_context c, Z3_solver solver, struct wishes *wishes)
{
	for (unsigned round = 0; round < ROUNDS_MOST; round++) {
		Z3_lbool result =
			Z3_solver_check_assumptions(c, solver, (unsigned)wishes->tokens.count, wishes->tokens.at);

		if (result != Z3_L_FALSE || !wishes_drop(wishes, c, solver))
			return result;
	}
	return Z3_L_UNDEF;
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
	struct wishes wishes = {0};
	Z3_solver solver = solver_make(checker, question, &wishes);
	switch (solver_check(checker->translation.context, solver, &wishes)) {
	case Z3_L_TRUE:
		values_tell(checker, solver, question, reply);
		verdict = MESSAGE_SAT;
		break;
	case Z3_L_FALSE: verdict = MESSAGE_UNSAT; break;
	case Z3_L_UNDEF: break;
	}
	Z3_solver_dec_ref(checker->translation.context, solver);
	vec_free(&wishes.tokens);
	return verdict;
}
