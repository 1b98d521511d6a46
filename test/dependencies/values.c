/* SPDX-License-Identifier: GPL-2.0-or-later */
/* values.c - dependencies of values that are computed, and of addresses. */
// needs: avx2 sse4_2
#include "depend.h"

#include <immintrin.h>

static void words_prepare(struct words *words)
{
	(void)words;
}

CASE(constant)
{
	pm->y = 1; //! store y: nothing
}

CASE(assignment)
{
	pm->y = pm->x; //! store y: data x
}

CASE(sum)
{
	pm->y = pm->x + 3 * pm->z; //! store y: data x z
	pm->w = pm->x;             //! store w: data x
}

CASE(quotient)
{
	pm->y = pm->z / pm->x; //! store y: data x z
	pm->w = pm->z % pm->x; //! store w: data x z
}

CASE(shift)
{
	pm->y = pm->x << (pm->z & 63); //! store y: data x z
}

CASE(comparison)
{
	pm->y = pm->x < pm->z; //! store y: data x z
}

CASE(narrow)
{
	*(volatile uint8_t *)&pm->y = (uint8_t)pm->x; //! store y: data x
	*(half_word *)&pm->w = (uint32_t)pm->z;       //! store w: data z
}

/* The result does not depend on the operand. */
CASE(cleared)
{
	uint64_t v = pm->x, n = pm->z;

	__asm__ volatile("xor %0, %0" : "+r"(v) : : "cc");
	__asm__ volatile("sub %0, %0" : "+r"(n) : : "cc");
	pm->y = v; //! store y: nothing
	pm->w = n; //! store w: nothing
}

CASE(product)
{
	unsigned __int128 product = (unsigned __int128)pm->x * pm->z;

	pm->y = (uint64_t)(product >> 64); //! store y: data x z
	pm->w = (uint64_t)product;         //! store w: data x z
}

/* The high half depends on the low ones by the carry alone. */
CASE(carry)
{
	uint64_t low = pm->x, high = 0;

	__asm__ volatile("add %2, %0; adc $0, %1" : "+r"(low), "+r"(high) : "r"(pm->z) : "cc");
	pm->y = high; //! store y: data x z
	pm->w = low;  //! store w: data x z
}

CASE(checksum)
{
	uint64_t crc = 77;

	__asm__ volatile("crc32q %1, %0" : "+r"(crc) : "m"(pm->x));
	pm->y = crc; //! store y: data x
}

/* The processor leaves the result alone if there is no bit, which is a decision. */
CASE(bit_search)
{
	uint64_t n;

	__asm__ volatile("bsf %1, %0" : "=r"(n) : "r"(pm->index) : "cc");
	pm->y = n; //! store y: data index; control index
}

CASE(bit_field_written)
{
	pm->bits.b = pm->x & 31; //! store bits: data bits x
}

CASE(bit_field_read)
{
	pm->y = pm->bits.c; //! store y: data bits
}

CASE(real_number)
{
	pm->result = pm->real * pm->factor + 1.0; //! store result: data factor real
}

CASE(real_to_integer)
{
	pm->y = (uint64_t)(int64_t)pm->real; //! store y: data real
}

CASE(integer_to_real)
{
	pm->result = (double)(int64_t)pm->x; //! store result: data x
}

CASE(x87_wide)
{
	pm->result = (double)(pm->wide * 2.0L); //! store result: data wide
}

CASE(x87_stack)
{
	volatile long double a = (long double)pm->real, b = (long double)pm->factor;

	pm->wide = a;           //! store wide: data real
	pm->result = (double)b; //! store result: data factor
}

CASE(index_of_store)
{
	pm->output[pm->index] = 1; //! store output[2]: data index
}

/* What a load depends on ends at PM: the result depends on the element that was read. */
CASE(index_of_load)
{
	pm->y = pm->array[pm->index]; //! store y: data array[2]
} //! load array[2]: data index

CASE(table_in_memory)
{
	static word table[4] = {1, 2, 3, 4};

	pm->y = table[pm->index]; //! store y: data index
	pm->w = table[2];         //! store w: nothing
}

CASE(index_in_memory)
{
	static word table[4];

	table[pm->index] = 1;
	pm->y = table[2]; //! store y: data index
	pm->w = table[1]; //! store w: nothing
}

