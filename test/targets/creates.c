/* SPDX-License-Identifier: GPL-2.0-or-later */
/* creates.c - programs that create their pool in the run, and check it afterwards.
 *
 *     creates HOW POOL           open the pool, or create it, and change it
 *     creates HOW POOL check     what recovery does
 *
 *  obj        libpmemobj as its examples use it, without a mistake
 *  early      the same, with a flag that is persisted before what it vouches for, right after creation
 *  strict     obj, and recovery refuses a pool without contents with the status of one that cannot be opened
 *  raw        a mapped file with a header of its own; recovery accepts a missing file, and no file without a header
 *  zeros      the same, and recovery takes a file of zeros for a missing one
 *  header     zeros, and the magic number is persisted before the rest of the header */
// link: -lpmemobj
#include <errno.h>
#include <libpmemobj.h>
#include <stdbool.h>

#include "target.h"

#define MAGIC 0x31736574616572ul

struct root {
	uint64_t value;
	uint8_t pad[56];
	uint64_t valid;
};

static void persist(void *p)
{
	CLFLUSH(p);
	SFENCE();
}

static int obj_work(const char *how, const char *path)
{
	PMEMobjpool *pop = pmemobj_open(path, "creates");

	if (!pop && errno == ENOENT)
		pop = pmemobj_create(path, "creates", PMEMOBJ_MIN_POOL, 0644); //! creation
	if (!pop)
		return 1;
	struct root *root = pmemobj_direct(pmemobj_root(pop, sizeof(*root)));
	if (!strcmp(how, "early")) {
		ST8(&root->valid, 1);
		persist(&root->valid);
		ST8(&root->value, 42); //! early
		persist(&root->value);
	} else {
		ST8(&root->value, 42);
		persist(&root->value);
		ST8(&root->valid, 1);
		persist(&root->valid);
	}
	pmemobj_close(pop);
	return 0;
}

static int obj_check(const char *how, const char *path)
{
	PMEMobjpool *pop = pmemobj_open(path, "creates");

	if (!pop)
		return errno == ENOENT ? 0 : 1;
	struct root *root = pmemobj_direct(pmemobj_root(pop, sizeof(*root)));
	int result = root->valid ? root->value != 42 : !strcmp(how, "strict");
	pmemobj_close(pop);
	return result;
}

static struct root *raw_map(const char *path, int flags)
{
	int fd = open(path, O_RDWR | flags, 0644);

	if (fd < 0)
		return NULL;
	if (flags & O_CREAT)
		CHECK(ftruncate(fd, 4096) == 0);
	struct root *root = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(root != MAP_FAILED);
	close(fd);
	return root;
}

static int raw_work(const char *how, const char *path)
{
	struct root *root = raw_map(path, O_CREAT);
	bool wrong = !strcmp(how, "header");

	if (!wrong) {
		ST8(&root->value, 42);
		persist(&root->value);
	}
	ST8(&root->valid, MAGIC); //! header
	persist(&root->valid);
	if (wrong) {
		ST8(&root->value, 42);
		persist(&root->value);
	}
	return 0;
}

static int raw_check(const char *how, const char *path)
{
	struct root *root = raw_map(path, 0);

	if (!root || (strcmp(how, "raw") != 0 && !root->valid))
		return 0;
	return root->valid != MAGIC || root->value != 42;
}

int main(int argc, char **argv)
{
	CHECK(argc > 2);
	bool raw = !strcmp(argv[1], "raw") || !strcmp(argv[1], "zeros") || !strcmp(argv[1], "header");

	if (argc > 3)
		return raw ? raw_check(argv[1], argv[2]) : obj_check(argv[1], argv[2]);
	return raw ? raw_work(argv[1], argv[2]) : obj_work(argv[1], argv[2]);
}
