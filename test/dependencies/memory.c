/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - dependencies that pass through volatile memory. */
#include "depend.h"

#include <stdarg.h>

static void words_prepare(struct words *words)
{
	(void)words;
}

CASE(global)
{
	kept = pm->x;
	pm->y = kept; //! store y: data x
	kept = 1;
	pm->w = kept; //! store w: nothing
}

CASE(bytes_apart)
{
	static volatile uint8_t buffer[8];

	buffer[0] = (uint8_t)pm->x;
	buffer[1] = (uint8_t)pm->z;
	*(volatile uint8_t *)&pm->w = buffer[1]; //! store w: data z
	*(volatile uint8_t *)&pm->v = buffer[2]; //! store v: nothing
	pm->y = *(word *)buffer;                 //! store y: data x z
}

/* A value of several parts keeps them apart when it is moved as a whole. */
CASE(halves)
{
	static volatile union {
		uint64_t whole;
		uint32_t half[2];
	} a, b;

	a.half[0] = (uint32_t)pm->x;
	a.half[1] = (uint32_t)pm->z;
	b.whole = a.whole;
	*(half_word *)&pm->y = b.half[0]; //! store y: data x
	*(half_word *)&pm->w = b.half[1]; //! store w: data z
	b.half[0] = 1;
	*(half_word *)&pm->v = b.half[1]; //! store v: data z
}

/* Loads at odd addresses, across words and lines. */
CASE(odd_address)
{
	static ALIGN(64) volatile uint8_t buffer[128];

	*(word *)(buffer + 61) = pm->x;
	*(half_word *)(buffer + 69) = (uint32_t)pm->z;
	pm->y = *(word *)(buffer + 62);                     //! store y: data x z
	*(half_word *)&pm->w = *(half_word *)(buffer + 70); //! store w: data z
	*(half_word *)&pm->v = *(half_word *)(buffer + 57); //! store v: nothing
}

CASE(heap)
{
	word *p = (word *)malloc(2 * sizeof(*p));

	p[0] = pm->x;
	p[1] = pm->z;
	pm->y = p[1]; //! store y: data z
	free((void *)p);
}

CASE(heap_cleared)
{
	word *p = (word *)malloc(4096);

	p[100] = pm->x;
	free((void *)p);
	p = (word *)calloc(1, 4096);
	pm->y = p[100]; //! store y: nothing
	free((void *)p);
}

CASE(heap_grows)
{
	word *p = (word *)malloc(64), *blocker = (word *)malloc(64);

	p[3] = pm->x;
	p = (word *)realloc((void *)p, 1000);
	pm->y = p[3]; //! store y: data x
	free((void *)p);
	free((void *)blocker);
}

/* The C library moves a large block by mremap. */
CASE(large_heap_grows)
{
	word *p = (word *)malloc(1 << 20);

	p[1000] = pm->x;
	p = (word *)realloc((void *)p, 64 << 20);
	pm->y = p[1000]; //! store y: data x
	pm->w = p[1001]; //! store w: nothing
	free((void *)p);
}

CASE(mapping_moves)
{
	char *to = volatile_create();
	word *p = (word *)mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p[5] = pm->x;
	kept = (uintptr_t)to;
	CHECK(mremap((void *)p, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
	pm->y = ((word *)to)[5]; //! store y: data x
	pm->w = ((word *)to)[6]; //! store w: nothing
}

CASE(mapped_again)
{
	word *p = (word *)volatile_create();

	p[5] = pm->x;
	CHECK(munmap((void *)p, POOL_BYTES) == 0);
	p = (word *)volatile_create();
	pm->y = p[5]; //! store y: nothing
	p[5] = pm->x;
	p = (word *)volatile_create();
	pm->w = p[5]; //! store w: nothing
}

/* What the kernel writes depends on nothing that the program has read. */
CASE(read_from_file)
{
	static word buffer[2];
	int fd = open("/dev/zero", O_RDONLY);

	buffer[0] = pm->x;
	buffer[1] = pm->z;
	CHECK(read(fd, (void *)buffer, 8) == 8);
	pm->y = buffer[0]; //! store y: nothing
	pm->w = buffer[1]; //! store w: data z
	close(fd);
}

/* Fields that were put together one by one stay apart when the structure is copied. */
CASE(structure)
{
	static struct four a, b;

	a.a = pm->x;
	a.b = pm->z;
	a.c = 3;
	a.d = pm->count;
	__asm__ volatile("" : : : "memory");
	b = a;
	__asm__ volatile("" : : : "memory");
	pm->y = b.a;         //! store y: data x
	pm->w = b.b;         //! store w: data z
	pm->v = b.c;         //! store v: nothing
	pm->output[0] = b.d; //! store output[0]: data count
}

/* Two words that one instruction reads are one read. */
CASE(structure_in_pm)
{
	pm->copy = pm->source;
}
//! O0: store copy.a: data source.a
//! O0: store copy.b: data source.b
//! O0: store copy.c: data source.c
//! O0: store copy.d: data source.d
//! O2: store copy.a: data source.a source.b
//! O2: store copy.b: data source.a source.b
//! O2: store copy.c: data source.c source.d
//! O2: store copy.d: data source.c source.d

static APART struct four four_make(uint64_t a, uint64_t b)
{
	struct four four = {a, b, 3, 4};

	return four;
}

CASE(structure_returned)
{
	struct four four = four_make(pm->x, pm->z);

	__asm__ volatile("" : "+m"(four));
	pm->y = four.b; //! store y: data z
	pm->w = four.c; //! store w: nothing
}

static APART uint64_t last_of(int count, ...)
{
	va_list list;
	uint64_t v = 0;

	va_start(list, count);
	while (count-- > 0)
		v = va_arg(list, uint64_t);
	va_end(list);
	return v;
}

CASE(variable_arguments)
{
	pm->y = last_of(2, pm->x, pm->z);                          //! store y: data z
	pm->w = last_of(9, pm->x, 2, 3, 4, 5, 6, 7, 8, pm->count); //! store w: data count
}

static APART uint64_t eighth(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
			     uint64_t h)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
	return h;
}

CASE(arguments_on_stack)
{
	pm->y = eighth(pm->x, 2, 3, 4, 5, 6, pm->x, pm->z); //! store y: data z
	pm->w = eighth(pm->x, 2, 3, 4, 5, 6, pm->x, 8);     //! store w: nothing
}

/* An instruction with a prefix copies element by element.  All that it stores is one event. */
CASE(string_copy)
{
	static word buffer[3];
	const void *source = (const void *)pm->array;
	void *to = (void *)buffer;
	unsigned long n = 3;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(source), "+c"(n) : : "memory");
	pm->y = buffer[0]; //! store y: data array[0]
	source = (const void *)buffer;
	to = (void *)pm->output;
	n = 3;
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(source), "+c"(n) : : "memory");
}
//! store output[0]: data array[0] array[1] array[2]
//! store output[1]: data array[0] array[1] array[2]
//! store output[2]: data array[0] array[1] array[2]

CASE(string_store)
{
	void *to = (void *)pm->output;
	unsigned long n = 2, v = pm->x;

	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(v) : "memory");
	//! store output[0]: data x
	//! store output[1]: data x
}

/* How often it is repeated is a decision. */
CASE(string_count)
{
	void *to = (void *)pm->output;
	unsigned long n = pm->index, v = 1;

	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(v) : "memory");
	//! store output[0]: control index
	//! store output[1]: control index
	pm->y = 1; //! store y: nothing
}