CASE(pointers)
{
	struct node *node = pm->head;

	node = node->next;
	node = node->next;
	pm->y = node->value; //! store y: data third.value
	node->value = 1;     //! store third.value: data second.next
}
//! load head: nothing
//! load first.next: data head
//! load second.next: data first.next

/* Conditional moves of the processor: the side that is taken, and the condition as a decision. */
CASE(conditional_move)
{
	uint64_t chosen = pm->z, other = pm->x;

	__asm__ volatile("cmp $0, %2; cmovne %1, %0" : "+r"(chosen) : "r"(other), "r"(pm->flag) : "cc");
	pm->y = chosen; //! store y: data x; control flag
	chosen = pm->z;
	__asm__ volatile("cmp $0, %2; cmovne %1, %0" : "+r"(chosen) : "r"(other), "r"(pm->off) : "cc");
	pm->w = chosen; //! store w: data z; control off
}

CASE(set_on_condition)
{
	uint8_t n;

	__asm__ volatile("cmp $0, %1; setne %0" : "=r"(n) : "r"(pm->flag) : "cc");
	*(volatile uint8_t *)&pm->y = n; //! store y: data flag
}

/* Parts of a register are kept apart. */
CASE(register_parts)
{
	__asm__ volatile("xor %%eax, %%eax; movb %2, %%al; movb %3, %%ah; movb %%al, %0; movb %%ah, %1"
			 : "=m"(*(volatile uint8_t *)&pm->y), "=m"(*(volatile uint8_t *)&pm->w)
			 : "m"(*(volatile uint8_t *)&pm->x), "m"(*(volatile uint8_t *)&pm->z)
			 : "rax", "cc");
}
//! store y: data x
//! store w: data z

/* A 32-bit write clears the upper half. */
CASE(upper_half)
{
	uint64_t v = pm->x;

	__asm__ volatile("movl $1, %k0" : "+r"(v));
	pm->y = v; //! store y: nothing
}

CASE(vector)
{
	__m128i pair = _mm_loadu_si128((const __m128i *)&pm->array[0]);

	_mm_storeu_si128((__m128i *)&pm->output[0], pair);
}
//! store output[0]: data array[0] array[1]
//! store output[1]: data array[0] array[1]

CASE(vector_lanes)
{
	__m128i a, b;

	__asm__ volatile("movq %1, %0; pinsrq $1, %2, %0" : "=x"(a) : "m"(pm->x), "m"(pm->z));
	__asm__ volatile("movq %1, %0; pinsrq $1, %2, %0" : "=x"(b) : "m"(pm->index), "m"(pm->count));
	__asm__ volatile("paddq %1, %0" : "+x"(a) : "x"(b));
	__asm__ volatile("movq %1, %0" : "=m"(pm->y) : "x"(a));       //! store y: data index x
	__asm__ volatile("movhps %1, %0" : "=m"(pm->w) : "x"(a));     //! store w: data count z
	__asm__ volatile("pextrq $1, %1, %0" : "=m"(pm->v) : "x"(a)); //! store v: data count z
}

CASE(wide_vector)
{
	static word buffer[4];

	__asm__ volatile("vmovdqu %1, %%xmm0; vinserti128 $1, %2, %%ymm0, %%ymm0; vmovdqu %%ymm0, %0; vzeroupper"
			 : "=m"(buffer)
			 : "m"(*(const __m128i *)&pm->array[0]), "m"(*(const __m128i *)&pm->array[2])
			 : "xmm0", "memory");
	pm->y = buffer[1]; //! store y: data array[0] array[1]
	pm->w = buffer[2]; //! store w: data array[2] array[3]
}

CASE(non_temporal)
{
	uint64_t v = pm->x;

	__asm__ volatile("movnti %1, %0" : "=m"(pm->y) : "r"(v)); //! store y: data x
}

CASE(exchange)
{
	pm->y = __atomic_exchange_n(&pm->x, pm->z, __ATOMIC_SEQ_CST); //! store y: data x
} //! store x: data z

CASE(fetch_and_add)
{
	pm->y = __atomic_fetch_add(&pm->x, pm->z, __ATOMIC_SEQ_CST); //! store y: data x
} //! store x: data x z

/* Whether the new value is stored is decided by the old one. */
CASE(compare_and_swap)
{
	uint64_t expected = 5;
	char done = __atomic_compare_exchange_n(&pm->x, &expected, pm->z, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

	*(volatile char *)&pm->y = done; //! store y: data x
} //! store x: data z; control x
