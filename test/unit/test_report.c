/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of hand-made findings. test/e2e/report_*.test check SARIF, XML and HTML with real parsers. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "report/escape.h"
#include "report/reader.h"
#include "report/report.h"
#include "sample.h"
#include "scratch.h"

/* Return the report as a string; the caller frees it. */
static char *write_report(enum report_format format, const struct findings *f, const struct report_options *options)
{
	static const struct report_options plain;
	char *text = NULL;
	size_t size = 0;
	struct err err;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(report_write(format, f, options ? options : &plain, out, &err), 0);
	fclose(out);
	assert_int_equal(strlen(text), size); /* no format contains a zero byte */
	return text;
}

/* ---- text ---- */

static void test_text(void **state)
{
	struct findings *f = sample_all();
	char *text = write_report(REPORT_TEXT, f, &(struct report_options){.width = 80, .dir = "blackout.out"});

	(void)state;
	assert_string_equal(
		text,
		"recorded 1 842 PM stores, 611 flushes, 1 fence in 2 threads            1.9 s\n"
		"  in /pm/pool\n"
		"\n"
		"F1  missing-flush      kv.c:118 in put  (error, 1 234 times)\n"
		"    8 bytes stored here are not written back when the program ends; their line\n"
		"    is at other times, at kv.c:66\n"
		"    from: main kv.c:262\n"
		"    fix: persist what is stored at kv.c:118\n"
		"\n"
		"F2  flush-volatile     o\"d'd <&>\\ \\001\\033[31m\xef\xbf\xbd ]]> \xe5\x90\x8d.c:7 in f<\"&'>\\012\n"
		"    (performance, 2 times)\n"
		"    a <b>bold</b> & \"quoted\" message \xe2\x80\x94 with an \xef\xbf\xbd escape and ]]> \xef\xbf\xbd(\n"
		"\n"
		"F3  redundant-flush    kv+0x1002  (performance, 1 time)\n"
		"    something is wrong here\n"
		"    via: pmem_flush (libpmem.so.1+0x1001)\n"
		"\n"
		"1 error, 2 performance, 0 warnings, 1 suppressed. Crash states were not tested:\n"
		"--recover was not given. Report: blackout.out/report.html\n");
	free(text);
	findings_free(f);
}

/* Of a long path through a library, the first and the last step are shown; of one through the program, the steps next
 * to the place. */
static void test_text_long_stack(void **state)
{
	static const char *const inside[] = {"pmem_clwb", "flush_range", "tx_flush",
					     "tx_walk",   "tx_end",      "pmemobj_tx_commit"};
	static const char *const above[] = {"put", "serve", "work", "loop", "run", "main"};
	struct findings *f = sample_new();
	struct finding *finding = sample_add(f, KIND_REDUNDANT_FLUSH, SEVERITY_PERFORMANCE, 1);
	char *text;

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		sample_frame(f, &finding->stack, inside[i], "/lib/tx.c", 10 + i, "libpmemobj.so.1");
	for (uint32_t i = 0; i < 6; i++)
		sample_frame(f, &finding->stack, above[i], "/src/kv.c", 20 + i, "kv");
	text = write_report(REPORT_TEXT, f, &(struct report_options){.width = 200});
	assert_non_null(
		strstr(text,
		       "    via: pmem_clwb tx.c:10, ..., tx_walk tx.c:13, tx_end tx.c:14, pmemobj_tx_commit tx.c:15\n"
		       "    from: serve kv.c:21, work kv.c:22, loop kv.c:23, run kv.c:24, ...\n"));
	free(text);
	findings_free(f);
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
		size_t columns = utf8_columns(at, strcspn(at, "\n"));

		longest = columns > longest ? columns : longest;
	}
	return longest;
}

static void test_text_width(void **state)
{
	struct findings *f = sample_all();

	(void)state;
	for (unsigned width = 40; width < 200; width += 7) {
		char *text = write_report(REPORT_TEXT, f, &(struct report_options){.width = width});

		assert_in_range(longest_line(text), width / 2, width);
		free(text);
	}
	findings_free(f);
}

