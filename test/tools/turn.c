/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turn - turn every branch of a recording:  turn SOLVER RECORDING OUT INPUT [MS]
 *
 * INPUT is the file that the recorded program got as its only source.  Each input that takes the other side of a branch is
 * written as OUT/N, where N counts the branches from 0, and for further targets of the same branch as OUT/N.2 and so on.
 * Prints a line of figures for all branches together; the seconds are
 * those of the processor, so that they do not depend on what else the machine does. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/path.h"
#include "search/route.h"
#include "solve/solver.h"

enum { INPUT_MAX = 1 << 20, LENGTH_MAX = 4096, TARGETS_MAX = 4 };

static _Noreturn void fail(const struct err *err)
{
	fprintf(stderr, "turn: %s\n", err->sentence);
	exit(1);
}

static void input_read(const char *name, struct assignment *input)
{
	static char bytes[INPUT_MAX];
	FILE *file = fopen(name, "rb");
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	if (file)
		fclose(file);
	assignment_put(input, 1, bytes, size);
}

static void input_write(const char *dir, size_t branch, unsigned target, const struct assignment *input)
{
	char name[PATH_MAX], suffix[16] = "";

	if (target > 1)
		snprintf(suffix, sizeof(suffix), ".%u", target);
	FILE *file = path_format(name, sizeof(name), "%s/%zu%s", dir, branch, suffix) ? fopen(name, "wb") : NULL;
	if (!file)
		exit(2);
	for (uint64_t i = 0; i < assignment_length(input, 1); i++)
		fputc(assignment_byte(input, 1, i), file);
	fclose(file);
}

static struct trail *trail_of(const struct route *route, const struct assignment *input)
{
	struct trail_limits limits = {.length_max = LENGTH_MAX, .filler = '0'};
	VEC_OF(struct condition) conditions = {0};

	for (size_t i = 0; i < route->branches.count; i++)
		vec_push(&conditions, route_condition(&route->branches.at[i]));
	struct trail *trail = trail_new(route->x, conditions.at, conditions.count, input, &limits, 1);
	vec_free(&conditions);
	return trail;
}

static void branch_turn(struct solver *solver, struct trail *trail, size_t index, enum bo_branch kind, const char *dir)
{
	unsigned most = kind == BO_BRANCH_JUMP || kind == BO_BRANCH_ADDRESS ? TARGETS_MAX : 1;
	enum solver_verdict verdict = SOLVER_SOLVED;
	struct assignment input = {0};
	struct err err;

	for (unsigned target = 1; target <= most && verdict == SOLVER_SOLVED; target++) {
		if (solver_turn(solver, trail, index, &verdict, &input, &err) < 0)
			fail(&err);
		if (verdict == SOLVER_SOLVED)
			input_write(dir, index, target, &input);
	}
	assignment_free(&input);
}

static double seconds_used(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void figures_print(const struct route *route, const struct trail *trail, struct solver_counts counts)
{
	printf("branches %zu, broken %lu, solved %lu, unsat %lu, unknown %lu, plain %lu, known %lu, recent %lu, enumerated %lu, "
	       "asked %lu, late %lu, dead %lu, wrong %lu, left out %lu, seconds %.3f, of the solver %.3f\n",
	       route->branches.count, trail->broken, counts.solved, counts.unsat, counts.unknown, counts.plain,
	       counts.known, counts.recent, counts.enumerated, counts.asked, counts.late, counts.dead, counts.wrong,
	       counts.left_out, seconds_used(RUSAGE_SELF), seconds_used(RUSAGE_CHILDREN));
}

int main(int argc, char **argv)
{
	struct solver_limits limits = {.ms = argc > 5 ? (uint32_t)atoi(argv[5]) : 0};
	struct assignment input = {0};
	struct route route = {0};
	struct err err;

	if (argc < 5)
		return 2;
	if (route_read(&route, argv[2], NULL, &err) < 0)
		fail(&err);
	input_read(argv[4], &input);
	struct trail *trail = trail_of(&route, &input);
	struct solver *solver = solver_new(argv[1], &limits);
	for (size_t i = 0; i < route.branches.count; i++) {
		if (route.branches.at[i].kind != BO_BRANCH_BOUND)
			branch_turn(solver, trail, i, route.branches.at[i].kind, argv[3]);
	}
	struct solver_counts counts = solver_counts(solver);
	solver_free(solver);
	figures_print(&route, trail, counts);
	trail_free(trail);
	route_free(&route);
	assignment_free(&input);
	return 0;
}
