/* SPDX-License-Identifier: GPL-2.0-or-later */
/* performs.c - a recovery that performs operations: for each line of its input it prints the line and a number of the
 * pool.  If the line is a number N, that is the one at N * 64, else the one at the start.  If it is "crash", it aborts.
 *
 *     performs POOL [WORD...]
 *
 *     ops=FILE       read this, not standard input
 *     out=FILE       write to this, not to standard output
 *     first=N        the number of the first operation
 *     early          open these files, perform the first operation and print, before the pool is opened
 *     raw            read and write without buffers, so that nothing is read ahead
 *     replace        write to FILE.new and rename that at the end
 *     again          at the end, open FILE anew and write it from the start: "again"
 *     says=TEXT      print this first
 *     repeat=N       perform each operation so often
 *     endless        print without end
 *     binary         print bytes of any kind, with no newline at the end
 *     child          let a child process perform all but the first, and wait for it
 *     late_child     let a child process print "late" when this one has ended */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;
static char **words;
static FILE *in, *out;
static const uint64_t *pool;
static uint64_t number;
static unsigned long performed;

static const char *word(const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < count; i++)
		if (!strncmp(words[i], name, length) && (!words[i][length] || words[i][length] == '='))
			return words[i][length] ? words[i] + length + 1 : words[i];
	return NULL;
}

static void need(int true_, const char *what)
{
	if (true_)
		return;
	perror(what);
	exit(90);
}

static void files_open(void)
{
	char path[4096];

	in = word("ops") ? fopen(word("ops"), "r") : stdin;
	need(in != NULL, "ops");
	snprintf(path, sizeof(path), "%s%s", word("out") ? word("out") : "", word("replace") ? ".new" : "");
	out = word("out") ? fopen(path, "w") : stdout;
	need(out != NULL, "out");
	if (word("raw")) {
		setvbuf(in, NULL, _IONBF, 0);
		setvbuf(out, NULL, _IONBF, 0);
	}
}

static int perform(void)
{
	char line[4096];
	unsigned long times = word("repeat") ? strtoul(word("repeat"), NULL, 10) : 1;

	if (!fgets(line, sizeof(line), in))
		return 0;
	line[strcspn(line, "\n")] = 0;
	if (!strcmp(line, "crash"))
		abort();
	if (pool && *line >= '0' && *line <= '9')
		number = pool[strtoul(line, NULL, 10) * 8];
	for (unsigned long i = 0; i < times; i++)
		fprintf(out, "%lu %s %lu\n", performed, line, (unsigned long)number);
	performed++;
	return 1;
}

static void perform_in_child(void)
{
	fflush(out);
	pid_t pid = fork();
	if (pid == 0) {
		while (perform())
			;
		exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void print_late(void)
{
	fflush(out);
	if (fork() == 0) {
		usleep(100000);
		fprintf(out, "late\n");
		exit(0);
	}
}

static void end(void)
{
	char path[4096];

	for (int i = 0; word("binary") && i < 1000; i++)
		fputc(i * 7 % 256 == '\n' ? 0 : i * 7 % 256, out);
	need(fflush(out) == 0, "flush");
	if (word("replace")) {
		snprintf(path, sizeof(path), "%s.new", word("out"));
		need(rename(path, word("out")) == 0, "rename");
	}
	if (word("again")) {
		FILE *anew = fopen(word("out"), "w");
		need(anew && fprintf(anew, "again %lu\n", (unsigned long)number) > 0 && fclose(anew) == 0, "again");
	}
}

int main(int argc, char **argv)
{
	count = argc - 2;
	words = argv + 2;
	performed = word("first") ? strtoul(word("first"), NULL, 10) : 0;
	if (word("early")) {
		files_open();
		number = 999;
		perform();
		if (!word("raw"))
			fflush(out);
	}
	int fd = open(argv[1], O_RDWR);
	need(fd >= 0, "open");
	pool = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(pool != MAP_FAILED, "map");
	if (!word("early"))
		files_open();
	if (word("says"))
		fprintf(out, "%s\n", word("says"));
	for (number = pool[0]; word("endless");)
		fprintf(out, "again and again\n");
	if (word("child")) {
		perform();
		perform_in_child();
	} else {
		while (perform())
			;
	}
	end();
	if (word("late_child"))
		print_late();
	return number == 66;
}