static void test_text_color(void **state)
{
	struct findings *f = sample_all();
	char *plain = write_report(REPORT_TEXT, f, &(struct report_options){.width = 100});
	char *color = write_report(REPORT_TEXT, f, &(struct report_options){.width = 100, .color = true});
	char *to = color;

	(void)state;
	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(color, "\033[1;31mmissing-flush\033[0m"));
	/* Without its escape sequences it is the same text. */
	for (const char *from = color; *from; from++) {
		if (*from == '\033')
			from = strchr(from, 'm');
		else
			*to++ = *from;
	}
	*to = 0;
	assert_string_equal(color, plain);
	free(plain);
	free(color);
	findings_free(f);
}

static void test_text_empty(void **state)
{
	struct findings *f = sample_new();
	char *text;

	(void)state;
	f->target.recover = "./kv check";
	vec_push(&f->notes, "a note");
	text = write_report(REPORT_TEXT, f, NULL);
	assert_string_equal(
		text,
		"note: a note\n0 errors, 0 performance, 0 warnings, 0 suppressed. Crash states were not tested.\n");
	free(text);
	findings_free(f);
}

/* ---- JSON ---- */

static void test_json(void **state)
{
	struct findings *f = sample_all();
	char *text = write_report(REPORT_JSON, f, NULL);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	const char *kind, *severity, *path, *module, *by;
	json_int_t count, stores;
	double seconds;

	(void)state;
	if (!root)
		fail_msg("%s", error.text);
	assert_int_equal(json_array_size(json_object_get(root, "findings")), 3);
	assert_int_equal(json_unpack(root, "{s:[{s:s,s:s,s:I,s:{s:s}}]}", "findings", "kind", &kind, "severity",
				     &severity, "count", &count, "location", "path", &path),
			 0);
	assert_string_equal(kind, "missing-flush");
	assert_string_equal(severity, "error");
	assert_int_equal(count, 1234);
	assert_string_equal(path, "/src/kv.c");
	assert_int_equal(json_unpack(root, "{s:{s:I,s:{s:F}}}", "stats", "stores", &stores, "seconds", "record",
				     &seconds),
			 0);
	assert_int_equal(stores, 1842);
	assert_null(json_object_get(json_object_get(root, "stats"), "loads")); /* not computed: absent */
	assert_null(json_object_get(json_object_get(root, "stats"), "complete"));
	assert_null(json_object_get(json_object_get(root, "target"), "recover"));
	/* The odd finding: UTF-8 is preserved, other bytes are marked. */
	json_t *odd = json_array_get(json_object_get(root, "findings"), 1);
	assert_int_equal(json_unpack(odd, "{s:{s:s,s:s}}", "location", "path", &path, "module", &module), 0);
	assert_string_equal(path, "/src/o\"d'd <&>\\ \x01\x1b[31m\xef\xbf\xbd ]]> \xe5\x90\x8d.c");
	assert_string_equal(module, "m<o>d&\"ule\x02\xef\xbf\xbd");
	assert_int_equal(json_unpack(root, "{s:[{s:{s:s}}]}", "suppressed", "suppression", "by", &by), 0);
	assert_string_equal(by, "suppress");
	json_decref(root);
	free(text);
	findings_free(f);
}

/* Reading and writing again gives the same bytes, and the same text report. */
static void test_json_again(void **state)
{
	struct findings *f = sample_all(), *again;
	char *text = write_report(REPORT_JSON, f, NULL), *same, *first, *second;
	struct err err;

	(void)state;
	f->at[3].state = FINDING_KNOWN;
	f->target.recover = "./check";
	f->stats.complete = figure_known(1);
	vec_push(&f->warnings, "a warning");
	vec_push(&f->notes, "a note");
	free(text);
	text = write_report(REPORT_JSON, f, NULL);
	if (findings_parse(&again, "x.json", text, strlen(text), &err) < 0)
		fail_msg("%s", err.sentence);
	same = write_report(REPORT_JSON, again, NULL);
	assert_string_equal(text, same);
	first = write_report(REPORT_TEXT, f, NULL);
	second = write_report(REPORT_TEXT, again, NULL);
	assert_string_equal(first, second);
	assert_int_equal(again->at[3].state, FINDING_KNOWN);
	assert_int_equal(again->count, 4);
	findings_free(again);
	findings_free(f);
	free(text);
	free(same);
	free(first);
	free(second);
}

static void refuse(const char *text, const char *sentence)
{
	struct findings *f = NULL;
	struct err err;

	assert_int_equal(findings_parse(&f, "x.json", text, strlen(text), &err), -1);
	assert_string_equal(err.sentence, sentence);
	assert_null(f);
}

