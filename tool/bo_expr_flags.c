/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_expr_flags.c - the flags of amd64 as expressions.
 *
 * VEX keeps what the last instruction that sets flags did (the thunk: an operation and up to three words), and computes
 * flags from it when they are used.  What each operation keeps, and the flags that it makes of it, is VEX's private
 * matter; test/e2e/search_operations checks all of it.
 *
 * A condition that compares two numbers becomes that comparison, because solvers know about comparisons and not about
 * flags. */
#include "bo_expr_ops.h"

/* Operations in the sequence of VEX.  Those up to SMUL have numbers for 8, 16, 32 and 64 bits, the others for 32 and 64.
 *
 *                   first word   second word         third word
 *   ADD, SUB, MUL   operand      operand
 *   ADC, SBB        operand      operand ^ carry     carry before
 *   INC, DEC        result                           carry before
 *   SHL, SHR        result       shifted one less
 *   ROL, ROR        result                           flags before
 *   BLSI and so on  result       operand
 *   ADCX, ADOX      operand      operand ^ C or O    flags before
 *   others          result */
enum family {
	ADD,
	SUB,
	ADC,
	SBB,
	LOGIC,
	INC,
	DEC,
	SHL,
	SHR,
	ROL,
	ROR,
	UMUL,
	SMUL,
	ANDN,
	BLSI,
	BLSMSK,
	BLSR,
	ADCX,
	ADOX,
	FAMILY_COUNT,
	COPY, /* the first word has the flags */
};

#define FIRST_OF_TWO (1 + 4 * ANDN) /* the number of ANDN of 32 bits */
#define NUMBER_END (FIRST_OF_TWO + 2 * (FAMILY_COUNT - ANDN))

/* Where a flag is in the flags register. */
enum flag { C = 0, P = 2, A = 4, Z = 6, S = 7, O = 11 };

struct thunk {
	enum family family;
	UInt width;
	UInt first, second, third; /* as they were kept: 64 bits */
	UInt a, b;                 /* the first and second word in the operation's width; b without a carry */
	UInt carry;                /* ADC, SBB, ADCX, ADOX: the bit that is added too */
	UInt result;
};

static UInt bit(UInt value)
{
	return bo_expr_const(1, value);
}

static UInt bit_of(UInt expr, UInt index)
{
	return bo_expr_extract(expr, index, 1);
}

static UInt either(UInt x, UInt y)
{
	return bo_expr_2(BO_EXPR_OR, x, y);
}

static UInt differ(UInt x, UInt y)
{
	return bo_expr_2(BO_EXPR_XOR, x, y);
}

/* ---- the thunk ---- */

static void read_number(struct thunk *t, ULong number)
{
	if (!number) {
		t->family = COPY;
		t->width = 64;
	} else if (number < FIRST_OF_TWO) {
		t->family = (enum family)((number - 1) / 4);
		t->width = 8u << (number - 1) % 4;
	} else {
		t->family = (enum family)(ANDN + (number - FIRST_OF_TWO) / 2);
		t->width = 32u << (number - FIRST_OF_TWO) % 2;
	}
}

static UInt sum_with_carry(const struct thunk *t, enum bo_expression kind)
{
	return bo_expr_2(kind, bo_expr_2(kind, t->a, t->b), bo_expr_zext(t->carry, t->width));
}

static void read_words(struct thunk *t)
{
	t->a = bo_expr_extract(t->first, 0, t->width);
	t->b = bo_expr_extract(t->second, 0, t->width);
	t->result = t->a;
	t->carry = bit_of(t->third, t->family == ADOX ? O : C);
	switch (t->family) {
	case ADD: t->result = bo_expr_2(BO_EXPR_ADD, t->a, t->b); break;
	case SUB: t->result = bo_expr_2(BO_EXPR_SUB, t->a, t->b); break;
	case UMUL:
	case SMUL: t->result = bo_expr_2(BO_EXPR_MUL, t->a, t->b); break;
	case ADC:
	case SBB:
	case ADCX:
	case ADOX:
		t->b = differ(t->b, bo_expr_zext(t->carry, t->width));
		t->result = sum_with_carry(t, t->family == SBB ? BO_EXPR_SUB : BO_EXPR_ADD);
		break;
	default: break;
	}
}

/* ---- flags ---- */

static UInt upper_bit(const struct thunk *t, UInt expr)
{
	return bit_of(expr, t->width - 1);
}

