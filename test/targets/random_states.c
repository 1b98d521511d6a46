/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random_states.c - random stores, flushes and fences on two pools, and a recovery whose verdict is a matter of chance,
 * but always the same for the same content.
 *
 *     random_states POOL SEED      work on POOL and POOL.2
 *     random_states POOL check     status 1 for about one content in four */
// needs: clwb
#include "target.h"

#define LINES 4
#define STEPS 60

static const char *second_path(const char *path)
{
	static char name[4096];

	snprintf(name, sizeof(name), "%s.2", path);
	return name;
}

static uint32_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ul + 1442695040888963407ul;
	return (uint32_t)(*state >> 33);
}

static void step(char *const *pools, uint64_t *state, uint64_t number)
{
	char *line = pools[random_next(state) % 2] + random_next(state) % LINES * 64;
	char *word = line + random_next(state) % 2 * 8;

	switch (random_next(state) % 9) {
	case 0: CLFLUSHOPT(line); break;
	case 1:
	case 2: CLWB(line + 5); break;
	case 3: SFENCE(); break;
	case 4: MFENCE(); break;
	case 5: __asm__ volatile("movnti %1, (%0)" : : "r"(line + 2048), "r"(number) : "memory"); break;
	default: ST8(word, number); break;
	}
}

static uint64_t hash_of(const char *path, uint64_t hash)
{
	unsigned char bytes[POOL_BYTES];
	int fd = open(path, O_RDWR);
	char *p;

	if (fd < 0)
		return 0;
	p = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	memcpy(bytes, p, POOL_BYTES);
	for (size_t i = 0; i < POOL_BYTES; i++)
		if (bytes[i])
			hash = (hash ^ bytes[i] ^ i << 8) * 0x100000001b3ul;
	return hash;
}

int main(int argc, char **argv)
{
	uint64_t state, hash = 0xcbf29ce484222325ul;
	char *pools[2];

	CHECK(argc == 3);
	if (!strcmp(argv[2], "check")) {
		hash = hash_of(argv[1], hash);
		return hash && (hash = hash_of(second_path(argv[1]), hash)) && (hash >> 24) % 4 == 0;
	}
	state = strtoul(argv[2], NULL, 10);
	pools[0] = pool_create(argv[1]);
	pools[1] = file_map(file_create(second_path(argv[1]), POOL_BYTES), SECOND_ADDR, POOL_BYTES);
	for (uint64_t i = 1; i <= STEPS; i++)
		step(pools, &state, i);
	return 0;
}
