/* SPDX-License-Identifier: GPL-2.0-or-later */
/* depend.h - what the programs with asserted dependencies share.
 *
 * A program has many cases, each a function on PM words of its own (`struct words`, named below).  The dependencies that
 * the recorder must find stand beside the code:
 *
 *     CASE(guarded_sum)
 *     {
 *             if (pm->flag)
 *                     pm->y = pm->x + pm->z; //! store y: data x z; control flag
 *             pm->w = 1;                     //! store w: nothing
 *     }                                      //! load x: control flag
 *
 * Every store of a case must be named; loads of a word are checked if a comment names one.  The words of a label are
 * those that its reads overlap: exactly these, no more and no fewer.  A word that is accessed several times with
 * different labels has several comments.  A word of another case is printed as CASE.WORD, and is always wrong.
 *
 *     //! O2: store y: data flag     holds only in that build; each program is built by gcc with -O0 and -O2
 *     //! copied to from             each store to `to` depends on reads of the same bytes of `from`, however wide the
 *                                    C library's loads are, and on nothing else
 *
 * `PROGRAM POOL` runs all cases, `PROGRAM POOL CASE` runs one, and `PROGRAM` prints where the words of the cases are:
 * lines "word OFFSET BYTES NAME" for one case, "case OFFSET NAME" for the pool. */
#ifndef DEPEND_H
#define DEPEND_H

#include "target.h"

#include <assert.h>
#include <stddef.h>

#ifdef __cplusplus
#define ALIGN(n) alignas(n)
#else
#define ALIGN(n) _Alignas(n)
#endif

/* Accessed exactly as written, whatever the optimizer would like. */
typedef volatile uint64_t __attribute__((may_alias)) word;
typedef volatile uint32_t __attribute__((may_alias)) half_word;

struct words;

struct node {
	word value;
	struct node *volatile next;
};

struct four {
	uint64_t a, b, c, d;
};

struct fields {
	uint64_t a : 3, b : 5, c : 20, rest : 36;
};

struct words {
	word x, z;    /* 5, 7 */
	word flag;    /* 1 */
	word off;     /* 0 */
	word index;   /* 2 */
	word count;   /* 3 */
	word y, w, v; /* for results: 0 */
	struct fields bits;
	volatile double real, factor, result; /* 2.5, 4.0, 0 */
	volatile long double wide;            /* 1.5 */
	word array[4];                        /* 10, 11, 12, 13 */
	word output[4];                       /* 0 */
	word tokens[4];                       /* 1, 0, 1, 1 */
	word keys[4];                         /* 100, 101, 102, 103 */
	word values[4];                       /* 1000, 1001, 1002, 1003 */
	struct node *volatile head;           /* first, second, third */
	struct node first, second, third;
	struct four source, copy; /* 20, 21, 22, 23; 0 */
	void (*volatile function)(struct words *pm);
	word object[2];                    /* of a class with virtual functions */
	ALIGN(64) char text[64], name[64]; /* "persistent", "" */
	ALIGN(64) word from[40], to[40];   /* 0x1000, 0x1001, ...; 0 */
};

/* Name, and the bytes of an element. */
/* clang-format off */
#define WORDS(X) \
	X(x, 8) X(z, 8) X(flag, 8) X(off, 8) X(index, 8) X(count, 8) X(y, 8) X(w, 8) X(v, 8) X(bits, 8) \
	X(real, 8) X(factor, 8) X(result, 8) X(wide, 16) X(array, 8) X(output, 8) X(tokens, 8) X(keys, 8) \
	X(values, 8) X(head, 8) X(first.value, 8) X(first.next, 8) X(second.value, 8) X(second.next, 8) \
	X(third.value, 8) X(third.next, 8) X(source.a, 8) X(source.b, 8) X(source.c, 8) X(source.d, 8) \
	X(copy.a, 8) X(copy.b, 8) X(copy.c, 8) X(copy.d, 8) X(function, 8) X(object, 16) X(text, 64) \
	X(name, 64) X(from, 8) X(to, 8)
/* clang-format on */

struct test_case {
	const char *name;
	void (*run)(struct words *pm);
};

