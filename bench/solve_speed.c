/* SPDX-License-Identifier: GPL-2.0-or-later */
// link: build/libblackout.a -ldw -lelf -lxxhash -lzstd -lgmp -lm -ljansson
/* solve_speed SOLVER DIR INPUT - turns every branch of a recording that was made with `--inputs stdin` on the file INPUT.
 * Prints how many of them were solved per second of processor time of both processes, and beside that: solved, without
 * another side, unknown. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "search/route.h"
#include "solve/solver.h"

enum { INPUT_MOST = 1 << 16 };

static double seconds_of(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void check(int result, const struct err *err)
{
	if (result >= 0)
		return;
	fprintf(stderr, "solve_speed: %s\n", err->sentence);
	exit(3);
}

static void input_fill(struct assignment *input, const char *path)
{
	static uint8_t bytes[INPUT_MOST];
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		exit(3);
	}
	assignment_put(input, 1, bytes, fread(bytes, 1, sizeof(bytes), file));
	fclose(file);
}

static struct trail *trail_of(const struct route *route, const struct assignment *input)
{
	const struct trail_limits limits = {.length_max = INPUT_MOST, .filler = '0'};
	VEC_OF(struct condition) conditions = {0};
	struct trail *trail;

	for (size_t i = 0; i < route->branches.count; i++)
		vec_push(&conditions, route_condition(&route->branches.at[i]));
	trail = trail_new(route->x, conditions.at, conditions.count, input, &limits, 1);
	vec_free(&conditions);
	return trail;
}

int main(int argc, char **argv)
{
	struct assignment input = {0}, new = {0};
	struct solver_limits limits = {0};
	struct solver *solver;
	struct solver_counts counts;
	enum solver_verdict verdict;
	struct route route = {0};
	struct trail *trail;
	struct err err;
	double begin;

	if (argc != 4) {
		fprintf(stderr, "usage: solve_speed SOLVER DIR INPUT\n");
		return 2;
	}
	check(route_read(&route, argv[2], NULL, &err), &err);
	input_fill(&input, argv[3]);
	begin = seconds_of(RUSAGE_SELF);
	solver = solver_new(argv[1], &limits);
	trail = trail_of(&route, &input);
	for (size_t i = 0; i < route.branches.count; i++)
		check(solver_turn(solver, trail, i, &verdict, &new, &err), &err);
	counts = solver_counts(solver);
	trail_free(trail);
	solver_free(solver); /* waits for the process */
	printf("%.1f %lu %lu %lu\n",
	       (double)counts.solved / (seconds_of(RUSAGE_SELF) - begin + seconds_of(RUSAGE_CHILDREN)), counts.solved,
	       counts.unsat, counts.unknown);
	return 0;
}
