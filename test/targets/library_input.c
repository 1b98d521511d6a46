// SPDX-License-Identifier: GPL-2.0-or-later
// cflags: -fno-builtin
/* library_input.c - calls the functions of the C library that look at text, on what it reads from stdin.  There is no PM. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

static char text[256], copy[256];
static unsigned found; /* what functions said is used, so that it becomes branches */

static void use(long result)
{
	if (result > 0)
		found++;
}

static void search_text(void)
{
	use((long)strlen(text));
	use((long)strnlen(text, 100));
	use(memchr(text, 'x', 150) != NULL);
	use(memrchr(text, 'x', 150) != NULL);
	use(strchr(text, 'q') != NULL);
	use(strrchr(text, 'q') != NULL);
	use(strchrnul(text, 'q') - text);
	use(strstr(text, "needle") != NULL);
	use(strcasestr(text, "Needle") != NULL);
	use(memmem(text, 150, "needle", 6) != NULL);
	use((long)strspn(text, "abcdefghijkl"));
	use((long)strcspn(text, " ,;:"));
	use(strpbrk(text, "xyz") != NULL);
	use((long)wcslen((wchar_t *)(void *)text));
	use(wmemchr((wchar_t *)(void *)text, 'x', 30) != NULL);
}

static void compare_text(void)
{
	static const char other[] = "hello world, this is a longer text, so that it fills several vectors";

	use(strcmp(text, other));
	use(strncmp(text, other, 20));
	use(memcmp(text, other, 60));
	use(memcmp(text, other, 7));
	use(strcasecmp(text, other));
	use(strncasecmp(text, other, 12));
	use(strverscmp(text, other));
}

static void copy_text(void)
{
	use(strcpy(copy, text)[20] == 'x');
	use(stpcpy(copy, text) - copy);
	use(strncpy(copy, text, 30)[5] == 'x');
	use(strcat(strcpy(copy, "text: "), text)[30] == 'x');
	memmove(copy + 3, memcpy(copy, text, 133), 120);
	use(copy[100] == 'x');
	use(((char *)memset(copy, text[0], 90))[80] == 'x');
}

static int compare_bytes(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static void convert_text(void)
{
	int number;
	char word[64];

	use(strtol(text + 6, NULL, 10) == 77);
	use(strtoul(text + 6, NULL, 0) == 77);
	use(atoi(text + 6) == 12);
	use(sscanf(text, "%63s %d", word, &number) == 2 && number == 42 && word[0] == 'y');
	use(isalpha(text[0]) && isdigit(text[1]) && toupper(text[2]) == 'X');
	qsort(memcpy(copy, text, 40), 40, 1, compare_bytes);
	use(copy[0] == 'a');
	use(strtok(copy, "st") != NULL);
}

int main(void)
{
	ssize_t n = read(0, text, sizeof(text) - 1);

	if (n < 0)
		return 1;
	search_text();
	compare_text();
	copy_text();
	convert_text();
	return found == 1000;
}