#define SOUND \
	"{\"schema\":\"blackout/findings/1\",\"tool\":{\"version\":\"1\"},\"target\":{\"command\":[],\"pm\":[],\"platforms\":[]}"
#define FINDING                                                                                              \
	"{\"id\":\"F1\",\"kind\":\"missing-flush\",\"severity\":\"error\",\"fingerprint\":"                  \
	"\"00000000000000000000000000000000\",\"platforms\":[],\"detector\":\"patterns\",\"message\":\"m\"," \
	"\"count\":1,\"stack\":[],\"related\":[]"

static void test_json_refused(void **state)
{
	(void)state;
	refuse("{\"schema\": \"blackout/findings/2\", \"findings\": []}",
	       "x.json has the schema 'blackout/findings/2', but this version of Blackout reads only 'blackout/findings/1'");
	refuse("{}", "x.json is not a findings.json: it has no schema");
	refuse("[]", "x.json is not a findings.json: it has no schema");
	refuse("{\"schema\": 1}", "x.json is not a findings.json: it has no schema");
	refuse("", "x.json is not JSON: line 1, column 0: '[' or '{' expected near end of file");
	refuse("{\"a\":1,\"a\":2}", "x.json is not JSON: line 1, column 10: duplicate object key near '\"a\"'");
	refuse(SOUND ",\"stats\":{}}", "x.json is not a findings.json of this version: findings is missing");
	refuse(SOUND ",\"findings\":[]}", "x.json is not a findings.json of this version: stats is missing");
	refuse(SOUND ",\"stats\":{\"stores\":-1},\"findings\":[]}",
	       "x.json is not a findings.json of this version: stores is not a number or is out of range");
	refuse(SOUND ",\"stats\":{\"seconds\":{\"total\":\"x\"}},\"findings\":[]}",
	       "x.json is not a findings.json of this version: stats.seconds contains something that is not a time");
	refuse(SOUND ",\"stats\":{},\"findings\":[" FINDING "}," FINDING ",\"fix\":3}]}",
	       "x.json is not a findings.json of this version: findings[1].fix is not a string");
	refuse(SOUND ",\"stats\":{},\"findings\":[3]}",
	       "x.json is not a findings.json of this version: findings[0]. is not an object");
	refuse(SOUND
	       ",\"stats\":{},\"findings\":[{\"id\":\"F1\",\"kind\":\"<b>\",\"severity\":\"error\",\"fingerprint\":\"0\"}]}",
	       "x.json is not a findings.json of this version: findings[0].kind is not a name");
	refuse(SOUND ",\"stats\":{},\"findings\":[],\"suppressed\":[" FINDING "}]}",
	       "x.json is not a findings.json of this version: suppressed[0].suppression is missing");
}

/* A finding of a kind that this version does not know is read, and all formats show it. */
static void test_json_new_kind(void **state)
{
	static const char text[] =
		SOUND ",\"stats\":{},\"findings\":[{\"id\":\"F1\",\"kind\":\"custom:widget\",\"class\":\"a <class>\","
		      "\"severity\":\"warning\",\"fingerprint\":\"00000000000000000000000000000000\",\"platforms\":[],"
		      "\"detector\":\"widgets\",\"message\":\"m\",\"count\":1,\"stack\":[],\"related\":[]}]}";
	static const char *const shown[] = {
		[REPORT_TEXT] = "custom:widget",
		[REPORT_JSON] = "\"class\": \"a <class>\"",
		[REPORT_SARIF] = "\"ruleId\": \"custom:widget\"",
		[REPORT_JUNIT] = "classname=\"custom:widget\"",
		[REPORT_HTML] = "does not know (a &lt;class&gt;)",
	};
	struct findings *f;
	struct err err;

	(void)state;
	assert_int_equal(findings_parse(&f, "x.json", text, strlen(text), &err), 0);
	assert_int_equal(f->count, 1);
	assert_string_equal(kind_get(f->at[0].kind)->name, "custom:widget");
	assert_true(f->at[0].kind >= KIND_COUNT);
	for (unsigned i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		char *written = write_report((enum report_format)i, f, NULL);

		if (!strstr(written, shown[i]))
			fail_msg("%s is not in %s", shown[i], written);
		free(written);
	}
	findings_free(f);
}

static void test_json_unreadable(void **state)
{
	struct findings *f;
	struct err err;

	assert_int_equal(findings_read(&f, "/nowhere/findings.json", &err), -1);
	assert_string_equal(err.sentence, "cannot read /nowhere/findings.json: No such file or directory");
	assert_int_equal(findings_read(&f, *state, &err), -1);
	assert_non_null(strstr(err.sentence, "Is a directory"));
}

