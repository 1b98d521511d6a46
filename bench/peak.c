/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peak NAME COMMAND... - runs a command and prints the peak memory, in KiB, of the largest process in its session
 * whose program is called NAME. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* VmHWM only grows, so the last sample before the process ends is close enough. */
static long peak_of(const char *pid)
{
	char path[300], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static int is_called(const char *pid, const char *name)
{
	char path[300], program[4096];
	const char *slash;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/exe", pid);
	n = readlink(path, program, sizeof(program) - 1);
	if (n < 0)
		return 0;
	program[n] = '\0';
	slash = strrchr(program, '/');
	return slash && !strcmp(slash + 1, name);
}

/* Looks only at processes of our own session. */
static long peak_now(const char *name)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	long most = 0;

	while (proc && (entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && getsid(pid) == getsid(0) && is_called(entry->d_name, name)) {
			long kib = peak_of(entry->d_name);

			most = kib > most ? kib : most;
		}
	}
	if (proc)
		closedir(proc);
	return most;
}

int main(int argc, char **argv)
{
	long most = 0;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: peak NAME COMMAND...\n");
		return 2;
	}
	setsid();
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		long kib = peak_now(argv[1]);

		most = kib > most ? kib : most;
		usleep(20000);
	}
	printf("%ld\n", most);
	return status != 0;
}
