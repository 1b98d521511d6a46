/* SPDX-License-Identifier: GPL-2.0-or-later */
/* planted FILE VARIANT FLUSH - stores to 60 lines and completes all of them with one fence; then looks an entry up.
 *
 * planted FILE VARIANT check [LOG] - recovery, which reads all lines; appends its verdict to LOG: + or -.
 *
 * The lines are a batch of 58 records, a key and the token that guards it, in a sequence that depends on VARIANT.
 * Recovery drops a batch that is not complete.  It has one mistake: it counts records, and takes the token's word for
 * the key.  So of 2^60 crash states only one fails. */
#include "persist.h"

#define LINES 60
#define POOL_BYTES ((size_t)1 << 16)

struct line {
	_Alignas(64) volatile uint64_t word;
};

/* Where the key and the token are. */
static size_t key_line(unsigned variant)
{
	return (variant * 17 + 5) % LINES;
}

static size_t token_line(unsigned variant)
{
	return (key_line(variant) + 1 + variant * 5) % LINES;
}

static uint64_t records_count(const struct line *lines, unsigned variant)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < LINES; i++)
		if (i != key_line(variant) && i != token_line(variant))
			sum += lines[i].word;
	return sum;
}

static uint64_t lookup(const struct line *lines, unsigned variant)
{
	return lines[token_line(variant)].word ? lines[key_line(variant)].word : 7;
}

static int check(const char *path, unsigned variant)
{
	int fd = open(path, O_RDWR);
	struct line *lines = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (lines == MAP_FAILED)
		return 0;
	return records_count(lines, variant) == LINES - 2 && lookup(lines, variant) != 7;
}

static int check_logged(const char *path, unsigned variant, const char *log)
{
	int fd = open(log, O_CREAT | O_WRONLY | O_APPEND, 0644), failed = check(path, variant);

	return write(fd, failed ? "-" : "+", 1) == 1 ? failed : 2;
}

static void record_write(struct line *line)
{
	line->word = 1;
	line_flush(line);
}

static void key_write(struct line *line)
{
	line->word = 7;
	line_flush(line);
}

static void token_write(struct line *line)
{
	line->word = 2;
	line_flush(line);
}

int main(int argc, char **argv)
{
	unsigned variant = argc >= 4 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	struct line *lines;

	if (argc < 4) {
		fprintf(stderr, "usage: planted FILE VARIANT FLUSH|check [LOG]\n");
		return 2;
	}
	if (!strcmp(argv[3], "check"))
		return argc == 5 ? check_logged(argv[1], variant, argv[4]) : check(argv[1], variant);
	persist_choose(argv[3]);
	lines = (struct line *)pool_map(argv[1], POOL_BYTES);
	for (size_t i = 0; i < LINES; i++)
		if (i == key_line(variant))
			key_write(&lines[i]);
		else if (i == token_line(variant))
			token_write(&lines[i]);
		else
			record_write(&lines[i]);
	__asm__ volatile("sfence" : : : "memory");
	return lookup(lines, variant) != 7;
}
