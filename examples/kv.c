// SPDX-License-Identifier: GPL-2.0-or-later
// kv.c - a small key-value store in persistent memory: an example with deliberate bugs.
//
//     kv create POOL              make an empty store
//     kv put POOL KEY VALUE       add or change a pair
//     kv get POOL KEY
//     kv delete POOL KEY
//     kv fill POOL N              put N pairs, change some, delete some
//     kv check POOL               recovery: walk everything; status 1 if something is wrong
//
// The pool is one file, mapped shared.  Pairs are appended to a heap.  A bucket of the hash table counts its pairs and holds
// their offsets.  To persist a store, the program flushes its cache line (clwb, or the best that the CPU has) and then fences.
//
// The program works, and passes every test that does not cut the power.  Its mistakes are typical of real programs.  Each
// is marked MISTAKE.

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x31564b4b43414c42ull // "BLACKKV1"
#define LINE 64
#define BUCKETS 64
#define BUCKET_PAIRS 7
#define POOL_BYTES (1u << 20)

struct pair {
	uint32_t key_bytes, value_bytes; // including the value's zero byte
	char text[];                     // key, then value
};

struct bucket { // one cache line
	uint64_t count;
	uint64_t pairs[BUCKET_PAIRS]; // offsets in the pool
};

struct pool {
	uint64_t magic;
	uint64_t heap_end; // offset of the first free byte
	char pad[LINE - 2 * sizeof(uint64_t)];
	uint64_t lookups; // statistics
	char pad2[LINE - sizeof(uint64_t)];
	struct bucket buckets[BUCKETS];
	char heap[];
};

static struct pool *pool;

// ---- persistence

static void line_write_back(const void *address)
{
	static unsigned features; // CPUID leaf 7, EBX
	unsigned a, c, d;

	if (!features)
		__get_cpuid_count(7, 0, &a, &features, &c, &d);
	if (features & bit_CLWB)
		__asm__ volatile("clwb %0" : "+m"(*(volatile char *)address));
	else if (features & bit_CLFLUSHOPT)
		__asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)address));
	else
		_mm_clflush(address);
}

static void flush(const void *address, size_t bytes)
{
	uintptr_t line = (uintptr_t)address & ~(uintptr_t)(LINE - 1);

	for (; line < (uintptr_t)address + bytes; line += LINE)
		line_write_back((const void *)line);
}

static void persist(const void *address, size_t bytes)
{
	flush(address, bytes);
	_mm_sfence();
}

// ---- the store

static void die(const char *what)
{
	fprintf(stderr, "kv: %s\n", what);
	exit(1);
}

static struct bucket *bucket_of(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *key; key++)
		hash = (hash ^ (unsigned char)*key) * 0x100000001b3ull;
	return &pool->buckets[hash % BUCKETS];
}

static struct pair *pair_at(uint64_t offset)
{
	return (struct pair *)((char *)pool + offset);
}

static char *pair_value(struct pair *pair)
{
	return pair->text + pair->key_bytes;
}

static size_t pair_bytes(const char *key, const char *value)
{
	return (sizeof(struct pair) + strlen(key) + 1 + strlen(value) + 1 + 7) & ~(size_t)7;
}

// The slot of a key in its bucket, or -1.
static int bucket_find(const struct bucket *b, const char *key)
{
	pool->lookups++; // MISTAKE: a volatile counter kept in persistent memory; nothing ever flushes it
	for (uint64_t i = 0; i < b->count; i++)
		if (!strcmp(pair_at(b->pairs[i])->text, key))
			return (int)i;
	return -1;
}

// Allocates a pair on the heap and returns its offset.
static uint64_t pair_reserve(const char *key, const char *value)
{
	uint64_t offset = pool->heap_end;
	uint64_t end = offset + pair_bytes(key, value);

	if (end > POOL_BYTES)
		die("the pool is full");
	pool->heap_end = end;
	persist(&pool->heap_end, sizeof(pool->heap_end));
	return offset;
}

static void pair_write(uint64_t offset, const char *key, const char *value)
{
	struct pair *pair = pair_at(offset);

	pair->key_bytes = (uint32_t)strlen(key) + 1;
	pair->value_bytes = (uint32_t)strlen(value) + 1;
	memcpy(pair->text, key, pair->key_bytes);
	memcpy(pair_value(pair), value, pair->value_bytes);
	// MISTAKE: flushed, but no fence before bucket_insert counts the pair: the count can be on media without the pair
	flush(pair, pair_bytes(key, value));
}

