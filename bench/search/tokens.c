/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tokens.c - a text is measured character by character before its last word is performed. */
// stdin: the quick brown fox jumps over dogs
#include "lure.h"

struct measures {
	unsigned lower, upper, digits, blanks, others;
};

static struct measures text_measure(const uint8_t *in, size_t count)
{
	struct measures m = {0};

	for (size_t i = 0; i < count; i++) {
		if (in[i] >= 'a' && in[i] <= 'z')
			m.lower++;
		else if (in[i] >= 'A' && in[i] <= 'Z')
			m.upper++;
		else if (in[i] >= '0' && in[i] <= '9')
			m.digits++;
		else if (in[i] == ' ')
			m.blanks++;
		else
			m.others++;
	}
	return m;
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv);
	uint8_t in[64] = {0};
	size_t count = input_all(in, sizeof(in));

	lures(in, count);
	lure_count += text_measure(in, count).lower;
	if (count > 4 && !memcmp(in + count - 4, "sync", 4))
		lure_end(pool);
	return 0;
}