static UInt carry_flag(const struct thunk *t)
{
	UInt low, high;

	switch (t->family) {
	case ADD: return bo_expr_2(BO_EXPR_ULT, t->result, t->a);
	case SUB: return bo_expr_2(BO_EXPR_ULT, t->a, t->b);
	case ADC:
	case ADCX:
	case ADOX:
		return bo_expr_ite(t->carry, bo_expr_2(BO_EXPR_ULE, t->result, t->a),
				   bo_expr_2(BO_EXPR_ULT, t->result, t->a));
	case SBB: return bo_expr_ite(t->carry, bo_expr_2(BO_EXPR_ULE, t->a, t->b), bo_expr_2(BO_EXPR_ULT, t->a, t->b));
	case INC:
	case DEC: return t->carry;
	case SHL: return upper_bit(t, t->second);
	case SHR:
	case ROL: return bit_of(t->family == SHR ? t->second : t->first, 0);
	case ROR: return upper_bit(t, t->first);
	case UMUL: return bo_expr_not(bo_expr_equal_zero(bo_expr_2(BO_EXPR_MULHU, t->a, t->b)));
	case SMUL:
		high = bo_expr_2(BO_EXPR_MULHS, t->a, t->b);
		low = bo_expr_2(BO_EXPR_ASHR, t->result, bo_expr_const(t->width, t->width - 1));
		return bo_expr_not(bo_expr_2(BO_EXPR_EQ, high, low));
	case BLSI: return bo_expr_not(bo_expr_equal_zero(t->b));
	case BLSMSK:
	case BLSR: return bo_expr_equal_zero(t->b);
	default: return bit(0);
	}
}

static UInt overflow_flag(const struct thunk *t)
{
	ULong least = 1ULL << (t->width - 1);
	UInt signs;

	switch (t->family) {
	case ADD:
	case ADC:
	case SUB:
	case SBB:
		signs = differ(upper_bit(t, t->a), upper_bit(t, t->b));
		if (t->family == ADD || t->family == ADC)
			signs = bo_expr_not(signs);
		return bo_expr_2(BO_EXPR_AND, signs, differ(upper_bit(t, t->a), upper_bit(t, t->result)));
	case INC: return bo_expr_2(BO_EXPR_EQ, t->result, bo_expr_const(t->width, least));
	case DEC: return bo_expr_2(BO_EXPR_EQ, t->result, bo_expr_const(t->width, least - 1));
	case SHL:
	case SHR: return differ(upper_bit(t, t->first), upper_bit(t, t->second));
	case ROL: return differ(upper_bit(t, t->first), bit_of(t->first, 0));
	case ROR: return differ(upper_bit(t, t->first), bit_of(t->first, t->width - 2));
	case UMUL:
	case SMUL: return carry_flag(t);
	default: return bit(0);
	}
}

static UInt parity_flag(const struct thunk *t)
{
	UInt odd = bit_of(t->result, 0);

	if (t->family >= ANDN)
		return bit(0);
	for (UInt i = 1; i < 8; i++)
		odd = differ(odd, bit_of(t->result, i));
	return bo_expr_not(odd);
}

/* The carry out of the lowest four bits. */
static UInt adjust_flag(const struct thunk *t)
{
	switch (t->family) {
	case ADD:
	case SUB:
	case ADC:
	case SBB: return differ(bit_of(t->result, 4), differ(bit_of(t->a, 4), bit_of(t->b, 4)));
	case INC: return bo_expr_equal_zero(bo_expr_extract(t->result, 0, 4));
	case DEC: return bo_expr_2(BO_EXPR_EQ, bo_expr_extract(t->result, 0, 4), bo_expr_const(4, 15));
	default: return bit(0);
	}
}

static UInt zero_flag(const struct thunk *t)
{
	if (t->family == BLSMSK)
		return bit(0);
	if (t->family == SUB)
		return bo_expr_2(BO_EXPR_EQ, t->a, t->b);
	return bo_expr_equal_zero(t->result);
}

/* Operations that leave most flags as they were have the flags before in their third word. */
static Bool is_kept(const struct thunk *t, enum flag flag)
{
	switch (t->family) {
	case ROL:
	case ROR: return flag != C && flag != O;
	case ADCX: return flag != C;
	case ADOX: return flag != O;
	default: return False;
	}
}

static UInt flag_of(const struct thunk *t, enum flag flag)
{
	if (t->family == COPY)
		return bit_of(t->first, flag);
	if (is_kept(t, flag))
		return bit_of(t->third, flag);
	switch (flag) {
	case C: return carry_flag(t);
	case P: return parity_flag(t);
	case A: return adjust_flag(t);
	case Z: return zero_flag(t);
	case S: return upper_bit(t, t->result);
	default: return t->family == ADOX ? carry_flag(t) : overflow_flag(t);
	}
}

/* ---- conditions ---- */

/* Conditions in the sequence of VEX and amd64; each is followed by its opposite. */
enum condition { OVERFLOW, BELOW, EQUAL, BELOW_EQUAL, NEGATIVE, PARITY, LESS, LESS_EQUAL, CONDITION_COUNT };

