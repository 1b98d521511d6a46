/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops_cells.c - operations that are made of stores and flushes, and recovery that can judge them itself.
 *
 *     ops_cells POOL OPS                  perform the operations of the file OPS
 *     ops_cells POOL OPS FIRST LIST       before, judge the pool: the power failed in operation FIRST - 1 of LIST
 *
 * There are six cells, A to F: A and B in a line, C and D in another, E and F alone.  The words of an operation:
 *
 *     A=5      store 5          clwb:A    write the line back          sfence          get:A     print it
 *
 * The judge does not run anything.  It calculates, on arrays, what the operations from FIRST on would print on the
 * cells of the pool, after the operations before FIRST, and after these without the last one.  If the first equals
 * neither of the others, the exit status is 3. */
#include "target.h"

#define CELLS 6
#define LIST_MAX 64
#define PRINTED_MAX 4096

struct cells {
	uint64_t at[CELLS];
};

static const unsigned offset[CELLS] = {0, 8, 64, 72, 128, 192};
static char *pool;

static unsigned cell_of(char letter)
{
	CHECK(letter >= 'A' && letter < 'A' + CELLS);
	return (unsigned)(letter - 'A');
}

/* Perform a word on the pool. */
static void word_perform(const char *word)
{
	if (!strcmp(word, "sfence"))
		SFENCE();
	else if (!strncmp(word, "clwb:", 5))
		CLWB(pool + offset[cell_of(word[5])]);
	else if (!strncmp(word, "get:", 4))
		printf("%c is %lu\n", word[4], load8(pool + offset[cell_of(word[4])]));
	else
		ST8(pool + offset[cell_of(word[0])], strtoul(word + 2, NULL, 10));
}

/* The same on an array: what is printed is appended. */
static void word_calculate(const char *word, struct cells *cells, char *printed)
{
	if (!strncmp(word, "get:", 4))
		sprintf(printed + strlen(printed), "%c%lu ", word[4], cells->at[cell_of(word[4])]);
	else if (word[1] == '=')
		cells->at[cell_of(word[0])] = strtoul(word + 2, NULL, 10);
	CHECK(strlen(printed) < PRINTED_MAX - 64);
}

static void line_calculate(const char *line, struct cells *cells, char *printed)
{
	char words[256], *rest, *word;

	snprintf(words, sizeof(words), "%s", line);
	for (word = strtok_r(words, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		word_calculate(word, cells, printed);
}

static unsigned list_read(const char *path, char list[LIST_MAX][256])
{
	FILE *file = fopen(path, "r");
	unsigned count = 0;

	CHECK(file);
	while (count < LIST_MAX && fgets(list[count], sizeof(list[count]), file))
		count++;
	fclose(file);
	return count;
}

/* What the operations from `first` on print on these cells. */
static void rest_calculate(char list[LIST_MAX][256], unsigned first, unsigned count, struct cells cells, char *printed)
{
	*printed = '\0';
	for (unsigned i = first; i < count; i++)
		line_calculate(list[i], &cells, printed);
}

static void judge(unsigned first, const char *path)
{
	static char list[LIST_MAX][256], got[PRINTED_MAX], before[PRINTED_MAX], after[PRINTED_MAX],
		ignored[PRINTED_MAX];
	unsigned count = list_read(path, list);
	struct cells cells = {{0}}, media;

	for (unsigned i = 0; i < CELLS; i++)
		media.at[i] = load8(pool + offset[i]);
	for (unsigned i = 0; i + 1 < first; i++)
		line_calculate(list[i], &cells, ignored);
	rest_calculate(list, first, count, cells, before);
	if (first > 0)
		line_calculate(list[first - 1], &cells, ignored);
	rest_calculate(list, first, count, cells, after);
	rest_calculate(list, first, count, media, got);
	if (strcmp(got, before) && strcmp(got, after))
		exit(3);
}

int main(int argc, char **argv)
{
	char line[256], *rest, *word;
	FILE *list;
	int fd;

	CHECK(argc == 3 || argc == 5);
	fd = open(argv[1], O_CREAT | O_RDWR, 0644);
	CHECK(fd >= 0 && ftruncate(fd, POOL_BYTES) == 0);
	pool = file_map(fd, POOL_ADDR, POOL_BYTES);
	if (argc == 5)
		judge((unsigned)atoi(argv[3]), argv[4]);
	list = fopen(argv[2], "r");
	CHECK(list);
	while (fgets(line, sizeof(line), list))
		for (word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
			word_perform(word);
	return 0;
}
