/* SPDX-License-Identifier: GPL-2.0-or-later */
/* obj_grow.c - a pool of several files that grows while it is used: argv[1] is the pool set. */
// link: -lpmemobj
#include <libpmemobj.h>

#include "target.h"

int main(int argc, char **argv)
{
	PMEMobjpool *pop;
	PMEMoid oid = OID_NULL;
	size_t size = 4 << 20;
	char set[4096];
	FILE *f;
	int count = 0;

	CHECK(argc == 2);
	CHECK(mkdir("parts", 0755) == 0 && getcwd(set, sizeof(set)));
	f = fopen(argv[1], "w");
	CHECK(f);
	fprintf(f, "PMEMPOOLSET\nOPTION SINGLEHDR\n1G %s/parts\n", set);
	fclose(f);
	pop = pmemobj_create(argv[1], "grow", 0, 0644);
	if (!pop)
		fprintf(stderr, "%s\n", pmemobj_errormsg());
	CHECK(pop);
	CHECK(pmemobj_ctl_set(pop, "heap.size.granularity", &size) == 0);
	for (int i = 0; i < 24; i++) {
		CHECK(pmemobj_alloc(pop, &oid, 1 << 20, 1, NULL, NULL) == 0);
		pmemobj_memset_persist(pop, pmemobj_direct(oid), i + 1, 1 << 20);
		count++;
	}
	pmemobj_close(pop);
	pop = pmemobj_open(argv[1], "grow");
	CHECK(pop);
	for (oid = pmemobj_first(pop); !OID_IS_NULL(oid); oid = pmemobj_next(oid))
		count--;
	CHECK(count == 0);
	pmemobj_close(pop);
	return 0;
}