/* The condition as a comparison of two numbers; 0: it is none. */
static UInt as_comparison(const struct thunk *t, enum condition condition)
{
	UInt b = t->family == LOGIC ? bo_expr_const(t->width, 0) : t->b;

	if (t->family != SUB && t->family != LOGIC)
		return 0;
	switch (condition) {
	case BELOW_EQUAL: return bo_expr_2(BO_EXPR_ULE, t->a, b);
	case LESS: return bo_expr_2(BO_EXPR_SLT, t->a, b);
	case LESS_EQUAL: return bo_expr_2(BO_EXPR_SLE, t->a, b);
	default: return 0;
	}
}

static UInt condition_of(const struct thunk *t, ULong number)
{
	enum condition condition = (enum condition)(number / 2);
	UInt holds = as_comparison(t, condition);

	if (!holds) {
		switch (condition) {
		case OVERFLOW: holds = flag_of(t, O); break;
		case BELOW: holds = flag_of(t, C); break;
		case EQUAL: holds = flag_of(t, Z); break;
		case BELOW_EQUAL: holds = either(flag_of(t, C), flag_of(t, Z)); break;
		case NEGATIVE: holds = flag_of(t, S); break;
		case PARITY: holds = flag_of(t, P); break;
		case LESS: holds = differ(flag_of(t, S), flag_of(t, O)); break;
		default: holds = either(differ(flag_of(t, S), flag_of(t, O)), flag_of(t, Z)); break;
		}
	}
	return number % 2 ? bo_expr_not(holds) : holds;
}

static UInt condition_word(const struct thunk *t, ULong number)
{
	return bo_expr_zext(condition_of(t, number), 64);
}

static UInt carry_word(const struct thunk *t, ULong unused)
{
	return bo_expr_zext(flag_of(t, C), 64);
}

static UInt flags_word(const struct thunk *t, ULong unused)
{
	static const enum flag flags[] = {C, P, A, Z, S, O};
	UInt bits[O + 1];

	for (UInt i = 0; i <= O; i++)
		bits[i] = bit(0);
	for (UInt i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		bits[flags[i]] = flag_of(t, flags[i]);
	return bo_expr_zext(bo_expr_join(bits, O + 1), 64);
}

/* ---- the helper functions of VEX ---- */

typedef UInt flags_reader(const struct thunk *t, ULong number);

/* The word if the condition `holds`, or not: what is chosen by it is decided. */
static UInt word_if(UInt word, UInt condition, Bool holds)
{
	const struct bo_expr *e = bo_expr_at(word);

	return e->kind == BO_EXPR_ITE && e->operand[0] == condition ? e->operand[holds ? 1 : 2] : word;
}

/* A shift by a number of bits that may be 0 leaves the thunk as it was, or sets it: then even the operation depends on
 * input.  Several such shifts are a chain of choices.  `words` are the operation and its three words; `choices` are left.
 * 0: there are too many, or the operation is no choice. */
#define CHOICES_MOST 32

static UInt read_flags(flags_reader *read, ULong number, const UInt *words, UInt *choices)
{
	const struct bo_expr *operation = bo_expr_at(words[0]);
	struct thunk t = {.first = words[1], .second = words[2], .third = words[3]};
	UInt condition = operation->operand[0], sides[2];

	if (operation->kind == BO_EXPR_CONST && operation->own < NUMBER_END) {
		read_number(&t, operation->own);
		read_words(&t);
		return read(&t, number);
	}
	if (operation->kind != BO_EXPR_ITE || !*choices)
		return 0;
	--*choices;
	for (UInt holds = 0; holds < 2; holds++) {
		UInt chosen[4];

		for (UInt i = 0; i < 4; i++)
			chosen[i] = word_if(words[i], condition, holds);
		sides[holds] = read_flags(read, number, chosen, choices);
	}
	return bo_expr_ite(condition, sides[1], sides[0]);
}

static Bool flags_call(flags_reader *read, ULong number, const struct bo_value *thunk, struct bo_value *result)
{
	UInt words[4], choices = CHOICES_MOST;

	for (UInt i = 0; i < 4; i++)
		words[i] = bo_value_lane(&thunk[i], 0);
	result->label[0] = read_flags(read, number, words, &choices);
	return result->label[0] != 0;
}

Bool bo_expr_condition(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return n == 5 && !args[0].label[0] && args[0].value[0] < 2 * CONDITION_COUNT &&
	       flags_call(condition_word, args[0].value[0], args + 1, result);
}

Bool bo_expr_carry(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return n == 4 && flags_call(carry_word, 0, args, result);
}

Bool bo_expr_all_flags(const struct bo_value *args, UInt n, struct bo_value *result)
{
	return n == 4 && flags_call(flags_word, 0, args, result);
}