static void bucket_insert(struct bucket *b, uint64_t offset)
{
	if (b->count == BUCKET_PAIRS)
		die("the bucket is full");
	b->pairs[b->count] = offset;
	b->count++;
	persist(b, sizeof(*b));
	// MISTAKE: the bucket is one line and was just written back
	persist(&b->count, sizeof(b->count));
}

static void kv_put(const char *key, const char *value)
{
	struct bucket *b = bucket_of(key);
	int slot = bucket_find(b, key);

	uint64_t offset = pair_reserve(key, value);

	if (slot < 0) {
		pair_write(offset, key, value);
		bucket_insert(b, offset);
		return;
	}
	// MISTAKE: the bucket names the new pair before it is written: after a crash, both the new and the old pair may be lost
	b->pairs[slot] = offset;
	persist(&b->pairs[slot], sizeof(b->pairs[slot]));
	pair_write(offset, key, value);
	_mm_sfence();
}

static void kv_delete(const char *key)
{
	struct bucket *b = bucket_of(key);
	int slot = bucket_find(b, key);

	if (slot < 0)
		die("no such key");
	b->pairs[slot] = b->pairs[b->count - 1];
	b->count--;
	// MISTAKE: never flushed; after a crash the key may be back
}

static void kv_get(const char *key)
{
	struct bucket *b = bucket_of(key);
	int slot = bucket_find(b, key);

	if (slot < 0)
		die("no such key");
	puts(pair_value(pair_at(b->pairs[slot])));
}

static void kv_fill(int n)
{
	char key[32], value[64];

	for (int i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "key%d", i);
		snprintf(value, sizeof(value), "the value of %s", key);
		kv_put(key, value);
		if (i % 5 == 4)
			kv_put(key, "changed");
		if (i % 7 == 6)
			kv_delete(key);
	}
}

static void kv_check(void)
{
	uint64_t pairs = 0;

	if (pool->magic != MAGIC)
		die("not a pool");
	for (int i = 0; i < BUCKETS; i++) {
		const struct bucket *b = &pool->buckets[i];
		for (uint64_t j = 0; j < b->count; j++, pairs++) {
			struct pair *pair = pair_at(b->pairs[j]);
			if (pair->key_bytes != strlen(pair->text) + 1 ||
			    pair->value_bytes != strlen(pair_value(pair)) + 1)
				die("a pair is damaged");
			if (bucket_of(pair->text) != b)
				die("a pair is in the wrong bucket");
		}
	}
	printf("%lu pairs, all well\n", (unsigned long)pairs);
}

// ---- the file

static void pool_open(const char *path, int create)
{
	int fd = open(path, create ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0666);
	struct stat st;

	if (fd < 0 || (create && ftruncate(fd, POOL_BYTES) < 0) || fstat(fd, &st) < 0)
		die(strerror(errno));
	if (st.st_size != POOL_BYTES)
		die("not a pool");
	pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		die(strerror(errno));
	close(fd);
}

static void pool_create(const char *path)
{
	pool_open(path, 1);
	pool->heap_end = sizeof(struct pool);
	persist(&pool->heap_end, sizeof(pool->heap_end));
	pool->magic = MAGIC;
	persist(&pool->magic, sizeof(pool->magic));
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	if (!strcmp(verb, "create") && argc == 3) {
		pool_create(argv[2]);
		return 0;
	}
	if (*verb)
		pool_open(argv[2], 0);
	if (!strcmp(verb, "put") && argc == 5)
		kv_put(argv[3], argv[4]);
	else if (!strcmp(verb, "get") && argc == 4)
		kv_get(argv[3]);
	else if (!strcmp(verb, "delete") && argc == 4)
		kv_delete(argv[3]);
	else if (!strcmp(verb, "fill") && argc == 4)
		kv_fill((int)strtol(argv[3], NULL, 10));
	else if (!strcmp(verb, "check") && argc == 3)
		kv_check();
	else
		die("usage: kv create|put|get|delete|fill|check POOL [KEY [VALUE] | N]");
	return 0;
}
