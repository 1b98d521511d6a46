/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.c - dependencies by decisions inside a function. */
#include "depend.h"

static void words_prepare(struct words *words)
{
	(void)words;
}

CASE(if_then)
{
	if (pm->flag)
		pm->y = 1; //! store y: control flag
	pm->w = 1;         //! store w: nothing
}

CASE(if_else)
{
	if (pm->off)
		pm->y = 1;
	else
		pm->y = 2; //! store y: control off
	JOIN();
	pm->w = 1; //! store w: nothing
}

CASE(nested)
{
	if (pm->flag) {
		if (pm->x)
			pm->y = 1; //! store y: control flag x
		pm->w = 1;         //! store w: control flag
	}
	pm->v = 1; //! store v: nothing
} //! load x: control flag

CASE(else_if)
{
	if (pm->x == 1)
		pm->y = 1;
	else if (pm->z == 7)
		pm->y = 2; //! store y: control x z
	else
		pm->y = 3;
	JOIN();
	pm->w = 1; //! store w: nothing
} //! load z: control x

/* What was assigned under a decision depends on it later, too. */
CASE(assigned)
{
	uint64_t v;

	if (pm->flag)
		SET(v, 1);
	else
		SET(v, 2);
	pm->y = v; //! store y: control flag
}

CASE(assigned_in_memory)
{
	kept = 1;
	pm->w = kept; //! store w: nothing
	if (pm->flag)
		kept = 2;
	pm->y = kept; //! store y: control flag
	kept = 3;
	pm->v = kept; //! store v: nothing
}

/* The other side would have assigned, but was not taken: nothing tells that in this run. */
CASE(not_assigned)
{
	kept = 1;
	if (pm->off)
		kept = 2;
	pm->y = kept; //! store y: nothing
}

/* A register that was used for something else and then restored.  Without optimization the value is a variable in memory,
 * and was assigned.  A small number would be taken for one that was chosen. */
CASE(restored)
{
	uint64_t v = 0x10000, n = pm->x;
	word slot;

	if (pm->flag) {
		__asm__ volatile("mov %0, %1; xor %k0, %k0; mov %1, %0" : "+r"(v), "=m"(slot) : : "cc");
		__asm__ volatile("mov %0, %1; xor %k0, %k0; mov %1, %0" : "+r"(n), "=m"(slot) : : "cc");
	}
	JOIN();
	pm->y = v;
	pm->w = n;
	//! O0: store y: control flag
	//! O0: store w: data x; control flag
	//! O2: store y: nothing
	//! O2: store w: data x
}

CASE(data_and_control)
{
	if (pm->flag)
		pm->y = pm->x + 1; //! store y: data x; control flag
	pm->w = pm->z;             //! store w: data z
}

/* A read that is guarded by another. */
CASE(guarded_read)
{
	if (pm->flag)
		kept = pm->x;
	kept = pm->z;
	pm->y = kept; //! store y: data z
}
//! load x: control flag
//! load z: nothing

CASE(conditional_operator)
{
	pm->y = pm->flag ? pm->x : pm->z; //! store y: data x; control flag
} //! load x: control flag

CASE(and)
{
	if (pm->flag && pm->x)
		pm->y = 1; //! store y: control flag x
	pm->w = 1;         //! store w: nothing
} //! load x: control flag

CASE(and_fails)
{
	if (pm->off && pm->x)
		pm->y = 1;
	else
		pm->y = 2; //! store y: control off
}

CASE(or)
{
	if (pm->off || pm->flag)
		pm->y = 1; //! store y: control flag off
	pm->w = 1;         //! store w: nothing
} //! load flag: control off

CASE(for_loop)
{
	for (uint64_t i = 0; i < pm->count; i++)
		pm->output[i] = 1;
	pm->w = 1; //! store w: nothing
}
//! store output[0]: control count
//! store output[1]: control count
//! store output[2]: control count

/* A constant number of rounds is no decision. */
CASE(constant_loop)
{
	for (uint64_t i = 0; i < 3; i++)
		pm->output[i] = pm->array[i];
}
//! store output[0]: data array[0]
//! store output[1]: data array[1]
//! store output[2]: data array[2]

/* The counter depends on the decisions to go on. */
CASE(loop_counter)
{
	uint64_t i = 0;

	while (i < pm->count) {
		i++;
		__asm__ volatile("" : "+r"(i));
	}
	pm->y = i; //! store y: control count
}

CASE(do_loop)
{
	uint64_t i = 0;

	do {
		pm->output[i] = 1;
		i++;
		__asm__ volatile("" : "+r"(i));
	} while (i < pm->index);
	pm->w = 1; //! store w: nothing
}
//! store output[0]: nothing
//! store output[1]: control index

