/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-two-pools-buggy.c - an index in one pool points to data in another that is written back later. */
// recover: check
#include "crash.h"

static char *data_path(const char *path)
{
	static char name[4096];

	snprintf(name, sizeof(name), "%s.data", path);
	return name;
}

static int work(const char *path)
{
	char *index = pool_create(path);
	char *data = file_map(file_create(data_path(path), POOL_BYTES), SECOND_ADDR, POOL_BYTES);

	ST8(data + PAGE, 42); //! recovery-error error
	ST8(index, PAGE);
	PERSIST(index);
	PERSIST(data + PAGE);
	return 0;
}

static int check(const char *path)
{
	char *index = pool_open(path, POOL_ADDR, POOL_BYTES);
	char *data = pool_open(data_path(path), SECOND_ADDR, POOL_BYTES);

	if (index && load8(index) && (!data || load8(data + load8(index)) != 42))
		REFUSE("the index points to nothing");
	return 0;
}
