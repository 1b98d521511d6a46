/* SPDX-License-Identifier: GPL-2.0-or-later */
/* accesses - every kind of access to PM in C, with what it is in the source (noted.sh). */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct triple {
	uint64_t a, b, c;
};
struct large {
	char bytes[1000];
};
struct __attribute__((packed)) odd {
	char c;
	uint64_t value;
};
struct bits {
	unsigned low : 12, high : 20;
};

struct pm {
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	float f;
	double d;
	void *pointer;
	unsigned __int128 u128;
	volatile uint8_t v8;
	volatile uint32_t v32;
	volatile uint64_t v64;
	_Atomic uint8_t a8;
	_Atomic uint16_t a16;
	_Atomic uint32_t a32;
	_Atomic uint64_t a64;
	_Alignas(16) _Atomic unsigned __int128 a128;
	struct triple triple, other;
	volatile struct triple changing;
	struct large large;
	struct odd odd;
	struct bits bits;
	char bytes[256];
	uint64_t array[8];
};

static struct pm *pm;
static volatile uint64_t seed = 3;
static volatile uint64_t sink;
static volatile size_t length = 100;
static struct triple triple = {1, 2, 3};
static struct large large = {"large"};
static char bytes[256] = "bytes";

#define STORE(p, value, order) atomic_store_explicit(p, value, memory_order_##order)
#define LOAD(p, order) atomic_load_explicit(p, memory_order_##order)
#define UPDATE(how, p, value, order) atomic_##how##_explicit(p, value, memory_order_##order)
#define COMPARE(p, expected, value, order, failure) \
	atomic_compare_exchange_strong_explicit(p, expected, value, memory_order_##order, memory_order_##failure)
#define CASE(name) __attribute__((noinline)) static void name(void)

CASE(plain)
{
	pm->u8 = (uint8_t)seed;                   //! store plain 1
	pm->u16 = (uint16_t)seed;                 //! store plain 2
	pm->u32 = (uint32_t)seed;                 //! store plain 4
	pm->u64 = seed;                           //! store plain 8
	pm->f = (float)seed;                      //! store plain 4
	pm->d = (double)seed;                     //! store plain 8
	pm->pointer = pm;                         //! store plain 8
	pm->u128 = seed;                          //! store plain 16
	pm->array[seed % 8] = seed;               //! store plain 8
	pm->odd.c = (char)seed;                   //! store plain 1
	pm->odd.value = seed;                     //! store plain 8
	pm->bits.high = (unsigned)seed & 0xfffff; //! store plain 4
}

CASE(plain_loads)
{
	sink = pm->u8;        //! load unknown 1
	sink = pm->u16;       //! load unknown 2
	sink = pm->u32;       //! load unknown 4
	sink = pm->u64;       //! load unknown 8
	sink = pm->odd.value; //! load unknown 8
}

CASE(changing)
{
	pm->v8 = (uint8_t)seed;   //! store volatile 1
	pm->v32 = (uint32_t)seed; //! store volatile 4
	pm->v64 = seed;           //! store volatile 8
	sink = pm->v32;           //! load unknown 4
	sink = pm->v64;           //! load unknown 8
}

CASE(atomic_stores)
{
	STORE(&pm->a8, (uint8_t)seed, relaxed);   //! atomic-store pm relaxed; store atomic,relaxed 1
	STORE(&pm->a16, (uint16_t)seed, release); //! atomic-store pm release; store atomic,release 2
	STORE(&pm->a32, (uint32_t)seed, seq_cst); //! atomic-store pm seq_cst; store atomic,seq_cst 4
	STORE(&pm->a64, seed, relaxed);           //! atomic-store pm relaxed; store atomic,relaxed 8
	STORE(&pm->a64, seed, release);           //! atomic-store pm release; store atomic,release 8
	STORE(&pm->a64, seed, seq_cst);           //! atomic-store pm seq_cst; store atomic,seq_cst 8
	pm->a64 = seed;                           //! atomic-store pm seq_cst; store atomic,seq_cst 8
}

CASE(atomic_loads)
{
	sink = LOAD(&pm->a8, relaxed);  //! atomic-load pm relaxed; load atomic,relaxed 1
	sink = LOAD(&pm->a16, acquire); //! atomic-load pm acquire; load atomic,acquire 2
	sink = LOAD(&pm->a32, seq_cst); //! atomic-load pm seq_cst; load atomic,seq_cst 4
	sink = pm->a64;                 //! atomic-load pm seq_cst; load atomic,seq_cst 8
}

CASE(atomic_updates)
{
	sink = UPDATE(exchange, &pm->a8, 1, acquire);     //! atomic-update pm acquire; store atomic,acquire 1
	sink = UPDATE(fetch_add, &pm->a16, 2, release);   //! atomic-update pm release; store atomic,release 2
	sink = UPDATE(fetch_sub, &pm->a32, 3, acq_rel);   //! atomic-update pm acq_rel; store atomic,acq_rel 4
	sink = UPDATE(fetch_or, &pm->a64, seed, relaxed); //! atomic-update pm relaxed; store atomic,relaxed 8
	sink = atomic_fetch_and(&pm->a64, ~seed);         //! atomic-update pm seq_cst; store atomic,seq_cst 8
	__atomic_fetch_nand(&pm->u64, seed, 4);           //! atomic-update pm acq_rel; store atomic,acq_rel 8
	atomic_fetch_xor(&pm->a64, seed);                 //! atomic-update pm seq_cst; store atomic,seq_cst 8
}

/* An atomic access does not make atomic what is loaded from the same place afterwards. */
CASE(loads_after)
{
	UPDATE(fetch_or, &pm->a64, seed, relaxed);          //! atomic-update pm relaxed; store atomic,relaxed 8
	sink = *(uint64_t *)&pm->a64;                       //! load unknown 8
	sink = __atomic_load_n(&pm->u64, __ATOMIC_ACQUIRE); //! atomic-load pm acquire; load atomic,acquire 8
	sink = pm->u64;                                     //! load unknown 8
}

CASE(comparisons)
{
	uint64_t is = pm->a64, differs = is + 1;

	COMPARE(&pm->a64, &is, seed, acq_rel, relaxed);      //! atomic-update pm acq_rel; store atomic,acq_rel 8
	COMPARE(&pm->a64, &differs, seed, acq_rel, acquire); //! atomic-load pm acquire; load atomic,acquire 8
	is = pm->a64;
	atomic_compare_exchange_weak(&pm->a64, &is, seed + 1); //! atomic-update pm seq_cst; store atomic,seq_cst 8
}

#ifdef WIDE
CASE(wide)
{
	unsigned __int128 is, value = seed;

	STORE(&pm->a128, value, release);             //! atomic-store pm release; store atomic,release 16
	atomic_store(&pm->a128, value);               //! atomic-store pm seq_cst; store atomic,seq_cst 16
	is = LOAD(&pm->a128, acquire);                //! atomic-load pm acquire; load atomic,acquire 16 // clang: *
	UPDATE(fetch_add, &pm->a128, value, acq_rel); //! atomic-update pm acq_rel; store atomic,acq_rel 16
	is += value;
	atomic_compare_exchange_strong(&pm->a128, &is, value); //! atomic-update pm seq_cst; store atomic,seq_cst 16
}
#endif

CASE(copies)
{
	pm->triple = triple;                     //! store plain 24
	pm->other = pm->triple;                  //! store plain 24
	pm->changing = triple;                   //! store plain 24
	pm->large = large;                       //! store plain 1000
	pm->triple = (struct triple){0};         //! store plain 24
	memcpy(pm->bytes, bytes, sizeof(bytes)); //! store plain 256
	memcpy(pm->bytes, bytes, length);        //! store plain 100
	memmove(pm->bytes + 1, bytes, length);   //! store plain 100
	memset(pm->bytes, 7, length);            //! store plain 100
	sink = seed;                             /* or the call may be a jump */
}

CASE(small_copies)
{
	uint64_t value = seed;

	memcpy(pm->bytes + 3, &value, 8); //! store plain 8
}

/* What the source does not say, nobody knows. */
CASE(assembly)
{
	__asm__ volatile("movq %1, (%0)" : : "r"(&pm->u64), "r"(seed) : "memory"); //! store unknown 8
	_mm_stream_si64((long long *)&pm->u64, (long long)seed);         //! store unknown 8 // clang: store plain 8
	__asm__ volatile("lock incq (%0)" : : "r"(&pm->u64) : "memory"); //! atomic-update pm seq_cst; store unknown 8
}

/* An access that is announced and complete says nothing about the next store to the same place. */
CASE(assembly_after)
{
	pm->u64 = seed;                                                            //! store plain 8
	__asm__ volatile("movq %1, (%0)" : : "r"(&pm->u64), "r"(seed) : "memory"); //! store unknown 8
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_CREAT | O_RDWR, 0666);

	if (fd < 0 || ftruncate(fd, 8192) < 0)
		return 1;
	pm = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 1;
	plain();
	plain_loads();
	changing();
	atomic_stores();
	atomic_loads();
	atomic_updates();
	loads_after();
	comparisons();
#ifdef WIDE
	wide();
#endif
	copies();
	small_copies();
	assembly();
	assembly_after();
	return 0;
}