/* ---- all formats ---- */

/* The same findings give the same bytes; a file that cannot be written is an error. */
static void test_write_all(void **state)
{
	struct findings *f = sample_all(), *again;
	struct report_options options = {.dir = "x"};
	char path[4400];
	struct err err;

	assert_int_equal(report_write_all(f, &options, *state, &err), 0);
	for (unsigned format = 0; format < REPORT_COUNT; format++) {
		snprintf(path, sizeof(path), "%s/%s", (const char *)*state, report_file((enum report_format)format));
		assert_int_equal(access(path, R_OK), 0);
		char *one = write_report((enum report_format)format, f, NULL);
		char *two = write_report((enum report_format)format, f, NULL);
		assert_string_equal(one, two);
		free(one);
		free(two);
	}
	snprintf(path, sizeof(path), "%s/findings.json", (const char *)*state);
	assert_int_equal(findings_read(&again, path, &err), 0);
	findings_free(again);
	assert_int_equal(report_write_all(f, &options, "/nowhere", &err), -1);
	assert_string_equal(err.sentence, "cannot write /nowhere/report.txt: No such file or directory");
	FILE *full = fopen("/dev/full", "w");
	assert_int_equal(report_write(REPORT_HTML, f, &options, full, &err), -1);
	fclose(full);
	findings_free(f);
}

static void test_find(void **state)
{
	enum report_format format;

	(void)state;
	assert_true(report_find("sarif", &format) && format == REPORT_SARIF);
	assert_false(report_find("xml", &format));
	assert_string_equal(report_file(REPORT_JUNIT), "findings.xml");
}

/* ---- escaping ---- */

static void test_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{"a", 1},
		{"\x7f", 1},
		{"\x80", 0},
		{"\xc1\xbf", 0},
		{"\xc2\x80", 2},
		{"\xc3", 0},
		{"\xc3\x41", 0},
		{"\xe0\x9f\xbf", 0},
		{"\xe0\xa0\x80", 3},
		{"\xed\x9f\xbf", 3},
		{"\xed\xa0\x80", 0},
		{"\xef\xbf\xbd", 3},
		{"\xef\xbf\xbe", 0},
		{"\xf0\x8f\xbf\xbf", 0},
		{"\xf0\x90\x80\x80", 4},
		{"\xf4\x8f\xbf\xbf", 4},
		{"\xf4\x90\x80\x80", 0},
		{"\xf5\x80\x80\x80", 0},
		{"\xff", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(utf8_length(cases[i].text, strlen(cases[i].text)), cases[i].length);
	assert_int_equal(utf8_columns("a\xe5\x90\x8d\xff", 5), 3);
}

static void test_uri(void **state)
{
	char uri[64], small[8];

	(void)state;
	escape_uri(uri, sizeof(uri), "/a b/\xe5\x90\x8d#?%25.c");
	assert_string_equal(uri, "/a%20b/%E5%90%8D%23%3F%2525.c");
	escape_uri(small, sizeof(small), "/abc#defgh");
	assert_true(strlen(small) < sizeof(small));
	assert_true(!strncmp(small, "/abc%23", strlen(small)));
}

/* A path that does not fit is an error; it is not truncated to another path. */
static void test_path_too_long(void **state)
{
	struct findings *f = sample_all();
	const struct report_options how = {0};
	char dir[4090];
	struct err err;

	(void)state;
	memset(dir, '/', sizeof(dir));
	dir[sizeof(dir) - 1] = 0; /* the root directory: reports would appear there under parts of their names */
	assert_int_equal(report_write_all(f, &how, dir, &err), -1);
	assert_non_null(strstr(err.sentence, "... is too long"));
	findings_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),          cmocka_unit_test(test_text_long_stack),
		cmocka_unit_test(test_text_width),    cmocka_unit_test(test_text_color),
		cmocka_unit_test(test_text_empty),    cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_again),    cmocka_unit_test(test_json_refused),
		cmocka_unit_test(test_json_new_kind), scratch_test(test_json_unreadable),
		scratch_test(test_write_all),         cmocka_unit_test(test_find),
		cmocka_unit_test(test_utf8),          cmocka_unit_test(test_uri),
		cmocka_unit_test(test_path_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
