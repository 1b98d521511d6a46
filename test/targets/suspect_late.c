/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suspect_late.c - suspect_late FILE; suspect_late FILE check LOG: one fence for the two lines of each step, and in
 * step 29 of 40 one of them is not flushed, which `patterns` complains of.  Recovery writes into LOG how many steps are
 * complete in the crash state, so the log tells in which order crash states were tested. */
// needs: clwb
#include "target.h"

#define STEPS 40
#define UNFLUSHED 29

static char *entry(char *pool, unsigned step, unsigned which)
{
	return pool + (size_t)(2 * step + which) * 64;
}

static int check(const char *path, const char *log)
{
	int fd = open(path, O_RDWR);
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	unsigned step = 0;
	FILE *out;

	if (pool == MAP_FAILED)
		return 0;
	while (step < STEPS && load8(entry(pool, step, 0)) && load8(entry(pool, step, 1)))
		step++;
	out = fopen(log, "a");
	CHECK(out);
	fprintf(out, "%u\n", step);
	fclose(out);
	return 0;
}

int main(int argc, char **argv)
{
	char *pool;

	if (argc == 4)
		return check(argv[1], argv[3]);
	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	for (unsigned step = 0; step < STEPS; step++) {
		ST8(entry(pool, step, 0), 1);
		ST8(entry(pool, step, 1), 1);
		if (step != UNFLUSHED)
			CLWB(entry(pool, step, 0));
		CLWB(entry(pool, step, 1));
		SFENCE();
	}
	return 0;
}
