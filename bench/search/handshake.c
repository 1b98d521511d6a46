/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handshake.c - a handshake whose refusals are many, and whose end is one. */
// stdin: HELO 1.0 name=x mode=r\n
#include "lure.h"

static const char *refusal(const char *line)
{
	if (line[0] == 'G')
		return "no web server";
	if (line[0] == 'E')
		return "try HELO";
	if (line[5] == '2')
		return "too new";
	if (line[5] == '0')
		return "too old";
	if (line[7] != '0')
		lure_count++;
	if (strstr(line, "debug"))
		lure_count += 2;
	if (strstr(line, "trace"))
		lure_count += 4;
	if (strstr(line, "admin"))
		lure_count += 8;
	if (strchr(line, '!'))
		return "no shouting";
	if (strchr(line, ';'))
		return "one at a time";
	return NULL;
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv), line[64] = "";

	if (!fgets(line, sizeof(line), stdin))
		return 0;
	lures(line, strlen(line));
	if (refusal(line))
		return 0;
	if (line[21] == 'w' && line[14] == 'r')
		lure_end(pool);
	return 0;
}
