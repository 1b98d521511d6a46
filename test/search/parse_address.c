/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_address.c - an address of four numbers, read by inet_pton; three of them are compared at once. */
// symbolic: stdin
// stdin: x\n
// trigger stdin: 192.168.1.1\n
#include "search.h"

#include <arpa/inet.h>

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), line[64] = "";
	struct in_addr address;

	SAVE(pool, 1);
	if (!fgets(line, sizeof(line), stdin))
		return 0;
	line[strcspn(line, "\n")] = 0;
	if (inet_pton(AF_INET, line, &address) == 1 && ntohl(address.s_addr) >> 8 == 0xc0a801)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
