/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory of nested states is removed before and after use.  A directory with a similar name must never be
 * removed. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/campaign.h"
#include "campaign/nested.h"
#include "crash/campaign_in.h"
#include "scratch.h"

#define CUT "neste" /* what is left of "nested" if the path is truncated to PATH_MAX bytes */

/* Extend `dir`, directory by directory, until it has `length` characters, and change to it.  Its path may be too long
 * for one call. */
static void dir_lengthen(char dir[PATH_MAX], size_t length)
{
	assert_int_equal(chdir(dir), 0);
	while (strlen(dir) < length) {
		size_t used = strlen(dir), left = length - used - 1, part = left > 200 ? 150 : left;
		char *name = dir + used + 1;

		dir[used] = '/';
		memset(name, 'd', part);
		name[part] = 0;
		assert_int_equal(mkdir(name, 0777), 0);
		assert_int_equal(chdir(name), 0);
	}
}

static void test_too_long(void **state)
{
	struct campaign campaign = {.options = {.nested = true}};
	char out[PATH_MAX] = "";
	struct stat st;
	struct err err;

	strcpy(out, *state);
	dir_lengthen(out, PATH_MAX - 1 - strlen("/" CUT));
	assert_int_equal(mkdir(CUT, 0777), 0);
	int fd = open(CUT "/mine", O_CREAT | O_WRONLY, 0666);
	assert_true(fd >= 0);
	close(fd);
	campaign.options.out = out;
	campaign.nested = nested_new();
	assert_int_equal(nested_run(&campaign, &err), -1);
	assert_non_null(strstr(err.sentence, "... is too long"));
	assert_int_equal(stat(CUT "/mine", &st), 0);
	nested_report(&campaign, NULL, NULL, NULL);
	assert_int_equal(stat(CUT "/mine", &st), 0);
	nested_free(campaign.nested);
	assert_int_equal(unlink(CUT "/mine"), 0); /* its path is too long for scratch_remove */
	assert_int_equal(rmdir(CUT), 0);
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {scratch_test(test_too_long)};

	return cmocka_run_group_tests_name("nested", tests, NULL, NULL);
}
