/* SPDX-License-Identifier: 0BSD */
/* atomic128.h - atomic operations on 16 bytes, compatible with those of libatomic, which other code of the same program
 * may use on the same object: cmpxchg16b, and for loads and stores an aligned vector move where the processor has AVX,
 * which makes these moves atomic.  So a load does not write, and a release store has no fence, on such processors.
 *
 * Written without the compiler's builtins, because these call libatomic. */
#ifndef BLACKOUT_RUNTIME_ATOMIC128_H
#define BLACKOUT_RUNTIME_ATOMIC128_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 a128;

static inline bool avx_detect(void)
{
	unsigned a, b, c, d, state, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX))
		return false;
	__asm__ volatile("xgetbv" : "=a"(state), "=d"(high) : "c"(0));
	return (state & 6) == 6; /* the system saves SSE and AVX registers */
}

/* Asked once.  Threads and signal handlers that ask at the same time find the same answer. */
static inline bool avx_present(void)
{
	static signed char known;

	if (!__atomic_load_n(&known, __ATOMIC_RELAXED))
		__atomic_store_n(&known, avx_detect() ? 1 : -1, __ATOMIC_RELAXED);
	return __atomic_load_n(&known, __ATOMIC_RELAXED) > 0;
}

/* Store `desired` if *p is *expected; otherwise put what is there into *expected. */
static inline bool a128_compare_exchange(volatile a128 *p, a128 *expected, a128 desired)
{
	uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
	bool equal;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(equal), "+m"(*p), "+a"(low), "+d"(high)
			 : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
			 : "memory");
	if (!equal)
		*expected = (a128)high << 64 | low;
	return equal;
}

static inline a128 a128_load(volatile a128 *p)
{
	uint64_t low, high;
	a128 value = 0;

	if (!avx_present()) {
		a128_compare_exchange(p, &value, 0);
		return value;
	}
	__asm__ volatile("vmovdqa %2, %%xmm0\n\tvmovq %%xmm0, %0\n\tvpextrq $1, %%xmm0, %1"
			 : "=r"(low), "=r"(high)
			 : "m"(*p)
			 : "xmm0", "memory");
	return (a128)high << 64 | low;
}

/* What is probably there.  If it is torn or outdated, the comparison fails and gives the right value. */
static inline a128 a128_guess(volatile a128 *p)
{
	volatile const uint64_t *half = (volatile const uint64_t *)p;

	return half[0] | (a128)half[1] << 64;
}

static inline a128 a128_exchange(volatile a128 *p, a128 value)
{
	a128 old = a128_guess(p);

	while (!a128_compare_exchange(p, &old, value))
		;
	return old;
}

static inline void a128_store(volatile a128 *p, a128 value, bool fence)
{
	if (fence || !avx_present()) {
		a128_exchange(p, value);
		return;
	}
	__asm__ volatile("vmovq %1, %%xmm0\n\tvpinsrq $1, %2, %%xmm0, %%xmm0\n\tvmovdqa %%xmm0, %0"
			 : "=m"(*p)
			 : "r"((uint64_t)value), "r"((uint64_t)(value >> 64))
			 : "xmm0", "memory");
}

#endif
