/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers_none.c - functions that store nothing to PM, and flush all the same for themselves: each is the place of its
 * own needless flush or fence, however many callers it has.  And one that flushes for its callers, and once too
 * often. */
// needs: clwb
#include "target.h"

struct header {
	uint64_t magic;
	char pad[56];
	uint64_t epoch;
	char pad2[56];
};

struct pool {
	struct header header;
	uint64_t words[64];
	struct header spare[2];
};

static struct pool *pool;

static __attribute__((noinline)) void persist(const void *data)
{
	CLWB(data);
	SFENCE();
}

/* It chose itself what to flush. */
static __attribute__((noinline)) void commit(void)
{
	persist(&pool->header); //! redundant-flush
}

/* So did this one, given the pool. */
static __attribute__((noinline)) void epoch_persist(struct pool *p)
{
	persist(&p->header.epoch); //! redundant-flush
}

/* An operation that flushes what it comes across. */
static __attribute__((noinline)) uint64_t lookup(struct pool *p, uint64_t key)
{
	persist(&p->words[key % 64]); //! redundant-flush
	return p->words[key % 64];
}

/* Operations that mostly have nothing to store. */
static __attribute__((noinline)) void word_set(const void *word, uint64_t value)
{
	if (*(const uint64_t *)word != value)
		ST8(word, value);
	persist(word); //! redundant-flush
}

/* It never stores by itself. */
static __attribute__((noinline)) void word_set_all(const void *words, uint64_t value)
{
	persist(words); //! redundant-flush
	word_set(words, value);
}

/* These do flush for their callers, but what they do in vain is their own mistake. */
static __attribute__((noinline)) void fenced_persist(const void *data)
{
	MFENCE(); //! redundant-fence
	CLWB(data);
	MFENCE();
}

static __attribute__((noinline)) void header_persist(struct header *header)
{
	persist(&header->magic);
	persist(&header->epoch);
	persist(&header->magic); //! redundant-flush
}

static __attribute__((noinline)) void header_write(struct header *header)
{
	ST8(&header->magic, 2);
	ST8(&header->epoch, 2);
	header_persist(header);
}

static __attribute__((noinline)) void first(void)
{
	ST8(&pool->header.magic, 1);
	persist(&pool->header.magic);
	commit();
	epoch_persist(pool);
	CHECK(lookup(pool, 8) == 0);
}

static __attribute__((noinline)) void second(void)
{
	commit();
	epoch_persist(pool);
	CHECK(lookup(pool, 9) == 0);
}

/* Nobody of the program's calls it. */
static void at_end(void)
{
	SFENCE(); //! redundant-fence
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	pool = (struct pool *)pool_create(argv[1]);
	atexit(at_end);
	first();
	second();
	word_set_all(&pool->words[16], 0);
	word_set_all(&pool->words[24], 0);
	word_set_all(&pool->words[32], 1);
	header_write(&pool->spare[0]);
	ST8(&pool->spare[1].magic, 3);
	ST8(&pool->spare[1].epoch, 3);
	header_persist(&pool->spare[1]);
	for (int i = 0; i < 3; i++) {
		ST8(&pool->words[40 + 8 * (i & 1)], i + 1);
		fenced_persist(&pool->words[40 + 8 * (i & 1)]);
	}
	ST8(&pool->words[56], 1);
	fenced_persist(&pool->words[56]);
	return 0;
}