CASE(list)
{
	uint64_t sum = 0;

	for (struct node *node = pm->head; node; node = node->next)
		sum += node->value;
	pm->y = sum; //! store y: data first.value second.value third.value; control first.next head second.next
	pm->w = 1;   //! store w: nothing
}
//! load first.value: data head; control head
//! load third.value: data second.next; control first.next head second.next

/* A decision of one round is over before the next. */
CASE(continue_loop)
{
	for (uint64_t i = 0; i < 4; i++) {
		if (!pm->tokens[i])
			continue;
		pm->output[i] = 1;
	}
}
//! store output[0]: control tokens[0]
//! store output[2]: control tokens[2]
//! store output[3]: control tokens[3]
//! load tokens[1]: nothing
//! load tokens[3]: nothing

/* But to leave the loop decides on all rounds that follow. */
CASE(break_loop)
{
	for (uint64_t i = 2; i < 4; i++) {
		if (!pm->tokens[i])
			break;
		pm->output[i] = 1;
	}
	pm->w = 1; //! store w: nothing
}
//! store output[2]: control tokens[2]
//! store output[3]: control tokens[2] tokens[3]
//! load tokens[3]: control tokens[2]

CASE(go_to)
{
	if (!pm->flag)
		goto out;
	pm->y = 1; //! store y: control flag
	if (!pm->x)
		goto out;
	pm->v = 1; //! store v: control flag x
out:
	pm->w = 1; //! store w: nothing
} //! load x: control flag

CASE(computed_go_to)
{
	static const void *const places[4] = {&&zero, &&one, &&two, &&three};

	goto *places[pm->index];
zero:
	pm->y = 1;
	goto out;
one:
	pm->y = 2;
	goto out;
two:
	pm->y = 3; //! store y: control index
	goto out;
three:
	pm->y = 4;
out:
	JOIN();
	pm->w = 1; //! store w: nothing
}

/* Compiled to a table of addresses. */
CASE(switch_by_table)
{
	switch (pm->index) {
	case 0: pm->y = 10; break;
	case 1: pm->y = pm->x; break;
	case 2:
		pm->y = 12; //! store y: control index
		pm->v = 12; //! store v: control index
		break;
	case 3: pm->y = pm->z; break;
	case 4:
		pm->y = 14;
		pm->w = 3;
		break;
	case 5: pm->y = pm->x + 2; break;
	case 6: pm->y = 1; pm->v = 2;
	}
	JOIN();
	pm->w = 1; //! store w: nothing
}

/* Compiled to comparisons. */
CASE(switch_by_comparisons)
{
	switch (pm->index) {
	case 2:
		pm->y = 10; //! store y: control index
		break;
	case 100000: pm->y = 11; break;
	default: pm->v = 1;
	}
	JOIN();
	pm->w = 1; //! store w: nothing
}

CASE(switch_default)
{
	switch (pm->array[0]) {
	case 0: pm->y = 10; break;
	case 1: pm->y = pm->x; break;
	case 2:
		pm->y = 12;
		pm->v = 1;
		break;
	case 3: pm->y = pm->z; break;
	case 4:
		pm->y = 14;
		pm->v = 2;
		break;
	default: pm->y = 15; //! store y: control array[0]
	}
	JOIN();
	pm->w = 1; //! store w: nothing
}

/* With -O2 the values are in a table, and the index is a part of the address. */
CASE(switch_of_values)
{
	uint64_t v;

	switch (pm->index) {
	case 0: v = 1021; break;
	case 1: v = 7; break;
	case 2: v = 33; break;
	case 3: v = 41; break;
	case 4: v = 99; break;
	default: v = 0;
	}
	pm->y = v;
	//! O0: store y: control index
	//! O2: store y: data index; control index
}

/* A side that fails decides nothing: that it is not taken is what the program asserts. */
CASE(abort_if)
{
	if (pm->off)
		abort();
	pm->y = 1; //! store y: nothing
}

/* Whether the rest is executed at all was decided. */
CASE(exit_if)
{
	if (pm->off)
		exit(1);
	pm->y = 1; //! store y: control off
}

/* It decides longer than the decision around it, which looked at the same. */
CASE(exit_if_inside)
{
	uint64_t off = pm->off;

	if (off < 2) {
		if (off)
			exit(1);
		pm->w = 1; //! store w: control off
	}
	JOIN();
	pm->y = 1; //! store y: control off
}

/* The register has the same number as before, but by decision. */
CASE(chosen_as_before)
{
	register uint64_t number __asm__("r8");

	SET(number, 1);
	if (pm->flag)
		SET(number, 1);
	else
		SET(number, 2);
	JOIN();
	pm->y = number; //! store y: control flag
}
