/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmem2_map.c - libpmem2 on a file that is not on PM; says how it would persist. */
// link: -lpmem2
#include <libpmem2.h>

#include "target.h"

int main(int argc, char **argv)
{
	struct pmem2_config *config;
	struct pmem2_source *source;
	struct pmem2_map *map;
	char *p;
	int fd;

	CHECK(argc == 2);
	fd = open(argv[1], O_RDWR | O_CREAT, 0644);
	CHECK(fd >= 0 && ftruncate(fd, 65536) == 0);
	CHECK(pmem2_config_new(&config) == 0 && pmem2_source_from_fd(&source, fd) == 0);
	CHECK(pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE) == 0);
	CHECK(pmem2_map_new(&map, config, source) == 0);
	printf("%s\n", pmem2_map_get_store_granularity(map) == PMEM2_GRANULARITY_PAGE ? "page" : "line");
	p = pmem2_map_get_address(map);
	strcpy(p + 100, "stored");
	pmem2_get_persist_fn(map)(p + 100, 7);
	pmem2_get_memset_fn(map)(p + 4096, 7, 4096, PMEM2_F_MEM_NONTEMPORAL);
	CHECK(pmem2_map_delete(&map) == 0);
	return 0;
}
