/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.c - dependencies by decisions that reach across functions, and what ends them. */
#include "depend.h"

#include <setjmp.h>

static APART void y_set(struct words *pm)
{
	pm->y = 1;
}

static APART void y_set_two(struct words *pm)
{
	pm->y = 2;
}

static void words_prepare(struct words *words)
{
	words->function = y_set;
}

/* The callee stands under the decisions of its callers. */
CASE(call_under_decision)
{
	if (pm->flag)
		y_set(pm); //! store y: control flag
	JOIN();
	pm->w = 1; //! store w: nothing
}

static APART void set_if(struct words *pm)
{
	if (!pm->flag)
		return;
	pm->y = 1;
}

/* Decisions of the callee end when it returns. */
CASE(early_return)
{
	set_if(pm); //! store y: control flag
	pm->w = 1;  //! store w: nothing
}

static APART uint64_t x_of(struct words *pm)
{
	return pm->x;
}

CASE(value_returned)
{
	pm->y = x_of(pm) + 1; //! store y: data x
}

static APART uint64_t decide(struct words *pm)
{
	uint64_t v;

	if (pm->flag) {
		SET(v, 3);
		return v;
	}
	SET(v, 4);
	return v;
}

CASE(decision_returned)
{
	pm->y = decide(pm); //! store y: control flag
	pm->w = 1;          //! store w: nothing
}

/* Decides, but tells nobody. */
CASE(decision_not_returned)
{
	uint64_t v = decide(pm);

	__asm__ volatile("xor %0, %0" : "+r"(v) : : "cc");
	pm->y = v; //! store y: nothing
}

static APART uint64_t find(struct words *pm, uint64_t key)
{
	for (unsigned i = 0; i < 4; i++)
		if (pm->tokens[i] && pm->keys[i] == key)
			return pm->values[i];
	return 0;
}

/* A search that stops early: each round stands under the decisions of all before it. */
CASE(search)
{
	pm->y = find(pm, 102); //! store y: data values[2]; control keys[0] keys[2] tokens[0] tokens[1] tokens[2]
	pm->w = 1;             //! store w: nothing
}
//! load tokens[0]: nothing
//! load keys[0]: control tokens[0]
//! load tokens[1]: control keys[0] tokens[0]
//! load tokens[2]: control keys[0] tokens[0] tokens[1]
//! load keys[2]: control keys[0] tokens[0] tokens[1] tokens[2]
//! load values[2]: control keys[0] keys[2] tokens[0] tokens[1] tokens[2]

static APART void descend(struct words *pm, uint64_t depth)
{
	if (depth < pm->count)
		descend(pm, depth + 1);
	pm->output[depth] = 1;
}

CASE(recursion)
{
	descend(pm, 0);
	pm->w = 1; //! store w: nothing
}
//! store output[0]: nothing
//! store output[1]: control count
//! store output[2]: control count
//! store output[3]: control count

static APART void apply(struct words *pm, void (*function)(struct words *))
{
	function(pm);
	pm->v = 1;
}

CASE(callback)
{
	apply(pm, y_set); //! store y: nothing
} //! store v: nothing

CASE(callback_from_pm)
{
	pm->function(pm); //! store y: control function
	pm->w = 1;        //! store w: nothing
}

/* Which function is called was decided, not what else its caller does. */
CASE(callback_chosen)
{
	void (*volatile function)(struct words *) = y_set_two;

	if (pm->flag)
		function = y_set;
	function(pm); //! store y: control flag
	pm->w = 1;    //! store w: nothing
}

CASE(callback_from_table)
{
	static void (*const functions[4])(struct words *) = {y_set_two, y_set_two, y_set, y_set_two};

	functions[pm->index](pm); //! store y: control index
	pm->w = 1;                //! store w: nothing
}

static APART void set_in_tail(struct words *pm)
{
	if (pm->flag)
		return y_set(pm);
	y_set_two(pm);
}

/* With -O2 the last call is a jump, and the decision goes along. */
CASE(tail_call)
{
	set_in_tail(pm); //! store y: control flag
	pm->w = 1;       //! store w: nothing
}

static APART void call_in_tail(struct words *pm)
{
	pm->function(pm);
}

CASE(tail_call_from_pm)
{
	call_in_tail(pm); //! store y: control function
	pm->w = 1;        //! store w: nothing
}

static jmp_buf here;

static APART void jump(int value)
{
	longjmp(here, value);
}

/* The decision to jump is seen where the jump arrives, by what it brings along. */
CASE(long_jump)
{
	struct words *volatile words = pm;

	if (setjmp(here) == 0) {
		if (words->flag)
			jump(1);
		words->v = 1;
	} else {
		words->y = 1; //! store y: control flag
	}
}

/* A jump that nothing has decided. */
CASE(plain_long_jump)
{
	struct words *volatile words = pm;

	if (setjmp(here) == 0)
		jump(1);
	words->y = 1; //! store y: nothing
}

static APART void decide_and_jump(struct words *pm)
{
	if (pm->flag)
		pm->v = 1;
	jump(1);
}

/* Decisions of frames that a jump leaves are over. */
CASE(long_jump_ends_frames)
{
	struct words *volatile words = pm;

	if (setjmp(here) == 0)
		decide_and_jump(words); //! store v: control flag
	words->w = 1;                   //! store w: nothing
}

static struct words *volatile handled;

static void handler(int number)
{
	(void)number;
	handled->y = 1;
	kept = handled->x;
}

/* A handler of a signal stands under no decision of what it interrupts, which goes on as before. */
CASE(signal_handler)
{
	struct sigaction action = {.sa_handler = handler};

	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	handled = pm;
	if (pm->flag) {
		raise(SIGUSR1); //! store y: nothing
		pm->w = 1;      //! store w: control flag
	}
	pm->v = 1; //! store v: nothing
}

CASE(signal_value)
{
	struct sigaction action = {.sa_handler = handler};
	uint64_t count = pm->count;

	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	handled = pm;
	raise(SIGUSR1); //! store y: nothing
	pm->w = kept;   //! store w: data x
	pm->v = count;  //! store v: data count
}