/* What must stay a call of a function that the compiler knows nothing about. */
#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noipa))
#endif

#define CASE(name)                                                                                               \
	static void name##_run(struct words *pm);                                                                \
	__attribute__((section("cases"), used)) static const struct test_case name##_case = {#name, name##_run}; \
	APART static void name##_run(struct words *pm)

#ifdef __cplusplus
extern "C" {
#endif
extern const struct test_case __start_cases[], __stop_cases[];
#ifdef __cplusplus
}
#endif

#define CASE_BYTES 0x800ul
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A write of a register that the optimizer can neither move nor turn into a conditional move. */
#define SET(variable, value) __asm__ volatile("mov %1, %0" : "=r"(variable) : "i"(value))

/* Too long for the optimizer to copy it, and what follows, to the end of each branch that comes together here. */
#define NOPS "nop; nop; nop; nop; nop; nop; nop; nop;"
#define JOIN() __asm__ volatile(NOPS NOPS NOPS NOPS)

/* Volatile memory that keeps what is written to it. */
static word kept __attribute__((unused));

/* Fills the words of a case that the program itself must provide: function, object. */
static void words_prepare(struct words *words);

static inline void words_init(struct words *words, struct words *pm)
{
	static const char text[] = "persistent";

	words->x = 5;
	words->z = 7;
	words->flag = 1;
	words->index = 2;
	words->count = 3;
	words->real = 2.5;
	words->factor = 4.0;
	words->wide = 1.5L;
	for (unsigned i = 0; i < 4; i++) {
		words->array[i] = 10 + i;
		words->tokens[i] = i != 1;
		words->keys[i] = 100 + i;
		words->values[i] = 1000 + i;
	}
	words->head = &pm->first;
	words->first.next = &pm->second;
	words->second.next = &pm->third;
	words->first.value = 30;
	words->second.value = 31;
	words->third.value = 32;
	words->source.a = 20;
	words->source.b = 21;
	words->source.c = 22;
	words->source.d = 23;
	memcpy(words->text, text, sizeof(text));
	for (unsigned i = 0; i < COUNT(words->from); i++)
		words->from[i] = 0x1000 + i;
	words_prepare(words);
}

static inline void words_print(void)
{
	struct words *words = NULL;

#define WORD_PRINT(field, bytes)                                                                  \
	for (unsigned i = 0; i < sizeof(words->field) / bytes; i++)                               \
		if (sizeof(words->field) == bytes)                                                \
			printf("word %zu %d %s\n", offsetof(struct words, field), bytes, #field); \
		else                                                                              \
			printf("word %zu %d %s[%u]\n", offsetof(struct words, field) + i * bytes, bytes, #field, i);
	WORDS(WORD_PRINT)
	for (const struct test_case *c = __start_cases; c < __stop_cases; c++)
		printf("case %zu %s\n", (size_t)(c - __start_cases) * CASE_BYTES, c->name);
}

/* Makes the pool with its initial words, before it is mapped. */
static inline char *cases_create(const char *path)
{
	size_t count = (size_t)(__stop_cases - __start_cases);
	int fd = file_create(path, count * CASE_BYTES);
	char *pool;

	for (size_t i = 0; i < count; i++) {
		struct words words;

		memset((void *)&words, 0, sizeof(words));
		words_init(&words, (struct words *)(POOL_ADDR + i * CASE_BYTES));
		CHECK(pwrite(fd, (void *)&words, sizeof(words), (off_t)(i * CASE_BYTES)) == (ssize_t)sizeof(words));
	}
	pool = file_map(fd, POOL_ADDR, count * CASE_BYTES);
	close(fd);
	return pool;
}

int main(int argc, char **argv)
{
	char *pool;

	if (argc < 2) {
		words_print();
		return 0;
	}
	pool = cases_create(argv[1]);
	for (const struct test_case *c = __start_cases; c < __stop_cases; c++)
		if (argc < 3 || !strcmp(c->name, argv[2]))
			c->run((struct words *)(pool + (size_t)(c - __start_cases) * CASE_BYTES));
	return 0;
}

static_assert(sizeof(struct words) <= CASE_BYTES, "a case has too many words");

#endif
