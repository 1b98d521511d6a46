# SPDX-License-Identifier: GPL-2.0-or-later
# Verbs for the tests of what `record --sync` notes about programs of blackout-cc.  A program says it beside its code:
#
#     pm->x = 1;                                    //! store plain 8
#     atomic_store(&pm->a, 1);                      //! atomic-store pm seq_cst; store atomic,seq_cst 8
#     sink = pm->x;                                 //! load plain 8
#     pthread_mutex_lock(&mutex);                   //! acquire mutex
#
# Each line with a comment is executed once; "//!" alone: it does nothing of this kind.  Everything that it did is compared, in order; several stores of one access
# are one.  Loads are compared where the comment has one, or an atomic store, which must not load.  A line without a comment must not store to PM.  If clang
# differs: "//! store unknown 8 // clang: store plain 8"; * stands for anything.  The program takes the path of its pool, maps it and prints the
# addresses of its other objects: "0x4010 mutex".
#
#   expect_noted SOURCE PROGRAM [OPTIONS...]    record the program that was built from SOURCE, with -g

. "$ROOT/test/compiler/compiler.sh"

noted_expected() {
	awk -v kind="$kind" '
		(at = index($0, "//!")) {
			text = substr($0, at + 4)
			if ((at = index(text, " // clang: ")))
				text = kind == "clang" ? substr(text, at + 11) : substr(text, 1, at - 1)
			if (text != "")
				print FNR ": " text
		}' "$1"
}

# Reads dump --stack; $1: the base name of the source, $2: its lines with comments, $3: names of objects.
noted_recorded() {
	awk -v kind="$kind" -v source="$1" -v commented="$2" -v names="$3" -f "$ROOT/test/compiler/noted.awk" | sort -n
}

expect_noted() {
	local source=$1 program=$2
	shift 2
	rm -f pool
	run "$program" pool
	expect_status 0
	rm -f pool
	run "$BLACKOUT" record --quiet --pm pool --sync --loads "$@" --out rec -- "$program" pool
	expect_status 0
	cp out names
	noted_expected "$source" >expected
	[ -s expected ] || fail "$source expects nothing"
	"$BLACKOUT" dump --stack rec >dump.txt || fail "no dump"
	grep -n '//!' "$source" >commented
	noted_recorded "$(basename "$source")" commented names <dump.txt >got
	expect_same expected got
}
