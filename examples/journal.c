// SPDX-License-Identifier: GPL-2.0-or-later
// journal.c - notes in persistent memory: an example of persistency races.
//
//     journal POOL add TEXT...    add a note for each text
//     journal POOL list           print the notes, and the draft: the note that was being added last
//
// The pool is one file, mapped shared; a file of zeros is an empty journal.  Everything is flushed and fenced in the right
// order.  Yet the program relies on its compiler, in two places that are marked MISTAKE: the compiler may store what is
// one assignment in several steps, and a crash in between leaves a part of it to `list`.
//
//     blackout-cc -g -O1 -o journal journal.c
//     blackout run --detect races --recover './journal pool list' -- ./journal pool add first second

#include <fcntl.h>
#include <immintrin.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOTES 1000

struct note { // one cache line
	char text[56];
	uint64_t sum;
};

struct journal {
	uint64_t count;
	uint64_t pad[7];
	struct note draft;
	struct note notes[NOTES];
};

static struct journal *journal;

static void persist(const void *line)
{
	_mm_clflush(line);
	_mm_sfence();
}

static uint64_t note_sum(const struct note *note)
{
	uint64_t sum = 14695981039346656037u;

	for (size_t i = 0; i < sizeof(note->text); i++)
		sum = (sum ^ (unsigned char)note->text[i]) * 1099511628211u;
	return sum;
}

static void note_add(const char *text)
{
	uint64_t count = journal->count;
	struct note note = {0};

	if (count == NOTES)
		return;
	strncpy(note.text, text, sizeof(note.text) - 1);
	note.sum = note_sum(&note);
	// MISTAKE: a copy in several pieces, which recovery reads without a proof that it is whole
	journal->draft = note;
	persist(&journal->draft);
	journal->notes[count] = note; // right: recovery reads it only after the new count
	persist(&journal->notes[count]);
	// MISTAKE: a plain store
	journal->count = count + 1;
	persist(&journal->count);
}

// Copies a note to volatile memory, and tells whether it is whole.
static bool note_read(struct note *copy, const struct note *from)
{
	*copy = *from;
	return copy->sum == note_sum(copy);
}

static void list(void)
{
	struct note draft;

	for (uint64_t i = 0; i < journal->count; i++)
		puts(journal->notes[i].text);
	if (note_read(&draft, &journal->draft))
		printf("draft: %s\n", draft.text);
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDWR | O_CREAT, 0666) : -1;

	if (fd < 0 || ftruncate(fd, sizeof(*journal)) < 0) {
		fprintf(stderr, "usage: journal POOL add TEXT... | list\n");
		return 2;
	}
	journal = mmap(NULL, sizeof(*journal), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (journal == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	if (!strcmp(argv[2], "list"))
		list();
	for (int i = 3; i < argc && !strcmp(argv[2], "add"); i++)
		note_add(argv[i]);
	return 0;
}
